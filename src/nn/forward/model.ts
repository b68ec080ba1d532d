// The model in plain TypeScript: it writes, and says how likely a text is, without any engine. So small a network
// needs none, and nobody has to install one to plan. Learning does: that is `nn/model.ts`, on the same weights.

import type { Prefix } from "../batch.ts";
import { type Completion, entropyOf, type GenerateOptions, type TextModel } from "../text-model.ts";
import type { ModelShape, Weights } from "../types.ts";
import { dot, multiplyRows, normRows, softmax, transposed } from "./kernels.ts";
import { type KeyValues, Layers, type Row } from "./layers.ts";

/** A question that was read: what all its rollouts share. */
interface Reading {
  prefix: Prefix;
  cache: KeyValues[];
  rows: Row[];
  /** The slots as the last layer left them; of the text what went into it, until its likelihood is wanted. */
  x: Float32Array;
  /** [slots, width]: as they are read. */
  slotRows: Float32Array;
  /** [slots, width]: what pointers are compared with. */
  slotKeys: Float32Array;
  logLikelihood?: number;
}

interface Rollout extends Completion {
  reading: Reading;
  question: number;
  rollout: number;
  cache: KeyValues[];
  /** What it wrote last. */
  last: number;
  /** How often each slot was chosen before that. */
  again: Float32Array;
  isOpen: boolean;
}

/** A question is read for its likelihood, then for its plan. */
const REMEMBERED = 16;

export class ForwardModel implements TextModel {
  readonly shape: ModelShape;
  readonly #weights: Weights;
  readonly #layers: Layers;
  readonly #slot: Float32Array;
  readonly #pointerQuery: Float32Array;
  readonly #pointerKey: Float32Array;
  readonly #readings = new Map<string, Reading>();

  constructor(shape: ModelShape, weights: Weights) {
    const { width, features } = shape;
    this.shape = shape;
    this.#weights = weights;
    this.#layers = new Layers(shape, weights);
    this.#slot = transposed(this.#of("slot"), features, width);
    this.#pointerQuery = transposed(this.#of("pointer.query"), width, width);
    this.#pointerKey = transposed(this.#of("pointer.key"), width, width);
  }

  async generate(prefixes: readonly Prefix[], options: GenerateOptions): Promise<Completion[][]> {
    const { group, length, start, end, choose, signal } = options;
    const { vocabulary } = this.shape;
    const rollouts = prefixes.flatMap((prefix, question) => {
      const reading = this.#read(prefix);
      return Array.from({ length: group }, (_, rollout): Rollout => {
        const cache = this.#continued(reading, length);
        const again = new Float32Array(prefix.slots.length);
        const last = prefix.start ?? start;
        return {
          ...{ reading, question, rollout, cache, last, again, isOpen: true },
          ...{ tokens: [], logps: [], entropies: [] },
        };
      });
    });
    for (let at = 0; at < length && !signal?.aborted; at++) {
      const open = rollouts.filter(({ isOpen }) => isOpen);
      if (open.length === 0) break;
      for (const [row, probabilities] of this.#step(open, at).entries()) {
        const rollout = open[row]!;
        const { question, tokens, logps, entropies, last, again } = rollout;
        if (last >= vocabulary) again[last - vocabulary]! += 1;
        const token = choose(probabilities, question, rollout.rollout, tokens);
        tokens.push(token);
        logps.push(Math.log(Math.max(probabilities[token]!, 1e-12)));
        entropies.push(entropyOf(probabilities));
        rollout.last = token;
        rollout.isOpen = token !== end;
      }
      // Others in this process have their turn between two tokens.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return prefixes.map((_, question) =>
      rollouts
        .slice(question * group, (question + 1) * group)
        .map(({ tokens, logps, entropies }) => ({ tokens, logps, entropies })),
    );
  }

  async negativeLogLikelihood(prefixes: readonly Prefix[]): Promise<number[]> {
    return prefixes.map((prefix) => {
      const reading = this.#read(prefix);
      reading.logLikelihood ??= this.#textLogLikelihood(reading);
      return -reading.logLikelihood / Math.max(1, prefix.tokens.length - 1);
    });
  }

  #read(prefix: Prefix): Reading {
    const key = [prefix.tokens, ...prefix.slots].join(";");
    let reading = this.#readings.get(key);
    if (reading) this.#readings.delete(key);
    else reading = this.#compute(prefix);
    this.#readings.set(key, reading);
    if (this.#readings.size > REMEMBERED) this.#readings.delete(this.#readings.keys().next().value!);
    return reading;
  }

