// How much better or worse than usual each worker will do on a question, by its look, its words and its kind: kinds are
// recognised first, and a ridge regression learns what is left. Workers find the same questions hard, so that common part
// has a penalty of its own; what is special to a worker is far harder to foresee and mostly gets a larger one.

import type { Random } from "../base/random.ts";
import { chooseLandmarks, SELF_SIMILARITY } from "./landmarks.ts";
import type { MeasuredQuestions } from "./neighbours.ts";
import { fitRecognition, type Recognition, toPoint } from "./recognition.ts";
import { createSolver, leaveOut, type Points, predict, type RidgeSolver, toGram } from "./ridge.ts";
import { scaleSurfaces } from "./surface.ts";
import type { QuestionEmbeddings } from "./types.ts";

/** So large that nothing is foreseen. */
const NOTHING = 1e6;
const PENALTIES = [1, 2, 4, 8, 16, 32, 64, 256, NOTHING];
const POWER_STEPS = 30;

/** Measured questions with what a model of them reads besides. */
export interface LabelledQuestions extends MeasuredQuestions {
  texts: readonly string[];
  /** Ways to say which kind each task is, where that is known; the one that foretells most is used. */
  labels?: readonly (readonly (string | undefined)[])[];
  /** Read by the estimate alone (estimate.ts). */
  embeddings?: QuestionEmbeddings;
}

export interface QuestionModel {
  /** `without`: tasks that must not be learned from; they must have the text of the question. */
  foresee(question: string | number, similarities: Float32Array, without: readonly number[]): Foreseen;
}

/** By position of the worker. */
interface Foreseen {
  deviations: Float64Array;
  /** Variances of the deviations: what a few tasks say is not sure. */
  variances: Float64Array;
}

/** `sample`: tasks that penalties are chosen on. */
export function fitQuestionModel(
  questions: LabelledQuestions,
  sample: readonly number[],
  random: Random,
): QuestionModel {
  const { index, scores, rates, workers, texts, labels } = questions;
  const [count, width] = [scores.length, rates.length];
  const surfaces = scaleSurfaces(texts);
  const landmarks = chooseLandmarks(index, surfaces, random);
  const points: Points = landmarks;
  const gram = toGram(points);
  const targets = new Float64Array(count * width);
  for (const [task, row] of scores.entries())
    for (const worker of workers)
      targets[task * width + worker] = (row[worker] ?? rates[worker]!) - rates[worker]!;
  const recognition = chooseRecognition(
    (labels ?? []).map((each) => fitRecognition(points, gram, each, targets, width)),
  );
  // What is known of a kind is not learned again from its words.
  if (recognition) {
    for (const [task, known] of recognition.ofTasks.entries())
      for (const worker of workers)
        if (scores[task]![worker] !== undefined) targets[task * width + worker]! -= known[worker]!;
  }
  const direction = commonDirection(targets, width);
  const common = new Float64Array(count);
  const special = targets.slice();
  for (let task = 0; task < count; task++) {
    for (let worker = 0; worker < width; worker++)
      common[task]! += targets[task * width + worker]! * direction[worker]!;
    for (let worker = 0; worker < width; worker++)
      special[task * width + worker]! -= common[task]! * direction[worker]!;
  }
  const [forCommon, forSpecial] = choosePenalties(points, gram, sample, [
    { targets: common, width: 1 },
    { targets: special, width },
  ]) as [Chosen, Chosen];

  return {
    foresee(question, similarities, without) {
      const point =
        typeof question === "number"
          ? toPoint(points, question)
          : landmarks.project(surfaces.scale(question), similarities);
      const gap = Math.max(0, SELF_SIMILARITY - point.reduce((sum, value) => sum + value * value, 0));
      const [shared] = forCommon.estimate(point, without);
      const deviations = forSpecial.estimate(point, without);
      const ofKind = recognition?.deviations(point, without);
      const [variance] = forCommon.variances(point, gap);
      const variances = forSpecial.variances(point, gap);
      for (let worker = 0; worker < width; worker++) {
        deviations[worker]! += (shared ?? 0) * direction[worker]! + (ofKind?.[worker] ?? 0);
        variances[worker]! += (variance ?? 0) * direction[worker]! ** 2;
      }
      return { deviations, variances };
    },
  };
}

/** The one that leaves least of what is special to workers; kinds that only say how hard a question is help no choice. */
function chooseRecognition(found: readonly (Recognition | undefined)[]): Recognition | undefined {
  return found.reduce(
    (best, each) => (each && each.error < (best?.error ?? Infinity) ? each : best),
    undefined,
  );
}

/** The direction in which the rows vary most, of unit length. */
function commonDirection(rows: Float64Array, width: number): Float64Array {
  let direction = new Float64Array(width).fill(1 / Math.sqrt(width));
  for (let step = 0; step < POWER_STEPS; step++) {
    const next = new Float64Array(width);
    for (let from = 0; from < rows.length; from += width) {
      let product = 0;
      for (let i = 0; i < width; i++) product += rows[from + i]! * direction[i]!;
      for (let i = 0; i < width; i++) next[i]! += product * rows[from + i]!;
    }
    const length = Math.sqrt(next.reduce((sum, value) => sum + value * value, 0));
    if (length === 0) break;
    direction = next.map((value) => value / length);
  }
  return direction;
}

// ---- Penalties ------------------------------------------------------------------------------------------

interface Outputs {
  targets: Float64Array;
  width: number;
}

interface Chosen {
  estimate(point: Float64Array, without: readonly number[]): Float64Array;
  variances(point: Float64Array, gap: number): Float64Array;
}

/** For each group of outputs the penalty with the least error on tasks that are left out. */
function choosePenalties(
  points: Points,
  gram: Float64Array,
  sample: readonly number[],
  groups: readonly Outputs[],
): Chosen[] {
  const best: { error: number; penalty: number; solver?: RidgeSolver; noise: Float64Array }[] = groups.map(
    ({ width }) => ({ error: Infinity, penalty: 0, noise: new Float64Array(width) }),
  );
  for (const penalty of PENALTIES) {
    const solver = createSolver(points, gram, penalty);
    const leverages = sample.map((task) => solver.leverage(toPoint(points, task)));
    for (const [group, { targets, width }] of groups.entries()) {
      const coefficients = solver.fit(targets, width);
      const noise = new Float64Array(width);
      for (const [i, task] of sample.entries()) {
        const fitted = predict(coefficients, toPoint(points, task));
        for (let output = 0; output < width; output++) {
          const error = (targets[task * width + output]! - fitted[output]!) / (1 - leverages[i]!);
          noise[output]! += (error * error) / sample.length;
        }
      }
      const error = noise.reduce((sum, value) => sum + value, 0);
      if (error < best[group]!.error) best[group] = { error, penalty, solver, noise };
    }
  }
  return groups.map(({ targets, width }, group) => {
    const { solver, penalty, noise } = best[group]!;
    const coefficients = solver!.fit(targets, width);
    return {
      estimate(point, without) {
        const fitted = predict(coefficients, point);
        if (without.length === 0) return fitted;
        const leverage = solver!.leverage(point);
        return fitted.map((value, output) => {
          let seen = 0;
          for (const task of without) seen += targets[task * width + output]!;
          return leaveOut(value, leverage, seen, without.length);
        });
      },
      variances(point, gap) {
        if (penalty === NOTHING) return new Float64Array(width);
        const spread = solver!.leverage(point) + gap / penalty;
        return noise.map((value) => value * spread);
      },
    };
  });
}
