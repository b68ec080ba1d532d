// The probability that a worker is right on a question, from its text. Three estimates that each know something (the overall
// rate, the most similar measured questions, a ridge regression over the words) are joined by one logistic regression over
// all workers. It is fitted on estimates that leave the question's fold out, so it learns how far each of them can be trusted,
// and that depends on how new the question is.

import { createRandom, hashSeed } from "../base/random.ts";
import { fitLogistic } from "./logistic.ts";
import { estimateBySimilarities, type MeasuredQuestions, type Neighbour } from "./neighbours.ts";
import { fitRidge } from "./ridge.ts";

/** Much: whoever trusts words too easily does worse than the overall rate where they say nothing. */
const PENALTY = 6;
const FOLDS = 4;
/** Tasks that the logistic regression is fitted on: a dozen weights need no more. */
const MOST_FITTED = 1200;
/** Fewer tasks than this cannot be split: the estimate by neighbours is taken as it is. */
const FEWEST = 24;

interface QuestionEstimate {
  /** By position of the worker. */
  probabilities: Float64Array;
  /** How similar the most similar measured question is, 0..1. */
  similarity: number;
  /** The most similar ones. */
  neighbours: readonly Neighbour[];
}

export interface Estimator {
  /** `without`: questions that must not be learned from; they must be twins of one task of the calibration. */
  estimate(text: string, without?: readonly number[]): QuestionEstimate;
}

/**
 * Questions like these were measured; tomorrow's may be new. So each task is learned from twice: as it is, and as if nothing
 * more similar than a sampled bound had been measured.
 */
const NOVEL = { from: 0.08, to: 0.6 };

/** What the joining regression reads of one worker and question. */
const FEATURES = 10;

export function createEstimator(questions: MeasuredQuestions, seed = 0): Estimator {
  const { scores, rates, workers } = questions;
  const count = scores.length;
  if (count < FEWEST) {
    return {
      estimate: (text, without = []) => {
        const { near, similarity, neighbours } = readComponents(questions, undefined, text, without);
        return { probabilities: near, similarity, neighbours };
      },
    };
  }
  const whole = fitFold(questions, () => true);
  const random = createRandom(hashSeed("estimate", seed));
  const order = random.shuffle([...scores.keys()]);
  const foldOf = new Int32Array(count);
  for (const [position, task] of order.entries()) foldOf[task] = position % FOLDS;
  const folds = Array.from({ length: FOLDS }, (_, fold) =>
    fitFold(questions, (task) => foldOf[task] !== fold),
  );
  const rows: Float64Array[] = [];
  const targets: number[] = [];
  for (const task of order.slice(0, MOST_FITTED)) {
    const bound = NOVEL.from + random.next() * (NOVEL.to - NOVEL.from);
    for (const most of [1, bound]) {
      const components = readComponents(questions, folds[foldOf[task]!]!, task, [], most);
      for (const worker of workers) {
        const score = scores[task]![worker];
        if (score === undefined) continue;
        rows.push(toFeatures(components, rates, worker));
        targets.push(score);
      }
    }
  }
  const weights = fitLogistic(rows, targets, FEATURES);
  return {
    estimate(text, without = []) {
      // A question that is trained on is estimated by the fold that has not seen it.
      const [own] = without;
      const fold = own === undefined ? whole : folds[foldOf[own]!]!;
      const components = readComponents(questions, fold, text, without);
      const probabilities = Float64Array.from(rates);
      for (const worker of workers)
        probabilities[worker] = sigmoid(dot(weights, toFeatures(components, rates, worker)));
      const { similarity, neighbours } = components;
      return { probabilities, similarity, neighbours };
    },
  };
}

interface Components {
  /** By neighbours. */
  near: Float64Array;
  /** By the ridge regression: better or worse than usual. */
  words: Float64Array;
  similarity: number;
  neighbours: readonly Neighbour[];
  /** Sum of squared similarities of the neighbours. */
  mass: number;
  /** Mean over workers of how much more often than usual they are right here. */
  ease: number;
  wordsEase: number;
}

function readComponents(
  questions: MeasuredQuestions,
  fold: Fold | undefined,
  question: string | number,
  without: readonly number[],
  mostSimilar = 1,
): Components {
  const { index, rates, workers } = questions;
  const similarities =
    typeof question === "string" ? index.similarities(question) : index.similaritiesOf(question);
  if (typeof question === "number") similarities[question] = 0;
  for (const task of without) similarities[task] = 0;
  if (mostSimilar < 1)
    for (let task = 0; task < similarities.length; task++)
      if (similarities[task]! > mostSimilar) similarities[task] = 0;
  const words = new Float64Array(rates.length);
  if (fold) predictWords(fold, similarities, words);
  const {
    estimates: near,
    mass,
    similarity,
    neighbours,
  } = estimateBySimilarities(questions, similarities, textLength(questions, question));
  let ease = 0;
  let wordsEase = 0;
  for (const worker of workers) {
    ease += near[worker]! - rates[worker]!;
    wordsEase += words[worker]!;
  }
  return {
    near,
    words,
    similarity,
    neighbours,
    mass,
    ease: ease / workers.length,
    wordsEase: wordsEase / workers.length,
  };
}

function textLength({ lengths }: MeasuredQuestions, question: string | number): number {
  return typeof question === "string" ? question.length : (lengths?.[question] ?? 0);
}

/** The intercept, the overall rate, and what the question says, each also by how much is known of such questions. */
function toFeatures(
  { near, words, mass, ease, wordsEase }: Components,
  rates: readonly number[],
  worker: number,
): Float64Array {
  const overall = logit(rates[worker]!);
  const neighbours = logit(near[worker]!) - overall;
  const known = mass / (mass + 2);
  return Float64Array.of(
    1,
    overall,
    neighbours,
    known * neighbours,
    words[worker]! * 4,
    ease * 4,
    wordsEase * 4,
    known * overall,
    known * words[worker]! * 4,
    known * ease * 4,
  );
}

// ---- The ridge regression of a fold ---------------------------------------------------------------------

interface Fold {
  tasks: readonly number[];
  /** One row per task of `tasks`, one column per worker. */
  coefficients: Float64Array;
  width: number;
}

function fitFold(
  { index, scores, rates, workers }: MeasuredQuestions,
  isIn: (task: number) => boolean,
): Fold {
  const tasks = [...scores.keys()].filter(isIn);
  const width = rates.length;
  const targets = new Float64Array(tasks.length * width);
  for (const [row, task] of tasks.entries())
    for (const worker of workers)
      targets[row * width + worker] = (scores[task]![worker] ?? rates[worker]!) - rates[worker]!;
  const vectors = tasks.map((task) => index.vectors[task]!);
  return { tasks, width, coefficients: fitRidge(vectors, index.featureCount, targets, width, PENALTY) };
}

function predictWords(
  { tasks, coefficients, width }: Fold,
  similarities: Float32Array,
  into: Float64Array,
): void {
  for (let row = 0; row < tasks.length; row++) {
    const similarity = similarities[tasks[row]!]!;
    if (similarity === 0) continue;
    const from = row * width;
    for (let worker = 0; worker < width; worker++) into[worker]! += similarity * coefficients[from + worker]!;
  }
}

// ---- Small things -----------------------------------------------------------------------------------------

function logit(p: number): number {
  const bounded = Math.min(0.98, Math.max(0.02, p));
  return Math.log(bounded / (1 - bounded));
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
