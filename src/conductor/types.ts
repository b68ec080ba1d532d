// Who writes workflows: the Conductor port. Text Conductors (prompted, native) share the driver in
// `text.ts`, which parses; others (a fixed workflow, baselines, TRINITY) decide without text.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { Belief } from "../belief/types.ts";
import type { PlanLimits } from "../store/limits.ts";
import type { ConductorIdentity } from "../store/types.ts";
import type { StuckSign } from "../trajectory/types.ts";
import type { AskName, Pool, PoolMember, Task, Timeouts, Usage } from "../worker/types.ts";
import type { Decision, Workflow, WorkflowError } from "../workflow/types.ts";

/** An earlier round of this run, as the Conductor is shown it. */
export interface ComposedRound {
  workflow: Workflow;
  /** One per step; empty where the step failed. */
  replies: string[];
  /** One per step: what the reply looked like, where its text does not tell; null: nobody knows. Absent: the texts tell. */
  features?: (ReplyFeatures | null | undefined)[];
}

export interface ComposeRequest {
  task: Task;
  pool: Pool;
  /** In the middle of a tool loop that goes no further, and why; the task then holds all that tools returned. */
  stuck?: StuckSign;
  /** Empty in the first round. */
  rounds: ComposedRound[];
  /** Format errors of this round's earlier attempts: a Conductor may learn from them. */
  errors: WorkflowError[];
  maxSteps: number;
  /** So many steps at least, unless the task is trivial; absent: as few as it needs. */
  teamSize?: number;
  /** How many workflows this run may have in all: in the last one nothing can be accepted any more. Absent: one is enough. */
  maxRounds?: number;
  /** Never more than this: the budget was reserved with it. */
  maxOutputTokens?: number;
  limits?: PlanLimits;
  /** How many of its models have failed to plan in this run: the next one does. */
  failedPlanners?: number;
  seed: number;
  /** Handed on to the worker that plans, as in `WorkerRequest`. */
  ask?: AskName;
  timeouts?: Timeouts;
}

export type PlanEvent =
  | { type: "plan-delta"; text: string }
  /** Always the last event. `text` is what the Conductor wrote, empty where it decides without text. */
  | {
      type: "plan-end";
      text: string;
      decision: Decision;
      /** What the decision was taken on; absent where the Conductor weighs no answers. */
      belief?: Belief;
      usage: Usage;
    };

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
  /** How many rounds it takes, where nobody asked for another number. */
  readonly rounds?: number;
  /** Which model plans when the one of this request fails; undefined where there is none left. */
  successor?(request: ComposeRequest): string | undefined;
  /** Absent where composing costs nothing. */
  quote?(request: ComposeRequest): ComposeQuote;
}
