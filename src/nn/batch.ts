// Questions and rollouts as the tensors that the graphs take: padded, masked, and rounded up to few shapes,
// so that few graphs are compiled.

import type { BatchShape } from "./model-graphs.ts";
import { maskValue } from "./transformer.ts";
import type { ModelShape, Tensor, Tensors } from "./types.ts";

/** What a rollout is written after: a text, and the slots that can be pointed at. */
export interface Prefix {
  tokens: readonly number[];
  /** The features of each slot. */
  slots: readonly Float32Array[];
  /** The token that its rollouts begin after, where it is not the common one: the strongest way to ask for something. */
  start?: number;
}

// A graph takes a second to compile, and padding costs little: so there are few shapes.
const TEXT_STEP = 64;
const FEWEST_SLOTS = 8;
const LENGTH_STEP = 16;

function roundUp(value: number, step: number): number {
  return Math.max(step, Math.ceil(value / step) * step);
}

function toPowerOfTwo(value: number, least: number): number {
  return Math.max(least, 2 ** Math.ceil(Math.log2(Math.max(1, value))));
}

/** The smallest of the few shapes that holds all of these. */
export function shapeOf(prefixes: readonly Prefix[], group: number, length: number): BatchShape {
  return {
    questions: toPowerOfTwo(prefixes.length, 1),
    text: roundUp(Math.max(...prefixes.map(({ tokens }) => tokens.length)), TEXT_STEP),
    slots: toPowerOfTwo(Math.max(...prefixes.map(({ slots }) => slots.length)), FEWEST_SLOTS),
    group,
    length: roundUp(length, LENGTH_STEP),
  };
}

/** Inputs that describe the prefixes. Text ends where the slots begin, whatever its length. */
export function prefixTensors(prefixes: readonly Prefix[], shape: ModelShape, batch: BatchShape): Tensors {
  const { questions, text, slots } = batch;
  const size = text + slots;
  const tokens = new Int32Array(questions * text);
  const targets = new Int32Array(questions * text).fill(-1);
  const features = new Float32Array(questions * slots * shape.features);
  const mask = new Float32Array(questions * size * size);
  const seen = new Float32Array(questions * size);
  const absent = new Float32Array(questions * slots);
  for (const [q, prefix] of prefixes.entries()) {
    const first = text - prefix.tokens.length;
    for (const [i, token] of prefix.tokens.entries()) {
      tokens[q * text + first + i] = token;
      if (i > 0) targets[q * text + first + i - 1] = token;
    }
    for (const [i, row] of prefix.slots.entries()) features.set(row, (q * slots + i) * shape.features);
    const isThere = (at: number) => (at < text ? at >= first : at - text < prefix.slots.length);
    for (let at = 0; at < size; at++) {
      seen[q * size + at] = maskValue(!isThere(at));
      if (at >= text) absent[q * slots + at - text] = maskValue(!isThere(at));
      // Text sees the text before it; a slot sees the whole text and all slots.
      for (let other = 0; other < size; other++) {
        const isAhead = at < text && other > at;
        mask[(q * size + at) * size + other] = maskValue(isAhead || !isThere(other));
      }
    }
  }
  return {
    text: { dims: [questions, text], data: tokens },
    "text.targets": { dims: [questions, text], data: targets },
    features: { dims: [questions, slots, shape.features], data: features },
    "prefix.mask": { dims: [questions, 1, size, size], data: mask },
    "prefix.seen": { dims: [questions, 1, 1, size], data: seen },
    "slots.absent": { dims: [questions, 1, slots], data: absent },
  };
}

/** What was written, row by row: the token itself, or the slot it points at, and the slots chosen before. */
export class Written {
  readonly tokens: Int32Array;
  readonly isText: Float32Array;
  readonly slots: Float32Array;
  readonly again: Float32Array;
  readonly #vocabulary: number;
  readonly #batch: BatchShape;
  readonly #rows: number;

  /** `rows` for each question. */
  constructor({ vocabulary }: ModelShape, batch: BatchShape, rows: number) {
    const all = batch.questions * rows;
    this.tokens = new Int32Array(all);
    this.isText = new Float32Array(all);
    this.slots = new Float32Array(all * batch.slots);
    this.again = new Float32Array(all * batch.slots);
    this.#vocabulary = vocabulary;
    this.#batch = batch;
    this.#rows = rows;
  }

  set(row: number, token: number): void {
    const { slots } = this.#batch;
    this.slots.fill(0, row * slots, (row + 1) * slots);
    const isText = token < this.#vocabulary;
    this.tokens[row] = isText ? token : 0;
    this.isText[row] = isText ? 1 : 0;
    if (!isText) this.slots[row * slots + token - this.#vocabulary] = 1;
  }

  /** The chosen slots of row `from` are also those of `to`, with what `from` itself points at. */
  carry(from: number, to: number): void {
    const { slots } = this.#batch;
    for (let i = 0; i < slots; i++)
      this.again[to * slots + i] = this.again[from * slots + i]! + this.slots[from * slots + i]!;
  }

  toTensors(): Tensors {
    const { questions, slots } = this.#batch;
    const of = (data: Tensor["data"], ...rest: number[]) => ({
      dims: [questions, this.#rows, ...rest],
      data,
    });
    return {
      tokens: of(this.tokens),
      "tokens.text": of(this.isText, 1),
      "tokens.slots": of(this.slots, slots),
      again: of(this.again, slots),
    };
  }
}
