// How good each worker was on the training tasks. Every baseline that chooses begins here, and so do
// the weights of the votes. Only what is handed over as training enters: a profile measured on other
// tasks is dropped, because the test tasks could be among them.

import { usageError } from "../base/errors.ts";
import { countScores, measureProfiles, topicOf, toRates } from "../calibration/rates.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Calibration } from "../calibration/types.ts";
import { toMessages } from "../task/types.ts";
import { isModel, numbersOf } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import type { TrainingTask } from "./types.ts";

export interface Strength {
  /** Numbers of the models of the pool, strongest first; of equals the cheaper, then the first in the pool. */
  order: number[];
  /** Success by number in the pool, shrunk; 0 for tools and `self`. */
  rates: number[];
}

export function measureStrength(pool: Pool, training: readonly TrainingTask[]): Strength {
  const models = requireModels(pool);
  const rows = training.map(({ scores }) => scores);
  const rates = toRates(countScores(rows, pool.members.length, models), models);
  const usd = models.map((model) => meanCallUsd(training, model));
  const isPriced = usd.every((each) => each !== undefined);
  const cheapestFirst = isPriced
    ? orderBy(
        models,
        pool.members.map((_, n) => -usd[models.indexOf(n)]!),
      )
    : models;
  return { order: orderBy(cheapestFirst, rates), rates };
}

/**
 * The pool with profiles measured on these tasks and nothing else. Prices stay, and so does a delay,
 * which says nothing about right or wrong.
 */
export function measurePool(pool: Pool, training: readonly TrainingTask[]): Pool {
  const models = requireModels(pool);
  const profiles = measureProfiles(toCalibration(pool, training));
  const members = pool.members.map(({ profile, ...rest }, number) => {
    const measured = profiles[models.indexOf(number)];
    if (!measured) return rest;
    const source = `measured on ${measured.tasks} training tasks`;
    const delay = profile?.delayMs === undefined ? {} : { delayMs: profile.delayMs };
    return { ...rest, profile: { ...measured, source, ...delay } };
  });
  return { members };
}

/** The models of the pool on the training tasks. A category that is a topic counts as one. */
export function toCalibration(pool: Pool, training: readonly TrainingTask[]): Calibration {
  const models = requireModels(pool);
  return {
    workers: models.map((model) => pool.members[model]!.worker.id),
    tasks: training.map(({ task }) => ({
      text: textOf(toMessages(task)),
      topic: topicOf(task.category),
      category: task.category,
      family: task.family,
    })),
    scores: training.map(({ scores }) => models.map((model) => scores[model])),
    answers: training.every(({ answers }) => answers)
      ? training.map(({ answers }) => models.map((model) => answers![model]))
      : undefined,
    replies: training.some(({ replies }) => replies)
      ? training.map(({ replies }) => models.map((model) => replies?.[model]))
      : undefined,
    callsUsd: models.map((model) => meanCallUsd(training, model)),
    byLength: training.every(({ task }) => task.grader === "rehearsal"),
    source: `measured on ${training.length} training tasks`,
  };
}

/** Mean dollars of one ask of a worker on these tasks; undefined where one of them is unknown. */
export function meanCallUsd(training: readonly TrainingTask[], worker: number): number | undefined {
  let [sum, count] = [0, 0];
  for (const { scores, costsUsd } of training) {
    if (scores[worker] === undefined) continue;
    const usd = costsUsd?.[worker];
    if (usd === undefined) return undefined;
    sum += usd;
    count++;
  }
  return count === 0 ? undefined : sum / count;
}

/** What one ask of each worker costs, for whoever weighs dollars; all 0 where a dollar costs nothing. */
export function requireCallsUsd(
  { members }: Pool,
  training: readonly TrainingTask[],
  costPerUsd: number,
): Float64Array {
  return Float64Array.from(members, ({ worker }, number) => {
    if (costPerUsd === 0 || !isModel(worker)) return 0;
    const usd = meanCallUsd(training, number);
    if (usd !== undefined) return usd;
    throw usageError(`What an ask of "${worker.id}" costs is not known, so dollars cannot be weighed`);
  });
}

/** Strength with the order of what an ask is worth: success less what its dollars cost. */
export function measureWorth(
  pool: Pool,
  training: readonly TrainingTask[],
  costPerUsd: number,
): Strength & { callsUsd: Float64Array } {
  const { order, rates } = measureStrength(pool, training);
  const callsUsd = requireCallsUsd(pool, training, costPerUsd);
  return { order: orderBy(order, lessDollars(rates, callsUsd, costPerUsd)), rates, callsUsd };
}

/** Estimated success less what the ask costs. */
export function lessDollars(
  estimates: ArrayLike<number>,
  callsUsd: Float64Array,
  costPerUsd: number,
): Float64Array {
  return Float64Array.from(estimates, (estimate, worker) => estimate - costPerUsd * callsUsd[worker]!);
}

export function requireModels({ members }: Pool): number[] {
  const models = numbersOf({ members }, isModel);
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
