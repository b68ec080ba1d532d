// What the measured questions nearest by embedding say of each worker: one more component beside the neighbours by words.
// Believed, as those are, only where the nearest one is about as near as measured questions are to each other.

import {
  estimateBySimilarities,
  type MeasuredQuestions,
  toKnown,
  toTrust,
  toUsualSimilarity,
} from "../neighbours.ts";
import type { QuestionEmbeddings } from "../types.ts";
import { VectorIndex } from "./vector-index.ts";

export interface EmbeddedNear {
  /** By position of the worker: a rate. */
  near: Float64Array;
  /** How much is known of such questions, 0..1. */
  known: number;
  /** Mean over workers of how much more often than usual they are right here. */
  ease: number;
}

export interface EmbeddedNeighbours {
  /** Of a measured question by its number, or of another one by its vector. `without`: questions that do not count. */
  read(question: number | Float32Array, without: readonly number[]): EmbeddedNear;
}

/** `sample`: measured questions with a vector that what is usual is told by. */
export function createEmbeddedNeighbours(
  measured: MeasuredQuestions,
  { vectors, dimension }: QuestionEmbeddings,
  sample: readonly number[],
): EmbeddedNeighbours {
  const index = new VectorIndex(vectors, dimension);
  const questions: MeasuredQuestions = { ...measured, lengths: undefined };
  const { rates, workers } = questions;

  function findNear(question: number | Float32Array, without: readonly number[]) {
    const similarities =
      typeof question === "number" ? index.similaritiesOf(question) : index.similarities(question);
    for (const task of without) similarities[task] = 0;
    return estimateBySimilarities(questions, similarities, 0);
  }

  const usual = toUsualSimilarity(sample.map((task) => findNear(task, [task]).similarity));
  return {
    read(question, without) {
      const found = findNear(question, without);
      const near = found.estimates;
      const ease = workers.reduce((sum, worker) => sum + (near[worker]! - rates[worker]!), 0);
      return { near, known: toKnown(toTrust(found, usual), found.mass), ease: ease / workers.length };
    },
  };
}
