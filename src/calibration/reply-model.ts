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
  const rows = toRows(replies, usual);
  if (gainOnOthers(replies, rows) < LEAST_GAIN) return none;
  const weights = [...fitRows(rows)].map((weight) => Math.round(weight * 1e4) / 1e4);
  return usual.map((characters) =>
    characters === undefined ? undefined : { usualCharacters: characters, weights },
  );
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

function toRows(replies: readonly MeasuredReply[], usual: readonly (number | undefined)[]): Row[] {
  return replies.map(({ features, worker, score, expected }) => {
    const p = Math.min(0.98, Math.max(0.02, expected));
    return { vector: toReplyVector(features, usual[worker]!), score, expected: Math.log(p / (1 - p)) };
  });
}

function fitRows(rows: readonly Row[]): Float64Array {
  return fitLogistic(
    rows.map(({ vector }) => vector),
    rows.map(({ score }) => score),
    REPLY_VECTOR_SIZE,
    { ridge: RIDGE, offsets: rows.map(({ expected }) => expected) },
  );
}

/** Mean gain of log-likelihood over what was expected (moved by an intercept alone), each fold by the others. */
function gainOnOthers(replies: readonly MeasuredReply[], rows: readonly Row[]): number {
  const random = createRandom(hashSeed("reply folds", replies.length));
  const foldOf = new Map<number, number>();
  for (const { task } of replies) if (!foldOf.has(task)) foldOf.set(task, random.integer(0, FOLDS - 1));
  let gain = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const isHeld = (i: number) => foldOf.get(replies[i]!.task) === fold;
    const fitted = rows.filter((_, i) => !isHeld(i));
    const full = fitRows(fitted);
    const flat = fitRows(fitted.map((row) => ({ ...row, vector: onlyIntercept(row.vector) })));
    for (const [i, row] of rows.entries())
      if (isHeld(i)) gain += logLikelihood(row, full) - logLikelihood(row, flat);
  }
  return gain / rows.length;
}

function onlyIntercept(vector: Float64Array): Float64Array {
  const flat = new Float64Array(vector.length);
  flat[0] = 1;
  return flat;
}

function logLikelihood({ vector, score, expected }: Row, weights: Float64Array): number {
  let sum = expected;
  for (let i = 0; i < vector.length; i++) sum += weights[i]! * vector[i]!;
  const p = Math.min(0.999, Math.max(0.001, 1 / (1 + Math.exp(-sum))));
  return score * Math.log(p) + (1 - score) * Math.log(1 - p);
}
