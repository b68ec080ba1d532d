// A set with what is known of its workers from training tasks alone. Nothing of a test task reaches whoever is
// fitted: that is checked, not hoped.

import { TuttiError } from "../base/errors.ts";
import { measurePool, measureStrength, toCalibration } from "../baseline/strength.ts";
import type { Baseline, FitContext, TrainingTask } from "../baseline/types.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Profiler } from "../calibration/types.ts";
import type { Conductor } from "../conductor/types.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import { promptHash } from "../world/split.ts";
import type { WorldSet } from "../world/types.ts";

/** Where Conductors are measured: the same test tasks, pool and profiles for all. */
export interface FittedSet {
  set: WorldSet;
  test: readonly GradedTask[];
  /** With profiles measured on the training tasks alone. */
  pool: Pool;
  /** Number of the best single worker: the same that the baseline best-single asks. */
  best: number;
  /** The same with profiles for one task, for those who read them. */
  poolFor(task: GradedTask): Pool;
  fit(baseline: Baseline): Conductor;
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

/** `test` are all tasks that may be tested, also those that are not measured in the end. */
export function fitSet(
  set: WorldSet,
  training: readonly TrainingTask[],
  test: readonly GradedTask[],
  seed: number,
): FittedSet {
  checkSeparation(training, test);
  const pool = measurePool(set.pool, training);
  const labels = new Map(
    [...training.map(({ task }) => task), ...test].map(({ id, category, family }) => [
      id,
      { category, family },
    ]),
  );
  const context: FitContext = { pool, training, labels, seed };
  let profiler: Profiler | undefined;
  return {
    set,
    test,
    pool,
    best: measureStrength(pool, training).order[0]!,
    poolFor(task) {
      profiler ??= createProfiler(toCalibration(set.pool, training));
      const profiled = profiler.poolFor(pool, textOf(toMessages(task)));
      return set.hasReplies?.(task.id) === false ? withoutAnswers(profiled) : profiled;
    },
    fit: (baseline) => baseline.fit(context),
  };
}

/** Nobody's words were kept: whoever weighs replies is told that none can be compared, and asks once. */
function withoutAnswers({ members }: Pool): Pool {
  return {
    members: members.map((member) =>
      member.profile ? { ...member, profile: { ...member.profile, answered: 0 } } : member,
    ),
  };
}

/** The same tasks with other pools, of as many members in the same order. What was fitted stays as it was. */
export function changePools(fitted: FittedSet, change: (pool: Pool) => Pool): FittedSet {
  return { ...fitted, pool: change(fitted.pool), poolFor: (task) => change(fitted.poolFor(task)) };
}
