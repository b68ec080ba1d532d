// The layers of the transformer, forward only. Every row says where it stands and what it may see, so reading a
// question and writing the next token of many plans are the same function.

import { rotaryTables } from "../transformer.ts";
import type { ModelShape, Weights } from "../types.ts";
import { dot, gate, multiplyRows, normRows, rotate, softmax, transposed } from "./kernels.ts";

/** Keys and values of one layer, a row of `width` for each position. */
export interface KeyValues {
  keys: Float32Array;
  values: Float32Array;
}

/** A position that is computed. */
export interface Row {
  /** Of each layer; rows of one question share it. */
  cache: readonly KeyValues[];
  /** Its row in the cache. */
  at: number;
  /** It sees so many rows of the cache, from the first. */
  sees: number;
  /** For the rotary positions. */
  position: number;
}

interface LayerWeights {
  attentionNorm: Float32Array;
  queries: Float32Array;
  keys: Float32Array;
  values: Float32Array;
  attentionOut: Float32Array;
  mlpNorm: Float32Array;
  gate: Float32Array;
  up: Float32Array;
  down: Float32Array;
}

export class Layers {
  readonly shape: ModelShape;
  readonly #layers: LayerWeights[];
  readonly #rotations = new Map<number, [Float32Array, Float32Array]>();

  constructor(shape: ModelShape, weights: Weights) {
    this.shape = shape;
    this.#layers = Array.from({ length: shape.layers }, (_, number) => toLayer(shape, weights, number));
  }

  createCache(positions: number): KeyValues[] {
    const size = positions * this.shape.width;
    return this.#layers.map(() => ({ keys: new Float32Array(size), values: new Float32Array(size) }));
  }

  /** All layers, in place of `x`. In the last one only rows from `needed` on come out; the others are left as they went in. */
  run(x: Float32Array, rows: readonly Row[], needed = 0): void {
    for (let number = 0; number < this.shape.layers; number++) {
      const first = number === this.shape.layers - 1 ? needed : 0;
      this.#remember(number, x, rows);
      this.#advance(number, x, rows, [first, rows.length]);
    }
  }

  /** The last layer of the rows before `needed`, which `run` left out. */
  finish(x: Float32Array, rows: readonly Row[], needed: number): void {
    this.#advance(this.shape.layers - 1, x, rows, [0, needed]);
  }

  /** Keys and values of these rows into their caches. */
  #remember(number: number, x: Float32Array, rows: readonly Row[]): void {
    const { width } = this.shape;
    const layer = this.#layers[number]!;
    const normed = new Float32Array(rows.length * width);
    normRows(x, layer.attentionNorm, [0, rows.length], normed);
    const keys = this.#product(normed, layer.keys, [0, rows.length], width, width);
    const values = this.#product(normed, layer.values, [0, rows.length], width, width);
    for (const [row, { cache, at, position }] of rows.entries()) {
      this.#rotate(keys, row * width, position);
      const own = cache[number]!;
      own.keys.set(keys.subarray(row * width, (row + 1) * width), at * width);
      own.values.set(values.subarray(row * width, (row + 1) * width), at * width);
    }
  }

  #advance(
    number: number,
    x: Float32Array,
    rows: readonly Row[],
    range: readonly [first: number, end: number],
  ): void {
    const { width, hidden } = this.shape;
    const layer = this.#layers[number]!;
    const [first, end] = range;
    if (first >= end) return;
    const normed = new Float32Array(end * width);
    normRows(x, layer.attentionNorm, range, normed);
    const queries = this.#product(normed, layer.queries, range, width, width);
    const seen = new Float32Array(end * width);
    for (let row = first; row < end; row++) {
      const { cache, sees, position } = rows[row]!;
      this.#rotate(queries, row * width, position);
      this.#attend(queries, row * width, cache[number]!, sees, seen);
    }
    addRows(x, this.#product(seen, layer.attentionOut, range, width, width), first * width, end * width);
    normRows(x, layer.mlpNorm, range, normed);
    const gates = this.#product(normed, layer.gate, range, width, hidden);
    gate(gates, this.#product(normed, layer.up, range, width, hidden), first * hidden, end * hidden);
    addRows(x, this.#product(gates, layer.down, range, hidden, width), first * width, end * width);
  }

  /** What each head of a row takes from the rows it sees. */
  #attend(
    queries: Float32Array,
    from: number,
    { keys, values }: KeyValues,
    count: number,
    out: Float32Array,
  ): void {
    const { width, heads } = this.shape;
    const size = width / heads;
    const scale = 1 / Math.sqrt(size);
    const scores = new Float32Array(count);
    for (let head = 0; head < heads; head++) {
      const at = head * size;
      for (let other = 0; other < count; other++)
        scores[other] = scale * dot(queries, from + at, keys, other * width + at, size);
      softmax(scores, 0, count);
      for (let other = 0; other < count; other++) {
        const share = scores[other]!;
        const start = other * width + at;
        for (let i = 0; i < size; i++) out[from + at + i]! += share * values[start + i]!;
      }
    }
  }

  #rotate(data: Float32Array, from: number, position: number): void {
    const { width, heads } = this.shape;
    let tables = this.#rotations.get(position);
    if (!tables) {
      tables = rotaryTables([position], width / heads);
      this.#rotations.set(position, tables);
    }
    rotate(data, from, { heads, size: width / heads }, tables);
  }

  #product(
    x: Float32Array,
    matrix: Float32Array,
    [first, end]: readonly [number, number],
    inner: number,
    columns: number,
  ): Float32Array {
    const out = new Float32Array(end * columns);
    multiplyRows({ x, matrix, inner, columns, first, rows: end - first }, out);
    return out;
  }
}

function addRows(x: Float32Array, more: Float32Array, first: number, end: number): void {
  for (let i = first; i < end; i++) x[i]! += more[i]!;
}

function toLayer({ width, hidden }: ModelShape, weights: Weights, number: number): LayerWeights {
  const of = (name: string) => weights.get(`${number}.${name}`)!.data;
  const thirds = transposed(of("attention.in"), width, 3 * width);
  const third = (at: number) => thirds.subarray(at * width * width, (at + 1) * width * width);
  return {
    attentionNorm: of("attention.norm"),
    queries: third(0),
    keys: third(1),
    values: third(2),
    attentionOut: transposed(of("attention.out"), width, width),
    mlpNorm: of("mlp.norm"),
    gate: transposed(of("mlp.gate"), width, hidden),
    up: transposed(of("mlp.up"), width, hidden),
    down: transposed(of("mlp.down"), hidden, width),
  };
}
