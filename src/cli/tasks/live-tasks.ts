// Tasks of one's own with the pool that answers them, for whoever trains with a live pool: the set, its grader,
// the workers and what was measured of them.

import { usageError } from "../../base/errors.ts";
import type { Calibration } from "../../calibration/types.ts";
import type { Grader, TaskSet } from "../../task/types.ts";
import { isSimulatedPool } from "../../worker/kinds.ts";
import type { Pool } from "../../worker/types.ts";

export interface LiveTasksFlags {
  tasks: string;
  set?: string | undefined;
  pool?: string | undefined;
  config?: string | undefined;
}

interface LiveTasks {
  set: TaskSet;
  pool: Pool;
  grader: Grader;
  calibration?: Calibration;
  isSimulated: boolean;
  notices: string[];
}

export async function openLiveTasks({
  tasks: name,
  set: setName,
  pool: selector,
  config: file,
}: LiveTasksFlags): Promise<LiveTasks> {
  const [{ openTaskSet, openGrader }, { loadConfig }, { resolvePool }] = await Promise.all([
    import("./open-task-set.ts"),
    import("../../config/load.ts"),
    import("../../config/pool.ts"),
  ]);
  const set = await openTaskSet(name, { ...(setName !== undefined && { set: setName }) });
  if (set.tasks.some(({ grader }) => grader === "judge"))
    throw usageError(
      `${name} holds tasks that only a model can grade, and its calls would not be in the budget`,
    );
  const { config } = await loadConfig({ cwd: process.cwd(), file });
  const resolved = await resolvePool(config, {
    env: process.env,
    ...(selector !== undefined && { selector }),
  });
  const { pool } = resolved;
  const { calibration, problems } = await findCalibration(pool.members.map(({ worker }) => worker.id));
  return {
    set,
    pool,
    grader: await openGrader(set, undefined),
    ...(calibration && { calibration }),
    isSimulated: isSimulatedPool(pool),
    notices: [...(resolved.notice ? [resolved.notice] : []), ...resolved.warnings, ...problems],
  };
}

/** What `tutti pool calibrate` has measured of these workers. */
async function findCalibration(ids: readonly string[]) {
  const [{ loadCalibrations }, { selectWorkers }, { toTuttiHome }] = await Promise.all([
    import("../../calibration/file.ts"),
    import("../../calibration/merge.ts"),
    import("../../config/home.ts"),
  ]);
  const { calibration, problems } = await loadCalibrations(toTuttiHome(process.env));
  return { problems, calibration: calibration && selectWorkers(calibration, (id) => ids.includes(id)) };
}
