// Making a recording: what is wanted, how far it is, and what came of it.

import type { GradedTask, Grader, TaskSet } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";

export interface RecordOptions {
  folder: string;
  tasks: readonly GradedTask[];
  /** All tasks of the file that `tasks` are from: the folder keeps to it, and another file is refused. */
  taskFile?: TaskSet;
  pool: Pool;
  grader: Grader;
  /** How often each worker is asked each task. */
  samples?: number;
  concurrency?: number;
  /** Of this call; what was spent on the folder before does not count. */
  budgetUsd?: number;
  allowUnknownPrice?: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  seed?: number;
  retries?: number;
  timeouts?: { stepMs: number; firstTokenMs: number; idleMs: number };
  signal?: AbortSignal;
  onProgress?: (progress: RecordProgress) => void;
}

export interface RecordProgress {
  /** Asks that are over, well or not, of those that were left. */
  done: number;
  total: number;
  failed: number;
  costUsd: number;
  elapsedMs: number;
  leftMs: number;
}

export interface WorkerSummary {
  id: string;
  recorded: number;
  /** Of the recorded replies. */
  right: number;
  failed: number;
  tokens: number;
  costUsd: number;
  /** The last failure. After too many in a row, or a refused key, it is not asked any more. */
  error?: string;
  isGivenUp?: boolean;
}

export interface RecordSummary {
  folder: string;
  tasks: number;
  samples: number;
  /** Replies that are new in the folder, and those that were there. */
  recorded: number;
  skipped: number;
  /** Asks that gave no reply, and replies that could not be graded. Neither is recorded. */
  failed: number;
  ungraded: number;
  /** What is still missing: another call goes on with it. */
  left: number;
  stopReason: "done" | "budget-usd" | "cancelled" | "cannot-grade";
  calls: number;
  costUsd: number;
  /** With any, `costUsd` is a lower bound. */
  unpricedCalls: number;
  durationMs: number;
  isSimulated: boolean;
  workers: WorkerSummary[];
}
