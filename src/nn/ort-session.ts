// What both engines share: our tensors in and out of a session of onnxruntime.

import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-web";
import { TuttiError } from "../base/errors.ts";
import type { CompiledGraph, Tensors } from "./types.ts";

type TensorConstructor = new (
  type: "float32" | "int32",
  data: Float32Array | Int32Array,
  dims: readonly number[],
) => OrtTensor;

export function toSession(session: InferenceSession, Tensor: TensorConstructor): CompiledGraph {
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
