// Success by the most similar measured questions: weighted by the square of the similarity and shrunk
// towards the overall rate. Reads text only, no labels, and does about as well as a lookup table that is
// given them. The baseline `neighbours`, profiles and the votes all take it from here.

import type { ScoreRow } from "./rates.ts";
import type { TextIndex } from "./text-index.ts";

const NEIGHBOURS = 40;
/** The overall rate weighs as much as this many identical questions. */
const OVERALL_WEIGHT = 2;

/** A question longer by this share (on the scale of logarithms) is about a third as near. */
const SAME_LENGTH = 0.15;

export interface MeasuredQuestions {
  index: TextIndex;
  /** In the order of the index. */
  scores: readonly ScoreRow[];
  /** Overall success by position of the worker. */
  rates: readonly number[];
  /** Positions of the workers that count; the others keep their rate. */
  workers: readonly number[];
  /** In characters, where neighbours shall have about the same length. */
  lengths?: readonly number[];
}

/** By position of the worker. `without`: questions that must not be neighbours. */
export function estimateByNeighbours(
  { index, scores, rates, workers, lengths }: MeasuredQuestions,
  text: string,
  without: readonly number[] = [],
): Float64Array {
  const similarities = index.similarities(text);
  for (const question of without) similarities[question] = 0;
  if (lengths)
    for (let question = 0; question < similarities.length; question++) {
      if (similarities[question] === 0) continue;
      const apart = Math.log((text.length + 1) / (lengths[question]! + 1)) / SAME_LENGTH;
      similarities[question]! *= Math.exp(-apart * apart);
    }
  const sums = new Float64Array(rates.length);
  const weights = new Float64Array(rates.length);
  for (const question of nearest(similarities, NEIGHBOURS)) {
    const weight = similarities[question]! ** 2;
    const row = scores[question]!;
    for (const worker of workers) {
      const score = row[worker];
      if (score === undefined) continue;
      sums[worker]! += weight * score;
      weights[worker]! += weight;
    }
  }
  return sums.map((sum, i) => (sum + OVERALL_WEIGHT * rates[i]!) / (weights[i]! + OVERALL_WEIGHT));
}

/** The positions of the highest values above 0; of equals the first. Far cheaper than sorting them all. */
function nearest(similarities: Float32Array, count: number): number[] {
  const kept: number[] = [];
  for (let i = 0; i < similarities.length; i++) {
    const value = similarities[i]!;
    if (value <= 0 || (kept.length === count && value <= similarities[kept[count - 1]!]!)) continue;
    let at = Math.min(kept.length, count - 1);
    for (; at > 0 && similarities[kept[at - 1]!]! < value; at--) kept[at] = kept[at - 1]!;
    kept[at] = i;
  }
  return kept;
}
