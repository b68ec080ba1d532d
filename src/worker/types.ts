// Who can be asked, and how: the Worker port with everything that travels through it.
// A worker is a model of a provider, a simulated one, a recorded one, a tool such as `consensus`,
// or the Conductor itself (`self`). Workers know nothing of runs, budgets or journals.

import type { ReplyFeatures } from "../belief/reply-features.ts";
import type { ReplyReading } from "../belief/reply-reading.ts";

// ---- Messages ---------------------------------------------------------------------------------

/** The client marks it as the end of what its provider shall keep in its cache: for its usual minutes, or for an hour. */
export type CacheMark = true | "1h";

export type Part =
  | { type: "text"; text: string; isCached?: CacheMark }
  /** `image` is a data: or https: URL. `detail`: how closely it is to be seen, for providers of OpenAI's protocols. */
  | { type: "image"; image: string; mediaType?: string; detail?: "low" | "high"; isCached?: CacheMark }
  /**
   * A document such as a PDF, as a data: URL. Whoever cannot read it gets `text`, where it could be taken out; `pages`
   * bound what it takes.
   */
  | {
      type: "file";
      file: string;
      mediaType: string;
      name: string;
      text?: string;
      pages: number;
      isCached?: CacheMark;
    };

export type ImagePart = Extract<Part, { type: "image" }>;

/**
 * What a provider wants back as it gave it, under its own name: signatures of thoughts, encrypted ones, ids. Nobody here
 * reads it, and nobody but that provider can.
 */
export type ProviderMetadata = Record<string, { [name: string]: JsonValue | undefined }>;
type JsonValue = null | string | number | boolean | JsonValue[] | { [name: string]: JsonValue | undefined };

/** A thought of a model, whole. */
export interface ReasoningPart {
  /** Empty where the provider keeps it to itself. */
  text: string;
  metadata?: ProviderMetadata;
  /** Where it stood in its turn: behind so many characters of the text and so many calls. Absent: before all of them. */
  behind?: { characters: number; calls: number };
}

export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, not yet trusted to be valid. */
  input: string;
  metadata?: ProviderMetadata;
}

/** What a tool of the client returned. */
export interface ToolResult {
  toolCallId: string;
  content: string;
  /** Such as screenshots, beside the text. */
  images?: ImagePart[];
}

export type Message =
  | { role: "system"; content: string; isCached?: CacheMark }
  /** `ownLength`: so much of a text is the user's own, what follows is the team's. Providers get two parts. */
  | { role: "user"; content: string | Part[]; ownLength?: number }
  /** `reasoning`: of this very worker, in a turn that called tools. Providers want it back before the results. */
  | {
      role: "assistant";
      content: string;
      toolCalls?: ToolCall[];
      reasoning?: ReasoningPart[];
      original?: OriginalReply;
    }
  | {
      role: "tool";
      toolCallId: string;
      toolName: string;
      content: string;
      images?: ImagePart[];
      isCached?: CacheMark;
    };

/** A reply of an earlier run as its worker gave it, in place of what the client calls it. Nobody else is sent it. */
export interface OriginalReply {
  workerId: string;
  /** Under the ids of its provider. */
  toolCalls: ToolCall[];
  reasoning?: ReasoningPart[];
  /** What the user said behind the results, as the one text that it was sent as, where the client has it in pieces. */
  said?: string;
}

/** A tool of the client. Only the last step of a workflow may call it. */
export interface ToolDefinition {
  name: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  /** Its arguments must keep to the schema, where the provider can see to that. */
  strict?: boolean;
  isCached?: CacheMark;
}

/** Whether the last step may, must or must not call a tool, or which one it must call. */
export type ToolChoice = "auto" | "none" | "required" | { name: string };

/** How a model is to choose its words and its calls. */
export interface Sampling {
  temperature?: number;
  topP?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** False: one tool call at a time. Of several only the first one is passed on. */
  parallelToolCalls?: boolean;
  topK?: number;
  /** How hard a model that thinks is to think, and how long: for those that are known to take it (think-options.ts). */
  effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  thinking?: { type: "adaptive" } | { type: "enabled"; budgetTokens: number } | { type: "disabled" };
  verbosity?: "low" | "medium" | "high";
  /** One that costs what the price says. */
  serviceTier?: string;
  /** The client's own, as it gave it. */
  seed?: number;
  /** The client's name for the conversation, by which OpenAI finds the cache that has it. */
  cacheKey?: string;
}

