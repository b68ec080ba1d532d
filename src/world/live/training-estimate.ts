// What a training with a live pool will probably cost, told before anybody is asked.

import { BYTES_PER_TOKEN, TYPICAL_REPLY_TOKENS } from "../../perform/estimate.ts";
import { type GradedTask, toMessages } from "../../task/types.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { costOf, estimateInputTokens, NO_USAGE } from "../../worker/price.ts";
import type { Pool } from "../../worker/types.ts";

export interface TrainingEstimate {
  /** No more than this: what was asked before is not asked again. */
  asks: number;
  /** With replies of ordinary length, all workers asked equally often. */
  usd: number;
  /** The same, should only the most expensive one be asked. */
  highestUsd: number;
  /** Ids of workers whose price nobody knows: they come on top. */
  unpriced: string[];
}

/** What a step is told beside the task and the replies it sees. */
const FRAME_TOKENS = 250;
const STEPS_PER_ROLLOUT = 3;

export function estimateTraining(options: {
  tasks: readonly GradedTask[];
  pool: Pool;
  rollouts: number;
  /** Mean number of asks in a rollout. */
  stepsPerRollout?: number;
}): TrainingEstimate {
  const { tasks, pool, rollouts, stepsPerRollout = STEPS_PER_ROLLOUT } = options;
  const models = modelsOf(pool);
  const bytes = tasks.reduce((sum, task) => sum + estimateInputTokens(toMessages(task)), 0);
  // On average a step sees half of those before it.
  const seen = ((stepsPerRollout - 1) / 2) * TYPICAL_REPLY_TOKENS;
  const inputTokens = bytes / Math.max(1, tasks.length) / BYTES_PER_TOKEN + FRAME_TOKENS + seen;
  const costs = models.flatMap(({ price, maxOutputTokens = TYPICAL_REPLY_TOKENS }) => {
    const outputTokens = Math.min(maxOutputTokens, TYPICAL_REPLY_TOKENS);
    return price ? [costOf({ ...NO_USAGE, inputTokens, outputTokens }, price)] : [];
  });
  const asks = Math.ceil(rollouts * stepsPerRollout);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / Math.max(1, costs.length);
  return {
    asks,
    // Those without a price are asked too, and take their share of the asks.
    usd: (asks * mean * costs.length) / Math.max(1, models.length),
    highestUsd: asks * Math.max(0, ...costs),
    unpriced: models.flatMap(({ worker, price }) => (price ? [] : [worker.id])),
  };
}
