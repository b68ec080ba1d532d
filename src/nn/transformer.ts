// A decoder transformer: rotary positions, RMS norm, gated MLP, tied head, and a pointer to slots. Here are
// its weights and the parts that all graphs share; `model-graphs.ts` puts them together.

import { createRandom } from "../base/random.ts";
import type { Graph, Value } from "./graph.ts";
import {
  add,
  concat,
  matmul,
  multiply,
  reshape,
  rmsNorm,
  scale,
  silu,
  split,
  transposeLast,
} from "./operations.ts";
import type { ModelShape, Weights } from "./types.ts";

const ROTARY_BASE = 1000;
const NEVER = -1e9;

/** Names and sizes of all weights, in a fixed order. */
export function weightDims(shape: ModelShape): [name: string, dims: number[]][] {
  const { vocabulary, width, hidden, layers, features } = shape;
  const list: [string, number[]][] = [
    ["embedding", [vocabulary, width]],
    ["slot", [features, width]],
    ["slot.bias", [width]],
  ];
  for (let layer = 0; layer < layers; layer++)
    list.push(
      [`${layer}.attention.norm`, [width]],
      [`${layer}.attention.in`, [width, 3 * width]],
      [`${layer}.attention.out`, [width, width]],
      [`${layer}.mlp.norm`, [width]],
      [`${layer}.mlp.gate`, [width, hidden]],
      [`${layer}.mlp.up`, [width, hidden]],
      [`${layer}.mlp.down`, [hidden, width]],
    );
  list.push(
    ["norm", [width]],
    ["pointer.query", [width, width]],
    ["pointer.key", [width, width]],
    ["pointer.again", [width, 1]],
  );
  return list;
}

export function createWeights(shape: ModelShape, seed: number): Weights {
  const random = createRandom(seed);
  const weights: Weights = new Map();
  for (const [name, dims] of weightDims(shape)) {
    const data = new Float32Array(dims.reduce((size, dim) => size * dim, 1));
    if (name.endsWith("norm")) data.fill(1);
    else if (!name.endsWith("bias") && !name.endsWith("again")) {
      // What adds to the residual stream starts smaller, so that depth does not blow it up.
      const isResidual = name.endsWith("out") || name.endsWith("down");
      const spread = (1 / Math.sqrt(dims[0]!)) * (isResidual ? 1 / Math.sqrt(2 * shape.layers) : 1);
      const deviation = name === "embedding" ? 0.05 : spread;
      for (let i = 0; i < data.length; i++) data[i] = random.normal() * deviation;
    }
    weights.set(name, { dims, data });
  }
  return weights;
}

/** All weights as inputs of a graph. */
export function declareWeights(graph: Graph, shape: ModelShape): Map<string, Value> {
  return new Map(weightDims(shape).map(([name, dims]) => [name, graph.weight(name, dims)]));
}

export function pick(weights: ReadonlyMap<string, Value>, name: string): Value {
  return weights.get(name)!;
}

// ---- Positions --------------------------------------------------------------------------------------

export interface Rotation {
  /** [1, positions, 1, size of a head]. */
  cosine: Value;
  sine: Value;
  /** Turns (a, b) into (−b, a), as a matrix, so that its gradient is a product too. */
  turn: Value;
}

/** Cosines and sines for these positions, each `size` long. */
export function rotaryTables(positions: readonly number[], size: number): [Float32Array, Float32Array] {
  const cosine = new Float32Array(positions.length * size);
  const sine = new Float32Array(positions.length * size);
  const half = size / 2;
  for (const [row, position] of positions.entries()) {
    for (let i = 0; i < half; i++) {
      const angle = position * ROTARY_BASE ** (-i / half);
      for (const at of [row * size + i, row * size + half + i]) {
        cosine[at] = Math.cos(angle);
        sine[at] = Math.sin(angle);
      }
    }
  }
  return [cosine, sine];
}