/** What the client wants of the answer. It applies to the last step only. */
export interface OutputSettings extends Sampling {
  maxOutputTokens?: number;
  stop?: string[];
  tools?: ToolDefinition[];
  toolChoice?: ToolChoice;
  responseFormat?: { type: "json"; schema?: Record<string, unknown>; name?: string };
}

/** A setting that a provider may not have. */
export type SettingName =
  | ("temperature" | "topP" | "topK" | "presencePenalty" | "frequencyPenalty" | "seed")
  | ("effort" | "thinking" | "verbosity" | "serviceTier" | "toolChoice")
  /** Of an image. */
  | "detail";

/** A request to solve. Graded tasks (with answer and grader) build on this in `task/`. */
export interface Task {
  /** Of a task of a set: recorded workers and lookup tables find it by this. */
  id?: string;
  messages: Message[];
  output?: OutputSettings;
  /** Tests that a program in the answer must pass: what a verifier runs. */
  tests?: CodeTests;
}

/** Tests of a programming task. */
export interface CodeTests {
  language: "python" | "javascript";
  /** Feeds standard input and compares standard output, or calls a function. */
  style: "stdin" | "function";
  /** For "function": what is called. */
  entry?: string;
  /** stdin: [input text, expected output]. function: [arguments as JSON, expected value as JSON]. */
  cases?: { input: string; output: string }[];
  /** Code that is run after the answer's own (HumanEval, BigCodeBench): passes when it does not throw. */
  check?: string;
  timeoutMs?: number;
}

// ---- The port ---------------------------------------------------------------------------------

/** An earlier step that this step may see. */
export interface VisibleStep {
  /** 0-based, as in the trace. Together with `step` and `worker` it labels the quote. */
  round: number;
  step: number;
  worker: number;
  subtask: string;
  reply: string;
  /** Measured success of the one who replied, where there is a profile: the weight of its vote. */
  success?: number;
  /** It only passes on what others said, so it has no vote of its own. */
  isCombined?: true;
}

/** A turn that the step has already had: what it replied, and what came back for it. */
export interface Exchange {
  reply: { text: string; toolCalls?: ToolCall[]; reasoningParts?: ReasoningPart[] };
  /** Number in the pool of the one whose reply it is: thoughts go back to nobody else. Absent in older journals. */
  worker?: number;
  /** What the client's tools returned. */
  results?: ToolResult[];
  /** What the user said beside that. */
  said?: string;
  /** What the team adds after it, as it is told: a review of the reply, or help where it was stuck. */
  advice?: string;
  /** Why the reply cannot be taken: it is no JSON, or not as the client's schema wants it. */
  problem?: string;
}

/**
 * A step as data. Providers get it rendered into messages; simulated workers, tools and `self`
 * read it as it is, so that nobody has to parse our own prompt.
 */
export interface Brief {
  task: Task;
  /** Empty: no team. The worker gets the conversation as it is, and its reply is the answer. */
  subtask: string;
  visible: VisibleStep[];
  /** Earlier turns of this very step, oldest first. */
  exchanges?: Exchange[];
  /** The last step of the workflow: its reply is the answer, the client's output settings apply. */
  isLast: boolean;
  /** How many earlier steps of this run name the same worker: a recording replays its next sample. */
  asksBefore?: number;
}

