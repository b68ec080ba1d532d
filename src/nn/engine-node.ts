// onnxruntime-node behind the engine port: native code, for training and inference. It is an optional
// dependency, so nothing here needs it to compile: both runtimes have the same interface.

import { toSession } from "./ort-session.ts";
import type { Engine } from "./types.ts";

const PACKAGE = "onnxruntime-node";

export async function openNodeEngine(threads: number): Promise<Engine> {
  const ort = (await import(PACKAGE)) as typeof import("onnxruntime-web");
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    logSeverityLevel: 3,
  } as const;
  return {
    id: `${PACKAGE} ${ort.env.versions.common}, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    load: async (model) => toSession(await ort.InferenceSession.create(model, options), ort.Tensor),
  };
}
