// Tasks of one's own as a world whose questions are found by labels.

import { digestTasks } from "../../environment/label.ts";
import { createTasksWorld, type TasksWorld, type TasksWorldOptions } from "../../world/tasks.ts";
import { type LiveTasksFlags, openLiveTasks } from "../tasks/live-tasks.ts";

/** `paid` is absent where nobody will be asked. */
export async function openTasksWorld(
  flags: LiveTasksFlags & { seed?: number; pools?: "fixed" | "random" },
  paid: Pick<TasksWorldOptions, "cache" | "budget"> = {},
): Promise<{ world: TasksWorld; digest: string; notices: string[] }> {
  const { set, pool, grader, calibration, notices } = await openLiveTasks(flags);
  const { seed = 0, pools = "random" } = flags;
  const world = createTasksWorld({
    set,
    pool,
    grader,
    seed,
    pools,
    ...paid,
    ...(calibration && { calibration }),
  });
  return { world, digest: digestTasks(set.tasks), notices };
}
