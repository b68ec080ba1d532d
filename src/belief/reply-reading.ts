// From what a reply looks like to how much likelier it makes its answer. A reading is fitted on measured replies of a pool
// (calibration/reply-model.ts) and is part of a profile, so it is journaled and found again when a run is resumed.

import { type ReplyFeatures, readReplyFeatures } from "./reply-features.ts";

/** How a worker's replies are read. Plain numbers. */
export interface ReplyReading {
  /** The median length of its replies. */
  usualCharacters: number;
  /**
   * One for each number of `toReplyVector`, in log-odds. The same for all workers of a pool but for the first, which makes a
   * reply that is usual for its worker say nothing.
   */
  weights: readonly number[];
  /** How much of a shift is left between two replies to the same question, 0..1: the rest only says that it is hard. */
  between: number;
}

/** No reply says more than this about itself, in log-odds. */
const MOST_SHIFT = 2.5;
/** Replies of a few characters are not many times as long as others. */
const SMALL = 20;
const MOST_RATIO = 2.5;

export const REPLY_VECTOR_SIZE = 8;

/** What the regression reads. Rare things are counted by their logarithm. */
export function toReplyVector(
  { characters, cleanEnd, hedges, changes, answers }: ReplyFeatures,
  usualCharacters: number,
): Float64Array {
  const ratio = Math.log((characters + SMALL) / (usualCharacters + SMALL));
  const bounded = Math.min(MOST_RATIO, Math.max(-MOST_RATIO, ratio));
  return Float64Array.of(
    1,
    Math.max(0, bounded),
    Math.max(0, -bounded),
    cleanEnd > 0 ? 0 : 1,
    Math.log1p(hedges),
    Math.log1p(changes),
    answers > 1 ? Math.log(answers) : 0,
    answers === 0 ? 1 : 0,
  );
}

/** To be added to the log-odds that the reply is right. 0 where the reading cannot be of use. */
export function toReplyShift({ usualCharacters, weights }: ReplyReading, features: ReplyFeatures): number {
  const vector = toReplyVector(features, usualCharacters);
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (weights[i] ?? 0) * vector[i]!;
  return Number.isFinite(sum) ? Math.min(MOST_SHIFT, Math.max(-MOST_SHIFT, sum)) : 0;
}

/** The same for a reply: by its text, unless it is known otherwise what it looked like (null: by nobody). */
export function toShift(
  reading: ReplyReading | undefined,
  { text, features }: { text: string; features?: ReplyFeatures | null },
): number {
  if (!reading || features === null) return 0;
  return toReplyShift(reading, features ?? readReplyFeatures(text));
}

/** What is left of it where replies to one question are weighed against each other. */
export function toVoteShift(
  reading: ReplyReading | undefined,
  reply: { text: string; features?: ReplyFeatures | null },
): number {
  return (reading?.between ?? 0) * toShift(reading, reply);
}

/** A probability, moved by what the reply looks like. */
export function shiftProbability(probability: number, shift: number): number {
  if (shift === 0) return probability;
  const p = Math.min(0.995, Math.max(0.005, probability));
  return 1 / (1 + Math.exp(-(Math.log(p / (1 - p)) + shift)));
}
