// Ridge regression over the training questions, one output per worker, in its dual form: what is
// learned is one coefficient per question and worker, and a prediction is a sum over similarities.
// Solved by conjugate gradients for all workers at once; the kernel is never written down.

import type { Vector } from "./text-index.ts";

/** A remainder of a hundredth of the targets (this is its square) changes hardly any decision. */
const PRECISE = 1e-4;
const MOST_ITERATIONS = 20;

/** Solves (X Xᵀ + penalty) A = targets. Rows are questions, `width` outputs side by side. */
export function fitRidge(
  vectors: readonly Vector[],
  featureCount: number,
  targets: Float64Array,
  width: number,
  penalty: number,
): Float64Array {
  const coefficients = new Float64Array(targets.length);
  const residual = targets.slice();
  const direction = targets.slice();
  const spread = new Float64Array(featureCount * width);
  const start = columnProducts(residual, residual, width);
  let before = start;
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    if (before.every((value, output) => value <= PRECISE * start[output]!)) break;
    const applied = applyKernel(vectors, spread, direction, width, penalty);
    const curvature = columnProducts(direction, applied, width);
    const step = before.map((value, output) => (curvature[output]! > 0 ? value / curvature[output]! : 0));
    for (let i = 0; i < coefficients.length; i++) {
      coefficients[i]! += step[i % width]! * direction[i]!;
      residual[i]! -= step[i % width]! * applied[i]!;
    }
    const after = columnProducts(residual, residual, width);
    const turn = after.map((value, output) => (before[output]! > 0 ? value / before[output]! : 0));
    for (let i = 0; i < direction.length; i++) {
      direction[i] = residual[i]! + turn[i % width]! * direction[i]!;
    }
    before = after;
  }
  return coefficients;
}

/** X (Xᵀ v) + penalty · v: to the features and back. */
function applyKernel(
  vectors: readonly Vector[],
  spread: Float64Array,
  values: Float64Array,
  width: number,
  penalty: number,
): Float64Array {
  spread.fill(0);
  for (let row = 0; row < vectors.length; row++) {
    const { features, weights } = vectors[row]!;
    const from = row * width;
    for (let i = 0; i < features.length; i++) {
      const at = features[i]! * width;
      const weight = weights[i]!;
      for (let output = 0; output < width; output++) spread[at + output]! += weight * values[from + output]!;
    }
  }
  const result = values.map((value) => penalty * value);
  for (let row = 0; row < vectors.length; row++) {
    const { features, weights } = vectors[row]!;
    const to = row * width;
    for (let i = 0; i < features.length; i++) {
      const at = features[i]! * width;
      const weight = weights[i]!;
      for (let output = 0; output < width; output++) result[to + output]! += weight * spread[at + output]!;
    }
  }
  return result;
}

function columnProducts(a: Float64Array, b: Float64Array, width: number): Float64Array {
  const products = new Float64Array(width);
  for (let i = 0; i < a.length; i++) products[i % width]! += a[i]! * b[i]!;
  return products;
}
