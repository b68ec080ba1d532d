// The language of the Conductor: what a workflow is. Pure data, no dependency on anything else.

/**
 * What a step may see: "all" earlier steps of its workflow and those of the round before; "all-rounds" the same and the
 * steps of every earlier round (for Conductors in code: the language has no word for it); or those at these positions
 * of its own workflow (0-based).
 */
export type Access = "all" | "all-rounds" | number[];

export interface Step {
  /** Number of the worker in the pool, from 0. */
  worker: number;
  /** What that worker is told to do, in natural language. */
  subtask: string;
  access: Access;
  /**
   * Its reply is for the team and never the answer, also where it is the last step: the client's tools, schema and lengths
   * do not apply to it. For Conductors in code: the language has no word for it.
   */
  isInterim?: true;
}

/** Five steps is the limit of the language (see `MAX_STEPS`); the performer itself takes any number. */
export interface Workflow {
  steps: Step[];
}

export const MAX_STEPS = 5;

/** Why a text is not a workflow. */
export type WorkflowErrorCode =
  | "nothing-found" // no label, no list
  | "cut-off" // a list or a string was opened and never closed
  | "plan-cut" // the planner's reply ended at its limit (finish_reason length): asking again would end there too
  | "bad-list" // a list is there, but its entries are not what they should be
  | "missing-list" // one or two of the three lists are missing
  | "unequal-lengths"
  | "no-steps" // three empty lists where accepting is not allowed
  | "too-many-steps"
  | "unknown-worker"
  | "blank-subtask"
  | "bad-access" // the same or a later step, or something that is not a position
  | "asks-nobody" // only tools: see conductor/text.ts
  | "nothing-to-vote" // a tool that compares sees fewer than two replies
  | "not-recorded"; // a recording cannot replay it: see bench/native.ts

export interface WorkflowError {
  code: WorkflowErrorCode;
  /** Names the bad value and says what would be right: it is shown to people and to the Conductor. */
  message: string;
}

export type ParseResult = { ok: true; workflow: Workflow } | { ok: false; error: WorkflowError };

/** A step that may name its worker by id: what people write, before the pool is known. */
type NamedStep = Omit<Step, "worker"> & { worker: number | string };

export interface NamedWorkflow {
  steps: NamedStep[];
}

export interface ParseOptions {
  /** How many workers the pool has: ids 0 … workers − 1 are valid. */
  workers: number;
  maxSteps?: number;
  /** The number of a worker that is written by its name. Without it numbers alone are understood. */
  workerOf?: (name: string) => number | undefined;
  /** Three empty lists are a workflow without steps ("accept"), not an error. */
  allowEmpty?: boolean;
}

/** What a Conductor decides, in words or without. */
export type Decision =
  | { type: "workflow"; workflow: Workflow }
  /**
   * The work so far is good. The answer is the reply of `step`, by default the last non-empty one, in the
   * last performed round, unless `round` names an earlier one: a Conductor that votes may go back.
   */
  | { type: "accept"; step?: number; round?: number }
  | { type: "format-error"; error: WorkflowError };
