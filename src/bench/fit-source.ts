// Yesterday's tasks, tomorrow's questions: everything is fitted on one recording and tested on another. Workers are matched by
// id, and a test task that was also fitted on is left out, known by its words. Not covered: a recording in which the same id
// means another model, and a trained Conductor that has seen the tested questions under the name of another set.

import { usageError } from "../base/errors.ts";
import { toCount, toSeries } from "../base/format.ts";
import { hashSeed } from "../base/random.ts";
import type { GradedTask } from "../task/types.ts";
import { isModel, modelsOf } from "../worker/kinds.ts";
import { openRecordedSets } from "../world/recorded-sets.ts";
import type { RecordedOutcomes } from "../world/sets.ts";
import { promptHash, type SplitBy, type Splits, sampleTasks, splitTasks } from "../world/split.ts";
import type { WorldSet } from "../world/types.ts";
import type { FittedOn } from "./types.ts";

/** Choosing needs somebody to choose from. */
const FEWEST_WORKERS = 2;

/** What is fitted on where it is not a split of the tested set. */
export interface FitSource {
  folder: string;
  sets: readonly string[];
  /** All tasks of these sets. */
  tasks: readonly GradedTask[];
  outcomes: RecordedOutcomes;
  /** Ids of those who answered every one of these tasks. */
  workers: readonly string[];
}

/** For one tested set. */
export interface MatchedFit extends FitSource {
  /** Workers of the tested set, before those were left out who are not in both. */
  tested: number;
}

/** `set`: by default all sets of the recording. */
export async function openFitSource(folder: string, set?: string): Promise<FitSource> {
  const sets = await openRecordedSets([{ folder, set }]);
  const [first, ...others] = sets.map(({ pool }) => modelsOf(pool).map(({ worker }) => worker.id));
  // Whoever answered the easy set only would look better than it is.
  const workers = first!.filter((id) => others.every((ids) => ids.includes(id)));
  const { recorded, recordedAnswer, recordedCostUsd } = sets[0]!;
  return {
    ...{ folder, workers, sets: sets.map(({ id }) => id) },
    tasks: sets.flatMap(({ tasks }) => tasks),
    // Tasks of all sets of a recording have one space of ids.
    outcomes: { recorded: recorded!, recordedAnswer, recordedCostUsd },
  };
}

/** The set with the workers that both have. Throws where too few are left, or no task to test. */
export function matchWorkers(set: WorldSet, fit: FitSource): { set: WorldSet; fit: MatchedFit } {
  const members = set.pool.members.filter(
    ({ worker }) => !isModel(worker) || fit.workers.includes(worker.id),
  );
  const [left, all] = [modelsOf({ members }).length, modelsOf(set.pool).length];
  const fitted = toSeries(fit.sets.map((id) => `"${id}"`));
  if (left < FEWEST_WORKERS)
    throw usageError(
      `${left === 0 ? "None" : "Only one"} of ${toCount(all, "worker")} of "${set.id}" also answered every task of ${fitted} in ${fit.folder}: there must be two or more. Name other sets with --set and --fit-set`,
    );
  if (withoutFitted(set.tasks, fit).length === 0)
    throw usageError(`Every task of "${set.id}" is also in ${fit.folder}: none is left to test`);
  return { set: { ...set, pool: { members } }, fit: { ...fit, tested: all } };
}

/** Tasks that nothing is fitted on, whatever they are called there. */
function withoutFitted(tasks: readonly GradedTask[], fit: FitSource): GradedTask[] {
  const fitted = new Set(fit.tasks.map((task) => promptHash(task)));
  return tasks.filter((task) => !fitted.has(promptHash(task)));
}

export interface ChooseOptions {
  set: WorldSet;
  seed: number;
  splitBy: SplitBy;
  splitSeed: number;
  limit?: number;
  fit?: MatchedFit;
  fitTasks?: number;
}

/** What is learned from and what is tested. */
export function chooseTasks({ set, fit, fitTasks, ...options }: ChooseOptions): {
  splits: Splits;
  fittedOn?: FittedOn;
} {
  const sample = (tasks: readonly GradedTask[]) =>
    sampleTasks(tasks, fitTasks, hashSeed("fit", options.seed));
  if (!fit) {
    const whole = splitTasks(sampleTasks(set.tasks, options.limit), options.splitBy, options.splitSeed);
    if (fitTasks === undefined) return { splits: whole };
    const splits = { ...whole, train: sample(whole.train) };
    return { splits, fittedOn: { tasks: splits.train.length, available: whole.train.length, leftOut: 0 } };
  }
  const fresh = withoutFitted(set.tasks, fit);
  const splits = { train: sample(fit.tasks), validation: [], test: sampleTasks(fresh, options.limit) };
  return {
    splits,
    fittedOn: {
      ...{ folder: fit.folder, sets: fit.sets, tasks: splits.train.length, available: fit.tasks.length },
      leftOut: set.tasks.length - fresh.length,
      workers: { both: modelsOf(set.pool).length, fitted: fit.workers.length, tested: fit.tested },
    },
  };
}
