// What a run is worth to whoever searches: right 1, wrong 0, minus the cost of its calls. And the fitness of candidates
// that were given the same questions and seeds.

import type { Outcome } from "../../world/rollout.ts";

export interface FitnessOptions {
  /** Where a right answer is worth 1. */
  costPerCall: number;
  /** Ablation: times the share of calls that went to somebody who was not asked before. Published: 0.15. */
  diversityBonus?: number;
  /**
   * Ablation: times the share of turns that were used. Published: 0.1. Of both bonuses the weights are published, not the
   * formulas: these are our reading.
   */
  turnBonus?: number;
  /** Turns of a run at the most. */
  turns: number;
}

export function toReward(outcome: Outcome, options: FitnessOptions): number {
  const { isRight, calls, asked, rounds } = outcome;
  const { costPerCall, diversityBonus = 0, turnBonus = 0, turns } = options;
  const diversity = asked.length > 1 ? (new Set(asked).size - 1) / (asked.length - 1) : 0;
  const used = rounds.length / Math.max(1, turns);
  return Number(isRight) - costPerCall * calls + diversityBonus * diversity + turnBonus * used;
}

/**
 * The mean reward of each candidate. A run that somebody lost to an outage counts for nobody, or luck would decide who
 * was given the easier questions. NaN where nothing is left.
 */
export function toFitness(
  outcomes: readonly (readonly Outcome[])[],
  reward: (outcome: Outcome, run: number) => number,
): number[] {
  const runs = [...(outcomes[0] ?? []).keys()];
  const shared = runs.filter((run) => outcomes.every((own) => !own[run]!.isOutage));
  return outcomes.map((own) => shared.reduce((sum, run) => sum + reward(own[run]!, run), 0) / shared.length);
}
