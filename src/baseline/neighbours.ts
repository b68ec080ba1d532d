// Whom to ask by the most similar training questions: each worker's success on them, weighted by
// the square of the similarity and drawn towards its overall rate. Reads text only, no labels, and
// does about as well as a lookup table that is given them: the baseline to beat.

import { acceptWinner, toAsked } from "./asked.ts";
import { createDecider, createOneRound, perform, solve } from "./decide.ts";
import { type Estimate, indexOf, rememberEstimate } from "./estimate.ts";
import { bestBy, measureStrength, orderBy, type Strength } from "./strength.ts";
import type { Baseline, FitContext } from "./types.ts";

const NEIGHBOURS = 40;
/** The overall rate weighs as much as this many identical questions. */
const OVERALL_WEIGHT = 2;

export interface NeighbourModel {
  strength: Strength;
  estimate: Estimate;
}

export function fitNeighbours({ pool, training }: Pick<FitContext, "pool" | "training">): NeighbourModel {
  const strength = measureStrength(pool, training);
  const index = indexOf(training);
  const estimate = rememberEstimate((text) => {
    const similarities = index.similarities(text);
    const sums = new Float64Array(strength.rates.length);
    const weights = new Float64Array(strength.rates.length);
    for (const question of nearest(similarities, NEIGHBOURS)) {
      const weight = similarities[question]! ** 2;
      const { scores } = training[question]!;
      for (const worker of strength.order) {
        const score = scores[worker];
        if (score === undefined) continue;
        sums[worker]! += weight * score;
        weights[worker]! += weight;
      }
    }
    return sums.map((sum, i) => (sum + OVERALL_WEIGHT * strength.rates[i]!) / (weights[i]! + OVERALL_WEIGHT));
  });
  return { strength, estimate };
}

/** The positions of the highest values above 0; of equals the first. Far cheaper than sorting them all. */
function nearest(similarities: Float32Array, count: number): number[] {
  const kept: number[] = [];
  for (let i = 0; i < similarities.length; i++) {
    const value = similarities[i]!;
    if (value <= 0 || (kept.length === count && value <= similarities[kept[count - 1]!]!)) continue;
    let at = Math.min(kept.length, count - 1);
    for (; at > 0 && similarities[kept[at - 1]!]! < value; at--) kept[at] = kept[at - 1]!;
    kept[at] = i;
  }
  return kept;
}

export const neighbours: Baseline = {
  id: "neighbours",
  summary: "asks the worker that did best on the most similar training questions",
  needsHandOffs: false,
  rounds: 1,
  fit(context) {
    const { strength, estimate } = fitNeighbours(context);
    return createOneRound("neighbours", ({ task }) =>
      perform([solve(bestBy(strength.order, estimate(task)))]),
    );
  },
};

/**
 * The best few by the neighbours vote, weighted by them too. The tool `consensus` knows only the
 * overall rates, so the votes are counted here, and the second round accepts the winner.
 */
function createNeighboursVote(count: number): Baseline {
  const id = `neighbours-vote-${count}`;
  return {
    id,
    summary: `weighted vote of the ${count} best on the most similar training questions`,
    needsHandOffs: false,
    rounds: 2,
    fit(context) {
      const { strength, estimate } = fitNeighbours(context);
      return createDecider(id, ({ task, rounds }) => {
        const estimates = estimate(task);
        if (rounds.length > 0) return acceptWinner(toAsked(rounds, estimates));
        const best = orderBy(strength.order, estimates).slice(0, count);
        return perform(best.map((worker) => solve(worker)));
      });
    },
  };
}

export const neighboursVote3 = createNeighboursVote(3);
export const neighboursVote5 = createNeighboursVote(5);
