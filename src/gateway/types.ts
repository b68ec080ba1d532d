// The types of the gateway. A dialect (OpenAI chat, OpenAI responses, Anthropic messages) reads a body into
// a GatewayRequest and writes an outcome back, whole or streamed; everything between the two is the same for
// all of them and knows no dialect.

import type { TuttiError } from "../base/errors.ts";
import type { StopReason } from "../store/types.ts";
import type { FinishReason, Message, SettingName, Task, ToolCall } from "../worker/types.ts";
import type { GatewayContext } from "./context.ts";
import type { Visit } from "./http/route.ts";
import type { RelayReader } from "./relay/types.ts";

/** How hard the client wants the team to try: it becomes rounds and budget (models.ts). */
export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** A request in our words. */
export interface GatewayRequest {
  /** As it was asked for: "tutti", "tutti-ultra", "openai/gpt-6-sol". */
  model: string;
  /** The conversation, and what the client wants of the answer (`output`). */
  task: Task;
  isStream: boolean;
  seed?: number;
  effort?: Effort;
  /** The client's own tags, for the bill. */
  user?: string;
  metadata?: Record<string, string>;
  /** False: the content is deleted when the run is over. */
  isStored: boolean;
  /** The client does not wait: it asks for the result later. */
  isBackground: boolean;
  /** The conversation goes on from this reply of the same dialect. */
  previousReplyId?: string;
  /** The client reads what the team is doing while it waits. */
  showsProgress: boolean;
  /** Fields of the request that its reply repeats, in the dialect's own words. Journaled with the run. */
  echo: Record<string, unknown>;
}

/**
 * Tokens of a reply. `input` and `output` are those of the step that wrote the answer, and the total is their sum: agents
 * take it for the length of the conversation and compact by it. Everything else that the team and its Conductor took is
 * orchestration, under Fugu's names, and stands beside.
 */
export interface GatewayUsage {
  inputTokens: number;
  /** ⊂ inputTokens */
  cachedInputTokens: number;
  /** ⊂ inputTokens: what was put into a cache, where its provider bills that at a price of its own. */
  cacheWriteInputTokens: number;
  outputTokens: number;
  /** ⊂ outputTokens */
  reasoningTokens: number;
  orchestrationInputTokens: number;
  /** ⊂ orchestrationInputTokens */
  orchestrationCachedInputTokens: number;
  orchestrationOutputTokens: number;
  /** inputTokens + outputTokens */
  totalTokens: number;
}

/** What is known of a reply before there is any. */
export interface ReplyHead {
  /** In the dialect's form: "chatcmpl-…", "resp_…", "msg_…". */
  id: string;
  runId: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  /** The number of the last event that its reader has seen; absent: none. */
  startingAfter?: number;
  request: Pick<GatewayRequest, "model" | "showsProgress" | "isBackground" | "echo">;
}

/** A reply that is complete: an answer, or calls of the client's tools, or both. */
export interface ReplyOutcome {
  head: ReplyHead;
  text: string;
  /** With ids of ours, by which the run is found again. */
  toolCalls: ToolCall[];
  finishReason: FinishReason;
  /** Of the client's own stop sequences the one that ended it, where the worker says so. */
  stopSequence?: string;
  /** Why the run ended: a limit is a result, the text is then the best answer so far. */
  stopReason: StopReason;
  usage: GatewayUsage;
  costUsd: number;
  /** What caches of providers saved, beside `costUsd`. Below 0 where writing into them took more. */
  cacheSavedUsd: number;
  isSimulated: boolean;
  calls: number;
  completedAt: number;
  /** One line for each thing that happened, as it was streamed. Empty where nobody wanted to read it. */
  progress: string[];
  /** What its provider does not have of what the client has set. */
  ignored?: SettingName[];
  /** It is the answer of an earlier run to the same request. */
  isCached?: true;
}

