// Learns how the replies of a pool are to be read: one small logistic regression from what a reply looks like to whether it
// was right, on top of what was expected of its worker for that question. Few replies move it little, and where it does not
// foretell replies that it was not fitted on, there is none.

import { createRandom, hashSeed } from "../base/random.ts";
import type { ReplyFeatures } from "../belief/reply-features.ts";
import { REPLY_VECTOR_SIZE, type ReplyReading, toReplyVector } from "../belief/reply-reading.ts";
import { fitLogistic } from "./logistic.ts";

/** As strong as this many replies say nothing. */
const RIDGE = 6;
const FOLDS = 4;
/** Of one kind (right, wrong): fewer cannot be learned from. */
const FEWEST = 20;
/** Nats a reply that must be gained on replies that were not fitted on. */
const LEAST_GAIN = 0.001;

/** Of one worker on one task. */
export interface MeasuredReply {
  /** Replies of one task are kept together when they are split. */
  task: number;
  /** Position in the calibration. */
  worker: number;
  features: ReplyFeatures;
  /** Right or wrong, 0..1. */
  score: number;
  /** What was expected of it, 0..1, by measurements that leave this task out. */
  expected: number;
}

/** By position of the worker; undefined: of it, or of the pool, too little is known. */
export function fitReplyReadings(
  replies: readonly MeasuredReply[],
  workers: number,
): (ReplyReading | undefined)[] {
  const usual = measureUsual(replies, workers);
  const none = usual.map(() => undefined);
  const right = replies.filter(({ score }) => score >= 0.5).length;
  if (Math.min(right, replies.length - right) < FEWEST) return none;
  const usualVectors = measureUsualVectors(replies, usual);
  const rows = toRows(replies, usual, usualVectors);
  const { gain, shifts } = readOthers(replies, rows);
  if (gain < LEAST_GAIN) return none;
  const between = fitBetween(replies, rows, shifts);
  const weights = [...fitRows(rows)].map(round);
  return usual.map((characters, worker) => {
    if (characters === undefined) return undefined;
    // Whoever always hedges says nothing by it: what is usual for a worker is in what is expected of it already.
    const usualShift = weights.reduce((sum, weight, i) => sum + weight * usualVectors[worker]![i]!, 0);
    return { usualCharacters: characters, between, weights: [round(-usualShift), ...weights.slice(1)] };
  });
}

function round(weight: number): number {
  return Math.round(weight * 1e4) / 1e4;
}

/** By worker: the mean of what the regression reads. */
function measureUsualVectors(
  replies: readonly MeasuredReply[],
  usual: readonly (number | undefined)[],
): Float64Array[] {
  const counts = usual.map(() => 0);
  const means = usual.map(() => new Float64Array(REPLY_VECTOR_SIZE));
  for (const { worker, features } of replies) {
    counts[worker]!++;
    const vector = toReplyVector(features, usual[worker]!);
    for (let i = 0; i < vector.length; i++) means[worker]![i]! += vector[i]!;
  }
  return means.map((sums, worker) => sums.map((sum) => sum / Math.max(1, counts[worker]!)));
}

function measureUsual(replies: readonly MeasuredReply[], workers: number): (number | undefined)[] {
  const lengths = Array.from({ length: workers }, (): number[] => []);
  for (const { worker, features } of replies) lengths[worker]!.push(features.characters);
  return lengths.map((own) => own.sort((a, b) => a - b)[own.length >> 1]);
}

interface Row {
  vector: Float64Array;
  score: number;
  /** In log-odds. */
  expected: number;
}

/** Each reply against what is usual for its worker. */
function toRows(
  replies: readonly MeasuredReply[],
  usual: readonly (number | undefined)[],
  usualVectors: readonly Float64Array[],
): Row[] {
  return replies.map(({ features, worker, score, expected }) => {
    const p = Math.min(0.98, Math.max(0.02, expected));
    const vector = toReplyVector(features, usual[worker]!).map((each, i) => each - usualVectors[worker]![i]!);
    return { vector, score, expected: Math.log(p / (1 - p)) };
  });
}

function fitRows(rows: readonly Row[]): Float64Array {
  return fitLogistic(
    rows.map(({ vector }) => vector),
    rows.map(({ score }) => score),
    { prior: Array(REPLY_VECTOR_SIZE).fill(0), ridge: RIDGE, offsets: rows.map(({ expected }) => expected) },
  );
}

/** Each fold read by the others: the mean gain of log-likelihood over what was expected, and every reply's shift. */
function readOthers(
  replies: readonly MeasuredReply[],
  rows: readonly Row[],
): { gain: number; shifts: number[] } {
  const random = createRandom(hashSeed("reply folds", replies.length));
  const foldOf = new Map<number, number>();
  for (const { task } of replies) if (!foldOf.has(task)) foldOf.set(task, random.integer(0, FOLDS - 1));
  const shifts = rows.map(() => 0);
  let gain = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const isHeld = (i: number) => foldOf.get(replies[i]!.task) === fold;
    const weights = fitRows(rows.filter((_, i) => !isHeld(i)));
    for (const [i, row] of rows.entries()) {
      if (!isHeld(i)) continue;
      gain += logLikelihood(row, weights) - logLikelihood(row, NOTHING_READ);
      shifts[i] = row.vector.reduce((sum, each, k) => sum + weights[k]! * each, 0);
    }
  }
  return { gain: gain / rows.length, shifts };
}

/**
 * A hard question makes every reply to it look worse. So what looks say about a reply alone is one thing, and what they say
 * between two replies to the same question another: this is how much of it is left there, 0 to 1, from pairs of which one
 * was right.
 */
function fitBetween(
  replies: readonly MeasuredReply[],
  rows: readonly Row[],
  shifts: readonly number[],
): number {
  const byTask = new Map<number, number[]>();
  for (const [i, { task }] of replies.entries()) byTask.set(task, [...(byTask.get(task) ?? []), i]);
  const pairs: { vector: Float64Array; expected: number }[] = [];
  for (const own of byTask.values())
    for (const a of own)
      for (const b of own)
        if (rows[a]!.score >= 0.5 && rows[b]!.score < 0.5)
          pairs.push({
            vector: Float64Array.of(shifts[a]! - shifts[b]!),
            expected: rows[a]!.expected - rows[b]!.expected,
          });
  if (pairs.length < FEWEST) return 0;
  const [slope = 0] = fitLogistic(
    pairs.map(({ vector }) => vector),
    pairs.map(() => 1),
    { prior: [0], ridge: RIDGE, offsets: pairs.map(({ expected }) => expected) },
  );
  return round(Math.min(1, Math.max(0, slope)));
}

const NOTHING_READ = new Float64Array(REPLY_VECTOR_SIZE);

function logLikelihood({ vector, score, expected }: Row, weights: Float64Array): number {
  let sum = expected;
  for (let i = 0; i < vector.length; i++) sum += weights[i]! * vector[i]!;
  const p = Math.min(0.999, Math.max(0.001, 1 / (1 + Math.exp(-sum))));
  return score * Math.log(p) + (1 - score) * Math.log(1 - p);
}
