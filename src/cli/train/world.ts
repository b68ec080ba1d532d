// The world of a training as its settings name it. What can be wrong with it is found before a folder is made
// or anybody is asked; a live pool is told with what it will probably cost.

import { join } from "node:path";
import type { TestWorld } from "../../learn/evaluate-trained.ts";
import type { TrainingFolder } from "../../learn/folder.ts";
import type { TrainingEstimate } from "../../world/live/training-estimate.ts";
import type { World } from "../../world/types.ts";
import { refuseSpread, type SpreadFlags } from "../spread.ts";
import type { TrainSettings } from "./input.ts";

const CALIBRATION_TASKS = 60;
const REHEARSAL_VALIDATION = 400;
/** In this share of the questions one worker lies, whatever its profile says: whom can one trust alone? */
const LIARS = 0.1;
/** Where recordings are joined, models see no replies in this share of the rehearsal too: else that alone would tell the worlds apart. */
const ALONE = 0.2;

export interface PreparedWorld {
  /** For the name of the folder. */
  name: string;
  notices: string[];
  /** Of a live pool: for one iteration. */
  estimate?: TrainingEstimate & { isSimulated: boolean; tasks: number };
  /** Where what was trained is tested in the end. Absent where that would cost: `tutti bench` does it then. */
  test?: readonly TestWorld[];
  open(folder: TrainingFolder): Promise<{ world: World; close(): Promise<void> | void }>;
}

type WorldSettings<Kind> = Extract<TrainSettings["world"], { kind: Kind }>;

export async function prepareWorld(settings: TrainSettings, flags: SpreadFlags = {}): Promise<PreparedWorld> {
  const { world } = settings;
  if (world.kind !== "tasks")
    refuseSpread(flags, "--tasks: recordings and the rehearsal are replayed here, and nobody is asked");
  if (world.kind === "recording") return prepareRecordings(world, settings);
  if (world.kind === "joined") return prepareJoined(world, settings);
  if (world.kind === "tasks") return prepareTasks(world, settings, flags);
  return prepareRehearsal(settings);
}

async function prepareRehearsal(
  { seed, pools }: TrainSettings,
  { alone = 0 }: { alone?: number } = {},
): Promise<PreparedWorld> {
  const { createRehearsalWorld } = await import("../../world/rehearsal.ts");
  const measured = { calibrationTasks: CALIBRATION_TASKS, validation: REHEARSAL_VALIDATION };
  const options = { seed, pools, liars: LIARS, alone, ...measured };
  const open = async () => ({ world: createRehearsalWorld(options), close() {} });
  const notices = ["Simulated: this says nothing about a real model."];
  return { name: "rehearsal", notices, test: [{ kind: "rehearsal" }], open };
}

async function prepareRecordings(
  { folders, sets, splitBy, allowInsideGrades }: WorldSettings<"recording">,
  { seed, pools }: TrainSettings,
): Promise<PreparedWorld> {
  const { createRecordingWorld } = await import("../../world/recording.ts");
  const recordings =
    sets.length > 0
      ? sets.map((set, i) => ({ folder: folders[i]!, set }))
      : folders.map((folder) => ({ folder }));
  const world = await createRecordingWorld({ recordings, seed, pools, splitBy, allowInsideGrades });
  const test = [{ kind: "recording", recordings, splitBy } as const];
  return { name: world.name, notices: [], test, open: async () => ({ world, close() {} }) };
}

async function prepareJoined(
  { share, ...recorded }: WorldSettings<"joined">,
  settings: TrainSettings,
): Promise<PreparedWorld> {
  const prepared = [
    await prepareRehearsal(settings, { alone: ALONE }),
    await prepareRecordings({ ...recorded, kind: "recording" }, settings),
  ];
  const { createJoinedWorld } = await import("../../world/joined.ts");
  return {
    name: prepared.map(({ name }) => name).join(" + "),
    notices: ["Partly simulated: what it reaches in the rehearsal says nothing about a real model."],
    test: prepared.flatMap(({ test = [] }) => test),
    async open(folder) {
      const opened = await Promise.all(prepared.map(({ open }) => open(folder)));
      const worlds = opened.map(({ world }) => world);
      return {
        world: createJoinedWorld(worlds, [share, 1 - share]),
        close() {
          for (const each of opened) each.close();
        },
      };
    },
  };
}

async function prepareTasks(
  { budgetUsd, allowInsideGrades, ...where }: WorldSettings<"tasks">,
  settings: TrainSettings,
  { postgres }: SpreadFlags,
): Promise<PreparedWorld> {
  const { seed, pools } = settings;
  const [{ openTrainingTasks }, { refuseDecidedInside }, { estimateTraining }] = await Promise.all([
    import("../tasks/live-tasks.ts"),
    import("../../task/decided-inside.ts"),
    import("../../world/live/training-estimate.ts"),
  ]);
  const opened = await openTrainingTasks({ ...where, postgres });
  const { set, pool, grader, calibration, ratings, isSimulated, notices } = opened;
  refuseDecidedInside(set.tasks, allowInsideGrades);
  const estimate = estimateTraining({ tasks: set.tasks, pool, ...countAsks(settings) });
  return {
    name: set.id,
    notices,
    estimate: { ...estimate, isSimulated, tasks: set.tasks.length },
    async open({ path }) {
      const [{ openReplyCache }, { createTasksWorld }, { AskBudget, Ledger }] = await Promise.all([
        import("../../world/live/reply-cache.ts"),
        import("../../world/tasks.ts"),
        import("../../perform/ledger.ts"),
      ]);
      const cache = await openReplyCache(join(path, "replies.jsonl"));
      try {
        const budget = new AskBudget(new Ledger(budgetUsd, cache.costUsd));
        const options = {
          set,
          pool,
          grader,
          cache,
          budget,
          seed,
          pools,
          calibration,
          ratings,
          allowInsideGrades,
        };
        const world = createTasksWorld(options);
        const queue = await opened.queue?.open({ title: `tutti train ${set.id}`, folder: path });
        const close = async () => {
          await queue?.close();
          cache.close();
        };
        return { world, close };
      } catch (error) {
        cache.close();
        throw error;
      }
    },
  };
}

/** Of TRINITY's population where none is given: it is known once the policy is opened. */
const TYPICAL_POPULATION = 16;

/** Of an iteration. */
function countAsks(settings: TrainSettings): { rollouts: number; stepsPerRollout?: number } {
  if (settings.what === "native") return { rollouts: settings.group * settings.questions };
  const { population = TYPICAL_POPULATION, questions, replications, turns } = settings;
  return { rollouts: population * questions * replications, stepsPerRollout: turns };
}
