// What workers did since they were measured. A profile is a promise; the posterior at the end of each question says how far
// it was kept. Nobody tells us who was right, so this is belief about belief. Covered: a worker that stands against the others
// again and again. Not covered: liars that agree with each other. Two of five win about one simulated run in seven, three of
// five win all, and then it is the honest ones who fall. Pure data: whoever keeps it decides where and for how long.

import { meanOf } from "../base/statistics.ts";

/** Sums over the questions of one worker; older ones count less and less. */
export interface WorkerRecord {
  questions: number;
  /** How often it should have been right by its profile. */
  expected: number;
  /** How often it was, by the posterior. */
  believed: number;
}

/** By id of the worker. JSON as it is. */
export type TrackRecord = Readonly<Record<string, Readonly<WorkerRecord>>>;

/** A worker that gave an answer to a question that is over. */
export interface FinishedReply {
  worker: string;
  /** That it is right, as its profile promised: before anything was adjusted. */
  expected: number;
  /** That its answer is right, in the final posterior. */
  believed: number;
}

export const NO_RECORD: TrackRecord = {};

/** A question is worth this much of itself once the worker has answered the next one: about thirty questions count. */
const FORGETTING = 0.97;
/** The same for questions that the worker was not asked, so that one whom nobody asks any more is tried again one day. */
const FORGETTING_IDLE = 0.995;
/** The profile weighs as much as so many questions. */
const STRENGTH = 8;
/**
 * In log-odds. Agreeing with others earns nothing, so that liars cannot praise each other up; failing costs much, once it is
 * more than an honest worker's luck: whoever is asked last, to settle a dispute, is often outvoted. Without this bound honest
 * workers lost two points of accuracy on recordings.
 */
const MOST_DOWN = 4;
const NOISE = 1;
/** Nobody is certain to be right, or to be wrong. */
const LEAST = 0.02;

/**
 * After one more question. Only replies that somebody else's reply could confirm or contradict belong in it: of a worker that
 * was asked alone the posterior knows what the profile says, and nothing else. Several replies of one worker count as one.
 */
export function updateTrackRecord(record: TrackRecord, finished: readonly FinishedReply[]): TrackRecord {
  const replies = new Map<string, FinishedReply[]>();
  for (const reply of finished) {
    if (!Number.isFinite(reply.expected) || !Number.isFinite(reply.believed)) continue;
    replies.set(reply.worker, [...(replies.get(reply.worker) ?? []), reply]);
  }
  if (replies.size === 0) return record;
  const workers = new Set([...Object.keys(record), ...replies.keys()]);
  return Object.fromEntries(
    [...workers].map((worker) => {
      const before = recordOf(record, worker);
      const own = replies.get(worker);
      if (!own) return [worker, scale(before, FORGETTING_IDLE)];
      const { questions, expected, believed } = scale(before, FORGETTING);
      return [
        worker,
        {
          questions: questions + 1,
          expected: expected + meanOf(own.map((reply) => clampShare(reply.expected))),
          believed: believed + meanOf(own.map((reply) => clampShare(reply.believed))),
        },
      ];
    }),
  );
}

/** Of a worker that never finished a question: all zero. */
export function recordOf(record: TrackRecord, worker: string): Readonly<WorkerRecord> {
  return (Object.hasOwn(record, worker) ? record[worker] : undefined) ?? NOTHING;
}

/**
 * The probability that a profile promises, moved by how far the worker's promises were kept. The rate that was seen is shrunk
 * towards the promised one as if that had been seen `STRENGTH` times; the difference of the two, in log-odds, is the move.
 */
export function adjustProbability(profileProbability: number, record: Readonly<WorkerRecord>): number {
  const probability = Math.min(1 - LEAST, Math.max(LEAST, profileProbability));
  const { questions, expected, believed } = record;
  if (!(questions > 0)) return probability;
  const promised = Math.min(1 - LEAST, Math.max(LEAST, expected / questions));
  const seen = (believed + STRENGTH * promised) / (questions + STRENGTH);
  const move = toLogOdds(Math.min(1 - LEAST, Math.max(LEAST, seen))) - toLogOdds(promised);
  if (move > -NOISE) return probability;
  const adjusted = fromLogOdds(toLogOdds(probability) + Math.max(-MOST_DOWN, move));
  return Math.min(1 - LEAST, Math.max(LEAST, adjusted));
}

/** From JSON that somebody kept. What cannot be a record of a worker is left out: to forget it does no harm. */
export function parseTrackRecord(value: unknown): TrackRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return NO_RECORD;
  return Object.fromEntries(
    Object.entries(value).flatMap(([worker, entry]): [string, WorkerRecord][] => {
      const { questions, expected, believed } = (entry ?? {}) as Partial<Record<string, unknown>>;
      if (!isCount(questions) || !isCount(expected) || !isCount(believed)) return [];
      const isPossible = questions <= MOST_QUESTIONS && Math.max(expected, believed) <= questions + 1e-9;
      return isPossible ? [[worker, { questions, expected, believed }]] : [];
    }),
  );
}

const NOTHING: Readonly<WorkerRecord> = { questions: 0, expected: 0, believed: 0 };
/** What the sum of all weights cannot reach. */
const MOST_QUESTIONS = 1 / (1 - FORGETTING) + 1e-6;

function scale({ questions, expected, believed }: WorkerRecord, factor: number): WorkerRecord {
  return { questions: questions * factor, expected: expected * factor, believed: believed * factor };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function clampShare(share: number): number {
  return Math.min(1, Math.max(0, share));
}

function toLogOdds(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function fromLogOdds(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}
