// Cross-fitting, for sets too small to give tasks away: each part is tested once, with everything fitted on
// the others. Twins share a part, so nothing of a tested question is ever fitted on.

import { usageError } from "../base/errors.ts";
import type { GradedTask } from "../task/types.ts";
import { foldOf } from "../world/split.ts";

export interface Fold {
  fit: GradedTask[];
  test: GradedTask[];
}

/** Every task is in the test of exactly one fold. Folds that no task fell into are left out. */
export function crossFit(tasks: readonly GradedTask[], folds: number, seed = 0): Fold[] {
  const parts = Array.from({ length: folds }, (): GradedTask[] => []);
  for (const task of tasks) parts[foldOf(task, folds, seed)]!.push(task);
  const filled = parts.filter(({ length }) => length > 0);
  if (filled.length < 2)
    throw usageError(`${tasks.length} tasks in ${folds} folds are too few: there is nothing left to fit on`);
  return filled.map((test) => ({ test, fit: filled.filter((part) => part !== test).flat() }));
}
