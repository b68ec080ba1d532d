// A model of a few hundred weights for tests, all of them away from their first values, so that every part of
// it has a say; and prefixes and choices at random.

import { createRandom, hashSeed, type Random } from "../../base/random.ts";
import type { Prefix } from "../../nn/batch.ts";
import { Model } from "../../nn/model.ts";
import type { ChooseToken } from "../../nn/text-model.ts";
import { createWeights } from "../../nn/transformer.ts";
import type { Engine, ModelShape } from "../../nn/types.ts";

export const TINY: ModelShape = { vocabulary: 12, width: 8, layers: 2, heads: 2, hidden: 16, features: 3 };
export const START = 0;
export const END = 1;

export function createTinyModel(engine: Engine, seed = 1): Model {
  const weights = createWeights(TINY, seed);
  const random = createRandom(hashSeed(seed, "tiny"));
  for (const { data } of weights.values())
    for (let i = 0; i < data.length; i++) data[i]! += 0.2 * random.normal();
  return new Model(engine, TINY, weights);
}

export function randomPrefix(random: Random, { tokens, slots }: { tokens: number; slots: number }): Prefix {
  return {
    tokens: Array.from({ length: tokens }, () => random.integer(2, TINY.vocabulary - 1)),
    slots: Array.from({ length: slots }, () =>
      Float32Array.from({ length: TINY.features }, () => random.normal()),
    ),
  };
}

/** Chooses at random, for each rollout of each question by its own, and keeps all probabilities it was given. */
export function recordProbabilities(seed: number): {
  choose: ChooseToken;
  seen(question: number, rollout: number): number[][];
} {
  const seen = new Map<string, number[][]>();
  return {
    choose(probabilities, question, rollout, tokens) {
      const key = `${question} ${rollout}`;
      seen.set(key, [...(seen.get(key) ?? []), [...probabilities]]);
      let rest = createRandom(hashSeed(seed, question, rollout, tokens.length)).next();
      const at = probabilities.findIndex((probability) => {
        rest -= probability;
        return rest < 0;
      });
      return Math.max(0, at);
    },
    seen: (question, rollout) => seen.get(`${question} ${rollout}`) ?? [],
  };
}
