// What a caller may say beside the question.

import type { Quality } from "../base/quality-names.ts";
import type { Conductor } from "../conductor/types.ts";
import type { PlanEstimate } from "../perform/estimate.ts";
import type { Verdict } from "../perform/stage.ts";
import type { ConductorIdentity, Origin } from "../store/types.ts";
import type { Exchange, Message, OutputSettings, Pool, ToolResult } from "../worker/types.ts";
import type { NamedWorkflow, Workflow } from "../workflow/types.ts";

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
  /** Asks this one worker and nobody else: its id, or its model's name where only one worker has it. Instead of pool and Conductor. */
  model?: string;
  /** How the answer should be: put before the conversation as its system message, in the place of one that is there. */
  system?: string;
  /** The id of a run: its conversation comes before the question. Refused where what was said in it is not kept. */
  continues?: string;
  /**
   * As people name it ("prompted", "native", "native:FOLDER", "scripted-planner", the id of a worker or
   * "provider/model" to plan with), as it is journaled, or one's own.
   */
  conductor?: string | ConductorIdentity | Conductor;
  /** "rehearsal", the name of a pool in the config, ids of workers, or a pool of one's own. */
  pool?: string | string[] | Pool;
  /** How much the answer may take; the config's by default. `rounds`, `budgetUsd` and `conductor` come before it. */
  quality?: Quality;
  rounds?: number;
  /** null switches the dollar budget off. */
  budgetUsd?: number | null;
  maxCalls?: number;
  maxTokens?: number;
  deadlineMs?: number;
  seed?: number;
  /** Performs this workflow instead of asking a Conductor. Workers by number or id; a text is the name of one in the config. */
  workflow?: Workflow | NamedWorkflow | string;
  /** Called with each plan before it is performed. */
  review?: (plan: PlanForReview) => Promise<Verdict>;
  allowUnknownPrice?: boolean;
  /** False: the question is not sent to the embeddings of the config, and is read by its words alone. */
  embeds?: boolean;
  /** For `stream`: false where nobody reads the answer while it is written, so that a reply that breaks off is asked for again. */
  streamsAnswer?: boolean;
  /**
   * For `stream`: what was read of the answer cannot be taken back. The first answer of a model that nobody knows then
   * comes at once at its end, because it may turn out to be thinking until its closing tag; later ones stream.
   */
  isFinal?: boolean;
  /**
   * For `stream`: the longest that a worker is waited for that wants to be asked again later. By default as long as there
   * is time, where it is the only one. Whoever can come back by themselves learn of it at once that way.
   */
  patienceMs?: number;
  /** For `stream`: the id of the run, where it must be known before; a new one by default. */
  runId?: string;
  /** Where the run came from: kept in the journal for bills and lists. */
  origin?: Origin;
  signal?: AbortSignal;
}

export interface ResumeOptions
  extends Pick<
    AskOptions,
    | "signal"
    | "review"
    | "pool"
    | "conductor"
    | "budgetUsd"
    | "maxCalls"
    | "maxTokens"
    | "deadlineMs"
    | "streamsAnswer"
    | "isFinal"
    | "patienceMs"
  > {
  /** What the client's tools returned, for a run that ended with `tool-calls`: one for each call. Limits count anew. */
  toolResults?: ToolResult[];
  /** The turn after the last results of tools has failed: it is asked for again. Limits count anew. */
  again?: true;
  /** With `toolResults`: what the user said beside them. */
  said?: string;
  /** With `toolResults`: the conversation before the run's own turns, where the client has changed it. */
  messages?: Message[];
  /** With `toolResults`: earlier turns of the step that asked, where the client has changed them. */
  exchanges?: Exchange[];
  /** With `toolResults`: the turn that they are of, where the client has changed it. With the ids of its calls. */
  reply?: Pick<Exchange["reply"], "text" | "toolCalls">;
  /** With `toolResults`: what the client wants of the answer now. */
  output?: OutputSettings;
}
