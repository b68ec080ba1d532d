// Measured questions by their embeddings: how similar a question is to each of them, as TextIndex has it by words. The
// mean of the measured ones is taken off first: all sentences are alike to most encoders, and only the rest tells them apart.

import { toUnitVector } from "./vectors.ts";

export class VectorIndex {
  readonly #mean: Float64Array;
  readonly #vectors: readonly (Float32Array | undefined)[];

  /** Of unit length and one dimension. */
  constructor(vectors: readonly (Float32Array | undefined)[], dimension: number) {
    const known = vectors.filter((vector) => vector !== undefined);
    this.#mean = new Float64Array(dimension);
    for (const vector of known)
      for (let i = 0; i < dimension; i++) this.#mean[i]! += vector[i]! / known.length;
    this.#vectors = vectors.map((vector) => vector && this.#centre(vector));
  }

  /** Cosine with every measured question, in their order; 0 for those without a vector. */
  similarities(vector: Float32Array): Float32Array {
    return this.#compare(this.#centre(vector));
  }

  /** Of one of them with every measured question, itself included. */
  similaritiesOf(question: number): Float32Array {
    return this.#compare(this.#vectors[question]);
  }

  #centre(vector: Float32Array): Float32Array | undefined {
    return toUnitVector(vector.map((value, i) => value - this.#mean[i]!));
  }

  #compare(vector: Float32Array | undefined): Float32Array {
    return Float32Array.from(this.#vectors, (other) => (vector && other ? dot(vector, other) : 0));
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