export function rotationAt(graph: Graph, positions: readonly number[], size: number): Rotation {
  const dims = [1, positions.length, 1, size];
  const [cosine, sine] = rotaryTables(positions, size);
  return {
    cosine: graph.constant(cosine, dims),
    sine: graph.constant(sine, dims),
    turn: turnOf(graph, size),
  };
}

export function turnOf(graph: Graph, size: number): Value {
  const matrix = new Float32Array(size * size);
  const half = size / 2;
  for (let i = 0; i < half; i++) {
    matrix[(i + half) * size + i] = -1;
    matrix[i * size + i + half] = 1;
  }
  return graph.constant(matrix, [size, size]);
}

function rotate(a: Value, { cosine, sine, turn }: Rotation): Value {
  return add(multiply(a, cosine), multiply(matmul(a, turn), sine));
}

// ---- A layer ----------------------------------------------------------------------------------------

/** [questions, positions, heads, size] each; queries are already divided by √size. */
export interface Heads {
  queries: Value;
  keys: Value;
  values: Value;
}

/** One layer; how the heads look at each other differs from graph to graph. */
export function layer(
  x: Value,
  weights: ReadonlyMap<string, Value>,
  number: number,
  { heads, rotation, attend }: { heads: number; rotation: Rotation; attend: (heads: Heads) => Value },
): Value {
  const [questions, positions, width] = x.dims as [number, number, number];
  const size = width / heads;
  const of = (name: string) => pick(weights, `${number}.${name}`);
  const read = rmsNorm(x, of("attention.norm"));
  // The weight is cut, not the result: it is far smaller.
  const thirds = split(of("attention.in"), 1, [width, width, width]);
  const part = (at: number) => reshape(matmul(read, thirds[at]!), [questions, positions, heads, size]);
  const queries = scale(rotate(part(0), rotation), 1 / Math.sqrt(size));
  const keys = rotate(part(1), rotation);
  const seen = attend({ queries, keys, values: part(2) });
  const attended = add(x, matmul(reshape(seen, [questions, positions, width]), of("attention.out")));
  const normed = rmsNorm(attended, of("mlp.norm"));
  const gated = multiply(silu(matmul(normed, of("mlp.gate"))), matmul(normed, of("mlp.up")));
  return add(attended, matmul(gated, of("mlp.down")));
}

// ---- Heads of the model -----------------------------------------------------------------------------

/** A slot as it is read: from its features. */
export function slotRows(features: Value, weights: ReadonlyMap<string, Value>): Value {
  return add(matmul(features, pick(weights, "slot")), pick(weights, "slot.bias"));
}

export interface Pointing {
  /** [questions, slots, width]: the slots as they came out of the last layer. */
  keys: Value;
  /** How often a slot was chosen before: [questions, rows, slots]. */
  again: Value;
  /** 0 for slots that are there, a large negative number for others: [questions, 1, slots]. */
  absent: Value;
}

/** Logits of text tokens, then of slots: [questions, rows, vocabulary + slots]. `x` is normed. */
export function logitsOf(x: Value, weights: ReadonlyMap<string, Value>, pointing: Pointing): Value {
  const { keys, again, absent } = pointing;
  const width = x.dims.at(-1)!;
  const text = textLogits(x, weights);
  const queries = scale(matmul(x, pick(weights, "pointer.query")), 1 / Math.sqrt(width));
  const repeated = multiply(again, matmul(x, pick(weights, "pointer.again")));
  const slots = add(add(matmul(queries, transposeLast(keys)), repeated), absent);
  return concat([text, slots], 2);
}

export function textLogits(x: Value, weights: ReadonlyMap<string, Value>): Value {
  return matmul(x, transposeLast(pick(weights, "embedding")));
}

/** Added to a score so that it does not count. */
export function maskValue(isHidden: boolean): number {
  return isHidden ? NEVER : 0;
}
