// onnxruntime-node behind the engine port: native code. It is an optional peer, so it is imported when a training begins.

import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { TuttiError } from "../base/errors.ts";
import type { CompiledGraph, Engine, Tensors } from "./types.ts";

export async function openNodeEngine(threads: number): Promise<Engine> {
  const ort = await import("onnxruntime-node");
  const options = {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: "all",
    logSeverityLevel: 3,
  } as const;
  return {
    id: `onnxruntime-node ${ort.env.versions.common}, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    load: async (model) => toCompiledGraph(await ort.InferenceSession.create(model, options), ort.Tensor),
  };
}

type TensorConstructor = new (
  type: "float32" | "int32",
  data: Float32Array | Int32Array,
  dims: readonly number[],
) => OrtTensor;

function toCompiledGraph(session: InferenceSession, Tensor: TensorConstructor): CompiledGraph {
  const names = new Set(session.inputNames);
  return {
    async run(inputs) {
      const feeds: Record<string, OrtTensor> = {};
      for (const name of names) {
        const given = inputs[name];
        if (!given) throw new TuttiError("bad-graph", `The graph needs an input "${name}"`);
        const type = given.data instanceof Float32Array ? "float32" : "int32";
        feeds[name] = new Tensor(type, given.data, given.dims);
      }
      const results = await session.run(feeds);
      const outputs: Tensors = {};
      for (const [name, { data, dims }] of Object.entries(results)) {
        if (!(data instanceof Float32Array || data instanceof Int32Array))
          throw new TuttiError("bad-graph", `Output "${name}" is of a kind we do not read`);
        outputs[name] = { data, dims };
      }
      return outputs;
    },
    close: async () => session.release(),
  };
}
