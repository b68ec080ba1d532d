// The probability that a worker is right on a question, from its text, with a standard error. Its overall rate, what a model
// of questions foresees (look, words, kind) and the most similar measured questions are joined by one logistic regression
// over all workers, fitted on estimates that have not seen the question. What is special to a worker is believed only as far
// as questions like this one were measured: a new kind of question gets the overall order of the workers. Where questions
// are embedded, the nearest ones by embedding join the same regression; a question without its vector is read without them.

import { createRandom, hashSeed } from "../base/random.ts";
import {
  createEmbeddedNeighbours,
  type EmbeddedNear,
  type EmbeddedNeighbours,
} from "./embedding/embedded-neighbours.ts";
import { fitLogistic } from "./logistic.ts";
import { estimateBySimilarities, type Neighbour, toKnown, toTrust, toUsualSimilarity } from "./neighbours.ts";
import { fitQuestionModel, type LabelledQuestions, type QuestionModel } from "./question-model.ts";

/** Tasks that penalties and the logistic regression are fitted on: a handful of weights needs no more. */
const MOST_FITTED = 1200;
/** Fewer tasks than this say too little of questions: the estimate by neighbours is taken as it is. */
export const FEWEST = 24;
/** Tasks that the regression with embeddings is fitted on: comparing vectors takes longer than comparing words. */
const MOST_EMBEDDED = 300;
/** The rate of a worker is known as if from so many more tasks. */
const RATE_WEIGHT = 8;
const LARGEST_ERROR = 0.5;

/** Before anything is known: the overall rate and what is foreseen, each taken as it is. */
const PRIOR = [0, 1, 1, 0, 0, 0];
const RIDGE = 20;

export interface QuestionEstimate {
  /** By position of the worker. */
  probabilities: Float64Array;
  /** By position of the worker: how far the probability may be off, as a standard error. */
  errors: Float64Array;
  /** By position of the worker: by the most similar measured questions alone. */
  near: Float64Array;
  /** How similar the most similar measured question is, 0..1. */
  similarity: number;
  /** The most similar ones. */
  neighbours: readonly Neighbour[];
}

export interface Estimator {
  /**
   * `without`: questions that must not be learned from; they must be twins of one task of the calibration.
   * `vector`: the text's embedding, where measured questions have theirs.
   */
  estimate(text: string, without?: readonly number[], vector?: Float32Array): QuestionEstimate;
  /** What would have been said of measured questions without them: of all, or of a sample of many. */
  leaveOneOut(): LeftOut[];
}

export interface LeftOut extends Pick<QuestionEstimate, "probabilities" | "errors"> {
  task: number;
}

export function createEstimator(questions: LabelledQuestions, seed = 0): Estimator {
  const { scores, rates, workers } = questions;
  const rateErrors = measureRateVariances(questions);
  if (scores.length < FEWEST) {
    return {
      estimate: (text, without = []) => {
        const { near, similarity, neighbours } = readNeighbours(questions, text, without);
        return { probabilities: near, errors: rateErrors.map(Math.sqrt), near, similarity, neighbours };
      },
      leaveOneOut: () => [],
    };
  }
  const random = createRandom(hashSeed("estimate", seed));
  const sample = random.shuffle([...scores.keys()]).slice(0, MOST_FITTED);
  const model = fitQuestionModel(questions, sample, random);
  const usual = toUsualSimilarity(sample.map((task) => readNeighbours(questions, task, [task]).similarity));
  const leftOut = new Map(
    sample.map((task) => [task, readComponents(questions, model, usual, task, [task])]),
  );

  function fitWeights(tasks: readonly number[], embedded?: EmbeddedNeighbours): Fitted {
    const rows: Float64Array[] = [];
    const targets: number[] = [];
    const foreseeable = new Float64Array(rates.length);
    for (const task of tasks) {
      const components = leftOut.get(task)!;
      const byVector = embedded?.read(task, [task]);
      for (const worker of workers)
        foreseeable[worker]! += (components.foreseen[worker]! - rates[worker]!) ** 2 / tasks.length;
      for (const worker of workers) {
        const score = scores[task]![worker];
        if (score === undefined) continue;
        rows.push(toFeatures(components, rates, worker, byVector));
        targets.push(score);
      }
    }
    const prior = embedded ? [...PRIOR, 0, 0] : PRIOR;
    return { weights: fitLogistic(rows, targets, { prior, ridge: RIDGE }), foreseeable };
  }

  const { weights, foreseeable } = fitWeights(sample);
  // Only where a question brings its vector.
  let joined: { embedded: EmbeddedNeighbours; weights: Float64Array } | undefined;
  function fitEmbedded() {
    const embeddings = questions.embeddings!;
    const tasks = sample.filter((task) => embeddings.vectors[task]).slice(0, MOST_EMBEDDED);
    const embedded = createEmbeddedNeighbours(questions, embeddings, tasks);
    return { embedded, weights: fitWeights(tasks, embedded).weights };
  }

  function join(
    components: Components,
    chosen: Float64Array,
    byVector?: EmbeddedNear,
  ): Pick<QuestionEstimate, "probabilities" | "errors"> {
    const { variances, trust } = components;
    const probabilities = Float64Array.from(rates);
    for (const worker of workers)
      probabilities[worker] = sigmoid(dot(chosen, toFeatures(components, rates, worker, byVector)));
    const errors = rateErrors.map((variance, worker) =>
      Math.min(LARGEST_ERROR, Math.sqrt(variance + variances[worker]! + (1 - trust) * foreseeable[worker]!)),
    );
    return { probabilities, errors };
  }

  return {
    estimate(text, without = [], vector) {
      const components = readComponents(questions, model, usual, text, without);
      if (vector && questions.embeddings) joined ??= fitEmbedded();
      const byVector = vector && joined?.embedded.read(vector, without);
      const chosen = byVector && joined ? joined.weights : weights;
      const { near, similarity, neighbours } = components;
      return { ...join(components, chosen, byVector), near, similarity, neighbours };
    },
    leaveOneOut: () => [...leftOut].map(([task, components]) => ({ task, ...join(components, weights) })),
  };
}

