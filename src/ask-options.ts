// What a caller may say beside the question.

import type { Conductor } from "./conductor/types.ts";
import type { PlanEstimate } from "./perform/estimate.ts";
import type { Verdict } from "./perform/stage.ts";
import type { Pool } from "./worker/types.ts";
import type { Workflow } from "./workflow/types.ts";

/** What a person is shown before a plan is performed. */
export interface PlanForReview {
  round: number;
  workflow: Workflow;
  pool: Pool;
  estimate: PlanEstimate;
  /** The same for the plan as a person has changed it. */
  estimateOf(workflow: Workflow): PlanEstimate;
}

export interface AskOptions {
  /** "prompted", "native", "native:FOLDER", "scripted-planner", the id of a worker or "provider/model" to plan with, or one's own. */
  conductor?: string | Conductor;
  /** "rehearsal", the name of a pool in the config, ids of workers, or a pool of one's own. */
  pool?: string | string[] | Pool;
  rounds?: number;
  /** null switches the dollar budget off. */
  budgetUsd?: number | null;
  maxCalls?: number;
  maxTokens?: number;
  deadlineMs?: number;
  seed?: number;
  /** Performs this workflow instead of asking a Conductor. */
  workflow?: Workflow;
  /** Called with each plan before it is performed. */
  review?: (plan: PlanForReview) => Promise<Verdict>;
  allowUnknownPrice?: boolean;
  signal?: AbortSignal;
}
