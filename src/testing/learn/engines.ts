// Both engines for tests that run over each of them. The native one is an optional dependency: where it has
// no binary its tests are skipped, and say so. WebAssembly runs everywhere, so without it they fail.

import { openEngine } from "../../nn/engine.ts";
import type { Engine } from "../../nn/types.ts";

interface OpenedEngine {
  name: string;
  /** Absent where it cannot be loaded here. */
  engine?: Engine;
}

export async function openEngines(): Promise<OpenedEngine[]> {
  const web: OpenedEngine = { name: "onnxruntime-web", engine: await openEngine({ kind: "web" }) };
  try {
    return [{ name: "onnxruntime-node", engine: await openEngine({ kind: "node", threads: 1 }) }, web];
  } catch (error) {
    return [{ name: `onnxruntime-node (not tested: ${(error as Error).message})` }, web];
  }
}
