// How well: what is kept of every evaluated task, and what a result must show.

import type { CostSource } from "../recording/costs.ts";
import type { PerformedTask } from "../world/types.ts";

/** One task answered by one Conductor. */
export interface BenchRow extends PerformedTask {
  conductor: string;
  set: string;
  task: string;
  category: string;
  family: string;
}

export interface BenchResult {
  conductor: string;
  set: string;
  n: number;
  accuracy: number;
  low: number;
  high: number;
  /** Means a task, of the graded ones. */
  calls: number;
  /** The Conductor's own, counted apart. */
  conductorCalls: number;
  tokens: number;
  /** Absent: unknown, because a call of it has no price. Never 0 for that. */
  costUsd?: number;
  /** Of a recording: where the dollars come from. */
  costSource?: CostSource;
  durationMs: number;
  /** Bits: entropy of who is asked, over all calls. */
  routingEntropy: number;
  steps: number;
  validShare: number;
  /** Accuracy given a valid first plan. */
  accuracyIfValid: number;
  ungraded: number;
  outages: number;
  isSimulated: boolean;
  /** Paired difference of accuracy to each other Conductor: mean, interval, two-sided p. */
  against: { conductor: string; difference: number; low: number; high: number; p: number }[];
  byCategory: { category: string; n: number; accuracy: number; low: number; high: number }[];
  /** Absent: all of the train split of this very set. */
  fittedOn?: FittedOn;
  /** On the one to use: what the whole bench says. */
  verdict?: BenchVerdict;
}

/** A difference in accuracy to the best single worker, with its interval. */
export interface Gain {
  points: number;
  low: number;
  high: number;
}

/** Which worker or Conductor to use, what it gains and what it costs. */
export interface BenchVerdict {
  /** A Conductor, or a worker where asking it alone is best. */
  use: string;
  bestSingle: string;
  accuracy: number;
  /** Over the best single worker; absent where it could not be compared, or where it is the one. */
  equalCalls?: Gain;
  equalDollars?: Gain;
  /** Absent: unknown. */
  usdPerThousand?: number;
  usdPerMonth?: number;
  /** Questions a month that were asked for. */
  perMonth?: number;
  isSimulated: boolean;
  costSource?: CostSource;
  sentence: string;
}

/** What stands behind all that was fitted, where it is not simply the train split. */
export interface FittedOn {
  /** Of another recording, and which sets of it; absent: the train split of the tested set. */
  folder?: string;
  sets?: readonly string[];
  tasks: number;
  /** There were so many to sample from. */
  available: number;
  /** Test tasks that are not measured because they are also fitted on. */
  leftOut: number;
  /** Of another recording: how many workers are in both, in that recording, and in the tested set. */
  workers?: { both: number; fitted: number; tested: number };
}