/** The part of a reply's body that no dialect has: cost, the run, why it ended. Beside the dialect's own fields. */
export interface TuttiFields {
  run_id: string;
  cost_usd: number;
  calls: number;
  stop_reason: StopReason;
  /** What caches of providers saved, less what writing into them took more. Absent where it is nothing. */
  cache_saved_usd?: number;
  /** Present, and true, where workers of the rehearsal took part: not real money, not a real model. */
  simulated?: true;
  /** Present, and true, where this is the answer of an earlier run, `run_id`, to the same request. */
  cached_response?: true;
  /** What of the request was not followed: names of fields, "tools: web_search". Absent where all of it was. */
  ignored?: string[];
}

/**
 * Writes one reply as server-sent events. The order of calls (dialect/open-stream.ts sees to it): begin, lines of
 * progress, pieces of the answer, then end or fail, once. Each returns the bytes as text, "" for nothing.
 */
export interface StreamEncoder {
  begin(): string;
  /** A line that says what is happening, without a line end. Not called where progress is off. */
  progress(line: string): string;
  /** A piece of the answer. */
  text(delta: string): string;
  /** All text and progress of the outcome has been written. */
  end(outcome: ReplyOutcome): string;
  /** After begin: the status is out, so the error is an event of the stream. */
  fail(error: TuttiError): string;
  /** Sent in silence, so that nobody on the way closes the connection. */
  keepAlive(): string;
}

/** Reads a request header, by its name in lower case. */
export type HeaderReader = (name: string) => string | undefined;

/** Serves one route (app.ts). What it throws becomes an error in the dialect's shape. */
export type Handler = (context: GatewayContext, visit: Visit) => Promise<void>;

/** Whoever has a key (without any: whoever reaches the gateway, which is its own machine), an admin, or anybody. */
export type RouteAccess = "key" | "admin" | "open";

export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** `:id` is one part of the address, `*id` all of the rest. */
  path: string;
  serve: Handler;
  /** By default "key". */
  access?: RouteAccess;
}

/** A model as `GET /v1/models` lists it. */
export interface ListedModel {
  id: string;
  ownedBy: string;
  isSimulated?: boolean;
  /** Milliseconds since 1970. */
  createdAt: number;
}

/** The bodies of `GET /v1/models` and `GET /v1/models/{id}`. */
export interface ModelListing {
  toList(entries: ListedModel[]): object;
  toModel(entry: ListedModel): object;
}

/**
 * One way of speaking to the gateway, and everything that is special about it: a dialect is a folder and a line in
 * dialect/dialects.ts. Nobody else asks for its name. Pure, but for `expandBody` and `routes`.
 */
export interface Dialect {
  /** Journaled with each run, so it never changes. */
  readonly name: string;
  /** Where it is asked, here and at providers, behind the version: "/chat/completions". */
  readonly path: string;
  /** Whatever else its clients ask for. */
  readonly routes?: readonly Route[];
  /** What the ids of its replies begin with (runs/turns.ts). */
  readonly replyIdPrefix: string;
  /** Where its clients look for the id of a request, beside `x-request-id`. */
  readonly requestIdHeader?: string;
  /** How it is passed through. Absent: it never is, every request becomes a run. */
  readonly relay?: RelayReader;

  /** Completes a body that names what is kept here, before it is parsed. */
  expandBody?(context: GatewayContext, visit: Visit, body: Record<string, unknown>): Promise<typeof body>;
  /** Throws TuttiError "bad-request" (400, with `param` where one field is to blame) for what the dialect refuses. */
  parseRequest(body: Record<string, unknown>, header: HeaderReader): GatewayRequest;
  /** Of the messages of a request, those that a later one goes on from. Absent: all of them. */
  toCarriedOver?(messages: Message[], echo: Record<string, unknown>): Message[];
  toReply(outcome: ReplyOutcome): object;
  /** The reply to a request in the background. Absent: the dialect has none. */
  toQueuedReply?(head: ReplyHead): object;
  createStream(head: ReplyHead): StreamEncoder;
  /** An error as the body of a response, with the status that the dialect's own clients expect. */
  toError(error: TuttiError): { status: number; body: object };
  /** The list of models for requests with this header. Absent: as OpenAI writes it. */
  readonly models?: ModelListing & { readonly header: string };
}
