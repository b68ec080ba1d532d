// Who writes workflows: the Conductor port. Text Conductors (prompted, native) share the driver in
// `text.ts`, which parses; others (a fixed workflow, baselines, TRINITY) decide without text.

import type { ConductorIdentity } from "../store/types.ts";
import type { Pool, PoolMember, Task, Usage } from "../worker/types.ts";
import type { Decision, Workflow, WorkflowError } from "../workflow/types.ts";

/** An earlier round of this run, as the Conductor is shown it. */
export interface ComposedRound {
  workflow: Workflow;
  /** One per step; empty where the step failed. */
  replies: string[];
}

export interface ComposeRequest {
  task: Task;
  pool: Pool;
  /** Empty in the first round. */
  rounds: ComposedRound[];
  /** Format errors of this round's earlier attempts: a Conductor may learn from them. */
  errors: WorkflowError[];
  maxSteps: number;
  /** Never more than this: the budget was reserved with it. */
  maxOutputTokens?: number;
  seed: number;
}

export type PlanEvent =
  | { type: "plan-delta"; text: string }
  /** Always the last event. `text` is what the Conductor wrote, empty where it decides without text. */
  | { type: "plan-end"; text: string; decision: Decision; usage: Usage };

/** What composing may cost at the most, known before it starts. */
export interface ComposeQuote {
  member: PoolMember;
  inputTokens: number;
  maxOutputTokens: number;
}

export interface Conductor {
  /** Journaled with the run, so that a resumed one finds it again. One of your own is `{ kind: "custom", id }`. */
  readonly identity: ConductorIdentity;
  compose(request: ComposeRequest, signal: AbortSignal): AsyncIterable<PlanEvent>;
  /** Absent where composing costs nothing. */
  quote?(request: ComposeRequest): ComposeQuote;
}
