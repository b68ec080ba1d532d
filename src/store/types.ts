// What happened: the events of a run, and the Store port that keeps them. The journal is the truth:
// the state of a run is a fold over its events (perform/state.ts), so whatever can be resumed,
// shown or audited is in here, under the same names as in the code, the stream and the traces.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { Belief } from "../belief/types.ts";
import type { TrajectorySettings, TurnDecision } from "../trajectory/types.ts";
import type {
  Exchange,
  FinishReason,
  Message,
  OutputSettings,
  Price,
  Profile,
  ReasoningPart,
  SettingName,
  Task,
  ToolCall,
  ToolResult,
  Usage,
  WorkerKind,
} from "../worker/types.ts";
import type { Decision, Workflow } from "../workflow/types.ts";
import type { LimitStopReason, Limits, PlanLimits } from "./limits.ts";
import type { KeyAccount, LostReservation, ReservationReply, ReservationRequest } from "./reservation.ts";

/** A worker as it was when the run started: enough to explain a bill later. */
export interface PoolEntry {
  id: string;
  kind: WorkerKind;
  isSimulated?: boolean;
  price?: Price;
  profile?: Profile;
  maxOutputTokens?: number;
  contextTokens?: number;
}

/** Where a run of the gateway came from: for bills, for lists, and for replies that are read again. */
export interface Origin {
  /** The name that was asked for: "tutti-ultra", "openai/gpt-6-sol". */
  model: string;
  /** By the name that it is registered with (gateway/dialect/dialects.ts). */
  dialect: string;
  /** Who pays; absent where the gateway has no keys. */
  keyId?: string;
  /** Tags of the client. */
  user?: string;
  metadata?: Record<string, string>;
  /** A repeat with the same one gets this run, as long as the request is the same too. */
  idempotencyKey?: string;
  requestHash?: string;
  /** The content is deleted when the run is over; usage and cost stay. */
  isPrivate?: boolean;
  isBackground?: boolean;
  /** The conversation that it is a part of, as a digest: what its client calls it is not kept (gateway/access/sessions.ts). */
  session?: string;
  /** Fields of the request that its reply repeats, in the dialect's own words. */
  echo?: Record<string, unknown>;
  /** The run that was asked by a client; this one asks the same of somebody else, and nobody sees its reply. */
  shadowOf?: string;
}

/**
 * Who conducts a run, as a value that decides: a resumed run finds its Conductor again by it
 * (`tutti/conductors.ts`). People read its name (`toConductorName`).
 */
export type ConductorIdentity =
  | { kind: "prompted"; planner: string } // id of the planning model
  /** `checkpoint`: shipped name or folder. `digest`: sha256 of the weights, 8 hex; absent in journals of 0.1. */
  | { kind: "native"; checkpoint: string; digest?: string }
  /** Decides in turns. `costPerCall`, or `costPerUsd` in its place: as it was asked for; absent: that of its card. */
  | { kind: "trinity"; checkpoint: string; digest?: string; costPerCall?: number; costPerUsd?: number }
  /** Cheap first, until a verifier accepts. `judge`: id of the model that verifies; absent: what can be run. */
  | { kind: "verified-cascade"; judge?: string }
  | { kind: "scripted" } // the rehearsal's planner, written by hand
  | { kind: "fixed" } // a workflow that was given
  | { kind: "single"; worker: string } // one named worker
  | { kind: "fast" } // the strongest worker for this question
  | { kind: "relay" } // a request that was passed through: nobody conducted
  | { kind: "custom"; id: string }; // given in code (baselines too): cannot be resolved again

