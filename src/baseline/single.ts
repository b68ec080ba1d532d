// One worker for every question: a named one, the best one by training, or a sampled one.
// They are the floor: a team that does not beat the best of them is not worth its calls.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import type { Pool, Task } from "../worker/types.ts";
import { createConstant, createOneRound, perform, solve } from "./decide.ts";
import { measureWorth, requireModels } from "./strength.ts";
import { type Baseline, toPointName } from "./types.ts";

export const SINGLE = "single:";

export function createSingle(worker: string): Baseline {
  const id = `${SINGLE}${worker}`;
  return {
    id,
    summary: `always asks ${worker}`,
    needsHandOffs: false,
    rounds: 1,
    fit({ pool }) {
      const models = requireModels(pool);
      const number = models.find((model) => pool.members[model]!.worker.id === worker);
      if (number !== undefined) return createConstant(id, [solve(number)]);
      const ids = models.map((model) => pool.members[model]!.worker.id).join(", ");
      throw usageError(`No model "${worker}" in the pool (there are: ${ids})`);
    },
  };
}

/** One for each model of the pool. */
export function createSingles(pool: Pool): Baseline[] {
  return requireModels(pool).map((model) => createSingle(pool.members[model]!.worker.id));
}

function createBestSingle(costPerUsd: number): Baseline {
  const id = toPointName("best-single", costPerUsd);
  return {
    id,
    summary: "always asks the worker that was best on the training tasks",
    needsHandOffs: false,
    rounds: 1,
    fit: ({ pool, training }) =>
      createConstant(id, [solve(measureWorth(pool, training, costPerUsd).order[0]!)]),
    atPrice: createBestSingle,
  };
}

export const bestSingle = createBestSingle(0);

export const randomWorker: Baseline = {
  id: "random-worker",
  summary: "asks one worker, sampled for each question",
  needsHandOffs: false,
  rounds: 1,
  fit({ pool, seed }) {
    const models = requireModels(pool);
    return createOneRound("random-worker", ({ task }) =>
      perform([solve(createRandom(lotOf(seed, task)).pick(models))]),
    );
  },
};

/** The same sample for the same question, in whatever order questions come. */
export function lotOf(seed: number, { id, messages }: Task): number {
  return hashSeed(seed, id ?? JSON.stringify(messages));
}
