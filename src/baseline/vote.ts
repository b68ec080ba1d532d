// Several are asked the same and the pool's `consensus` counts their votes, each with the success
// its worker's profile shows. The best k are the same for every question.

import { createConstant, requireConsensus, solveAndVote } from "./decide.ts";
import { measureWorth } from "./strength.ts";
import { type Baseline, toPointName } from "./types.ts";

function createVote(
  name: string,
  summary: string,
  choose: (order: number[]) => number[],
  samples?: number,
  costPerUsd = 0,
): Baseline {
  const id = toPointName(name, costPerUsd);
  return {
    id,
    summary,
    needsHandOffs: false,
    comparesReplies: true,
    rounds: 1,
    samples,
    fit({ pool, training }) {
      const { order } = measureWorth(pool, training, costPerUsd);
      return createConstant(id, solveAndVote(choose(order), requireConsensus(pool, id)));
    },
    atPrice: (other) => createVote(name, summary, choose, samples, other),
  };
}

export const vote3 = createVote("vote-3", "weighted vote of the best three", (order) => order.slice(0, 3));
export const vote5 = createVote("vote-5", "weighted vote of the best five", (order) => order.slice(0, 5));
export const voteAll = createVote("vote-all", "weighted vote of all workers", (order) => order);

export const selfConsistency = createVote(
  "self-consistency",
  "the best worker is asked five times, then a vote",
  ([best]) => Array.from({ length: 5 }, () => best!),
  5,
);
