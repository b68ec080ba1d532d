// onnxruntime-web behind the engine port: WebAssembly, where the native engine has no binary. One thread,
// since its threads would need workers of their own; fast enough to plan, too slow to train.

import { toSession } from "./ort-session.ts";
import type { Engine } from "./types.ts";

export async function openWebEngine(): Promise<Engine> {
  const ort = await import("onnxruntime-web");
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  return {
    id: `onnxruntime-web ${ort.env.versions.common}, 1 thread`,
    load: async (model) =>
      toSession(await ort.InferenceSession.create(model, { graphOptimizationLevel: "all" }), ort.Tensor),
  };
}
