// What writes after a prefix, whoever computes it: the plain forward pass (`forward/model.ts`) or the engine's graphs
// (`model.ts`). Conductors and evaluations know only this.

import type { Prefix } from "./batch.ts";

export interface Completion {
  /** The end token included, where it was reached. */
  tokens: number[];
  /** The log-probability of each token when it was written. */
  logps: number[];
  /** The entropy of the probabilities it was chosen from, in nats. */
  entropies: number[];
}

/** Chooses the next token of a rollout from the probabilities of all tokens. */
export type ChooseToken = (
  probabilities: Float32Array,
  question: number,
  rollout: number,
  tokens: readonly number[],
) => number;

export interface GenerateOptions {
  /** Rollouts a question. */
  group: number;
  /** The most tokens of a rollout. */
  length: number;
  /** What every rollout begins after. */
  start: number;
  end: number;
  choose: ChooseToken;
  /** Stops early between two tokens. */
  signal?: AbortSignal;
}

export interface TextModel {
  /** Rollouts for each prefix; all of them share the work of reading it. */
  generate(prefixes: readonly Prefix[], options: GenerateOptions): Promise<Completion[][]>;
  /** Mean negative log-likelihood of a text's tokens, in nats, for each prefix. */
  negativeLogLikelihood(prefixes: readonly Prefix[]): Promise<number[]>;
}

/** In nats. */
export function entropyOf(probabilities: Float32Array): number {
  let entropy = 0;
  // What hardly ever happens adds nothing that can be seen, and its logarithm takes time.
  for (const probability of probabilities)
    if (probability > 1e-5) entropy -= probability * Math.log(probability);
  return entropy;
}
