// Gradients of a graph against central finite differences. The value of a graph is weighed with fixed random
// numbers, so that every entry of it counts, and the differences are summed as doubles: what is left of
// single precision is then below the tolerance.

import { createRandom, type Random } from "../../base/random.ts";
import { Graph, gradientsOf, type Value } from "../../nn/graph.ts";
import { multiply, sizeOf, sumAll } from "../../nn/operations.ts";
import type { Engine, Tensor, Tensors } from "../../nn/types.ts";

export interface Checked {
  value: Tensor;
  /** By name of the input: as the rules say, and as the differences do. */
  gradients: Record<string, { exact: number[]; estimated: number[] }>;
}

/** `constants` are given like the inputs, but no gradient is asked for them. */
export interface GradientCase {
  inputs: Tensors;
  constants?: Tensors;
  build(values: Record<string, Value>): Value;
}

const STEP = 1 / 128;

export function randomTensor(dims: readonly number[], random: Random, center = 0): Tensor {
  return { dims, data: Float32Array.from({ length: sizeOf(dims) }, () => center + random.next() - 0.5) };
}

/** The value alone, of graphs that let no gradient pass. */
export async function evaluate(
  engine: Engine,
  { inputs, build }: Pick<GradientCase, "inputs" | "build">,
): Promise<Tensor> {
  const graph = new Graph();
  graph.output("value", build(declare(graph, inputs, false)));
  const session = await engine.load(graph.toModel());
  const { value } = await session.run(inputs);
  await session.close();
  return value!;
}

export async function checkGradients(
  engine: Engine,
  { inputs, constants = {}, build }: GradientCase,
): Promise<Checked> {
  const graph = new Graph();
  const weights = declare(graph, inputs, true);
  const value = build({ ...weights, ...declare(graph, constants, false) });
  const random = createRandom("probe");
  const probe = Float32Array.from({ length: sizeOf(value.dims) }, () => random.normal());
  const loss = sumAll(multiply(value, graph.constant(probe, value.dims)));
  graph.output("value", value);
  const names = Object.keys(inputs);
  const gradients = gradientsOf(
    loss,
    names.map((name) => weights[name]!),
    graph.constant(Float32Array.of(1), []),
  );
  for (const [i, name] of names.entries()) graph.output(`gradient.${name}`, gradients[i]!);
  const session = await engine.load(graph.toModel());
  const feeds = { ...inputs, ...constants };
  const outputs = await session.run(feeds);
  const result: Checked = { value: outputs.value!, gradients: {} };
  for (const name of names) {
    const given = inputs[name]!;
    const valueAt = async (entry: number, move: number) => {
      const moved = given.data.slice();
      moved[entry]! += move;
      const { value: there } = await session.run({ ...feeds, [name]: { dims: given.dims, data: moved } });
      return there!.data;
    };
    const estimated: number[] = [];
    for (let entry = 0; entry < given.data.length; entry++) {
      const [above, below] = [await valueAt(entry, STEP), await valueAt(entry, -STEP)];
      estimated.push(
        probe.reduce((sum, weight, i) => sum + (weight * (above[i]! - below[i]!)) / (2 * STEP), 0),
      );
    }
    result.gradients[name] = { exact: [...outputs[`gradient.${name}`]!.data], estimated };
  }
  await session.close();
  return result;
}

function declare(graph: Graph, tensors: Tensors, isTrained: boolean): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, { dims, data }]) => {
      if (isTrained) return [name, graph.weight(name, dims)];
      return [name, graph.input(name, dims, data instanceof Int32Array ? "int32" : "float")];
    }),
  );
}
