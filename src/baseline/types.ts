// The fixed Conductors we compare with. A baseline may look at training tasks and their outcomes
// (`fit`), never at test tasks; then it conducts like any other Conductor, through the same performer.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { Conductor } from "../conductor/types.ts";
import type { GradedTask } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";

/** What was measured on a training task: right or wrong (0..1) per worker, in the order of the pool. */
export interface TrainingTask {
  task: GradedTask;
  /** Absent entries were not measured. */
  scores: readonly (number | undefined)[];
  /** Equal numbers are equal answers of this task, in the same order. Absent: answers were not kept. */
  answers?: readonly (number | undefined)[];
  /** What the replies looked like, in the same order. Absent: not kept. */
  replies?: readonly (ReplyFeatures | undefined)[];
  /** Dollars of one ask per worker, in the same order; undefined entries are unknown. Absent: nothing is known. */
  costsUsd?: readonly (number | undefined)[];
}

export interface FitContext {
  /** With profiles measured on the training tasks (`measurePool`): votes weigh by them. */
  pool: Pool;
  /** Training split only: the bench refuses to hand over anything else. */
  training: readonly TrainingTask[];
  /** True labels of all tasks by id, for lookup tables, which are given them. */
  labels: ReadonlyMap<string, { category: string; family: string }>;
  seed: number;
}

/** A point of a curve by what it must reach: the best single worker's quality at the least dollars, or the best for so many. */
export type PriceTarget = { type: "match-best" } | { type: "max"; usd: number };

/** The name of a point of a curve; a dollar that costs nothing is the Conductor itself. */
export function toPointName(name: string, costPerUsd: number): string {
  return costPerUsd === 0 ? name : `${name}@${costPerUsd}/usd`;
}

export interface Baseline {
  id: string;
  /** One line: what it does. */
  summary: string;
  /** It shows replies of one worker to another: a recording cannot replay that. */
  needsHandOffs: boolean;
  /** It compares what workers said (a vote, an agreement): where replies were not recorded it cannot be measured. */
  comparesReplies?: true;
  /** How many rounds it may take, the one that only accepts included. */
  rounds: number;
  /** How often it may ask one worker the same: a recording needs as many samples. Absent: once. */
  samples?: number;
  /** It needs outcomes of the very task (the oracle): an upper bound, not a method. */
  isUpperBound?: boolean;
  /**
   * It reads profiles made for the very question: its pool then differs from task to task, in the profiles
   * only. They come from the training tasks, as all that is measured does.
   */
  readsProfiles?: true;
  /** It learned before, on train tasks of this very set: with another split it would be tested on them. */
  trainedOn?: { splitBy: string; splitSeed: number };
  /** So many runs at the same time suit it, where workers answer at once: it plans for all of them together. */
  lanes?: number;
  /** The same at another point of its curve: what a dollar costs, in probability of a right answer. Absent: it has no such knob. */
  atPrice?(costPerUsd: number): Baseline;
  /** What its price is chosen for, on tasks that are not tested, before it is measured. */
  target?: PriceTarget;
  /** Called once before `fit`: what takes long or reads files (trained weights). */
  prepare?(): Promise<void>;
  /** Throws a usage error where the pool lacks what it needs (a vote needs `consensus`). */
  fit(context: FitContext): Conductor;
}
