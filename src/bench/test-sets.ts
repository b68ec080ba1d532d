// Where a trained Conductor is measured beside the baselines: the same test tasks, pool, profiles, performer
// and seeds for all. Whatever is fitted or profiled has seen tasks of the train split only.

import { usageError } from "../base/errors.ts";
import { createDecider } from "../baseline/decide.ts";
import type { Baseline, TrainingTask } from "../baseline/types.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { toDecision } from "../conductor/text.ts";
import { PLAYERS } from "../rehearsal/players.ts";
import { readProblem } from "../rehearsal/questions.ts";
import { createScriptedPlanner } from "../rehearsal/scripted-planner.ts";
import type { GradedTask } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";
import {
  openRecordedSets,
  type RecordingSource,
  type SplitOptions,
  splitSets,
} from "../world/recorded-sets.ts";
import { type CalibratedPlayers, calibratePlayers } from "../world/rehearsal-pools.ts";
import { createRehearsalSet, type RecordedOutcomes, readScores } from "../world/sets.ts";
import { sampleTasks, splitOf } from "../world/split.ts";
import type { SplitName } from "../world/types.ts";
import { evaluate } from "./evaluate.ts";
import { type FittedSet, fitSet } from "./fitting.ts";
import type { BenchRow } from "./types.ts";

/** As many a topic as stand behind the profiles of a training. */
const CALIBRATION_TASKS = 60;

export interface MeasureOptions {
  seed: number;
  signal: AbortSignal;
}

/** What a Conductor wrote for a task, round by round. Not valid: the last text is no workflow that can be performed. */
export interface WrittenPlan {
  task: GradedTask;
  texts: readonly string[];
  isValid: boolean;
}

export interface RehearsalTestOptions {
  /** So many questions are made; those of one split are asked, by default of the test split: about two in five. */
  count: number;
  split?: SplitName;
  seed: number;
  /** By default the seven players. `consensus` joins them. */
  pool?: CalibratedPlayers;
}

export function openRehearsalTest({
  count,
  seed,
  split = "test",
  pool: given,
}: RehearsalTestOptions): FittedSet {
  const { calibration, members } = given ?? calibratePlayers(PLAYERS, CALIBRATION_TASKS);
  const set = createRehearsalSet({ count, seed, pool: { members } });
  const test = set.tasks.filter((task) => splitOf(task) === split);
  if (test.length === 0)
    throw usageError(`None of ${count} questions is for the ${split}: make more of them`);
  const fitted = fitSet({ ...set, tasks: test }, toTraining(calibration, set.pool), test, seed);
  // Profiles for a question are made from its bare words, as in the training.
  const profiler = createProfiler(calibration);
  return { ...fitted, poolFor: (task) => profiler.poolFor(fitted.pool, task.prompt) };
}

/** What the workers were measured on, with the labels that lookup tables are given. */
function toTraining(
  { tasks, scores, workers }: CalibratedPlayers["calibration"],
  pool: Pool,
): TrainingTask[] {
  const positions = pool.members.map(({ worker }) => workers.indexOf(worker.id));
  return tasks.map(({ text }, number) => {
    const { topic, family, answer } = readProblem(text)!;
    const labels = { set: "rehearsal", category: topic, family };
    return {
      task: { id: `calibration/${number}`, ...labels, prompt: text, answer, grader: "rehearsal" },
      scores: positions.map((position) => scores[number]![position]),
    };
  });
}

/** One for each set, in their order, with the splits of a training on these sets. */
export async function openRecordingTests(
  recordings: readonly RecordingSource[],
  { limit, seed, ...splitting }: SplitOptions & { limit?: number; seed: number },
): Promise<FittedSet[]> {
  return splitSets(await openRecordedSets(recordings), splitting).map(({ set, splits }) => {
    const training = readScores(splits.train, set.pool, set as RecordedOutcomes);
    // Fitting is told of all test tasks: none of them may be in it, measured or not.
    const fitted = fitSet(set, training, splits.test, seed);
    return { ...fitted, test: sampleTasks(splits.test, limit) };
  });
}

/** A rule written by hand for these very families: it reads a question's family and difficulty off its words. */
export const scriptedPlanner: Baseline = {
  id: "scripted-planner",
  summary: "a rule written by hand for the families of the rehearsal",
  needsHandOffs: true,
  rounds: 1,
  fit: createScriptedPlanner,
};

export async function measureBaseline(
  fitted: FittedSet,
  baseline: Baseline,
  options: MeasureOptions,
): Promise<BenchRow[]> {
  const { set, test, pool, poolFor } = fitted;
  return evaluate({
    ...{ ...options, world: set, concurrency: 1, pool, tasks: test },
    ...{ name: baseline.id, conductor: fitted.fit(baseline), rounds: baseline.rounds },
    poolFor: baseline.readsProfiles ? poolFor : undefined,
  });
}

/** A plan that is not valid is wrong, at the cost of the rounds before it: nobody steps in. */
export async function performPlans(
  { set, pool, poolFor }: FittedSet,
  plans: readonly WrittenPlan[],
  { name, ...options }: MeasureOptions & { name: string },
): Promise<BenchRow[]> {
  const texts = new Map(
    plans.map((plan) => [plan.task.id, plan.isValid ? plan.texts : plan.texts.slice(0, -1)]),
  );
  const conductor = createDecider(name, (request) => {
    const text = texts.get(request.task.id!)?.[request.rounds.length];
    return text === undefined ? { type: "accept" } : toDecision(text, request);
  });
  const tasks = plans.map(({ task }) => task).filter(({ id }) => texts.get(id)!.length > 0);
  const rounds = Math.max(1, ...plans.map((plan) => plan.texts.length));
  const rows = await evaluate({
    ...{ ...options, world: set, concurrency: 1, name, conductor, rounds, pool, poolFor, tasks },
  });
  const performed = new Map(rows.map((row) => [row.task, row]));
  return plans.flatMap(({ task, isValid }): BenchRow[] => {
    const row = performed.get(task.id);
    if (isValid) return row ? [row] : [];
    return [{ ...(row ?? emptyRow(name, task)), score: 0, why: "no valid workflow", valid: false }];
  });
}

function emptyRow(conductor: string, { id, set, category, family }: GradedTask): BenchRow {
  return {
    ...{ conductor, set, task: id, category, family, score: 0, why: "", ungraded: false, isOutage: false },
    ...{ calls: 0, conductorCalls: 0, tokens: 0, costUsd: 0, durationMs: 0, steps: 0, rounds: 0 },
    ...{ valid: false, asked: [], answer: "", stopReason: "done" },
  };
}
