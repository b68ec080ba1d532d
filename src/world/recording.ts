// Recordings of real models as a world to learn in: several sets of tasks, each with its own pool of recorded
// workers. Only the train split is sampled from, and the profile of a worker for a training question leaves
// that very question out: a Conductor must not read the outcome it is to foresee.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { meanCallUsd } from "../baseline/strength.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { topicOf } from "../calibration/rates.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Calibration } from "../calibration/types.ts";
import { refuseDecidedInside } from "../task/decided-inside.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { createHelper, modelsOf, strongestMembers } from "../worker/kinds.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import {
  openRecordedSets,
  type RecordingSource,
  type SplitOptions,
  type SplitSet,
  splitSets,
} from "./recorded-sets.ts";
import { type RecordedOutcomes, readScores } from "./sets.ts";
import { sampleTasks } from "./split.ts";
import type { Question, ReplayedQuestion, SplitName, World, WorldSet } from "./types.ts";

const SMALLEST_POOL = 3;
/** One of so many strongest is in every pool: a team without any of them has little to choose from. */
const STRONGEST = 3;
const VALIDATION_PER_SET = 200;
/** Enough to make a tokenizer from. */
const TEXTS_PER_SET = 2_000;

/** Kinds of work where nothing is known of the questions. */

export interface RecordingWorldOptions extends SplitOptions {
  recordings: readonly RecordingSource[];
  seed: number;
  /** fixed: all workers of the set. random: half of the time some of them. */
  pools: "fixed" | "random";
  validationPerSet?: number;
  /** Learn also from grades that a program could have forged. */
  allowInsideGrades?: boolean;
}

export async function createRecordingWorld(options: RecordingWorldOptions): Promise<World> {
  const { recordings, seed, pools, validationPerSet = VALIDATION_PER_SET } = options;
  const sets = await openRecordedSets(recordings);
  for (const set of sets) {
    checkWorkers(set);
    refuseDecidedInside(set.tasks, options.allowInsideGrades);
  }
  const fields = splitSets(sets, options).map(toField);
  const bySet = new Map(sets.map((set) => [set.id, set]));
  const validation = fields.flatMap((field) =>
    sampleTasks(field.splits.validation, validationPerSet).map((task) =>
      field.validationQuestion(task, seed),
    ),
  );
  if (validation.length === 0)
    throw usageError(
      `There are too few tasks in ${sets.map(({ id }) => `"${id}"`).join(", ")}: none of them is left to validate the training with`,
    );
  return {
    kind: "recording",
    name: sets.map(({ id }) => id).join(" + "),
    isSimulated: false,
    splitBy: options.splitBy === "family" ? options.splitBy : undefined,
    isInstant: true,
    allowsInsideGrades: options.allowInsideGrades,
    sample(number) {
      const random = createRandom(hashSeed("recording draw", seed, number));
      // A set is sampled and then a task of it: a large set does not drown the others.
      return random.pick(fields).trainingQuestion(random, pools);
    },
    validation,
    replays: (split) => fields.flatMap((field) => field.replays(split, pools, seed)),
    grade: (task, run, signal) => bySet.get(task.set)!.grade(task, run, signal),
    texts: () =>
      fields.flatMap(({ splits }) => sampleTasks(splits.train, TEXTS_PER_SET).map((task) => toText(task))),
  };
}

function checkWorkers({ id, pool }: WorldSet): void {
  const models = modelsOf(pool);
  if (models.length < 2)
    throw usageError(
      `Only ${models[0]!.worker.id} answered every task of "${id}": a Conductor needs two workers or more to choose from`,
    );
}

// ---- One set --------------------------------------------------------------------------------------

interface Field extends SplitSet {
  trainingQuestion(random: Random, pools: RecordingWorldOptions["pools"]): Question;
  validationQuestion(task: GradedTask, seed: number): Question;
  replays(split: SplitName, pools: RecordingWorldOptions["pools"], seed: number): ReplayedQuestion[];
}

function toField(opened: SplitSet): Field {
  const { set, splits } = opened;
  const models: Pool = { members: modelsOf(set.pool) };
  const profiler = createProfiler(toCalibration(opened, models));
  const consensus = createHelper("consensus");
  const strongest = strongestMembers(profiler.poolFor(models, "").members).slice(0, STRONGEST);
  /** By number of the training task: reading similar questions is the expensive part of a sample. */
  const profiled: PoolMember[][] = new Array(splits.train.length);
  return {
    ...opened,
    trainingQuestion(random, pools) {
      const number = random.integer(0, splits.train.length - 1);
      const task = splits.train[number]!;
      profiled[number] ??= profiler.poolFor(models, toText(task), { without: number }).members;
      const own = profiled[number]!;
      const chosen =
        pools === "fixed" ? own : sampleNumbers(own.length, strongest, random).map((at) => own[at]!);
      return { task, pool: { members: random.shuffle([...chosen, consensus]) } };
    },
    validationQuestion(task, seed) {
      const random = createRandom(hashSeed("recording tune", seed, set.id, task.id));
      const { members: own } = profiler.poolFor(models, toText(task));
      return { task, pool: { members: random.shuffle([...own, consensus]) } };
    },
    replays(split, pools, seed) {
      const isTrained = split === "train";
      const tasks = splits[split];
      return readScores(tasks, models, set as RecordedOutcomes).map(({ task, answers = [] }, number) => {
        const random = createRandom(hashSeed("recording replay", seed, set.id, task.id));
        const all = [...models.members.keys()];
        const chosen = isTrained && pools === "random" ? sampleNumbers(all.length, strongest, random) : all;
        // One that is trained on is estimated without itself, as it is when it is sampled.
        const { members } = profiler.poolFor(models, toText(task), isTrained ? { without: number } : {});
        return {
          set: set.id,
          task: task.id,
          pool: { members: chosen.map((at) => members[at]!) },
          answers: chosen.map((at) => answers[at]),
          right: chosen.map((at) => set.recorded!(task.id, models.members[at]!.worker.id)[0] === 1),
        };
      });
    },
  };
}

/** Half of the time all of them; else some, with one of the strongest among them. */
function sampleNumbers(count: number, strongest: readonly number[], random: Random): number[] {
  const all = Array.from({ length: count }, (_, number) => number);
  if (count <= SMALLEST_POOL || random.next() < 0.5) return all;
  const size = random.integer(SMALLEST_POOL, count);
  const chosen = random.shuffle(all).slice(0, size);
  if (!chosen.some((number) => strongest.includes(number))) chosen[0] = random.pick(strongest);
  return chosen;
}

function toCalibration({ set, splits }: SplitSet, models: Pool): Calibration {
  const measured = readScores(splits.train, models, set as RecordedOutcomes);
  return {
    workers: models.members.map(({ worker }) => worker.id),
    tasks: splits.train.map((task) => ({
      text: toText(task),
      topic: topicOf(task.category),
      category: task.category,
      family: task.family,
    })),
    scores: measured.map(({ scores }) => scores),
    answers: set.recordedAnswer && measured.map(({ answers }) => answers!),
    replies: measured.some(({ replies }) => replies)
      ? measured.map(({ replies }) => replies ?? models.members.map(() => undefined))
      : undefined,
    callsUsd: models.members.map((_, worker) => meanCallUsd(measured, worker)),
    source: `measured on ${splits.train.length} training tasks of ${set.id}`,
  };
}

/** What a worker is asked, as everywhere where similar questions are looked for. */
function toText(task: GradedTask): string {
  return textOf(toMessages(task));
}
