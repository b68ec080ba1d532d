// The engine for tests of what runs on it. Where it has no binary they are skipped, and their names say why.

import { openEngine } from "../../nn/engine.ts";
import type { Engine } from "../../nn/types.ts";

interface OpenedEngine {
  name: string;
  /** Absent where it cannot be loaded here. */
  engine?: Engine;
}

export async function openTestEngine(): Promise<OpenedEngine> {
  try {
    return { name: "onnxruntime-node", engine: await openEngine({ threads: 1 }) };
  } catch (error) {
    return { name: `onnxruntime-node (skipped: ${(error as Error).message})` };
  }
}
