// What more tasks would bring: how good the pick of one worker is when it is made on fewer of the tasks and tested on the rest,
// where that curve leads, and how many tasks it takes to tell the leader from the second. Apart, because it judges a calibration
// and never changes it. Covered: the best worker overall. Not covered: who is best for a question, where more tasks bring more.

import { createRandom, hashSeed } from "../base/random.ts";
import { type Estimate, meanOf, pairedDifference, wilson } from "../base/statistics.ts";
import type { Calibration } from "./types.ts";

/** Fewer tasks say too little about the next ones. */
const FEWEST_TASKS = 24;
/** Random draws of the tasks that a pick is made on. */
const DRAWS = 100;
const SHARES = [1 / 4, 1 / 2, 3 / 4];
/** Parts that are left out in turn to learn how far the extrapolation can be trusted. */
const JACKKNIFE = 10;
const Z = 1.959964;

export interface MoreTasks {
  /** Answered by all workers that are compared. */
  tasks: number;
  /** The pick made on so many tasks, tested on the others; means of many draws. */
  curve: { tasks: number; accuracy: number }[];
  /** The pick made on all of them, by extrapolation; the interval is that of a share of so many tasks. */
  pick: Estimate;
  /** How much more often the pick would be right with twice as many tasks, extrapolated; never less than 0. */
  gain: Estimate;
  leader: string;
  second: string;
  /** Of the leader over the second, on the same tasks. */
  lead: Estimate;
  isSettled: boolean;
  /**
   * So many tasks settle it if the lead is as large as it looks. Leaders look better than they are, so it is a lower bound.
   * Absent: settled, or there is no lead.
   */
  tasksToSettle?: number;
}

/** Undefined where there is too little to say. */
export function estimateMoreTasks({ workers, scores }: Calibration, seed = 0): MoreTasks | undefined {
  const counts = workers.map((_, worker) => scores.filter((row) => row[worker] !== undefined).length);
  // Who was asked a few tasks only must not take all others from the comparison.
  const compared = [...workers.keys()].filter((worker) => counts[worker]! * 2 > Math.max(...counts));
  const rows = scores
    .map((row) => compared.map((worker) => row[worker]))
    .filter((row): row is number[] => !row.includes(undefined));
  const count = rows.length;
  if (compared.length < 2 || count < FEWEST_TASKS) return undefined;

  const curve = measureCurve(rows, seed);
  const { now, gain } = extrapolate(curve, count);
  const error = Z * jackknife(rows, (part) => extrapolate(measureCurve(part, seed), count).gain);
  const { low, high } = wilson(now * count, count);

  const column = (worker: number) => rows.map((row) => row[worker]!);
  const order = [...compared.keys()].sort((a, b) => meanOf(column(b)) - meanOf(column(a)));
  const [first, second] = [column(order[0]!), column(order[1]!)];
  const lead = pairedDifference(first, second, { seed: hashSeed("lead", seed) });
  const isSettled = lead.low > 0;
  return {
    tasks: count,
    curve,
    pick: { mean: now, low, high },
    gain: { mean: gain, low: Math.max(0, gain - error), high: gain + error },
    leader: workers[compared[order[0]!]!]!,
    second: workers[compared[order[1]!]!]!,
    lead: { mean: lead.mean, low: lead.low, high: lead.high },
    isSettled,
    ...(!isSettled && lead.mean > 0 && { tasksToSettle: toSettle(first, second, lead.mean) }),
  };
}

/** Each draw picks on some tasks and is tested on all others, so no task is on both sides. */
function measureCurve(rows: readonly number[][], seed: number): MoreTasks["curve"] {
  const random = createRandom(hashSeed("more tasks", seed));
  const draws = Array.from({ length: DRAWS }, () => random.shuffle(rows));
  return SHARES.map((share) => {
    const tasks = Math.round(rows.length * share);
    return { tasks, accuracy: meanOf(draws.map((draw) => testPick(draw, tasks))) };
  });
}

/** Picks on the first `count` rows; of equals the mean. */
function testPick(rows: readonly number[][], count: number): number {
  const width = rows[0]!.length;
  const sums = new Float64Array(width);
  const rest = new Float64Array(width);
  for (const [number, row] of rows.entries()) {
    const into = number < count ? sums : rest;
    for (let worker = 0; worker < width; worker++) into[worker]! += row[worker]!;
  }
  const best = Math.max(...sums);
  const picked = [...sums.keys()].filter((worker) => sums[worker] === best);
  return meanOf(picked.map((worker) => rest[worker]!)) / (rows.length - count);
}

/** Least squares for `accuracy = limit − loss / √tasks`: the error of a rate falls with the root of the tasks. */
function extrapolate(curve: MoreTasks["curve"], count: number): { now: number; gain: number } {
  const x = curve.map(({ tasks }) => 1 / Math.sqrt(tasks));
  const y = curve.map(({ accuracy }) => accuracy);
  const [middleX, middleY] = [meanOf(x), meanOf(y)];
  const spread = meanOf(x.map((value) => (value - middleX) ** 2));
  const slope = meanOf(x.map((value, i) => (value - middleX) * (y[i]! - middleY))) / spread;
  // More tasks never make a pick worse: where it looks so, it is noise.
  const loss = Math.max(0, -slope);
  const at = (tasks: number) => Math.min(1, middleY + loss * (middleX - 1 / Math.sqrt(tasks)));
  return { now: at(count), gain: at(2 * count) - at(count) };
}

/** The standard error of what is computed from tasks, by leaving out every tenth in turn. */
function jackknife(rows: readonly number[][], compute: (rows: number[][]) => number): number {
  const values = Array.from({ length: JACKKNIFE }, (_, part) =>
    compute(rows.filter((_, number) => number % JACKKNIFE !== part)),
  );
  const mean = meanOf(values);
  return Math.sqrt((JACKKNIFE - 1) * meanOf(values.map((value) => (value - mean) ** 2)));
}

function toSettle(first: readonly number[], second: readonly number[], lead: number): number {
  const variance = meanOf(first.map((score, task) => (score - second[task]! - lead) ** 2));
  return Math.max(first.length + 1, Math.ceil(variance * (Z / lead) ** 2));
}