export interface RunSettings {
  conductor: ConductorIdentity;
  /** Why this Conductor and not another, in words. */
  conductorReason: string;
  /** As it was asked for: `tutti/quality.ts`. Absent in older journals and in graded runs. */
  quality?: string;
  /** So many steps at least, unless the task is trivial; absent: as few as it needs. */
  teamSize?: number;
  /** How many workflows at the most: 1 is a plain run, more allow corrective ones. */
  rounds: number;
  maxSteps: number;
  limits: Limits;
  seed: number;
  /** The largest reply asked of a step, unless the worker's or the client's own limit is lower. */
  maxOutputTokens: number;
  /** How often one worker is asked again for a step before the next best one takes over. */
  retries: number;
  timeouts: { stepMs: number; firstTokenMs: number; idleMs: number };
  /** How deep `self` may nest: 0 forbids it. */
  maxDepth: number;
  /** The answer reaches a user while it is written, so it cannot be taken back. */
  streaming: boolean;
  /** Each plan waits for a person's verdict. */
  review: boolean;
  allowUnknownPrice: boolean;
  /** The Conductor is told the names of measured workers, too. Absent in older journals. */
  showNames?: boolean;
  /** Each turn of a tool loop is decided by what it costs and brings. Absent: whoever began it goes on. */
  trajectory?: TrajectorySettings;
  /** The request is no work of its own: who answers it, and what that saves. */
  side?: Extract<TurnDecision, { kind: "side-request" }>;
}

/** Money, calls and tokens, spent or reserved. `usd` counts priced calls only. */
export interface Amount {
  usd: number;
  calls: number;
  tokens: number;
}

export interface StepReply {
  text: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  /** Of a reply that calls tools: what its provider wants back with their results. */
  reasoningParts?: ReasoningPart[];
  finishReason: FinishReason;
  /** See `WorkerEvent`. */
  stopSequence?: string;
  /** What the client has set and this worker's provider does not have. */
  ignored?: SettingName[];
  /** Where the text is not what was said: what it looked like, or null. See `WorkerEvent`. */
  features?: ReplyFeatures | null;
}

/** What an attempt took, successful or not. */
export interface Spending {
  usage: Usage;
  /** Absent when the worker's price is unknown. */
  costUsd?: number;
  /** Requests to models: 1, 0 for a tool, many for a nested run. */
  calls: number;
  /** Of a nested run: calls of it whose price is unknown. */
  unpricedCalls?: number;
  /** What it would have cost more without its provider's cache; below 0 where writing took more. Absent: nothing. */
  cacheSavedUsd?: number;
  /** The provider did not say: of a whole reply counted from the text, otherwise all that it can have cost. */
  estimated?: boolean;
}

/** An error as it is journaled: redacted, without a stack. */
export interface EventError {
  code: string;
  message: string;
  status?: number;
  retryable: boolean;
  /** After how long its provider wants to be asked again. */
  retryAfterMs?: number;
}

export type StopReason =
  | "done"
  | "tool-calls" // the last step asks for a tool of the client
  | LimitStopReason
  | "cancelled"
  | "refused" // a person refused the plan
  | "worker-failed" // the last step got no reply; the answer is an earlier one
  | "invalid-output" // the answer is not as the client's schema wants it, also after it was asked for again
  | "answer-cut" // the answer's stream broke after the user had seen a part of it
  | "failed" // nobody replied: there is no answer
  | "journal-failed"; // a reply could not be journaled, so nothing more was asked

/** Both from 0. */
export interface StepPosition {
  round: number;
  step: number;
}

/** How good a run was. */
export interface Feedback {
  /** 0 is useless, 1 is right. */
  score: number;
  /** A word of one's own: "wrong-file", "too-slow". */
  label?: string;
  comment?: string;
  /** Nobody said it: the run itself tells it for certain. */
  isInferred?: true;
}

/** What a rating is about: enough to learn from it without reading its run again. */
export interface RatedAnswer {
  /** Ids of those who gave the answer: of a vote, those who agreed. */
  workers: string[];
  /** The beginning of what the user asked. Absent where content is not kept. */
  question?: string;
}

interface EventBase {
  runId: string;
  /** Milliseconds since 1970. */
  at: number;
}
/** Somebody says how good the run was, at any time after its start. Its own append: `listFeedback` finds it by that. */
export interface FeedbackEvent extends EventBase, Feedback {
  type: "run-feedback";
  /** The key that said it, or whose run tells it. Absent: the machine's owner, or an admin. */
  keyId?: string;
  /** Absent where no worker answered, and in older journals. */
  about?: RatedAnswer;
}
interface StepBase extends EventBase, StepPosition {
  /** From 0, counting every ask of this step, whoever was asked. */
  attempt: number;
}

