// The optimiser: AdamW, which changes the weights in place after every iteration, and the learning rate it is
// given. Apart from the graphs because it needs no engine: it is one pass over plain arrays.

import { TuttiError, usageError } from "../base/errors.ts";
import type { Weights } from "./types.ts";

export interface AdamWOptions {
  /** Decay of the mean gradient. */
  beta1?: number;
  /** Decay of the mean squared gradient. 0.95 forgets in 20 iterations: ours are few, and their scale moves. */
  beta2?: number;
  epsilon?: number;
  /** Share of a weight that is taken away per unit of learning rate. Tensors of fewer than two dimensions keep all. */
  weightDecay?: number;
}

/** Names in a checkpoint, so that they can stand in one file with the weights. */
const FIRST = "optimiser.first.";
const SECOND = "optimiser.second.";
const STEP = "optimiser.step";

/**
 * Added to a moment and taken away again, it rounds the moment to a multiple of 2^-126, the smallest normal float:
 * too fine to change any weight. Without it the moments of weights that get no gradients sink below that and stay
 * there, where many processors are far slower. A comparison in its place doubles the time of a step.
 */
const FLUSH = 1.5 * 2 ** -74;

interface Parameter {
  name: string;
  weights: Float32Array;
  dims: readonly number[];
  /** Running mean of the gradient. */
  first: Float32Array;
  /** Running mean of its square. */
  second: Float32Array;
}

export class AdamW {
  readonly #parameters: Parameter[];
  readonly #options: Required<AdamWOptions>;
  #step = 0;

  constructor(weights: Weights, options: AdamWOptions = {}) {
    this.#options = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.01, ...options };
    this.#parameters = [...weights].map(([name, { dims, data }]) => ({
      name,
      dims,
      weights: data,
      first: new Float32Array(data.length),
      second: new Float32Array(data.length),
    }));
  }

  /**
   * Changes the weights in place; the gradients stay as they are. Where the norm over all gradients is above
   * `maxNorm` they count scaled down to it; `norm` is the one before that. When this throws, nothing was changed.
   */
  step(gradients: Weights, options: { learningRate: number; maxNorm: number }): { norm: number } {
    const { learningRate, maxNorm } = options;
    if (!(learningRate >= 0 && Number.isFinite(learningRate)))
      throw usageError(
        `A learning rate of ${learningRate} cannot be used: it must be a number of at least 0.`,
      );
    if (!(maxNorm > 0)) throw usageError(`A largest norm of ${maxNorm} cannot be used: it must be above 0.`);
    const norm = this.#normOf(gradients);
    const scale = norm > maxNorm ? maxNorm / norm : 1;
    this.#step += 1;
    for (const parameter of this.#parameters)
      this.#update(parameter, gradients.get(parameter.name)!.data, learningRate, scale);
    return { norm };
  }

  /** Copies of the moments and the count of steps, to be saved: later steps do not change them. */
  toTensors(): Weights {
    const tensors: Weights = new Map([[STEP, { dims: [], data: Float32Array.of(this.#step) }]]);
    for (const { name, dims, first, second } of this.#parameters) {
      tensors.set(FIRST + name, { dims, data: first.slice() });
      tensors.set(SECOND + name, { dims, data: second.slice() });
    }
    return tensors;
  }

  /**
   * Goes on where `toTensors` was taken: with the same weights, options and gradients every step is bitwise the
   * same. Tensors of other names are passed over, so a whole checkpoint can be given.
   */
  static fromTensors(weights: Weights, saved: Weights, options: AdamWOptions = {}): AdamW {
    const optimiser = new AdamW(weights, options);
    const step = restored(saved, STEP, 1)[0]!;
    if (!Number.isInteger(step) || step < 0)
      throw new TuttiError(
        "bad-checkpoint",
        `"${STEP}" is ${step}: it must be a whole number of at least 0.`,
      );
    optimiser.#step = step;
    for (const { name, first, second } of optimiser.#parameters) {
      first.set(restored(saved, FIRST + name, first.length));
      second.set(restored(saved, SECOND + name, second.length));
    }
    return optimiser;
  }

  #normOf(gradients: Weights): number {
    for (const name of gradients.keys()) {
      if (!this.#parameters.some((parameter) => parameter.name === name))
        throw usageError(`There is a gradient for "${name}", but no such weights.`);
    }
    let total = 0;
    for (const { name, weights } of this.#parameters) {
      const gradient = gradients.get(name)?.data;
      if (gradient?.length !== weights.length) {
        const found = gradient === undefined ? "no gradient" : `a gradient of ${gradient.length} numbers`;
        throw usageError(`There is ${found} for "${name}", which has ${weights.length} weights.`);
      }
      // The square of a float fits easily into a double: the sum is finite if all gradients are.
      let squares = 0;
      for (let i = 0; i < gradient.length; i++) squares += gradient[i]! * gradient[i]!;
      if (!Number.isFinite(squares))
        throw new TuttiError(
          "not-finite",
          `The gradient of "${name}" has a number that is not finite; it was not applied.`,
        );
      total += squares;
    }
    return Math.sqrt(total);
  }

  #update(parameter: Parameter, gradient: Float32Array, learningRate: number, scale: number): void {
    const { weights, first, second } = parameter;
    const { beta1, beta2, epsilon, weightDecay } = this.#options;
    // Both moments start at 0 and would be too small at first; dividing by what they hold so far corrects it.
    const stepSize = learningRate / (1 - beta1 ** this.#step);
    const rootCorrection = 1 / Math.sqrt(1 - beta2 ** this.#step);
    const keep = parameter.dims.length >= 2 ? 1 - learningRate * weightDecay : 1;
    for (let i = 0; i < weights.length; i++) {
      const slope = gradient[i]! * scale;
      const mean = beta1 * first[i]! + (1 - beta1) * slope + FLUSH - FLUSH;
      const square = beta2 * second[i]! + (1 - beta2) * slope * slope + FLUSH - FLUSH;
      first[i] = mean;
      second[i] = square;
      weights[i] = weights[i]! * keep - (stepSize * mean) / (Math.sqrt(square) * rootCorrection + epsilon);
    }
  }
}

function restored(saved: Weights, name: string, length: number): Float32Array {
  const data = saved.get(name)?.data;
  if (data?.length !== length) {
    const found = data === undefined ? "is missing" : `has ${data.length} numbers`;
    throw new TuttiError(
      "bad-checkpoint",
      `"${name}" ${found} in the saved optimiser; ${length} are needed.`,
    );
  }
  return data;
}

/**
 * The learning rate of an iteration (from 0): rises linearly to `peak` over the first `warmUp` iterations, stays,
 * and over the last third falls linearly, so that iteration `total − 1` has `floor · peak`, as has all that
 * comes after. Where warm-up and fall overlap, the lower of the two counts.
 */
export function learningRateAt(
  iteration: number,
  { peak, warmUp, total, floor }: { peak: number; warmUp: number; total: number; floor: number },
): number {
  const rise = warmUp > 0 ? Math.min(1, (iteration + 1) / warmUp) : 1;
  const fallStart = Math.ceil((total * 2) / 3);
  if (iteration < fallStart) return peak * rise;
  const fallen = Math.min(1, (iteration + 1 - fallStart) / Math.max(1, total - fallStart));
  return peak * Math.min(rise, 1 - fallen + floor * fallen);
}
