// Ridge regression over the coordinates of measured questions, several outputs at once. What it would have said of a
// question without having seen it is known in closed form, so penalties and whatever reads its estimates are fitted on
// honest ones without fitting anything twice.

import { factorise, solveFactored, solveLower } from "./cholesky.ts";

/** Questions as rows of `size` numbers one after the other. */
export interface Points {
  size: number;
  coordinates: Float64Array;
}

/** For one penalty. */
export interface RidgeSolver {
  /** Of the outputs of all points: one row for each coordinate, `width` outputs side by side. */
  fit(targets: Float64Array, width: number): Float64Array;
  /** How much a point would pull on the estimate at itself, 0..1; times the noise it is the variance of that estimate. */
  leverage(point: Float64Array): number;
}

/** Products of all pairs of coordinates, summed over the points: the lower triangle, common to all penalties. */
export function toGram({ size, coordinates }: Points): Float64Array {
  const gram = new Float64Array(size * size);
  for (let from = 0; from < coordinates.length; from += size) {
    for (let i = 0; i < size; i++) {
      const value = coordinates[from + i]!;
      if (value === 0) continue;
      const row = i * size;
      for (let j = 0; j <= i; j++) gram[row + j]! += value * coordinates[from + j]!;
    }
  }
  return gram;
}

export function createSolver(points: Points, gram: Float64Array, penalty: number): RidgeSolver {
  const { size, coordinates } = points;
  const factor = gram.slice();
  for (let i = 0; i < size; i++) factor[i * size + i]! += penalty;
  factorise(factor, size);
  return {
    fit(targets, width) {
      const sums = new Float64Array(size * width);
      const count = targets.length / width;
      for (let point = 0; point < count; point++) {
        for (let i = 0; i < size; i++) {
          const value = coordinates[point * size + i]!;
          for (let output = 0; output < width; output++)
            sums[i * width + output]! += value * targets[point * width + output]!;
        }
      }
      const column = new Float64Array(size);
      for (let output = 0; output < width; output++) {
        for (let i = 0; i < size; i++) column[i] = sums[i * width + output]!;
        solveFactored(factor, column, size);
        for (let i = 0; i < size; i++) sums[i * width + output] = column[i]!;
      }
      return sums;
    },
    leverage(point) {
      const solved = point.slice();
      solveLower(factor, solved, size);
      return solved.reduce((sum, value) => sum + value * value, 0);
    },
  };
}

/** One estimate for each output. */
export function predict(coefficients: Float64Array, point: Float64Array): Float64Array {
  const width = coefficients.length / Math.max(1, point.length);
  const result = new Float64Array(point.length === 0 ? 0 : width);
  for (let i = 0; i < point.length; i++) {
    const value = point[i]!;
    for (let output = 0; output < width; output++)
      result[output]! += value * coefficients[i * width + output]!;
  }
  return result;
}

/** What was fitted with some points at this place would have been without them; `seen` is the sum of their targets. */
export function leaveOut(fitted: number, leverage: number, seen: number, count: number): number {
  return (fitted - leverage * seen) / (1 - count * leverage);
}
