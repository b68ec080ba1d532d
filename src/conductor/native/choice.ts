// How large a team shall be: a linear reader of the question's words and the workers' figures, which says what a team
// of each size is worth here. It is apart from the transformer because it learns late and from few questions: there
// the same step that taught it to choose spoiled what it writes, and a smaller one taught it nothing.

import type { Prefix } from "../../nn/batch.ts";
import type { Weights } from "../../nn/types.ts";

/** Names in a file, beside the weights of the model. */
const WORTH = "choice.worth";
const SEEN = "choice.seen";
const EARNED = "choice.earned";

/** Figures beside the words: a constant, the length (twice), four of the pool's success here, and who is in it (two). */
const FIGURES = 9;
/** How many questions the prior is worth that all sizes are alike. */
const PRIOR = 4;
/** Of what was seen, so much still counts one iteration later: teams get better meanwhile. */
const KEPT = 0.98;
const SOLVED = 1e-6;
const MOST_STEPS = 60;

/** Of a slot: whether it is a model, and its success on tasks like this one, from -1 to 1. */
const [IS_MODEL, SIMILAR] = [0, 4];

/** What a checkpoint holds of it. */
export function choiceDims(sizes: readonly number[], vocabulary: number): [name: string, dims: number[]][] {
  return [[WORTH, [sizes.length, vocabulary + FIGURES]]];
}

export interface Compared {
  prefix: Prefix;
  /** Of each size, in the order of the sizes; undefined where it is not known. */
  rewards: readonly (number | undefined)[];
}

export class Choice {
  readonly sizes: readonly number[];
  readonly #vocabulary: number;
  /** By size, then by figure. */
  readonly #worth: Float32Array;
  /** Sums over what was compared: figure by figure, and figure by size. Only while it learns. */
  #seen: Float32Array | undefined;
  #earned: Float32Array | undefined;

  constructor(sizes: readonly number[], vocabulary: number, tensors?: Weights) {
    this.sizes = sizes;
    this.#vocabulary = vocabulary;
    this.#worth = tensors?.get(WORTH)?.data ?? new Float32Array(sizes.length * this.#width);
    this.#seen = tensors?.get(SEEN)?.data;
    this.#earned = tensors?.get(EARNED)?.data;
  }

  get #width(): number {
    return this.#vocabulary + FIGURES;
  }

  /** What a team of each size is worth for this question, beyond their mean. */
  weigh(prefix: Prefix): number[] {
    const figures = this.#figuresOf(prefix);
    return this.sizes.map((_, s) => {
      let sum = 0;
      for (const [at, value] of figures) sum += this.#worth[s * this.#width + at]! * value;
      return sum;
    });
  }

  /** The size that is worth most, of those up to `most`. Of equal ones the first. */
  choose(prefix: Prefix, most = Number.POSITIVE_INFINITY): number {
    const worth = this.weigh(prefix);
    const able = [...this.sizes.keys()].filter((s) => this.sizes[s]! <= most);
    return this.sizes[able.reduce((best, s) => (worth[s]! > worth[best]! ? s : best), able[0] ?? 0)]!;
  }

  /** Ridge regression over all that was compared so far, the latest counting most. */
  learn(compared: readonly Compared[]): void {
    const { sizes } = this;
    const width = this.#width;
    this.#seen ??= new Float32Array(width * width);
    this.#earned ??= new Float32Array(sizes.length * width);
    const [seen, earned] = [this.#seen, this.#earned];
    for (let i = 0; i < seen.length; i++) seen[i]! *= KEPT;
    for (let i = 0; i < earned.length; i++) earned[i]! *= KEPT;
    for (const { prefix, rewards } of compared) {
      const known = rewards.filter((reward) => reward !== undefined);
      if (known.length < sizes.length) continue;
      const mean = known.reduce((sum, reward) => sum + reward, 0) / known.length;
      const figures = this.#figuresOf(prefix);
      for (const [row, value] of figures) {
        for (const [column, other] of figures) seen[row * width + column]! += value * other;
        for (const s of sizes.keys()) earned[s * width + row]! += value * (known[s]! - mean);
      }
    }
    for (const s of sizes.keys()) {
      const own = this.#worth.subarray(s * width, (s + 1) * width);
      solve(seen, earned.subarray(s * width, (s + 1) * width), own);
    }
  }

  /** What it has learned; with what it needs to go on learning. */
  toTensors({ isLearning }: { isLearning: boolean }): Weights {
    const width = this.#width;
    const tensors: Weights = new Map([[WORTH, { dims: [this.sizes.length, width], data: this.#worth }]]);
    if (!isLearning || !this.#seen || !this.#earned) return tensors;
    tensors.set(SEEN, { dims: [width, width], data: this.#seen });
    return tensors.set(EARNED, { dims: [this.sizes.length, width], data: this.#earned });
  }

  /** Those that are not 0. */
  #figuresOf({ tokens, slots }: Prefix): [at: number, value: number][] {
    const words = [...new Set(tokens)];
    const models = slots.filter((slot) => slot[IS_MODEL] === 1);
    const similar = models.map((slot) => slot[SIMILAR]!).sort((a, b) => b - a);
    const mean = similar.reduce((sum, rate) => sum + rate, 0) / Math.max(1, similar.length);
    const length = tokens.length / 64;
    const figures = [1, length, length ** 2, similar[0] ?? 0, (similar[0] ?? 0) ** 2, similar[1] ?? 0, mean];
    const pool = [models.length / 8, models.length < slots.length ? 1 : 0];
    return [
      ...words.map((token): [number, number] => [token, 1 / Math.sqrt(words.length)]),
      ...[...figures, ...pool].map((value, i): [number, number] => [this.#vocabulary + i, value]),
    ];
  }
}

/** Conjugate gradients for (seen + prior) × worth = earned, from where `worth` stands. */
function solve(seen: Float32Array, earned: Float32Array, worth: Float32Array): void {
  const count = earned.length;
  const times = (vector: Float64Array) =>
    Float64Array.from({ length: count }, (_, row) => {
      let sum = PRIOR * vector[row]!;
      const base = row * count;
      for (let column = 0; column < count; column++) sum += seen[base + column]! * vector[column]!;
      return sum;
    });
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const found = Float64Array.from(worth);
  const product = times(found);
  const rest = Float64Array.from(earned, (value, i) => value - product[i]!);
  let direction = Float64Array.from(rest);
  let error = dot(rest, rest);
  for (let step = 0; step < MOST_STEPS && error > SOLVED ** 2; step++) {
    const along = times(direction);
    const size = error / dot(direction, along);
    for (let i = 0; i < count; i++) {
      found[i]! += size * direction[i]!;
      rest[i]! -= size * along[i]!;
    }
    const next = dot(rest, rest);
    const share = next / error;
    direction = direction.map((value, i) => rest[i]! + share * value);
    error = next;
  }
  worth.set(found);
}
