// How large a team shall be, and after a round whether its answer is taken as it is: ridge regression from the
// question's words, the workers' features and who agreed to the reward of each size. It is apart from the transformer
// because it learns late and from few questions: there the same step that taught it to choose spoiled what it writes,
// and a smaller one taught it nothing. The cost of a call is subtracted when it chooses, so that one Conductor can be
// as thrifty as it is asked to be.

import type { Weights } from "../../nn/types.ts";
import { IS_BLIND, type Reading } from "./reading.ts";

/** Of the pool: a constant, the length (twice), four of its success here, and who is in it (two). */
const POOL_FEATURES = 9;
/** Of the round before: in which way its replies agreed, and how large its team was. */
const ROUND_FEATURES = 9;
/** Of all rounds before: that the likeliest answer is right, and that nobody was right so far. */
const BELIEF_FEATURES = 2;
/** Of a pool whose models cannot see each other's replies: a constant and its best success, since a vote is worth other sizes. */
const BLIND_FEATURES = 2;
const FEATURES = POOL_FEATURES + ROUND_FEATURES + BELIEF_FEATURES + BLIND_FEATURES;
/** Strength of the ridge prior, in tries: all sizes are alike. */
const PRIOR = 256;
/**
 * Another round costs so many calls more than its own: everybody waits for it. Without this, answers on which all
 * agreed were looked at again for next to nothing.
 */
const FURTHER_ROUND = 1;
const TOLERANCE = 1e-6;
const MAX_STEPS_OF_SOLVER = 200;

/** Of a slot: whether it is a model, and its success on tasks like this one, from -1 to 1. */
const [IS_MODEL, SIMILAR] = [0, 4];

/** What is chosen: the team of the first round, or what comes after a round. */
export type ChoiceName = "first" | "later";

/** Of each choice that there is, what it is made from. 0 in a later round: the answer is taken as it is. */
export type ChoiceSizes = Partial<Record<ChoiceName, readonly number[]>>;
export type Choices = Partial<Record<ChoiceName, Choice>>;

/** Names in a file, beside the weights of the model. */
const tensorName = (choice: ChoiceName, what: "worth" | "calls" | "seen" | "earned") =>
  `choice.${choice}.${what}`;

/** What a checkpoint holds of it. */
export function choiceDims(sizes: ChoiceSizes, vocabulary: number): [name: string, dims: number[]][] {
  return namesOf(sizes).flatMap((name): [string, number[]][] => [
    [tensorName(name, "worth"), [sizes[name]!.length, vocabulary + FEATURES]],
    [tensorName(name, "calls"), [sizes[name]!.length + 1]],
  ]);
}

export function createChoices(sizes: ChoiceSizes, vocabulary: number, tensors?: Weights): Choices {
  return Object.fromEntries(
    namesOf(sizes).map((name) => [name, new Choice(name, sizes[name]!, vocabulary, tensors)]),
  );
}

export function choiceTensors(choices: Choices, { isLearning }: { isLearning: boolean }): Weights {
  return new Map(Object.values(choices).flatMap((choice) => [...choice.toTensors({ isLearning })]));
}

export function sizesOf(choices: Choices): ChoiceSizes {
  return Object.fromEntries(Object.values(choices).map(({ name, sizes }) => [name, sizes]));
}

function namesOf(sizes: ChoiceSizes): ChoiceName[] {
  return (["first", "later"] as const).filter((name) => sizes[name]);
}

/** A training example: what teams of each size made of the same question. */
export interface SizeComparison {
  reading: Reading;
  /** Of each size, in the order of the sizes, costs not counted; undefined where it is not known. */
  rewards: readonly (number | undefined)[];
  /** Mean calls of each size. */
  calls: readonly number[];
  /** How many tries the rewards are the mean of: its weight. */
  tries: number;
}

/**
 * How large the next team shall be: what is given, or chosen where there is a choice to be made. 0: the answer is taken
 * as it is. Undefined: it is decided while the plan is written.
 */
export function chooseSize(
  choices: Choices,
  reading: Reading,
  { given, cost, most }: { given: number | undefined; cost: number; most: number },
): { size: number | undefined; why?: string } {
  const choice = reading.labels ? choices.later : choices.first;
  if (given !== undefined || !choice) return { size: given };
  return { size: choice.choose(reading, { cost, most }), why: choice.explain(reading, { cost }) };
}