export type RunEvent =
  | (EventBase & {
      type: "run-start";
      /** The step of another run that this run performs (`self`). */
      parent?: { runId: string } & StepPosition;
      task: Task;
      pool: PoolEntry[];
      settings: RunSettings;
      /** Of a run that came through the gateway. */
      origin?: Origin;
      /** The run whose conversation this one goes on with: its question and answer stand in `task.messages`. */
      continues?: string;
      /** What was said was taken out of this run's events, or never was in them (`without-content.ts`). */
      isStripped?: true;
    })
  /**
   * A process picks up a run that another one left: what was running then is asked again. With
   * `toolResults` it goes on after the last step asked for tools of the client, with what they returned. That
   * is a request of its own: limits count anew, and it may want its answer otherwise.
   */
  | (EventBase & {
      type: "run-resume";
      toolResults?: ToolResult[];
      /** The last turn has failed, and is asked for again: the same tools have returned the same. */
      again?: true;
      /** What the user said beside the results. */
      said?: string;
      /** The conversation as the client has it now, where that is not what the run began with. */
      messages?: Message[];
      /** The same for earlier turns of the step that asked: what they replied and what tools returned, as of now. */
      exchanges?: Exchange[];
      /** The same for the turn that these results are of. */
      reply?: Pick<Exchange["reply"], "text" | "toolCalls">;
      streaming?: boolean;
      limits?: Limits;
      output?: OutputSettings;
    })
  | (EventBase & {
      type: "plan-start";
      round: number;
      attempt: number;
      reserved: Amount;
      /** Why it is asked in the middle of a tool loop. Its workflow then goes on with that loop. */
      turn?: TurnDecision;
      /** What the Conductor was told of the limits: its prompt is shown again from the journal. */
      limits?: PlanLimits;
    })
  | (EventBase & { type: "plan-delta"; round: number; attempt: number; text: string })
  | (EventBase & {
      type: "plan-end";
      round: number;
      attempt: number;
      text: string;
      decision: Decision;
      /** What the decision was taken on. Absent where the Conductor weighs no answers, in fallbacks and in older journals. */
      belief?: Belief;
      /** Set when nobody composed this workflow: one step with the strongest worker, and why. */
      fallback?: string;
      /** With `fallback`: the limit that left too little for planning. */
      lacking?: LimitStopReason;
      /** Decided by rule in a tool loop, without the Conductor. */
      turn?: TurnDecision;
      /** The last step goes on with the loop of the last step of this round, told this. */
      carries?: { round: number; advice: string };
      durationMs: number;
      spending: Spending;
    })
  | (EventBase & {
      type: "plan-error";
      round: number;
      attempt: number;
      error: EventError;
      durationMs: number;
      spending: Spending;
      /** The Conductor may be asked again from this time on. Absent: not at all. */
      retryAt?: number;
      /** The model that plans from now on, because the one before it failed. */
      successor?: string;
    })
  | (EventBase & {
      type: "plan-review";
      round: number;
      verdict: "approved" | "edited" | "refused";
      /** The workflow as the person wants it, when edited. */
      workflow?: Workflow;
      /** How long the person took: it does not count against the deadline. */
      waitedMs: number;
    })
  | (StepBase & {
      type: "step-start";
      worker: number;
      /** Whom the workflow named, when another one is asked, and why. */
      instead?: { worker: number; reason: string };
      /** In a tool loop: why this worker, and what it is expected to cost. */
      turn?: TurnDecision;
      /** What the team adds to the newest turn of the loop. */
      advice?: string;
      reserved: Amount;
      maxOutputTokens: number;
      /** The run that performs this step, for `self`. */
      nestedRunId?: string;
    })
  /** Journaled in pieces of a second, so that text that was paid for survives a crash. */
  | (StepBase & {
      type: "step-delta";
      channel: "text" | "reasoning";
      text: string;
      /** This text is the answer as the user reads it. */
      answer: boolean;
    })
  | (StepBase & {
      type: "step-end";
      worker: number;
      reply: StepReply;
      /** Why the reply cannot be taken as the answer: it is not as the client's schema wants it. */
      problem?: string;
      spending: Spending;
      durationMs: number;
      firstTokenMs?: number;
    })
  | (StepBase & {
      type: "step-error";
      worker: number;
      error: EventError;
      spending: Spending;
      durationMs: number;
      /** What had arrived before it broke. */
      partial?: string;
      /** The user has already seen a part of this reply as the answer. */
      delivered: boolean;
      /** The same worker may be asked again from this time on. */
      retryAt?: number;
    })
  /** The step waits before it is asked again (later also: for a tool of the client). */
  | (StepBase & { type: "step-wait"; reason: "retry"; until: number })
  | (EventBase & { type: "round-end"; round: number })
  | FeedbackEvent
  | (EventBase & {
      type: "run-end";
      /** The best there is, perhaps a part of a reply. Empty also where the content was deleted. */
      answer: string;
      /** Somebody said something that can be shown. */
      hasAnswer: boolean;
      /** Whose reply the answer is, or who asks for tools. Absent where nobody replied, and in journals of 0.1. */
      answerStep?: StepPosition;
      stopReason: StopReason;
      error?: EventError;
      /** Everything spent, the Conductor's calls and nested runs included. */
      spent: Amount;
      /** Calls whose price is unknown: with any, `spent.usd` is a lower bound. */
      unpricedCalls: number;
    });

