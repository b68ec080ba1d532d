// Cheap first, until a verifier accepts, on a recording. The verdict on a reply is its recorded score, exact where that came
// from tests, and turned round with a set probability to see what a verifier of that quality is worth: then it is simulated,
// and its name says how often it errs. The order of the chain comes from training tasks alone.

import { createRandom, hashSeed } from "../base/random.ts";
import { chooseChain } from "./chain.ts";
import { createDecider, perform, solve } from "./decide.ts";
import { requireCallsUsd, requireModels } from "./strength.ts";
import type { Baseline } from "./types.ts";

export interface VerifiedCascadeOptions {
  id: string;
  /** How often a verdict is wrong, whichever way: 0 to 0.5. */
  error: number;
  seed: number;
  /** The recorded verdict on the first sample of a worker. */
  isRight(task: string, worker: string): boolean;
  /** See chain.ts; for experiments. */
  safety?: number;
  /** What a dollar costs; by default the chain is as good as the best single worker, for the least dollars. */
  costPerUsd?: number;
}

const MOST_ASKS = 4;

export function createVerifiedCascadeBaseline(options: VerifiedCascadeOptions): Baseline {
  const { id, error, safety, costPerUsd } = options;
  return {
    id,
    summary:
      error === 0
        ? "cheap first, until a verifier accepts; the verdict is the recorded score"
        : `cheap first, until a simulated verifier accepts that is wrong ${(100 * error).toFixed(0)} % of the time`,
    needsHandOffs: false,
    rounds: MOST_ASKS + 1,
    fit({ pool, training }) {
      if (costPerUsd !== undefined) requireCallsUsd(pool, training, costPerUsd);
      const { chain } = chooseChain(requireModels(pool), training, {
        error,
        ...{ safety, costPerUsd },
        usualCost: (worker) => pool.members[worker]!.price?.outputUsd || 1,
      });
      return createDecider(id, ({ task, rounds, pool: { members } }) => {
        const last = rounds.length - 1;
        const isOver = rounds.length === chain.length;
        if (last >= 0 && (isOver || accepts(options, task.id!, members[chain[last]!]!.worker.id)))
          return { type: "accept", round: last, step: 0 };
        return perform([solve(chain[rounds.length]!)]);
      });
    },
    atPrice: (other) =>
      createVerifiedCascadeBaseline({ ...options, id: `${id}@${other}/usd`, costPerUsd: other }),
  };
}

/** The same verdict whenever it is asked for. */
export function accepts(
  { error, seed, isRight }: VerifiedCascadeOptions,
  task: string,
  worker: string,
): boolean {
  const isWrong = createRandom(hashSeed("verifier", seed, task, worker)).next() < error;
  return isRight(task, worker) !== isWrong;
}
