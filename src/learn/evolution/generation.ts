// One generation of a search: every candidate performs the same trials, greedily, and its mean reward is its fitness.
// TRINITY samples its choices in training; here the candidates differ already, and argmax leaves less noise.

import { toFitness } from "./fitness.ts";
import { type Stage, type StageContext, toRollout } from "./stage.ts";
import type { Search } from "./types.ts";

export async function* performGeneration(context: StageContext, search: Search): Stage {
  const { trials, toReward } = context;
  const candidates = search.ask();
  const outcomes = yield candidates.flatMap((vector) =>
    trials.map((trial) => toRollout(context, trial, vector)),
  );
  const own = candidates.map((_, i) => outcomes.slice(i * trials.length, (i + 1) * trials.length));
  const fitness = toFitness(own, (outcome, run) => toReward(outcome, trials[run]!.question));
  search.tell(fitness);
  const known = fitness.filter((value) => !Number.isNaN(value));
  return {
    outcomes,
    groups: trials.map(({ question }, run) =>
      own.flatMap((each) => (each[run]!.isOutage ? [] : [toReward(each[run]!, question)])),
    ),
    loss: -known.reduce((sum, value) => sum + value, 0) / known.length,
    ...{ entropy: Number.NaN, gradientNorm: Number.NaN, learningRate: search.sigma },
  };
}