// ---- The port ---------------------------------------------------------------------------------

/** What a run took, or many. */
export interface Sums {
  costUsd: number;
  /** ⊂ costUsd: nobody said what it cost, so the most that it can have cost was counted. */
  estimatedUsd: number;
  calls: number;
  /** Of workers and Conductor together, nested runs included. */
  inputTokens: number;
  outputTokens: number;
  /** ⊂ inputTokens: read from a provider's cache, at its lower price. */
  cachedInputTokens: number;
  /** ⊂ inputTokens: written into one, where that has a price of its own. */
  cacheWriteTokens: number;
  /** Beside costUsd: what it would have been more without caches. Below 0 where writing into them took more. */
  cacheSavedUsd: number;
}

export interface RunSummary extends Sums {
  id: string;
  parentId?: string;
  startedAt: number;
  endedAt?: number;
  /** The beginning of the last user message. */
  question: string;
  /** The beginning of the answer. */
  answer?: string;
  /** A name for people (`toConductorName`), never read back. */
  conductor: string;
  /** Workers of the rehearsal took part: what it cost is not real money. */
  isSimulated: boolean;
  /** ended: has a run-end. running: a live process performs it. interrupted: can be resumed. */
  state: "ended" | "running" | "interrupted";
  stopReason?: StopReason;
  /** Of a run of the gateway. */
  origin?: Pick<Origin, "model" | "dialect" | "keyId" | "user" | "metadata" | "session">;
  /** Its content was deleted, or never kept. */
  isStripped: boolean;
}

export interface RunFilter {
  /** Newest first; default 50. */
  limit?: number;
  /** Only runs that started before this time: the cursor for the next page. */
  startedBefore?: number;
  /** Only runs that started at this time or later. */
  startedFrom?: number;
  /** With `startedBefore`: of the runs of that very time, those with smaller ids too. An exact cursor. */
  beforeId?: string;
  state?: RunSummary["state"];
  /** Only runs whose id begins with this. */
  idPrefix?: string;
  /** A text that the question or the answer's beginning contains, case-insensitive. */
  text?: string;
  /** Nested runs are left out unless asked for. */
  nested?: boolean;
  /** Only runs of this key. */
  keyId?: string;
  /** With those that were asked to compare (`shadow.ts`). Without it they are left out, unless `keyId` names them. */
  shadows?: boolean;
  /** Only runs that asked the gateway for this model. */
  model?: string;
  stopReason?: StopReason;
  /** Only runs of this conversation. */
  session?: string;
  /** With `keyId` (absent: of no key): the run that was started with this idempotency key. */
  idempotencyKey?: string;
}

