// Where tasks come from: a source of tasks with a pool, a grade and splits. The bench measures in a world, a
// Conductor learns in one, and other people's trainers get their rewards from one.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { Run } from "../perform/run.ts";
import type { RecordedCosts } from "../recording/costs.ts";
import type { StopReason } from "../store/types.ts";
import type { Grade, GradedTask, TaskSet } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";

type WorldKind = "rehearsal" | "recording" | "tasks";
export type SplitName = "train" | "validation" | "test";

/** A task with the pool it may be answered by; the profiles are those for this very question. */
export interface Question {
  task: GradedTask;
  pool: Pool;
}

/** A question of a recording with what everybody answers to it: every alternative is known. */
export interface ReplayedQuestion {
  set: string;
  /** Its id. */
  task: string;
  /** Models only, with profiles for this question. */
  pool: Pool;
  /** By number in the pool: equal numbers are equal answers; undefined: none that could be compared. */
  answers: readonly (number | undefined)[];
  /** By number in the pool, of the first sample. */
  right: readonly boolean[];
}

/** What performing a task needs of where it comes from. */
export interface Grading {
  /** Workers answer at once: no timers are needed. */
  isInstant: boolean;
  grade(task: GradedTask, run: Run, signal: AbortSignal): Grade | Promise<Grade>;
  /** The same grade of the answer alone, where nothing else of a run matters; undefined for a task where more does. */
  gradeAnswer?(task: GradedTask, answer: string, signal: AbortSignal): Promise<Grade> | undefined;
  /** Rewards are also made of grades that a program could have forged. */
  allowsInsideGrades?: boolean;
  /** How long a step takes, where the clock cannot tell because workers answer at once. */
  delayOf?(task: GradedTask, step: Run["steps"][number]): number;
}

/** A set of tasks with the pool that answers it: what the bench measures on, and what worlds are made of. */
export interface WorldSet extends Grading, Readonly<Omit<TaskSet, "tasks">> {
  kind: WorldKind;
  tasks: readonly GradedTask[];
  /** With `consensus`, without `self`. */
  pool: Pool;
  /** Some workers have turned since they were measured: this pool, so changed, answers the test tasks. */
  turn?(pool: Pool): Pool;
  /** How often a worker can be asked the same of every task. */
  samplesOf(worker: string): number;
  /** Right or wrong, 0 or 1, of a worker's samples, known without asking. Absent: somebody must be asked. */
  recorded?(task: string, worker: string): readonly number[];
  /** What a worker answered in its first sample, with `recorded`; null: nothing that can be compared. */
  recordedAnswer?(task: string, worker: string): string | null;
  /** What its first sample looked like, with `recorded`; null: not kept. */
  recordedFeatures?(task: string, worker: string): ReplyFeatures | null;
  /** Mean dollars of a worker's replies to a task, with `recorded`; undefined: unknown. */
  recordedCostUsd?(task: string, worker: string): number | undefined;
  /** Of a recording: where its dollars come from. */
  costs?: RecordedCosts;
  /** Somebody's reply to the task can be compared with others'. Absent: always. */
  hasReplies?(task: string): boolean;
  /** Tasks that were graded right though nobody's reply to them was kept: replies to them cannot be compared. */
  withoutReplies?: number;
}

/** One of the worlds that another one is made of. */
interface WorldPart extends Pick<World, "name" | "isSimulated"> {
  /** A task that was sampled or validated is from this one. */
  holds(task: GradedTask): boolean;
}

/** Sets that were split, with questions to sample: what a Conductor learns in. The splits never mix. */
export interface World extends Grading {
  kind: WorldKind | "joined";
  /** For people and cards: "rehearsal (simulated)", "reasoning-gym-hard + mmlu-pro". */
  name: string;
  /** All of it, or a part of it. */
  isSimulated: boolean;
  /** Of several that were joined: each of them, in their order. */
  parts?: readonly WorldPart[];
  /** What its splits keep together, where it is not the prompt: a bench must split in the same way. */
  splitBy?: "family";
  /** A sampled training question: the same for the same seed. Its pool is shuffled, and random where that is wanted. */
  sample(seed: number): Question;
  /** The same questions every time, to evaluate on while training. Never trained on. */
  readonly validation: readonly Question[];
  /** Of recordings: all questions of the split, with what everybody answers. */
  replays?(split: SplitName): readonly ReplayedQuestion[];
  /** Questions to make the tokenizer from: training tasks only. */
  texts(): readonly string[];
}

/** One task that was performed and graded: what a bench row and a rollout are both made from. */
export interface PerformedTask {
  score: number;
  why: string;
  /** Grading was not possible: counted apart. */
  ungraded: boolean;
  decidedIn?: Grade["decidedIn"];
  /** Workers were down: never counted as wrong. */
  isOutage: boolean;
  calls: number;
  conductorCalls: number;
  tokens: number;
  /** Of the priced calls: with any unpriced ones it is a lower bound. */
  costUsd: number;
  /** Calls of unknown price. Absent: none. */
  unpricedCalls?: number;
  durationMs: number;
  /** Steps of the accepted workflow; rounds taken. */
  steps: number;
  rounds: number;
  /** The first plan was a valid workflow (measured without any masking). */
  valid: boolean;
  /** Ids of the workers that were asked, one entry per ask. An agent's run is one ask and many calls. */
  asked: string[];
  answer: string;
  stopReason: StopReason;
}
