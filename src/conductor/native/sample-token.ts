// How the next token of a plan is chosen: the likeliest one, or sampled; of all tokens, or of those that a mask allows
// (grammar.ts). Training and inference share it.

import { createRandom } from "../../base/random.ts";

/** The next token, from the probabilities of all tokens and what was written so far. */
export type TokenSampler = (probabilities: Float32Array, tokens: readonly number[]) => number;

/** What may follow these tokens. */
export type Mask = (tokens: readonly number[]) => (token: number) => boolean;

type IsAllowed = (token: number) => boolean;

/** Without a seed it is greedy; without a mask any token may follow. */
export function createTokenSampler({ mask, seed }: { mask?: Mask; seed?: number } = {}): TokenSampler {
  const random = seed === undefined ? undefined : createRandom(seed);
  return (probabilities, tokens) => {
    const isAllowed = mask ? mask(tokens) : isAny;
    if (!random) return findLikeliest(probabilities, isAllowed);
    // What the mask takes away goes to the rest in proportion.
    const total = mask ? sumAllowed(probabilities, isAllowed) : 1;
    return sample(probabilities, isAllowed, random.next() * total);
  };
}

const isAny = () => true;

function findLikeliest(probabilities: Float32Array, isAllowed: IsAllowed): number {
  let best = -1;
  for (let token = 0; token < probabilities.length; token++) {
    if ((best < 0 || probabilities[token]! > probabilities[best]!) && isAllowed(token)) best = token;
  }
  return best;
}

function sumAllowed(probabilities: Float32Array, isAllowed: IsAllowed): number {
  let total = 0;
  for (const [token, probability] of probabilities.entries())
    if (probability > 0 && isAllowed(token)) total += probability;
  return total;
}

/** Inverse transform sampling: the token in whose share of the cumulative sum `at` falls. */
function sample(probabilities: Float32Array, isAllowed: IsAllowed, at: number): number {
  let rest = at;
  for (let token = 0; token < probabilities.length; token++) {
    if (probabilities[token] === 0 || !isAllowed(token)) continue;
    rest -= probabilities[token]!;
    if (rest < 0) return token;
  }
  // Probabilities sum to a hair less than 1, or those of all allowed tokens are below what a float holds.
  return findLikeliest(probabilities, isAllowed);
}
