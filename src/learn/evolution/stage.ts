// What every way of learning a searched policy is given and returns: the same questions, the same number of runs.

import type { Outcome } from "../../world/rollout.ts";
import type { Question } from "../../world/types.ts";
import type { Asking, ConductedRollout } from "../types.ts";
import type { ConductorOptions, SearchedPolicy } from "./types.ts";

/** One run that all are compared on: common random numbers. */
export interface Trial {
  question: Question;
  seed: number;
}

export interface StageContext {
  policy: SearchedPolicy;
  /** Every question once per replication, one question after the other. */
  trials: readonly Trial[];
  /** Runs of each trial. */
  population: number;
  replications: number;
  /** Of this iteration. */
  seed: number;
  temperature: number;
  learningRate: number;
  toReward(outcome: Outcome, question: Question): number;
}

export interface StageResult {
  outcomes: Outcome[];
  /** Rewards that were compared with each other. */
  groups: number[][];
  /** NaN where there is no such metric. */
  loss: number;
  entropy: number;
  gradientNorm: number;
  learningRate: number;
}

export type Stage = Asking<StageResult>;

export function toRollout(
  { policy }: Pick<StageContext, "policy">,
  { question, seed }: Trial,
  vector: Float64Array,
  options?: ConductorOptions,
): ConductedRollout {
  return { question, conductor: policy.conductor(vector, options), rounds: policy.rounds, seed };
}
