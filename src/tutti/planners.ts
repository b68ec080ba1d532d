// Who of a pool plans, in order: the one that is chosen, and those that take over where it fails.

import { modelsOf, strongestMembers } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";

export interface RankOptions {
  /** False of a worker that failed lately: it comes last. */
  isAvailable?: (id: string) => boolean;
  /** Whatever it costs. */
  isByStrengthAlone?: boolean;
}

/** A plan is short and decides much: not the most expensive model, and not the weakest. */
export function rankPlanners(
  { members }: Pool,
  { isAvailable = () => true, isByStrengthAlone = false }: RankOptions = {},
): PoolMember[] {
  const order = strongestMembers(members).map((number) => members[number]!);
  const priceOf = ({ price }: PoolMember) => price?.outputUsd ?? Number.POSITIVE_INFINITY;
  const prices = order.map(priceOf).sort((a, b) => a - b);
  const median = prices[Math.floor((prices.length - 1) / 2)] ?? 0;
  const isCheap = (member: PoolMember) => isByStrengthAlone || priceOf(member) <= median;
  const byCost = [...order.filter(isCheap), ...order.filter((member) => !isCheap(member))];
  const isUp = ({ worker }: PoolMember) => isAvailable(worker.id);
  return [...byCost.filter(isUp), ...byCost.filter((member) => !isUp(member))];
}

/** Why the first of them, in words that a person can check with `tutti pool`. */
export function toPlannerReason(planner: PoolMember, pool: Pool, options: RankOptions = {}): string {
  const models = modelsOf(pool);
  const by = models.some(({ profile }) => profile) ? "measured success" : "the order of the pool";
  const { isByStrengthAlone } = options;
  const usual = rankPlanners(pool, { isByStrengthAlone })[0];
  const isAlike = new Set(models.map(({ price }) => price?.outputUsd)).size === 1;
  const whole = isByStrengthAlone || isAlike;
  const among = `the strongest of the ${whole ? "pool" : "cheaper half of the pool"}`;
  const instead =
    usual && usual !== planner && options.isAvailable
      ? `; ${usual.worker.id} would be, but failed lately`
      : "";
  return `${planner.worker.id} is ${among}, by ${by}${instead}`;
}