export class Choice {
  readonly name: ChoiceName;
  readonly sizes: readonly number[];
  readonly #vocabulary: number;
  /** By size, then by feature. */
  readonly #worth: Float32Array;
  /** Mean calls of each size; last, over how many questions. */
  readonly #calls: Float32Array;
  /** Sums over all examples: feature by feature (XᵀX), and feature by size (Xᵀy). Only while it learns. */
  #seen: Float32Array | undefined;
  #earned: Float32Array | undefined;
  #isSolved = true;

  constructor(name: ChoiceName, sizes: readonly number[], vocabulary: number, tensors?: Weights) {
    this.name = name;
    this.sizes = sizes;
    this.#vocabulary = vocabulary;
    const find = (what: Parameters<typeof tensorName>[1]) => tensors?.get(tensorName(name, what))?.data;
    this.#worth = find("worth") ?? new Float32Array(sizes.length * this.#width);
    this.#calls = find("calls") ?? new Float32Array(sizes.length + 1);
    this.#seen = find("seen");
    this.#earned = find("earned");
  }

  get #width(): number {
    return this.#vocabulary + FEATURES;
  }

  /** The predicted reward of each size for this question, relative to their mean; costs not counted. */
  predict(reading: Reading): number[] {
    this.#solve();
    const features = this.#featuresOf(reading);
    return this.sizes.map((_, s) => {
      let sum = 0;
      for (const [at, value] of features) sum += this.#worth[s * this.#width + at]! * value;
      return sum;
    });
  }

  /** The size that is worth most when every call costs so much, of those up to `most`. Of equal ones the first. */
  choose(
    reading: Reading,
    { cost, most = Number.POSITIVE_INFINITY }: { cost: number; most?: number },
  ): number {
    const worth = this.#worthOf(reading, cost);
    const able = this.#ableFor(reading).filter((s) => this.sizes[s]! <= most);
    return this.sizes[able.reduce((best, s) => (worth[s]! > worth[best]! ? s : best), able[0] ?? 0)]!;
  }

  /** A sentence for the trace: what was weighed. */
  explain(reading: Reading, { cost }: { cost: number }): string {
    const worth = this.#worthOf(reading, cost);
    const sign = (value: number) => (value < 0 ? "−" : "+");
    const signed = (value: number) => `${sign(value)}${Math.abs(value).toFixed(3)}`;
    const name = (size: number) =>
      size === 0 ? "taking the answer" : size === 1 ? "1 step" : `${size} steps`;
    const weighed = this.#ableFor(reading)
      .map((s) => `${name(this.sizes[s]!)} ${signed(worth[s]!)}`)
      .join(", ");
    return `Worth here, with ${cost} off for every call${this.name === "later" ? " and for the wait" : ""}: ${weighed}.`;
  }

  /**
   * Of two who cannot see each other only the last one is heard, and a vote takes three steps: in a first round of such a pool
   * a team of two is a call for nothing.
   */
  #ableFor({ prefix, workers }: Reading): number[] {
    const able = [...this.sizes.keys()];
    const isBlind = prefix.slots.slice(0, workers.length).some((slot) => slot[IS_BLIND] === 1);
    return this.name === "first" && isBlind ? able.filter((s) => this.sizes[s] !== 2) : able;
  }

  #worthOf(reading: Reading, cost: number): number[] {
    const further = (size: number) => (this.name === "later" && size > 0 ? FURTHER_ROUND : 0);
    return this.predict(reading).map(
      (reward, s) => reward - cost * (this.#calls[s]! + further(this.sizes[s]!)),
    );
  }

  /** Adds examples; the regression is solved over all so far. */
  learn(comparisons: readonly SizeComparison[]): void {
    const { sizes } = this;
    const width = this.#width;
    this.#seen ??= new Float32Array(width * width);
    this.#earned ??= new Float32Array(sizes.length * width);
    const [seen, earned] = [this.#seen, this.#earned];
    for (const { reading, rewards, calls, tries } of comparisons) {
      const known = rewards.filter((reward) => reward !== undefined);
      if (known.length < sizes.length) continue;
      const mean = known.reduce((sum, reward) => sum + reward, 0) / known.length;
      const features = this.#featuresOf(reading);
      for (const [row, value] of features) {
        const own = tries * value;
        for (const [column, other] of features) seen[row * width + column]! += own * other;
        for (const s of sizes.keys()) earned[s * width + row]! += own * (known[s]! - mean);
      }
      const count = ++this.#calls[sizes.length]!;
      for (const [s, taken] of calls.entries()) this.#calls[s]! += (taken - this.#calls[s]!) / count;
    }
    this.#isSolved = false;
  }

  /** What it has learned; with what it needs to go on learning. */
  toTensors({ isLearning }: { isLearning: boolean }): Weights {
    this.#solve();
    const [count, width] = [this.sizes.length, this.#width];
    const tensors: Weights = new Map([
      [tensorName(this.name, "worth"), { dims: [count, width], data: this.#worth }],
      [tensorName(this.name, "calls"), { dims: [count + 1], data: this.#calls }],
    ]);
    if (!isLearning || !this.#seen || !this.#earned) return tensors;
    tensors.set(tensorName(this.name, "seen"), { dims: [width, width], data: this.#seen });
    return tensors.set(tensorName(this.name, "earned"), { dims: [count, width], data: this.#earned });
  }

  /** Only when somebody asks: it takes a moment. */
  #solve(): void {
    if (this.#isSolved || !this.#seen || !this.#earned) return;
    const width = this.#width;
    for (const s of this.sizes.keys())
      this.#worth.set(solveRidge(this.#seen, this.#earned.subarray(s * width, (s + 1) * width)), s * width);
    this.#isSolved = true;
  }

  /** Those that are not 0. */
  #featuresOf({ prefix, workers, labels, belief }: Reading): [at: number, value: number][] {
    const { tokens } = prefix;
    const slots = prefix.slots.slice(0, workers.length);
    const words = [...new Set(tokens)];
    const models = slots.filter((slot) => slot[IS_MODEL] === 1);
    const similar = models.map((slot) => slot[SIMILAR]!).sort((a, b) => b - a);
    const mean = similar.reduce((sum, rate) => sum + rate, 0) / Math.max(1, similar.length);
    const length = tokens.length / 64;
    const success = [similar[0] ?? 0, (similar[0] ?? 0) ** 2, similar[1] ?? 0, mean];
    const pool = [models.length / 8, models.length < slots.length ? 1 : 0];
    const round = labels ? toAgreement(labels) : [];
    const believed = labels && belief ? [belief.best, belief.none] : [];
    const dense = [1, length, length ** 2, ...success, ...pool, ...round, ...believed];
    const blind = models.some((slot) => slot[IS_BLIND] === 1) ? [1, similar[0] ?? 0] : [];
    const first = this.#vocabulary;
    return [
      ...words.map((token): [number, number] => [token, 1 / Math.sqrt(words.length)]),
      ...dense.map((value, i): [number, number] => [first + i, value]),
      ...blind.map((value, i): [number, number] => [first + FEATURES - BLIND_FEATURES + i, value]),
    ];
  }
}

/** In which of eight ways the replies of a round agree, and how many there were. */
function toAgreement(labels: readonly (number | undefined)[]): number[] {
  const answers = labels.filter((label) => label !== undefined);
  const different = new Set(answers).size;
  const support = answers.filter((answer) => answer === answers.at(-1)).length;
  const several = different === 2 ? 4 : 6;
  const way = different < 2 ? Math.min(3, answers.length) : several + (support > 1 ? 1 : 0);
  return [...Array.from({ length: ROUND_FEATURES - 1 }, (_, i) => (i === way ? 1 : 0)), labels.length / 5];
}

/** Conjugate gradient for (seen + prior) × worth = earned. */
function solveRidge(seen: Float32Array, earned: Float32Array): Float64Array {
  const count = earned.length;
  const times = (vector: Float64Array) =>
    Float64Array.from({ length: count }, (_, row) => {
      let sum = PRIOR * vector[row]!;
      const base = row * count;
      for (let column = 0; column < count; column++) sum += seen[base + column]! * vector[column]!;
      return sum;
    });
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const found = new Float64Array(count);
  const rest = Float64Array.from(earned);
  let direction = Float64Array.from(rest);
  let error = dot(rest, rest);
  for (let step = 0; step < MAX_STEPS_OF_SOLVER && error > TOLERANCE ** 2; step++) {
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
  return found;
}