export interface WorkerRequest extends Sampling {
  /** What a model receives, already rendered: the overall task, what it may see (quoted), its subtask. */
  messages: Message[];
  /** The same as data. Absent when a model is asked outside a workflow (the Conductor's own calls, `pool check`). */
  brief?: Brief;
  /** Never more than this: the budget was reserved with it. */
  maxOutputTokens: number;
  stop?: string[];
  tools?: ToolDefinition[];
  toolChoice?: ToolChoice;
  responseFormat?: OutputSettings["responseFormat"];
  /** Makes simulated workers repeatable; passed on to providers that know it. Differs per step and attempt but for a client's own. */
  seed?: number;
  /** `<think>` and what follows stay in the text: a planner's may hold the only plan there is. */
  keepsThinking?: true;
  /** The text goes to somebody who cannot take it back: see `thinking.ts`. */
  isFinal?: boolean;
  /** Which ask it is: the same again when a process that was killed goes on with its work. */
  ask?: AskName;
  /** Set for a worker that keeps them itself (`keepsTime`). */
  timeouts?: Timeouts;
  /** Set for a worker of kind "conductor": perform a nested run of this step and stream its answer. */
  conduct?: (signal: AbortSignal) => AsyncIterable<WorkerEvent>;
}

/** The name of an ask, made from where it stands in its work and never from the clock. */
export interface AskName {
  /** All asks of a run are forgotten together: see `Worker.forget`. */
  run: string;
  /** Within the run: "0.1.0" is round, step and attempt. */
  name: string;
}

/** How long one ask may take: as a whole, until its first token, and between two pieces. */
export interface Timeouts {
  stepMs: number;
  firstTokenMs: number;
  idleMs: number;
}

export const NO_TIMEOUTS: Timeouts = { stepMs: Infinity, firstTokenMs: Infinity, idleMs: Infinity };

/** Tokens of one call or of many. `cachedInputTokens` ⊂ `inputTokens`, `reasoningTokens` ⊂ `outputTokens`. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
  /** ⊂ `inputTokens`: what the provider put into its cache, where it bills that at a price of its own. */
  cacheWriteTokens?: number;
  /** ⊂ `cacheWriteTokens`: for an hour, at twice the price of input. */
  hourWriteTokens?: number;
}

export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "other";

export type WorkerEvent =
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** All text of this reply until now was reasoning: its opening tag never came (thinking.ts). */
  | { type: "text-withdrawn" }
  /** Written, and not known yet to be text: what follows says what it was. All there is where nothing follows. */
  | { type: "text-held"; text: string }
  /** A thought that is over, after its deltas: to be handed back to this worker should it call tools. */
  | ({ type: "reasoning-part" } & ReasoningPart)
  | ({ type: "tool-call" } & ToolCall)
  /**
   * Always the last event. A stream that ends without it was cut. `features`: what the reply looked like, of one whose text
   * is not what was said (a recording that keeps answers only); null: nobody knows. Absent: the text tells.
   */
  | {
      type: "finish";
      usage: Usage;
      reason: FinishReason;
      /** Of the request's stop sequences the one that ended it, where that is known. */
      stopSequence?: string;
      /** Settings of the request that its provider does not have. Absent: none that is known of. */
      ignored?: SettingName[];
      features?: ReplyFeatures | null;
      /** Where the worker says itself what it cost. */
      billed?: Billed;
      /** How long the reply took, where the ask waited for its turn before. */
      tookMs?: number;
    };

/** What a worker was billed, in place of a price and a count of tokens: a recorded reply. */
export interface Billed {
  /** Absent: unknown, which is not free. */
  costUsd?: number;
  /** Of an agent: the calls of its whole run. */
  calls: number;
}

/** model: asking is a call. tool: a step but not a call. verifier: a tool that says whether a reply holds. conductor: asking starts a nested run. */
export type WorkerKind = "model" | "tool" | "verifier" | "conductor";

/** Throws `TuttiError` (with `retryable` and `retryAfterMs`) for every failure; honours the signal at once. */
export interface Worker {
  readonly id: string;
  /** What follows from it is in kinds.ts. */
  readonly kind: WorkerKind;
  /** Its replies are made up, and its money is none: whatever it takes part in is called simulated. */
  readonly isSimulated?: boolean;
  /**
   * It waits for nobody (a vote, a recorded reply): there is nothing to stop, so it gets no time-outs and
   * a signal that never fires. Rollouts by the million are a third faster for it.
   */
  readonly isInstant?: boolean;
  /** An ask may wait for its turn, which is nobody's silence: it keeps the time-outs of the request itself. */
  readonly keepsTime?: boolean;
  /** What came of this run is kept elsewhere: replies that were kept for whoever asks again may go. */
  forget?(run: string): void;
  /** It cannot be shown replies of others: of a recorded one nobody knows what it would have said to them. */
  readonly refusesHandOffs?: boolean;
  ask(request: WorkerRequest, signal: AbortSignal): AsyncIterable<WorkerEvent>;
  /** Has its provider count the input of a request, which is not billed. Absent: it has nothing that counts. */
  countInput?(request: WorkerRequest, signal: AbortSignal): Promise<number | undefined>;
}

