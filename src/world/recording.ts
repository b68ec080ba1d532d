// Recordings of real models as a world to practise in: several sets of tasks, each with its own pool of
// recorded workers. Only the train split is drawn from, and the profile of a worker for a training question
// leaves that very question out: a Conductor must not read the outcome it is to foresee.

import { usageError } from "../base/errors.ts";
import { createRandom, hashSeed, type Random } from "../base/random.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { topicOf } from "../calibration/rates.ts";
import { textOf } from "../calibration/text-features.ts";
import type { Calibration, Profiler } from "../calibration/types.ts";
import { gradeRecorded } from "../recording/replay.ts";
import { RIGHT } from "../recording/types.ts";
import { type GradedTask, toMessages } from "../task/types.ts";
import { createHelper } from "../worker/helpers.ts";
import { strongestMembers } from "../worker/strength.ts";
import type { Pool, PoolMember } from "../worker/types.ts";
import { drawTasks, readScores } from "./prepare.ts";
import {
  openRecordedSets,
  type RecordedSet,
  type RecordingSource,
  type SplitOptions,
} from "./recorded-sets.ts";
import type { Question, World } from "./types.ts";

const SMALLEST_POOL = 3;
/** One of so many strongest is in every pool: a team without any of them has little to choose from. */
const STRONGEST = 3;
const VALIDATION_PER_SET = 200;
/** Enough to make a tokenizer from. */
const TEXTS_PER_SET = 2_000;

/** Kinds of work where nothing is known of the questions. */
export const GENERIC_WORKS: readonly string[] = ["question", "problem", "task"];

export interface RecordingWorldOptions extends SplitOptions {
  recordings: readonly RecordingSource[];
  seed: number;
  /** fixed: all workers of the set. random: half of the time some of them. */
  pools: "fixed" | "random";
  validationPerSet?: number;
}

export async function createRecordingWorld(options: RecordingWorldOptions): Promise<World> {
  const { recordings, seed, pools, validationPerSet = VALIDATION_PER_SET } = options;
  const fields = (await openRecordedSets(recordings, options)).map(toField);
  const bySet = new Map(fields.map((field) => [field.set, field]));
  const validation = fields.flatMap((field) =>
    drawTasks(field.splits.validation, validationPerSet).map((task) => field.validationQuestion(task, seed)),
  );
  if (validation.length === 0)
    throw usageError(
      `There are too few tasks in ${fields.map(({ set }) => `"${set}"`).join(", ")}: none of them is left to watch the training with`,
    );
  return {
    kind: "recording",
    name: fields.map(({ set }) => set).join(" + "),
    isSimulated: false,
    ...(options.splitBy === "family" && { splitBy: options.splitBy }),
    isInstant: true,
    sample(number) {
      const random = createRandom(hashSeed("recording draw", seed, number));
      // A set by lot and then a task of it: a large set does not drown the others.
      return random.pick(fields).trainingQuestion(random, pools);
    },
    validation,
    grade: (task, run) => gradeRecorded(bySet.get(task.set)!.recording, task, run),
    texts: () =>
      fields.flatMap(({ splits }) => drawTasks(splits.train, TEXTS_PER_SET).map((task) => toText(task))),
    works: () => GENERIC_WORKS,
  };
}

// ---- One set --------------------------------------------------------------------------------------

interface Field extends RecordedSet {
  trainingQuestion(random: Random, pools: RecordingWorldOptions["pools"]): Question;
  validationQuestion(task: GradedTask, seed: number): Question;
}

function toField(opened: RecordedSet): Field {
  const { set, splits, members } = opened;
  const profiler: Profiler = createProfiler(toCalibration(opened));
  const consensus = createHelper("consensus");
  const whole: Pool = { members };
  const strongest = strongestMembers(profiler.poolFor(whole, "").members).slice(0, STRONGEST);
  /** By number of the training task: reading similar questions is the dear part of a draw. */
  const profiled: PoolMember[][] = new Array(splits.train.length);
  return {
    ...opened,
    trainingQuestion(random, pools) {
      const number = random.integer(0, splits.train.length - 1);
      const task = splits.train[number]!;
      profiled[number] ??= profiler.poolFor(whole, toText(task), { without: number }).members;
      const own = profiled[number]!;
      const chosen =
        pools === "fixed" ? own : drawNumbers(own.length, strongest, random).map((at) => own[at]!);
      return { task, pool: { members: random.shuffle([...chosen, consensus]) } };
    },
    validationQuestion(task, seed) {
      const random = createRandom(hashSeed("recording tune", seed, set, task.id));
      const { members: own } = profiler.poolFor(whole, toText(task));
      return { task, pool: { members: random.shuffle([...own, consensus]) } };
    },
  };
}

/** Half of the time all of them; else some, with one of the strongest among them. */
function drawNumbers(count: number, strongest: readonly number[], random: Random): number[] {
  const all = Array.from({ length: count }, (_, number) => number);
  if (count <= SMALLEST_POOL || random.next() < 0.5) return all;
  const size = random.integer(SMALLEST_POOL, count);
  const drawn = random.shuffle(all).slice(0, size);
  if (!drawn.some((number) => strongest.includes(number))) drawn[0] = random.pick(strongest);
  return drawn;
}

function toCalibration({ set, splits, members, recording }: RecordedSet): Calibration {
  const recorded = (task: string, worker: string) =>
    recording.outcomesOf(task, worker).map(({ score }) => (score >= RIGHT ? 1 : 0));
  return {
    workers: members.map(({ worker }) => worker.id),
    tasks: splits.train.map((task) => {
      const topic = topicOf(task.category);
      return { text: toText(task), ...(topic && { topic }) };
    }),
    scores: readScores(splits.train, { members }, recorded).map(({ scores }) => scores),
    source: `measured on ${splits.train.length} training tasks of ${set}`,
  };
}

/** What a worker is asked, as everywhere where similar questions are looked for. */
function toText(task: GradedTask): string {
  return textOf(toMessages(task));
}
