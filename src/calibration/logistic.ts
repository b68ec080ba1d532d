// Logistic regression by Newton's method, for a dozen features and tens of thousands of rows. Targets may be shares (0..1).

/** Keeps weights finite where the rows can be told apart without a mistake. */
const RIDGE = 1;
const MOST_STEPS = 12;
const SMALL_STEP = 1e-6;

interface LogisticOptions {
  /** How strongly weights are drawn to 0. */
  ridge?: number;
  /** By row: log-odds that are known before the features are looked at. */
  offsets?: readonly number[];
}

export function fitLogistic(
  rows: readonly Float64Array[],
  targets: readonly number[],
  size: number,
  { ridge = RIDGE, offsets }: LogisticOptions = {},
): Float64Array {
  const weights = new Float64Array(size);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = new Float64Array(size);
    const curvature = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      gradient[i] = -ridge * weights[i]!;
      curvature[i * size + i] = ridge;
    }
    for (let n = 0; n < rows.length; n++) {
      const row = rows[n]!;
      let sum = offsets?.[n] ?? 0;
      for (let i = 0; i < size; i++) sum += weights[i]! * row[i]!;
      const p = 1 / (1 + Math.exp(-sum));
      const error = targets[n]! - p;
      const weight = p * (1 - p);
      for (let i = 0; i < size; i++) {
        gradient[i]! += error * row[i]!;
        const scaled = weight * row[i]!;
        for (let j = 0; j <= i; j++) curvature[i * size + j]! += scaled * row[j]!;
      }
    }
    const change = solvePositive(curvature, gradient, size);
    let largest = 0;
    for (let i = 0; i < size; i++) {
      weights[i]! += change[i]!;
      largest = Math.max(largest, Math.abs(change[i]!));
    }
    if (largest < SMALL_STEP) break;
  }
  return weights;
}

/** Cholesky; only the lower triangle of the matrix is read, and overwritten. */
export function solvePositive(matrix: Float64Array, right: Float64Array, size: number): Float64Array {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[i * size + k]! * matrix[j * size + k]!;
      matrix[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[j * size + j]!;
    }
  }
  const solved = right.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) solved[i]! -= matrix[i * size + k]! * solved[k]!;
    solved[i]! /= matrix[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) solved[i]! -= matrix[k * size + i]! * solved[k]!;
    solved[i]! /= matrix[i * size + i]!;
  }
  return solved;
}
