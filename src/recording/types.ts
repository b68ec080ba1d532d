// A recording: tasks with the recorded outcomes of real models. `tasks.jsonl[.gz]` and
// `outcomes.jsonl[.gz]` in one folder; the rows are these types (the public contract).

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { GradedTask, TaskSet } from "../task/types.ts";

/** What a recording keeps of a task. */
export type RecordedTask = Pick<
  GradedTask,
  "id" | "set" | "category" | "family" | "prompt" | "choices" | "answer" | "decidedIn"
>;

/** A row of `tasks.jsonl`, where the family is called `subtask`. */
export type TaskRow = Omit<RecordedTask, "family"> & { subtask: string };

/** A row of `outcomes.jsonl`. */
export interface RecordedOutcome {
  task: string;
  worker: string;
  sample: number;
  /** What was extracted from the reply; null: nothing could be. */
  answer: string | null;
  /** 0..1; 0.99 and more counts as right. */
  score: number;
  tokens: number;
  /** Recordings of our own keep the whole reply and what it cost. */
  reply?: string;
  costUsd?: number;
  durationMs?: number;
  /** What the reply looked like (belief/reply-features.ts): numbers, never its words. */
  features?: ReplyFeatures;
}

export interface Recording {
  folder: string;
  sets: TaskSet[];
  /** Outcomes of a worker for a task, by sample. Empty where there are none. */
  outcomesOf(task: string, worker: string): readonly RecordedOutcome[];
  /** All workers that answered any task of the set, and, by default, only those that answered all. */
  workersOf(set: string, options?: { all: boolean }): string[];
  tasksOf(set: string): readonly GradedTask[];
}

/** A score of at least this is right. */
export const RIGHT = 0.99;
