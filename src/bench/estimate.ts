// What a bench on a live pool will cost, before anybody says yes to it: every worker on the training tasks, every Conductor on
// the test tasks, with replies of an ordinary length. An estimate: a Conductor that asks until it is sure may ask more.

import type { Baseline } from "../baseline/types.ts";
import { toMessages } from "../task/types.ts";
import { modelsOf } from "../worker/kinds.ts";
import { estimateInputTokens, usualUsd } from "../worker/price.ts";
import { SPLIT_SHARES } from "../world/split.ts";
import type { WorldSet } from "../world/types.ts";

/** The upper bound of an input counts bytes; a token of ordinary text has about four. */
const BYTES_PER_TOKEN = 4;
/** A team asks more than one: what most of them here ask. */
const USUAL_TEAM = 3;

export interface BenchEstimate {
  calls: number;
  usd: number;
  /** Workers whose price nobody knows: they come on top. */
  unpriced: string[];
}

export function estimateBench(
  { pool, tasks }: Pick<WorldSet, "pool" | "tasks">,
  contenders: readonly Baseline[],
  limit = tasks.length,
): BenchEstimate {
  const models = modelsOf(pool);
  const used = tasks.slice(0, limit);
  const inputTokens =
    used.reduce((sum, task) => sum + estimateInputTokens(toMessages(task)) / BYTES_PER_TOKEN, 0) /
    Math.max(1, used.length);
  const prices = models.map((member) => usualUsd(member, inputTokens));
  const all = prices.reduce<number>((sum, usd) => sum + (usd ?? 0), 0);
  const training = Math.round(used.length * SPLIT_SHARES.train);
  const test = Math.round(used.length * SPLIT_SHARES.test);
  const asks = contenders.reduce(
    (sum, { needsHandOffs, comparesReplies, rounds }) =>
      sum + (needsHandOffs || comparesReplies || rounds > 1 ? USUAL_TEAM : 1),
    0,
  );
  return {
    calls: training * models.length + test * asks,
    usd: training * all + (test * asks * all) / Math.max(1, models.length),
    unpriced: models.filter((_, i) => prices[i] === undefined).map(({ worker }) => worker.id),
  };
}
