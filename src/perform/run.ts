// A run as people and programs read it: the public result of `ask`, made from the state of the machine.

import type { EventError, PoolEntry, RunSettings, StopReason } from "../store/types.ts";
import type { Task, ToolCall, Usage } from "../worker/types.ts";
import type { Access, Workflow } from "../workflow/types.ts";

/** An ask that failed, or the reason why somebody else was asked. */
export interface FailedAttempt {
  worker: string;
  error: EventError;
  durationMs: number;
  costUsd?: number;
}

export interface RunStep {
  round: number;
  step: number;
  /** Number in the pool of the one who replied (or was asked last). */
  worker: number;
  workerId: string;
  /** Whom the workflow named, when somebody else replied. */
  insteadOf?: string;
  subtask: string;
  access: Access;
  state: "pending" | "running" | "waiting" | "done" | "failed";
  reply: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  finishReason?: string;
  usage: Usage;
  /** Of all attempts. Absent when a price is unknown. */
  costUsd?: number;
  calls: number;
  /** Milliseconds since 1970; absent when never started. */
  startedAt?: number;
  durationMs?: number;
  firstTokenMs?: number;
  failures: FailedAttempt[];
  /** For `self`: the run that performed this step. Loaded with the trace. */
  nestedRunId?: string;
}

export interface RunRound {
  workflow: Workflow;
  /** What the Conductor wrote, reasoning included. */
  plan: string;
  /** Why nobody's plan was used. */
  fallback?: string;
  review?: "approved" | "edited" | "refused";
  /** Attempts to plan that failed, by format or by fault. */
  planErrors: { code: string; message: string }[];
  planUsage: Usage;
  planCostUsd: number;
  planMs: number;
  steps: RunStep[];
}

export interface Run {
  id: string;
  parent?: { runId: string; round: number; step: number };
  task: Task;
  answer: string;
  /** Absent while it is not over. */
  stopReason?: StopReason;
  error?: EventError;
  rounds: RunRound[];
  /** The steps of all rounds, in order. */
  steps: RunStep[];
  /** Workers and Conductor together. */
  usage: Usage;
  conductorUsage: Usage;
  costUsd: number;
  unpricedCalls: number;
  /** Requests to workers, retries and nested runs included. The Conductor's own are apart. */
  calls: number;
  conductorCalls: number;
  startedAt: number;
  durationMs: number;
  pool: PoolEntry[];
  settings: RunSettings;
}
