// The head of a policy as gradients move it: Adam on its weights in units of their scales, so that one learning rate
// fits all features. The softmax over an option's logits that gradients are of stands here too.

import type { TurnOption } from "../../conductor/trinity/types.ts";
import { AdamW } from "../../nn/optimiser.ts";
import type { Weights } from "../../nn/types.ts";
import type { SearchedPolicy } from "./types.ts";

const OFFSETS = "offsets";

export class GradientHead {
  readonly #policy: SearchedPolicy;
  /** How far each weight is from the start, in scales. */
  readonly #offsets: Float32Array;
  readonly #optimiser: AdamW;

  constructor(policy: SearchedPolicy, saved?: Weights) {
    this.#policy = policy;
    const known = saved?.get(OFFSETS)?.data;
    this.#offsets = known ? Float32Array.from(known) : new Float32Array(policy.head);
    const weights: Weights = new Map([[OFFSETS, { dims: [policy.head], data: this.#offsets }]]);
    this.#optimiser = saved?.has(OFFSETS) ? AdamW.fromTensors(weights, saved) : new AdamW(weights);
  }

  /** The whole policy: what is no head is as it was at the start. */
  get vector(): Float64Array {
    const { start, scales } = this.#policy;
    return start.map((value, i) => value + scales[i]! * (this.#offsets[i] ?? 0));
  }

  /** Downhill. `gradient` is by the weights themselves. Returns its norm, by offsets. */
  descend(gradient: Float64Array, learningRate: number): number {
    const { scales } = this.#policy;
    const data = Float32Array.from(gradient, (value, i) => value * scales[i]!);
    const gradients: Weights = new Map([[OFFSETS, { dims: [data.length], data }]]);
    return this.#optimiser.step(gradients, { learningRate, maxNorm: Number.POSITIVE_INFINITY }).norm;
  }

  toTensors(): Weights {
    const offsets = { dims: [this.#offsets.length], data: this.#offsets.slice() };
    return new Map([[OFFSETS, offsets], ...this.#optimiser.toTensors()]);
  }
}

/** Probabilities of options under a softmax of logits / temperature; the logit is vector · features. */
export function toProbabilities(
  options: readonly Pick<TurnOption, "features">[],
  vector: Float64Array,
  temperature: number,
): number[] {
  return softmax(options.map(({ features }) => dot(features, vector) / temperature));
}

export function softmax(logits: readonly number[]): number[] {
  const highest = Math.max(...logits);
  const powers = logits.map((logit) => Math.exp(logit - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The features may be fewer than the vector, which begins with the head. */
function dot(features: Float64Array, vector: Float64Array): number {
  return features.reduce((sum, feature, i) => sum + feature * vector[i]!, 0);
}

export function entropyOf(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}

/** Adds to the gradient what moving each option's logit by its slope does. */
export function addSlopes(
  gradient: Float64Array,
  options: readonly Pick<TurnOption, "features">[],
  slopes: readonly number[],
  temperature: number,
): void {
  for (const [number, { features }] of options.entries())
    for (let i = 0; i < features.length; i++) gradient[i]! += (slopes[number]! * features[i]!) / temperature;
}
