// Symmetric positive systems by Cholesky's factor. Matrices are rows one after the other; only the lower triangle is read.

/** Overwrites the lower triangle with its factor. */
export function factorise(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    const row = i * size;
    for (let j = 0; j <= i; j++) {
      const other = j * size;
      let sum = matrix[row + j]!;
      for (let k = 0; k < j; k++) sum -= matrix[row + k]! * matrix[other + k]!;
      matrix[row + j] = i === j ? Math.sqrt(Math.max(sum, 1e-12)) : sum / matrix[other + j]!;
    }
  }
}

/** Overwrites the right side with the solution of `factor · x = right`. */
export function solveLower(factor: Float64Array, right: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    const row = i * size;
    let sum = right[i]!;
    for (let k = 0; k < i; k++) sum -= factor[row + k]! * right[k]!;
    right[i] = sum / factor[row + i]!;
  }
}

/** Overwrites the right side with the solution of `factorᵀ · x = right`. */
function solveUpper(factor: Float64Array, right: Float64Array, size: number): void {
  for (let i = size - 1; i >= 0; i--) {
    const value = right[i]! / factor[i * size + i]!;
    right[i] = value;
    for (let k = 0; k < i; k++) right[k]! -= factor[i * size + k]! * value;
  }
}

/** Overwrites the right side with the solution of `factor · factorᵀ · x = right`. */
export function solveFactored(factor: Float64Array, right: Float64Array, size: number): void {
  solveLower(factor, right, size);
  solveUpper(factor, right, size);
}
