// Which kind of question this is, and how each worker did on that kind: a lookup table for those who are not told the
// label. Labels of measured tasks are known, that of a question never is: it is recognised by a ridge regression over the
// labels, so a question between two kinds gets something of both.

import { shrink } from "./rates.ts";
import { createSolver, leaveOut, type Points, predict } from "./ridge.ts";

/** Little: whoever recognises a template may be sure of it. */
const PENALTY = 0.5;
/** How sure a lead of 1 is; the best of them is chosen on tasks that were left out. */
const SHARPNESS = [1, 2, 4, 8, 12, 16, 24, 32];
/** Tasks of a kind count against this many at the worker's overall rate. */
const KIND_WEIGHT = 8;
/** Kinds of fewer tasks than this, on average, say nothing. */
const FEWEST_OF_KIND = 4;

export interface Recognition {
  /** By worker: how much more often than usual it is right on such questions. `without`: tasks that do not count. */
  deviations(point: Float64Array, without: readonly number[]): Float64Array;
  /** Of each measured task, without itself. */
  ofTasks: readonly Float64Array[];
  /** Mean square of what it leaves of the differences between workers. */
  error: number;
}

/** `deviations[task * width + worker]`: better or worse than usual. Undefined where labels cannot help. */
export function fitRecognition(
  points: Points,
  gram: Float64Array,
  labels: readonly (string | undefined)[],
  deviations: Float64Array,
  width: number,
): Recognition | undefined {
  const names = [...new Set(labels)];
  const count = labels.length;
  if (names.length < 2 || names.length * FEWEST_OF_KIND > count) return undefined;
  const kinds = names.length;
  const kindOf = Int32Array.from(labels, (label) => names.indexOf(label));
  const counts = new Float64Array(kinds);
  const sums = new Float64Array(kinds * width);
  for (let task = 0; task < count; task++) {
    const kind = kindOf[task]!;
    counts[kind]! += 1;
    for (let worker = 0; worker < width; worker++)
      sums[kind * width + worker]! += deviations[task * width + worker]!;
  }
  const shares = counts.map((each) => each / count);
  const targets = new Float64Array(count * kinds);
  for (let task = 0; task < count; task++)
    for (let kind = 0; kind < kinds; kind++)
      targets[task * kinds + kind] = (kindOf[task] === kind ? 1 : 0) - shares[kind]!;
  const solver = createSolver(points, gram, PENALTY);
  const coefficients = solver.fit(targets, kinds);

  function scoreKinds(point: Float64Array, without: readonly number[]): Float64Array {
    const fitted = predict(coefficients, point);
    const leverage = without.length === 0 ? 0 : solver.leverage(point);
    return fitted.map((value, kind) => {
      let seen = 0;
      for (const task of without) seen += targets[task * kinds + kind]!;
      return shares[kind]! + leaveOut(value, leverage, seen, without.length);
    });
  }

  const scored = Array.from({ length: count }, (_, task) => scoreKinds(toPoint(points, task), [task]));
  const lossOf = (sharpness: number) =>
    scored.reduce(
      (sum, scores, task) => sum - Math.log(softmax(scores, sharpness)[kindOf[task]!]! + 1e-6),
      0,
    );
  const sharpness = SHARPNESS.reduce((best, each) => (lossOf(each) < lossOf(best) ? each : best));
  function deviationsOf(scores: Float64Array, without: readonly number[]): Float64Array {
    const likely = softmax(scores, sharpness);
    const result = new Float64Array(width);
    for (let kind = 0; kind < kinds; kind++) {
      const left = without.filter((task) => kindOf[task] === kind);
      for (let worker = 0; worker < width; worker++) {
        let sum = sums[kind * width + worker]!;
        for (const task of left) sum -= deviations[task * width + worker]!;
        result[worker]! += likely[kind]! * shrink(sum, counts[kind]! - left.length, 0, KIND_WEIGHT);
      }
    }
    return result;
  }
  const ofTasks = scored.map((scores, task) => deviationsOf(scores, [task]));
  return {
    deviations: (point, without) => deviationsOf(scoreKinds(point, without), without),
    ofTasks,
    error: meanDifference(ofTasks, deviations),
  };
}

/** Between workers: what all of them share falls out. */
function meanDifference(estimates: readonly Float64Array[], deviations: Float64Array): number {
  let sum = 0;
  for (const [task, estimate] of estimates.entries()) {
    const width = estimate.length;
    const errors = estimate.map((value, worker) => deviations[task * width + worker]! - value);
    const mean = errors.reduce((total, error) => total + error, 0) / width;
    for (const error of errors) sum += (error - mean) ** 2;
  }
  return sum / Math.max(1, deviations.length);
}

export function toPoint({ size, coordinates }: Points, task: number): Float64Array {
  return coordinates.subarray(task * size, (task + 1) * size);
}

function softmax(scores: Float64Array, sharpness: number): Float64Array {
  const highest = scores.reduce((most, score) => Math.max(most, score), -Infinity);
  const weights = scores.map((score) => Math.exp(sharpness * (score - highest)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}
