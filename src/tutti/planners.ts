// Who plans: the one that was named, or those of the pool in order, where the later ones take over when the first fails.

import { isTuttiError, usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { didYouMean } from "../base/suggest.ts";
import type { Environment } from "../config/home.ts";
import { resolveModel } from "../config/pool.ts";
import { modelsOf, strongestForQuestion, strongestMembers } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";

export interface RankOptions {
  /** False of a worker that failed lately: it comes last. */
  isAvailable?: (id: string) => boolean;
  /** Whatever it costs. */
  isByStrengthAlone?: boolean;
  /** It answers the question and does not plan: by what is expected of it for this question. */
  answers?: boolean;
}

/** A plan is short and decides much: not the most expensive model, and not the weakest. */
export function rankPlanners(
  { members }: Pool,
  { isAvailable = () => true, isByStrengthAlone = false, answers = false }: RankOptions = {},
): PoolMember[] {
  const ranked = answers ? strongestForQuestion(members) : strongestMembers(members);
  const order = ranked.map((number) => members[number]!);
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
  const by = models.some(({ profile }) => profile) ? toMeasure(models, options) : "the order of the pool";
  const { isByStrengthAlone, answers } = options;
  const usual = rankPlanners(pool, { isByStrengthAlone, answers })[0];
  const isAlike = new Set(models.map(({ price }) => price?.outputUsd)).size === 1;
  const whole = isByStrengthAlone || isAlike;
  const among = `the strongest of the ${whole ? "pool" : "cheaper half of the pool"}`;
  const instead =
    usual && usual !== planner && options.isAvailable
      ? `; ${usual.worker.id} would be, but failed lately`
      : "";
  return `${planner.worker.id} is ${among}, by ${by}${instead}`;
}

function toMeasure(models: readonly PoolMember[], { answers }: RankOptions): string {
  const isRated = models.some(({ profile }) => profile?.ratings);
  const success = isRated ? "measured and rated success" : "measured success";
  return answers && models.some(({ profile }) => profile?.probability !== undefined)
    ? `${success} on such questions`
    : success;
}

export interface FindOptions {
  env: Environment;
  /** It is named in the config and not for this question. */
  isConfigured?: boolean;
}

/** The model with this id or its only namesake in the pool; else any "provider/model", which may plan from outside. */
export async function findPlanner(
  id: string,
  { members }: Pool,
  { env, isConfigured = false }: FindOptions,
): Promise<PoolMember> {
  const models = modelsOf({ members });
  const aliases = models.filter(({ worker }) => worker.id.slice(worker.id.indexOf("/") + 1) === id);
  const found =
    models.find(({ worker }) => worker.id === id) ?? (aliases.length === 1 ? aliases[0] : undefined);
  if (found) return found;
  const ids = models.map(({ worker }) => worker.id).join(", ");
  if (id.includes("/"))
    return resolveModel(id, { env }).catch((error: unknown) => {
      if (!isTuttiError(error)) throw error;
      const named = `The Conductor "${shorten(id)}"${isConfigured ? ", which the config names," : ""}`;
      const remedy = "Add it to --pool, or name another Conductor with --conductor.";
      throw usageError(
        `${named} is not in this pool (there are: ${ids}). ${remedy} It cannot plan from outside the pool: ${error.message}`,
      );
    });
  const names = ["prompted", "native", "trinity", "verified-cascade", "scripted-planner"];
  const hint = didYouMean(id, [...names, ...models.map(({ worker }) => worker.id)]);
  throw usageError(
    `No Conductor "${shorten(id)}" (there are: prompted, native, native:FOLDER, trinity, trinity:FOLDER, verified-cascade, verified-cascade:JUDGE, scripted-planner, ${ids}, or any provider/model).${hint}`,
  );
}