interface Fitted {
  weights: Float64Array;
  /** By worker, mean square: what is foreseen of usual questions, and cannot be of a new one. */
  foreseeable: Float64Array;
}

interface Near {
  /** By neighbours. */
  near: Float64Array;
  similarities: Float32Array;
  similarity: number;
  neighbours: readonly Neighbour[];
  /** Sum of squared similarities of the neighbours. */
  mass: number;
}

function readNeighbours(
  questions: LabelledQuestions,
  question: string | number,
  without: readonly number[],
): Near {
  const { index, lengths } = questions;
  const isMeasured = typeof question === "number";
  const similarities = isMeasured ? index.similaritiesOf(question) : index.similarities(question);
  const kept = without.length === 0 ? similarities : similarities.slice();
  for (const task of without) kept[task] = 0;
  const length = isMeasured ? (lengths?.[question] ?? 0) : question.length;
  const { estimates: near, ...rest } = estimateBySimilarities(questions, kept, length);
  return { near, similarities, ...rest };
}

interface Components extends Omit<Near, "similarities"> {
  /** What the model foresees: a rate. */
  foreseen: Float64Array;
  variances: Float64Array;
  /** How far what is special to a worker is believed, 0..1. */
  trust: number;
  /** Mean over workers of how much more often than usual they are right here: as foreseen, and by neighbours. */
  ease: number;
  nearEase: number;
}

function readComponents(
  questions: LabelledQuestions,
  model: QuestionModel,
  usual: number,
  question: string | number,
  without: readonly number[],
): Components {
  const { rates, workers } = questions;
  const { similarities, ...near } = readNeighbours(questions, question, without);
  const { deviations, variances } = model.foresee(question, similarities, without);
  const trust = toTrust(near, usual);
  let [ease, nearEase] = [0, 0];
  for (const worker of workers) {
    ease += deviations[worker]! / workers.length;
    nearEase += (near.near[worker]! - rates[worker]!) / workers.length;
  }
  const foreseen = deviations.map((deviation, worker) => rates[worker]! + ease + trust * (deviation - ease));
  return { ...near, foreseen, variances, trust, ease, nearEase };
}

/** The intercept, the overall rate, and what the question says; neighbours count where there are many near ones. */
function toFeatures(
  { foreseen, near, mass, trust, ease, nearEase }: Components,
  rates: readonly number[],
  worker: number,
  embedded?: EmbeddedNear,
): Float64Array {
  const overall = logit(rates[worker]!);
  const known = toKnown(trust, mass);
  return Float64Array.of(
    1,
    overall,
    logit(foreseen[worker]!) - overall,
    known * (logit(near[worker]!) - overall),
    ease * 4,
    nearEase * 4,
    ...(embedded ? [embedded.known * (logit(embedded.near[worker]!) - overall), embedded.ease * 4] : []),
  );
}

/** Of the overall rates. */
function measureRateVariances({ scores, rates, workers }: LabelledQuestions): Float64Array {
  const variances = new Float64Array(rates.length);
  for (const worker of workers) {
    const count = scores.reduce((sum, row) => sum + (row[worker] === undefined ? 0 : 1), RATE_WEIGHT);
    variances[worker] = (rates[worker]! * (1 - rates[worker]!)) / count;
  }
  return variances;
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
