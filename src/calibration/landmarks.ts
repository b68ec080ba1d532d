// A question as a few hundred numbers whose products are how alike two questions are, in look and in words. They are
// coordinates along some of the measured questions (landmarks), chosen one by one where the others say least: a pivoted
// Cholesky factor of the kernel. So a regression over thousands of tasks costs what a few hundred cost.

import type { Random } from "../base/random.ts";
import { type SurfaceScale, surfaceSimilarity } from "./surface.ts";
import type { TextIndex } from "./text-index.ts";

const MOST_LANDMARKS = 256;
/** Of the kernel's diagonal: what is left is rounding. */
const SPENT = 1e-6;
/** A question is as alike itself as this: 1 by its look, 1 more by its words. */
export const SELF_SIMILARITY = 2;

/** In the order of the measured questions. */
export interface Landmarks {
  /** Numbers of a question. */
  size: number;
  /** `coordinates[question * size + i]`. */
  coordinates: Float64Array;
  /** Of another question, from its look and its similarities to all measured ones. */
  project(surface: Float64Array, similarities: Float32Array): Float64Array;
}

export function chooseLandmarks(index: TextIndex, { measured }: SurfaceScale, random: Random): Landmarks {
  const count = measured.length;
  const most = Math.min(MOST_LANDMARKS, count);
  const columns: Float64Array[] = [];
  const chosen: number[] = [];
  const left = new Float64Array(count).fill(SELF_SIMILARITY);
  for (let size = 0; size < most; size++) {
    const total = left.reduce((sum, value) => sum + value, 0);
    if (total < SPENT * count) break;
    const landmark = sample(left, total * random.next());
    const column = toColumn(index, measured, landmark);
    for (const before of columns) {
      const weight = before[landmark]!;
      for (let i = 0; i < count; i++) column[i]! -= weight * before[i]!;
    }
    if (column[landmark]! < SPENT) {
      left[landmark] = 0;
      continue;
    }
    const root = Math.sqrt(column[landmark]!);
    for (let i = 0; i < count; i++) {
      column[i]! /= root;
      left[i] = Math.max(0, left[i]! - column[i]! ** 2);
    }
    left[landmark] = 0;
    columns.push(column);
    chosen.push(landmark);
  }
  const size = columns.length;
  const coordinates = new Float64Array(count * size);
  for (const [i, column] of columns.entries())
    for (let question = 0; question < count; question++) coordinates[question * size + i] = column[question]!;
  return {
    size,
    coordinates,
    project(surface, similarities) {
      const result = new Float64Array(size);
      for (const [i, landmark] of chosen.entries()) {
        let value = alike(surfaceSimilarity(surface, measured[landmark]!), similarities[landmark]!);
        const from = landmark * size;
        for (let j = 0; j < i; j++) value -= coordinates[from + j]! * result[j]!;
        result[i] = value / coordinates[from + i]!;
      }
      return result;
    },
  };
}

/** Alike in look, and more so with the same words. The same words in another look count little. */
function alike(surface: number, words: number): number {
  return surface * (1 + words);
}

function toColumn(index: TextIndex, measured: readonly Float64Array[], landmark: number): Float64Array {
  const words = index.similaritiesOf(landmark);
  const own = measured[landmark]!;
  return Float64Array.from(measured, (surface, question) =>
    question === landmark ? SELF_SIMILARITY : alike(surfaceSimilarity(own, surface), words[question]!),
  );
}

/** The position where the running sum passes `at`. */
function sample(weights: Float64Array, at: number): number {
  let rest = at;
  let last = 0;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    last = i;
    rest -= weights[i]!;
    if (rest < 0) break;
  }
  return last;
}
