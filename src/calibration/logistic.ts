// Logistic regression by Newton's method, for a dozen features and tens of thousands of rows. Targets may be shares (0..1).

import { factorise, solveFactored } from "./cholesky.ts";

const MOST_STEPS = 12;
const SMALL_STEP = 1e-6;

interface LogisticOptions {
  /** What the weights are drawn towards; also says how many there are. */
  prior: readonly number[];
  /** How strongly: as so many rows at even odds with a feature of 2. Keeps weights finite where rows can be told apart. */
  ridge?: number;
}

export function fitLogistic(
  rows: readonly Float64Array[],
  targets: readonly number[],
  { prior, ridge = 1 }: LogisticOptions,
): Float64Array {
  const size = prior.length;
  const weights = Float64Array.from(prior);
  for (let step = 0; step < MOST_STEPS; step++) {
    const change = new Float64Array(size);
    const curvature = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      change[i] = ridge * (prior[i]! - weights[i]!);
      curvature[i * size + i] = ridge;
    }
    for (let n = 0; n < rows.length; n++) {
      const row = rows[n]!;
      let sum = 0;
      for (let i = 0; i < size; i++) sum += weights[i]! * row[i]!;
      const p = 1 / (1 + Math.exp(-sum));
      const error = targets[n]! - p;
      const weight = p * (1 - p);
      for (let i = 0; i < size; i++) {
        change[i]! += error * row[i]!;
        const scaled = weight * row[i]!;
        for (let j = 0; j <= i; j++) curvature[i * size + j]! += scaled * row[j]!;
      }
    }
    factorise(curvature, size);
    solveFactored(curvature, change, size);
    let largest = 0;
    for (let i = 0; i < size; i++) {
      weights[i]! += change[i]!;
      largest = Math.max(largest, Math.abs(change[i]!));
    }
    if (largest < SMALL_STEP) break;
  }
  return weights;
}
