// Success by the most similar measured questions: weighted by the square of the similarity and shrunk
// towards the overall rate. Reads text only, no labels, and does about as well as a lookup table that is
// given them. The baseline `neighbours`, profiles and the votes all take it from here.

import type { ScoreRow } from "./rates.ts";
import type { TextIndex } from "./text-index.ts";

const NEIGHBOURS = 40;
/** The overall rate weighs as much as this many identical questions. */
const OVERALL_WEIGHT = 2;

/** Measured questions further from all others than this share of them are no longer like the rest. */
const USUAL_SHARE = 0.25;
const LEAST_USUAL = 0.02;

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

export interface Neighbour {
  task: number;
  /** Squared similarity. */
  weight: number;
}

/** What the most similar questions say. */
export interface NeighbourEstimate {
  /** By position of the worker. */
  estimates: Float64Array;
  /** Sum of the squared similarities of the neighbours: how much is known of such questions. */
  mass: number;
  /** Of the nearest one, 0..1. */
  similarity: number;
  /** Nearest first. */
  neighbours: readonly Neighbour[];
}

/** By position of the worker. `without`: questions that must not be neighbours. */
export function estimateByNeighbours(
  questions: MeasuredQuestions,
  text: string,
  without: readonly number[] = [],
): Float64Array {
  const similarities = questions.index.similarities(text);
  for (const question of without) similarities[question] = 0;
  return estimateBySimilarities(questions, similarities, text.length).estimates;
}

/** `length`: of the question, in characters. The similarities are left as they are. */
export function estimateBySimilarities(
  { scores, rates, workers, lengths }: MeasuredQuestions,
  given: Float32Array,
  length: number,
): NeighbourEstimate {
  const similarities = lengths ? scaleByLength(given, lengths, length) : given;
  const sums = new Float64Array(rates.length);
  const weights = new Float64Array(rates.length);
  const neighbours = nearest(similarities, NEIGHBOURS).map((task) => ({
    task,
    weight: similarities[task]! ** 2,
  }));
  let mass = 0;
  for (const { task, weight } of neighbours) {
    mass += weight;
    const row = scores[task]!;
    for (const worker of workers) {
      const score = row[worker];
      if (score === undefined) continue;
      sums[worker]! += weight * score;
      weights[worker]! += weight;
    }
  }
  const estimates = sums.map((sum, i) => (sum + OVERALL_WEIGHT * rates[i]!) / (weights[i]! + OVERALL_WEIGHT));
  return { estimates, mass, neighbours, similarity: Math.sqrt(neighbours[0]?.weight ?? 0) };
}

/** How similar the nearest other one usually is, from that of each of some measured questions. */
export function toUsualSimilarity(nearest: readonly number[]): number {
  const sorted = nearest.toSorted((a, b) => a - b);
  return Math.max(LEAST_USUAL, sorted[Math.floor(sorted.length * USUAL_SHARE)] ?? 0);
}

/** How far what is special to a worker is believed, 0..1: less where the nearest question is further than usual. */
export function toTrust({ similarity }: Pick<NeighbourEstimate, "similarity">, usual: number): number {
  return Math.min(1, similarity / usual) ** 2;
}

/** How far neighbours count: where there are many near ones. */
export function toKnown(trust: number, mass: number): number {
  return (trust * mass) / (mass + 2);
}

function scaleByLength(given: Float32Array, lengths: readonly number[], length: number): Float32Array {
  return given.map((similarity, question) => {
    if (similarity === 0) return 0;
    const apart = Math.log((length + 1) / (lengths[question]! + 1)) / SAME_LENGTH;
    return similarity * Math.exp(-apart * apart);
  });
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