  #compute(prefix: Prefix): Reading {
    const { width, features } = this.shape;
    const [text, slots] = [prefix.tokens.length, prefix.slots.length];
    const count = text + slots;
    const x = new Float32Array(count * width);
    for (const [row, token] of prefix.tokens.entries()) x.set(this.#embedding(token), row * width);
    const described = new Float32Array(slots * features);
    for (const [row, own] of prefix.slots.entries()) described.set(own, row * features);
    const slotRows = new Float32Array(slots * width);
    const reading = { x: described, matrix: this.#slot, inner: features, columns: width, rows: slots };
    multiplyRows(reading, slotRows);
    const bias = this.#of("slot.bias");
    for (let i = 0; i < slotRows.length; i++) slotRows[i]! += bias[i % width]!;
    x.set(slotRows, text * width);
    const cache = this.#layers.createCache(count);
    // All slots stand at one position, so that their order says nothing, and see each other.
    const rows = Array.from({ length: count }, (_, at): Row => {
      const isText = at < text;
      return { cache, at, sees: isText ? at + 1 : count, position: isText ? at : text };
    });
    this.#layers.run(x, rows, text);
    const normed = new Float32Array(count * width);
    normRows(x, this.#of("norm"), [text, count], normed);
    const slotKeys = new Float32Array(slots * width);
    multiplyRows(
      {
        ...{ x: normed.subarray(text * width), matrix: this.#pointerKey },
        ...{ inner: width, columns: width, rows: slots },
      },
      slotKeys,
    );
    return { prefix, cache, rows, x, slotRows, slotKeys };
  }

  /** Its rollouts write behind what was read. */
  #continued({ cache, rows }: Reading, length: number): KeyValues[] {
    const longer = this.#layers.createCache(rows.length + length);
    for (const [number, { keys, values }] of cache.entries()) {
      longer[number]!.keys.set(keys);
      longer[number]!.values.set(values);
    }
    return longer;
  }

  /** The probabilities of all tokens, then of all slots, for each rollout. */
  #step(open: readonly Rollout[], step: number): Float32Array[] {
    const { width, vocabulary } = this.shape;
    const x = new Float32Array(open.length * width);
    const rows = open.map(({ reading, cache, last }, row): Row => {
      x.set(this.#lastRow(reading, last), row * width);
      const at = reading.rows.length + step;
      return { cache, at, sees: at + 1, position: reading.prefix.tokens.length + 1 + step };
    });
    this.#layers.run(x, rows);
    const normed = new Float32Array(x.length);
    normRows(x, this.#of("norm"), [0, open.length], normed);
    const size = { inner: width, rows: open.length };
    const text = new Float32Array(open.length * vocabulary);
    multiplyRows({ x: normed, matrix: this.#of("embedding"), columns: vocabulary, ...size }, text);
    const queries = new Float32Array(x.length);
    multiplyRows({ x: normed, matrix: this.#pointerQuery, columns: width, ...size }, queries);
    const repeat = this.#of("pointer.again");
    return open.map(({ reading, again }, row) => {
      const { slotKeys } = reading;
      const scores = new Float32Array(vocabulary + again.length);
      scores.set(text.subarray(row * vocabulary, (row + 1) * vocabulary));
      const repeated = dot(normed, row * width, repeat, 0, width);
      for (const [slot, count] of again.entries())
        scores[vocabulary + slot] =
          dot(queries, row * width, slotKeys, slot * width, width) / Math.sqrt(width) + count * repeated;
      softmax(scores, 0, scores.length);
      return scores;
    });
  }

  #lastRow({ slotRows }: Reading, token: number): Float32Array {
    const { vocabulary, width } = this.shape;
    if (token < vocabulary) return this.#embedding(token);
    const slot = token - vocabulary;
    return slotRows.subarray(slot * width, (slot + 1) * width);
  }

  #textLogLikelihood({ prefix, rows, x }: Reading): number {
    const { width, vocabulary } = this.shape;
    const text = prefix.tokens.length;
    const finished = x.slice();
    this.#layers.finish(finished, rows, text);
    const normed = new Float32Array(text * width);
    normRows(finished, this.#of("norm"), [0, text], normed);
    const scores = new Float32Array(text * vocabulary);
    const matrix = this.#of("embedding");
    multiplyRows({ x: normed, matrix, inner: width, columns: vocabulary, rows: text }, scores);
    let sum = 0;
    for (let row = 0; row + 1 < text; row++)
      sum += logSoftmax(scores, row * vocabulary, vocabulary, prefix.tokens[row + 1]!);
    return sum;
  }

  #embedding(token: number): Float32Array {
    const { width } = this.shape;
    return this.#of("embedding").subarray(token * width, (token + 1) * width);
  }

  #of(name: string): Float32Array {
    return this.#weights.get(name)!.data;
  }
}

function logSoftmax(scores: Float32Array, from: number, count: number, chosen: number): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = from; i < from + count; i++) if (scores[i]! > highest) highest = scores[i]!;
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += Math.exp(scores[i]! - highest);
  return scores[from + chosen]! - highest - Math.log(sum);
}
