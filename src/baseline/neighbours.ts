// Whom to ask by the most similar training questions: the baseline to beat. The estimate itself lives in
// calibration/, because profiles and votes of live runs are made from the same one.

import { estimateByNeighbours } from "../calibration/neighbours.ts";
import { acceptWinner, toAsked } from "./asked.ts";
import { createDecider, perform, solve } from "./decide.ts";
import { indexOf, rememberEstimate, type SuccessEstimate } from "./estimate.ts";
import { createPricedRouter } from "./priced-router.ts";
import { lessDollars, measureStrength, orderBy, requireCallsUsd, type Strength } from "./strength.ts";
import { type Baseline, type FitContext, toPointName } from "./types.ts";

export interface NeighbourModel {
  strength: Strength;
  estimate: SuccessEstimate;
}

export function fitNeighbours({ pool, training }: Pick<FitContext, "pool" | "training">): NeighbourModel {
  const strength = measureStrength(pool, training);
  const questions = {
    index: indexOf(training),
    scores: training.map(({ scores }) => scores),
    rates: strength.rates,
    workers: strength.order,
  };
  return { strength, estimate: rememberEstimate((text) => estimateByNeighbours(questions, text)) };
}

export const neighbours = createPricedRouter(
  "neighbours",
  "asks the worker that did best on the most similar training questions",
  (context) => {
    const { strength, estimate } = fitNeighbours(context);
    return { order: strength.order, estimate };
  },
);

/**
 * The best few by the neighbours vote, weighted by them too. The tool `consensus` knows only the
 * overall rates, so the votes are counted here, and the second round accepts the winner.
 */
function createNeighboursVote(count: number, costPerUsd = 0): Baseline {
  const id = toPointName(`neighbours-vote-${count}`, costPerUsd);
  return {
    id,
    summary: `weighted vote of the ${count} best on the most similar training questions`,
    needsHandOffs: false,
    comparesReplies: true,
    rounds: 2,
    fit(context) {
      const { strength, estimate } = fitNeighbours(context);
      const callsUsd = requireCallsUsd(context.pool, context.training, costPerUsd);
      return createDecider(id, ({ task, rounds }) => {
        const estimates = estimate(task);
        if (rounds.length > 0) return acceptWinner(toAsked(rounds, estimates));
        const best = orderBy(strength.order, lessDollars(estimates, callsUsd, costPerUsd)).slice(0, count);
        return perform(best.map((worker) => solve(worker)));
      });
    },
    atPrice: (other) => createNeighboursVote(count, other),
  };
}

export const neighboursVote3 = createNeighboursVote(3);
export const neighboursVote5 = createNeighboursVote(5);