// ---- Pools ------------------------------------------------------------------------------------

/** Dollars per million tokens. */
export interface Rates {
  inputUsd: number;
  outputUsd: number;
  /** Defaults to `inputUsd`. */
  cachedInputUsd?: number;
  /** Of input written to the provider's cache. Defaults to `inputUsd`. */
  cacheWriteUsd?: number;
}

export interface Price extends Rates {
  /** The most that one call costs beside its tokens: of a worker that says itself what it was billed. */
  mostCallUsd?: number;
  /** What some providers ask for all of a request whose input is longer than this. */
  long?: Rates & { aboveInputTokens: number };
}

/** The fixed topics of profiles: at most twelve, so that a profile stays one short line. */
export const TOPICS = [
  "arithmetic",
  "algebra",
  "geometry",
  "logic",
  "code",
  "facts",
  "science",
  "language",
  "planning",
  "data",
  "law-and-medicine",
  "other",
] as const;
export type Topic = (typeof TOPICS)[number];

/** What has been measured about a worker. Success rates are 0..1. */
export interface Profile {
  success: number;
  /** How many tasks stand behind `success`. */
  tasks: number;
  topics: Partial<Record<Topic, number>>;
  /** On the measured tasks most similar to the question at hand, shrunk towards `success`. */
  similar?: number;
  /** That it is right on the question at hand, by all that was measured (calibration/estimate.ts). */
  probability?: number;
  /** How far `probability` may be off, as a standard error: large where little like the question was measured. */
  standardError?: number;
  /** How similar the nearest measured question is, 0..1: near 0 the question is new, and `probability` says little. */
  known?: number;
  /** On similar questions: the share of replies with an answer that can be compared with others'. Absent: not measured. */
  answered?: number;
  /** On similar questions: that two right answers are the same. Low where there are many solutions. Absent: not measured. */
  agreed?: number;
  /** How its replies are read: what their look says about whether they are right. Absent: not measured, or it says nothing. */
  reading?: ReplyReading;
  /** Median delay of a whole reply. */
  delayMs?: number;
  /** Mean dollars of one call on the measured tasks. Absent: not measured, or unknown. */
  callUsd?: number;
  /** How often it errs as a judge of replies. Absent: not measured. */
  judging?: JudgeCounts;
  /** How many ratings of its answers are in it. Absent: none, or nothing is learned from them. */
  ratings?: number;
  /** Where the measurements come from, for people: "simulated, 40 tasks a topic". */
  source?: string;
}

/** What a judge said of replies whose grade was known. */
export interface JudgeCounts {
  /** Right replies that it gave a verdict on, and how many of them it refused. */
  right: number;
  refusedRight: number;
  /** Wrong replies that it gave a verdict on, and how many of them it accepted. */
  wrong: number;
  acceptedWrong: number;
}

export interface PoolMember {
  worker: Worker;
  /** Absent: unknown, and then refused under a dollar budget unless that is allowed. Free is 0. */
  price?: Price;
  profile?: Profile;
  /** That it, being wrong on the question at hand, repeats the wrong answer of another worker. Absent: not measured. */
  repeats?(other: string): number;
  /** The most this worker can write in one reply. */
  maxOutputTokens?: number;
  /** Whether it sees images, where that is known. False: it is told that there are some, and not given them. */
  takesImages?: boolean;
  /** Whether it reads PDF files itself, where that is known. False: it is given their text. */
  takesPdf?: boolean;
  /** The longest input it takes, where that is published. */
  contextTokens?: number;
  /** Where it comes from, for people: "OPENAI_API_KEY", "tutti.config.yaml", "rehearsal (simulated)". */
  source?: string;
}

/** The workers a Conductor may choose from, numbered by position. Strongest-first order is not implied. */
export interface Pool {
  members: PoolMember[];
}
