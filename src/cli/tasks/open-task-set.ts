// A task set as the command names it: a file, a folder, a published set, or "rehearsal"; and its grader.

import type { GradedTask, Grader, TaskSet } from "../../task/types.ts";
import type { PoolMember } from "../../worker/types.ts";

export interface TaskSetFlags {
  format?: string;
  set?: string;
  /** The first so many tasks. */
  limit?: number;
  seed?: number;
}

const REHEARSAL_TASKS = 100;

export interface OpenedTaskSet extends TaskSet {
  /** With those that the limit has left out. */
  all: GradedTask[];
}

export async function openTaskSet(name: string, flags: TaskSetFlags): Promise<OpenedTaskSet> {
  const { format, set, limit, seed = 1 } = flags;
  if (name === "rehearsal") {
    const { rehearsalTaskSet } = await import("../../rehearsal/task-set.ts");
    const made = rehearsalTaskSet({ count: limit ?? REHEARSAL_TASKS, seed });
    return { ...made, all: made.tasks };
  }
  const { loadTaskSet } = await import("../../task/sets/load.ts");
  const loaded = await loadTaskSet(name, { format, set });
  return { ...loaded, tasks: loaded.tasks.slice(0, limit), all: loaded.tasks };
}

/** The grader of all sets, and of the rehearsal where the tasks are its own. */
export async function openGrader({ tasks }: TaskSet, judge: PoolMember | undefined): Promise<Grader> {
  if (tasks[0]?.grader === "rehearsal") {
    const { createRehearsalGrader } = await import("../../rehearsal/task-set.ts");
    return createRehearsalGrader();
  }
  const { createGrader } = await import("../../task/grade/grade.ts");
  return createGrader({ judge });
}