export interface FeedbackFilter {
  limit: number;
  /** Only those journaled after this place. */
  after?: number;
}

export interface KeptFeedback {
  /** Grows from rating to rating in one journal. Several processes may be seen out of order for a moment. */
  place: number;
  event: FeedbackEvent;
}

/** What the bill is added up by. `metadata.NAME` is one tag of the client's. */
export type SpendingGroup = "key" | "user" | "model" | "day" | `metadata.${string}`;

export interface SpendingFilter {
  keyId?: string;
  /** Start of the run, milliseconds since 1970: from inclusive, to exclusive. */
  from?: number;
  to?: number;
  groupBy?: SpendingGroup[];
}

/** One line of the bill. Simulated money is never added to real money: the two are different rows. */
export interface SpendingRow extends Sums {
  /** The value of each group asked for; "" where a run has none. A day is "2026-11-17" (UTC). */
  group: Record<string, string>;
  isSimulated: boolean;
  runs: number;
}

/** Who performs a run. One process at a time may, or finished steps would be asked twice. */
export interface Owner {
  id: string;
  pid: number;
  host: string;
}

/**
 * Guarantee: events are on disk (in memory, for the memory store) when `append` is done, in order.
 * Covered: death of the process. Not covered: loss of power in the last instant.
 */
export interface Store {
  /**
   * Done when it returns nothing, or when the promise resolves. Rejects with code "journal-failed". With `owner`, who has claimed
   * these runs, a journal that several machines share rejects with "run-busy" where the claim is not this owner's any more.
   */
  append(events: RunEvent[], owner?: Pick<Owner, "id">): void | Promise<void>;
  /** In order; empty for an unknown id. */
  loadRun(id: string): Promise<RunEvent[]>;
  /** True where `loadRun` has this run in memory and reads no more than what was written since. Absent: it always reads. */
  isAtHand?(id: string): boolean;
  listRuns(filter?: RunFilter): Promise<RunSummary[]>;
  /**
   * With its nested runs. False for an unknown id. Rejects with code "run-active" while it is performed.
   * What runs of the gateway took stays for the bill (`sumSpending`), in no list any more.
   */
  deleteRun(id: string): Promise<boolean>;
  /** Deletes ended and interrupted runs that started before this time; returns how many. What they took stays, as above. */
  prune(startedBefore: number): Promise<number>;
  /**
   * Takes what was said out of a run and its nested runs and leaves the metrics: who was asked, when, what it
   * took. False for an unknown id. Rejects with code "run-active" while it is performed.
   */
  stripRun(id: string): Promise<boolean>;
  /** Ratings, newest first. */
  listFeedback(filter: FeedbackFilter): Promise<KeptFeedback[]>;
  /** Adds up what runs of the gateway took, running ones included. Nested runs count with the run at their head. */
  sumSpending(filter?: SpendingFilter): Promise<SpendingRow[]>;
  /** What `reserve` goes by. */
  loadAccount(keyId: string, from: number): Promise<KeyAccount>;
  /** Checks and takes in one go: of two processes that want the last dollar one gets it. */
  reserve(request: ReservationRequest): Promise<ReservationReply>;
  /** When what was spent is in the journal. Again is no matter. */
  unreserve(id: string): Promise<void>;
  /** Says that this owner lives, and which reservations belong to nobody any more. */
  renewReservations(owner: Owner): Promise<LostReservation[]>;
  /** Rejects with code "journal-failed" where nothing can be written, also where the file was deleted or replaced. */
  checkWritable(): Promise<void>;
  /** False while another living owner has it. Claiming again extends the claim. */
  claim(runId: string, owner: Owner): Promise<boolean>;
  release(runId: string, owner: Owner): Promise<void>;
  close(): Promise<void>;
}
