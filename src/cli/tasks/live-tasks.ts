// Tasks of one's own with the pool that answers them: the set, its grader, the workers, and, for whoever
// learns, what was measured of them.

import { usageError } from "../../base/errors.ts";
import type { Calibration } from "../../calibration/types.ts";
import type { ResolvedPool } from "../../config/pool.ts";
import type { TuttiConfig } from "../../config/schema.ts";
import type { Grader, TaskSet } from "../../task/types.ts";
import { isSimulatedPool, modelsOf } from "../../worker/kinds.ts";
import type { Pool, PoolMember } from "../../worker/types.ts";
import type { TasksRatings } from "../../world/tasks.ts";
import type { PreparedQueue } from "../spread.ts";

export interface LiveTasksFlags {
  tasks: string;
  set?: string;
  pool?: string;
  config?: string;
  postgres?: string | true;
}

export interface LiveTasks {
  set: TaskSet;
  pool: Pool;
  /** Where only a model can grade, this one does. */
  judge?: PoolMember;
  grader: Grader;
  kind: ResolvedPool["kind"];
  config: TuttiConfig;
  notices: string[];
  /** With `--postgres`: must be open before anybody is asked. */
  queue?: PreparedQueue;
}

export async function openLiveTasks(flags: LiveTasksFlags): Promise<LiveTasks> {
  const [{ openTaskSet, openGrader }, { openConfig }, { resolvePool }, { prepareQueue }] = await Promise.all([
    import("./open-task-set.ts"),
    import("../open-config.ts"),
    import("../../config/pool.ts"),
    import("../spread.ts"),
  ]);
  const set = await openTaskSet(flags.tasks, { set: flags.set });
  const { config } = await openConfig({ file: flags.config });
  const resolved = await resolvePool(config, { env: process.env, selector: flags.pool });
  const { kind, notice, warnings } = resolved;
  const queue = await prepareQueue(flags, resolved.pool, config, flags.pool);
  const { pool } = queue ?? resolved;
  const judge = set.tasks.some(({ grader }) => grader === "judge") ? modelsOf(pool)[0] : undefined;
  const grader = await openGrader(set, judge);
  const notices = [...(notice ? [notice] : []), ...warnings];
  return { set, pool, judge, grader, kind, config, notices, queue };
}

export interface TrainingTasks extends LiveTasks {
  calibration?: Calibration;
  /** Of the journal of the config, where they are wanted. */
  ratings?: TasksRatings;
  isSimulated: boolean;
}

/** With what `tutti pool calibrate` has measured of the workers and, with `feedback`, with ratings of their answers. */
export async function openTrainingTasks(
  flags: LiveTasksFlags & { feedback?: boolean },
): Promise<TrainingTasks> {
  const [{ openCalibrations }, { selectWorkers }] = await Promise.all([
    import("../../config/calibrations.ts"),
    import("../../calibration/merge.ts"),
  ]);
  const live = await openLiveTasks(flags);
  if (live.judge)
    throw usageError(
      `${flags.tasks} holds tasks that only a model can grade, and its calls would not be in the budget`,
    );
  const ids = new Set(live.pool.members.map(({ worker }) => worker.id));
  const calibrations = openCalibrations(live.config.store, process.env);
  const { calibration, problems } = await calibrations.loadAll();
  await calibrations.close();
  const measured = new Set(calibration?.workers);
  const configured = new Set(
    live.pool.members.flatMap(({ worker, profile }) =>
      profile && !measured.has(worker.id) ? [worker.id] : [],
    ),
  );
  return {
    ...live,
    calibration: calibration && selectWorkers(calibration, (id) => ids.has(id)),
    ratings: flags.feedback
      ? { ...(await loadRatings(live.config)), isConfigured: (id) => configured.has(id) }
      : undefined,
    isSimulated: isSimulatedPool(live.pool),
    notices: [...live.notices, ...problems],
  };
}

async function loadRatings(config: TuttiConfig): Promise<Omit<TasksRatings, "isConfigured">> {
  const [{ openStore }, { toStorePath }, { loadObservations }] = await Promise.all([
    import("../../store/open.ts"),
    import("../../config/home.ts"),
    import("../../calibration/ratings/live-ratings.ts"),
  ]);
  const store = await openStore(toStorePath(config.store, process.env));
  try {
    const observations = await loadObservations(store);
    if (observations.length === 0)
      throw usageError(
        "--feedback has nothing to learn from: no answer in the journal is rated (tutti runs rate ID up)",
      );
    return { observations, halfLifeDays: config.feedback.halfLifeDays };
  } finally {
    await store.close();
  }
}
