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
  /** Recordings of our own keep the whole reply. */
  reply?: string;
  /** Dollars of this very call, or of the whole run where the worker is an agent. */
  costUsd?: number;
  /** API calls of an agent's run; absent: one. */
  calls?: number;
  inputTokens?: number;
  outputTokens?: number;
  durationMs?: number;
  /** What the reply looked like (belief/reply-features.ts): numbers, never its words. */
  features?: ReplyFeatures;
}

/** A list price, dollars per million tokens: a row of `prices.json`. */
export interface ListPrice {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
  /** Where it was read, for people. */
  source?: string;
}

export interface Recording {
  folder: string;
  sets: TaskSet[];
  /** Outcomes of a worker for a task, by sample. Empty where there are none. */
  outcomesOf(task: string, worker: string): readonly RecordedOutcome[];
  /** All workers that answered any task of the set, and, by default, only those that answered all. */
  workersOf(set: string, options?: { all: boolean }): string[];
  tasksOf(set: string): readonly GradedTask[];
  /** By worker, from `prices.json`. */
  prices: ReadonlyMap<string, ListPrice>;
  /** Somebody's answer or reply to the task was kept. Where it is false there are scores and nothing to compare. */
  hasReplies(task: string): boolean;
}

/** A score of at least this is right. */
export const RIGHT = 0.99;
