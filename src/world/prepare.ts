// Before anything is measured: which tasks are for learning and which for the result, and what is known of
// each worker on the former. Nothing of a test task reaches whoever is fitted: that is checked, not hoped.

import { TuttiError, usageError } from "../base/errors.ts";
import { meanOf } from "../base/statistics.ts";
import { measurePool, toCalibration } from "../baseline/strength.ts";
import type { Baseline, FitContext, TrainingTask } from "../baseline/types.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Profiler } from "../calibration/types.ts";
import type { Conductor } from "../conductor/types.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { isModel } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import type { Ground } from "./ground.ts";
import { promptHash, type SplitBy, splitByFamily, splitOf } from "./split.ts";
import type { SplitName } from "./types.ts";

export type Splits = Record<SplitName, GradedTask[]>;

/** The same for every machine and order of tasks; a smaller limit gives a part of a larger one's tasks. */
export function drawTasks(tasks: readonly GradedTask[], limit: number | undefined): GradedTask[] {
  if (limit === undefined || limit >= tasks.length) return [...tasks];
  return tasks
    .map((task) => ({ task, lot: promptHash(task, 1) }))
    .sort((a, b) => a.lot - b.lot || (a.task.id < b.task.id ? -1 : 1))
    .slice(0, limit)
    .map(({ task }) => task);
}

export function splitTasks(tasks: readonly GradedTask[], by: SplitBy, seed: number): Splits {
  const splits: Splits = { train: [], validation: [], test: [] };
  for (const task of tasks) splits[(by === "family" ? splitByFamily : splitOf)(task, seed)].push(task);
  if (by === "family") {
    // One question in two families would be on both sides.
    const tested = new Set(splits.test.map((task) => promptHash(task)));
    for (const name of ["train", "validation"] as const)
      splits[name] = splits[name].filter((task) => !tested.has(promptHash(task)));
  }
  for (const name of ["train", "test"] as const)
    if (splits[name].length === 0)
      throw usageError(
        `${tasks.length} tasks are too few: none of them is for ${name === "train" ? "training" : "the test"}`,
      );
  return splits;
}

/** Refuses when a test task, or a twin of one, is among what is learned from. */
export function checkSeparation(training: readonly TrainingTask[], test: readonly GradedTask[]): void {
  const tested = new Map(test.map((task) => [promptHash(task), task.id]));
  for (const { task } of training) {
    const twin = tested.get(promptHash(task));
    if (twin === undefined) continue;
    const same = twin === task.id ? "is a test task" : `asks the same as test task ${twin}`;
    throw new TuttiError("test-in-training", `Task ${task.id} ${same}: nothing may be fitted on it`);
  }
}

/** Right or wrong per worker from the recording: the share of its samples that are right. */
export function readScores(
  tasks: readonly GradedTask[],
  pool: Pool,
  recorded: NonNullable<Ground["recorded"]>,
) {
  return tasks.map((task): TrainingTask => {
    const scores = pool.members.map(({ worker }) => {
      const samples = isModel(worker) ? recorded(task.id, worker.id) : [];
      return samples.length === 0 ? undefined : meanOf(samples);
    });
    return { task, scores };
  });
}

export interface Fitting {
  /** With profiles measured on the training tasks alone. */
  pool: Pool;
  /** The same with profiles for one task, for those who read them. */
  poolFor(task: GradedTask): Pool;
  fit(baseline: Baseline): Conductor;
}

export function createFitting(
  pool: Pool,
  training: readonly TrainingTask[],
  test: readonly GradedTask[],
  seed: number,
): Fitting {
  checkSeparation(training, test);
  const measured = measurePool(pool, training);
  const labels = new Map(
    [...training.map(({ task }) => task), ...test].map(({ id, category, family }) => [
      id,
      { category, family },
    ]),
  );
  const context: FitContext = { pool: measured, training, labels, seed };
  let profiler: Profiler | undefined;
  return {
    pool: measured,
    poolFor(task) {
      profiler ??= createProfiler(toCalibration(pool, training));
      return profiler.poolFor(measured, textOf(toMessages(task)));
    },
    fit: (baseline) => baseline.fit(context),
  };
}
