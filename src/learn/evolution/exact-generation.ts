// One generation of a search on a recording: every candidate is replayed on the same questions at all prices, so that its
// fitness is exact. Nobody is asked, and nothing is journaled.

import { createRandom } from "../../base/random.ts";
import { meanOf } from "../../base/statistics.ts";
import type { ReplayedQuestion } from "../../world/types.ts";
import type { UpdateMetrics } from "../types.ts";
import type { ReplayedOutcome } from "./exact-replay.ts";
import type { Search } from "./types.ts";

/** Of one policy: what it is worth, and what happened. */
export type Evaluate = (
  vector: Float64Array,
  questions: readonly ReplayedQuestion[],
) => { value: number; outcomes: readonly ReplayedOutcome[] };

export interface ExactGeneration {
  questions: readonly ReplayedQuestion[];
  /** Questions of each set that a generation is compared on. */
  perSet: number;
  seed: number;
  evaluate: Evaluate;
}

export function evaluateGeneration(
  search: Search,
  { questions, perSet, seed, evaluate }: ExactGeneration,
): Omit<UpdateMetrics, "runs"> & { performed: number } {
  const sampled = sampleEachSet(questions, perSet, seed);
  const results = search.ask().map((vector) => evaluate(vector, sampled));
  const fitness = results.map(({ value }) => value);
  search.tell(fitness);
  const outcomes = results.flatMap((result) => result.outcomes);
  const accuracy = meanOf(outcomes.map(({ isRight }) => Number(isRight)));
  const calls = meanOf(outcomes.map((outcome) => outcome.calls));
  return {
    ...{ accuracy, accuracyIfValid: accuracy, calls, steps: calls, validShare: 1, outages: 0, costUsd: 0 },
    reward: 0.5 + accuracy / 2,
    flatShare: fitness.every((value) => value === fitness[0]) ? 1 : 0,
    loss: -meanOf(fitness),
    learningRate: search.sigma,
    ...{ routingEntropy: Number.NaN, decisionEntropy: Number.NaN, gradientNorm: Number.NaN },
    performed: outcomes.length,
  };
}

/** The same questions for all candidates of a generation, others in the next. */
export function sampleEachSet(
  questions: readonly ReplayedQuestion[],
  perSet: number,
  seed: number,
): ReplayedQuestion[] {
  const bySet = new Map<string, ReplayedQuestion[]>();
  for (const question of questions) bySet.set(question.set, [...(bySet.get(question.set) ?? []), question]);
  return [...bySet.values()].flatMap((own) => createRandom(seed).shuffle(own).slice(0, perSet));
}
