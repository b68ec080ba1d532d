// How good each worker was on the training tasks. Every baseline that chooses begins here, and so do
// the weights of the votes. Only what is handed over as training enters: a profile measured on other
// tasks is dropped, because the test tasks could be among them.

import { usageError } from "../errors.ts";
import type { Pool } from "../worker/types.ts";
import type { TrainingTask } from "./types.ts";

/** So many imagined tasks at the rate that is shrunk to: few tasks then say little. */
const OVERALL_WEIGHT = 8;

export interface Strength {
  /** Numbers of the models of the pool, strongest first; of equals the first in the pool. */
  order: number[];
  /** Success by number in the pool, shrunk; 0 for tools and `self`. */
  rates: number[];
}

export function measureStrength(pool: Pool, training: readonly TrainingTask[]): Strength {
  const models = modelsOf(pool);
  const { sums, counts } = countScores(pool, training);
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  const mean = total(sums) / Math.max(1, total(counts));
  const rates = pool.members.map(() => 0);
  for (const model of models) rates[model] = shrink(sums[model]!, counts[model]!, mean, OVERALL_WEIGHT);
  return { order: orderBy(models, rates), rates };
}

/**
 * The pool with profiles measured on these tasks and nothing else. Prices stay, and so does a delay,
 * which says nothing about right or wrong.
 */
export function measurePool(pool: Pool, training: readonly TrainingTask[]): Pool {
  const { rates } = measureStrength(pool, training);
  const { counts } = countScores(pool, training);
  const members = pool.members.map((member, number) => {
    const { profile, ...rest } = member;
    const tasks = counts[number]!;
    if (tasks === 0) return rest;
    const source = `measured on ${tasks} training tasks`;
    const delay = profile?.delayMs === undefined ? {} : { delayMs: profile.delayMs };
    return { ...rest, profile: { success: rates[number]!, tasks, topics: {}, source, ...delay } };
  });
  return { members };
}

/** A rate from few tasks is drawn towards one from many. */
export function shrink(sum: number, count: number, towards: number, weight: number): number {
  return (sum + weight * towards) / (count + weight);
}

export function modelsOf({ members }: Pool): number[] {
  const models = [...members.keys()].filter((number) => members[number]!.worker.kind === "model");
  if (models.length > 0) return models;
  const ids = members.map(({ worker }) => worker.id).join(", ") || "nobody";
  throw usageError(`The pool has no model to ask (there is: ${ids})`);
}

/** A sorted copy: highest estimate first; equals keep the order they have. */
export function orderBy(workers: readonly number[], estimates: ArrayLike<number>): number[] {
  return [...workers].sort((a, b) => estimates[b]! - estimates[a]!);
}

/** The first of `orderBy`, without sorting. */
export function bestBy(workers: readonly number[], estimates: ArrayLike<number>): number {
  return workers.reduce((best, worker) => (estimates[worker]! > estimates[best]! ? worker : best));
}

function countScores({ members }: Pool, training: readonly TrainingTask[]) {
  const sums = members.map(() => 0);
  const counts = members.map(() => 0);
  for (const { scores } of training) {
    for (const [number, { worker }] of members.entries()) {
      const score = scores[number];
      if (score === undefined || worker.kind !== "model") continue;
      sums[number]! += score;
      counts[number]! += 1;
    }
  }
  return { sums, counts };
}
