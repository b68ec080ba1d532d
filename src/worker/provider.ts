// A model of a provider as a worker. Any AI SDK model object will do; it is used at the `doStream`
// level, because `generateText` costs milliseconds and hides how a stream ended. What each package does
// when a stream breaks differs (an error part, a made-up finish, silence), and all of it ends here as
// one `TuttiError`. The caller's signal, and a caller that stops reading, close the socket upstream.

import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { type TuttiError, usageError } from "../base/errors.ts";
import { isObject } from "../base/fields.ts";
import { type CallDefaults, toCallOptions } from "./call-options.ts";
import { badResponse, streamCut, toWorkerError } from "./failure.ts";
import { toIgnoredSettings } from "./ignored-settings.ts";
import { createReplyLimit } from "./reply-limit.ts";
import { createStopFilter, type StopFilter } from "./stop.ts";
import type { KnownModel } from "./think-options.ts";
import { createThinkingFilter, isKnownToThink, type Thought } from "./thinking.ts";
import type {
  FinishReason,
  ProviderMetadata,
  ReasoningPart,
  Usage,
  Worker,
  WorkerEvent,
  WorkerRequest,
} from "./types.ts";
import { acceptUsage, toCount } from "./usage.ts";

/** A V2 object (AI SDK 5) differs only in its finish part. */
export type ModelObject = LanguageModelV3 | LanguageModelV2;

/** As much of a model object as is used here. */
export interface StreamingModel
  extends Pick<LanguageModelV3, "specificationVersion" | "provider" | "modelId" | "supportedUrls"> {
  doStream(options: LanguageModelV3CallOptions): PromiseLike<ReplyStream>;
  /** See `Worker.countInput`. */
  countInput?(options: LanguageModelV3CallOptions): Promise<number | undefined>;
}

export interface ReplyStream {
  stream: { getReader(): PartReader };
  response?: { headers?: Record<string, string> };
}

type PartReader = Pick<ReadableStreamDefaultReader<LanguageModelV3StreamPart>, "read">;

export interface ModelWorkerOptions {
  /** Used where the request does not say. */
  temperature?: number;
  /** See `CallDefaults`. */
  known?: KnownModel;
  /** See `CallDefaults`. */
  takesImages?: boolean;
  takesPdf?: boolean;
  /** Its thinking is in tags or no text at all, or has a closing tag alone. Absent: found out from its first reply. */
  thinking?: "tagged" | "unopened";
  /** Its protocol has a way to count the input of a request. */
  countsInput?: boolean;
  /** A failure in better words, where more is known about it. */
  explain?: (failure: TuttiError) => Promise<TuttiError>;
  /** Passed to the provider's package as they are, under the provider's name. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

type FinishPart =
  | Extract<LanguageModelV3StreamPart, { type: "finish" }>
  | { type: "finish"; finishReason: string; usage: Record<string, number | undefined> };

/** `model` may be a function, so that a provider's package is loaded at the first ask and not before. */
export function createModelWorker(
  id: string,
  model: ModelObject | (() => Promise<ModelObject | StreamingModel>),
  options: ModelWorkerOptions = {},
): Worker {
  if (typeof model !== "function") checkVersion(id, model);
  const habits: ThinkingHabits = {
    isUnopened: options.thinking ? options.thinking === "unopened" : isKnownToThink(id) || undefined,
  };
  async function load(): Promise<StreamingModel> {
    const loaded = typeof model === "function" ? await model() : model;
    checkVersion(id, loaded);
    // The two versions share the options and all parts that are read here but `finish`.
    return loaded as StreamingModel;
  }
  /** The same for every request to the same model: what was written by them before is known by them. */
  const defaults = new WeakMap<StreamingModel, CallDefaults>();
  async function write(request: WorkerRequest, loaded: StreamingModel): Promise<LanguageModelV3CallOptions> {
    let own = defaults.get(loaded);
    own ??= { ...(options as object), workerId: id, supportedUrls: await loaded.supportedUrls };
    defaults.set(loaded, own);
    return toCallOptions(request, own);
  }
  const countInput: Worker["countInput"] = async (request, signal) => {
    const loaded = await load();
    return loaded.countInput?.({ ...(await write(request, loaded)), abortSignal: signal });
  };
  return {
    id,
    kind: "model",
    ...(options.countsInput && { countInput }),
    async *ask(request, signal) {
      const upstream = new AbortController();
      const stop = () => upstream.abort(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const context = { workerId: id, isAborted: false, isStreaming: false };
      try {
        const unlessAborted = createAbortRace(upstream.signal);
        const loaded = await unlessAborted(load());
        const callOptions = await write(request, loaded);
        const call = loaded.doStream({ ...callOptions, abortSignal: upstream.signal });
        const { stream, response } = await unlessAborted(call);
        context.isStreaming = true;
        const reader = stream.getReader();
        const read = () => unlessAborted(reader.read());
        const contentType = response?.headers?.["content-type"];
        yield* toWorkerEvents(id, read, request, { habits, known: options.known, contentType });
      } catch (error) {
        context.isAborted = signal.aborted;
        const failure = toWorkerError(error, context);
        throw context.isAborted ? failure : ((await options.explain?.(failure)) ?? failure);
      } finally {
        signal.removeEventListener("abort", stop);
        upstream.abort(NOBODY_READS);
      }
    },
  };
}

/** What is known of how a worker thinks; learned from its replies. */
interface ThinkingHabits {
  /** Its thinking begins without an opening tag. Undefined before its first reply. */
  isUnopened: boolean | undefined;
}

interface StreamContext {
  habits: ThinkingHabits;
  known: KnownModel | undefined;
  contentType: string | undefined;
}

async function* toWorkerEvents(
  id: string,
  read: PartReader["read"],
  request: WorkerRequest,
  { habits, known, contentType = "" }: StreamContext,
): AsyncGenerator<WorkerEvent> {
  const keepsBack = habits.isUnopened ?? (request.isFinal ? "unsure" : false);
  const thinking = request.keepsThinking ? undefined : createThinkingFilter(keepsBack);
  const filter = request.stop?.length ? createStopFilter(request.stop) : undefined;
  const midStream = { workerId: id, isAborted: false, isStreaming: true };
  const limit = createReplyLimit(id, request.maxOutputTokens);
  const reasoning = createReasoningParts();
  const behind = { characters: 0, calls: 0 };
  const say = (thoughts: readonly Thought[]) => {
    const events = [...toEvents(thoughts, filter)];
    for (const event of events) {
      if (event.type === "text-delta") behind.characters += event.text.length;
      else if (event.type === "text-withdrawn") behind.characters = 0;
    }
    return events;
  };
  let ignored = toIgnoredSettings([], request, known);
  let isAnswering = false;
  const brokenOff = () =>
    isAnswering || contentType.includes("event-stream")
      ? streamCut(id)
      : badResponse(id, `it sent ${contentType || "something unnamed"} instead of an event stream`);

  while (true) {
    const { done, value: part } = await read();
    if (done) throw brokenOff();
    limit.add("delta" in part ? part.delta.length : 0);
    switch (part.type) {
      case "stream-start":
        ignored = toIgnoredSettings(part.warnings, request, known);
        break;
      case "text-delta": {
        isAnswering = true;
        const thoughts = thinking?.push(part.delta) ?? [{ type: "text" as const, text: part.delta }];
        yield* say(thoughts);
        // Nothing to show yet, but it is not silent either.
        if (thoughts.length === 0) yield { type: "reasoning-delta", text: "" };
        break;
      }
      case "reasoning-start":
      case "reasoning-end":
        reasoning.add(part.id, "", part.providerMetadata, behind);
        break;
      case "reasoning-delta":
        isAnswering = true;
        thinking?.trust();
        reasoning.add(part.id, part.delta, part.providerMetadata, behind);
        if (part.delta !== "" && !filter?.stopped) yield { type: "reasoning-delta", text: part.delta };
        break;
      case "tool-call":
        isAnswering = true;
        // Tools that the provider runs itself are its own affair.
        if (part.providerExecuted || filter?.stopped) break;
        behind.calls += 1;
        yield {
          type: "tool-call",
          id: part.toolCallId,
          name: part.toolName,
          input: part.input,
          metadata: part.providerMetadata,
        };
        break;
      case "error":
        // The body ended without a finish reason.
        if ((part.error as Error)?.name === "AI_InvalidResponseDataError") throw brokenOff();
        throw toWorkerError(part.error, midStream);
      case "finish": {
        const reason = toFinishReason(part);
        if (reason === "cut") throw brokenOff();
        if (reason === "error") throw toWorkerError({ message: "it gave no reason" }, midStream);
        if (thinking) yield* say(thinking.end());
        if (thinking?.sawUnopened) habits.isUnopened = true;
        else if (thinking) habits.isUnopened ??= false;
        const rest = filter?.end() ?? "";
        if (rest !== "") yield { type: "text-delta", text: rest };
        for (const thought of reasoning.parts()) yield { type: "reasoning-part", ...thought };
        const usage = acceptUsage(id, toUsage(part), request.maxOutputTokens);
        const stopSequence = filter?.stoppedBy ?? stoppedByProvider(part, request);
        const ended = filter?.stopped ? "stop" : reason;
        yield { type: "finish", usage, reason: ended, stopSequence, ...(ignored.length > 0 && { ignored }) };
        return;
      }
    }
  }
}

/** Anthropic says which of the sequences it was; others do not. */
function stoppedByProvider(part: FinishPart, { stop = [] }: WorkerRequest): string | undefined {
  const metadata = "providerMetadata" in part ? part.providerMetadata : undefined;
  const named = metadata?.anthropic?.stopSequence;
  return stop.find((sequence) => sequence === named);
}

type Place = NonNullable<ReasoningPart["behind"]>;

/** Thoughts of a reply, each with all that its provider said of it: a signature comes last, an id first. */
function createReasoningParts() {
  const parts = new Map<string, ReasoningPart>();
  return {
    /** `behind`: how far the reply is. What begins it needs no place. */
    add(id: string, text: string, metadata: ProviderMetadata | undefined, behind: Place): void {
      const isFirst = behind.characters === 0 && behind.calls === 0;
      const known = parts.get(id) ?? { text: "", behind: isFirst ? undefined : { ...behind } };
      parts.set(id, {
        ...known,
        text: known.text + text,
        metadata: metadata ? mergeMetadata(known.metadata, metadata) : known.metadata,
      });
    },
    /** One without a word and without a signature is nothing to hand back. */
    parts: () => [...parts.values()].filter(({ text, metadata }) => text !== "" || metadata !== undefined),
  };
}

function mergeMetadata(known: ProviderMetadata = {}, more: ProviderMetadata): ProviderMetadata {
  const merged = { ...known };
  for (const [provider, fields] of Object.entries(more))
    merged[provider] = { ...merged[provider], ...fields };
  return merged;
}

/** Stop sequences are looked for in what is said, not in what was thought. */
function* toEvents(thoughts: readonly Thought[], filter: StopFilter | undefined): Generator<WorkerEvent> {
  for (const thought of thoughts) {
    if (thought.type === "withdrawn") yield { type: "text-withdrawn" };
    else if (thought.type === "held") yield { type: "text-held", text: thought.text };
    else if (thought.type === "reasoning") {
      if (!filter?.stopped) yield { type: "reasoning-delta", text: thought.text };
    } else {
      const text = filter ? filter.push(thought.text) : thought.text;
      if (text !== "") yield { type: "text-delta", text };
    }
  }
}

/**
 * OpenAI's and Google's packages make up a finish when the body just ends: "other" without a word from
 * the provider ("unknown" in V2). A reason that the provider gave always has its raw form or a better name.
 */
function toFinishReason({ finishReason }: FinishPart): FinishReason | "error" | "cut" {
  if (typeof finishReason !== "string") {
    return finishReason.unified === "other" && finishReason.raw === undefined ? "cut" : finishReason.unified;
  }
  return finishReason === "unknown" ? "cut" : (finishReason as FinishReason | "error");
}

/** Zero where the provider did not say: no real call has zero input. */
function toUsage({ usage }: FinishPart): Usage {
  const { inputTokens: input, outputTokens: output } = usage;
  if (typeof input === "object" && typeof output === "object") {
    return {
      inputTokens: toCount(input.total),
      outputTokens: toCount(output.total),
      cachedInputTokens: toCount(input.cacheRead),
      reasoningTokens: toCount(output.reasoning),
      ...(input.cacheWrite && { cacheWriteTokens: input.cacheWrite }),
      ...toHourWrites(usage),
    };
  }
  const { cachedInputTokens, reasoningTokens } = usage as Record<string, number | undefined>;
  return {
    inputTokens: toCount(input),
    outputTokens: toCount(output),
    cachedInputTokens: toCount(cachedInputTokens),
    reasoningTokens: toCount(reasoningTokens),
  };
}

/** Anthropic says apart what was written for an hour; its package hands that on as it came. */
function toHourWrites({ raw }: { raw?: unknown }): Pick<Usage, "hourWriteTokens"> {
  const written = isObject(raw) ? raw.cache_creation : undefined;
  const count = isObject(written) ? toCount(written.ephemeral_1h_input_tokens) : 0;
  return count > 0 ? { hourWriteTokens: count } : {};
}

/** Made once: an error of its own, with its stack, would cost each request more than reading an event. */
const NOBODY_READS = new Error("nobody reads the rest");

/**
 * A model that ignores its signal must not hold us up. One at a time; `Promise.race` would leave something
 * behind on the signal's promise for each part of a long reply.
 */
function createAbortRace(signal: AbortSignal): <T>(promise: PromiseLike<T>) => Promise<T> {
  let reject: (reason: unknown) => void = () => {};
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return (promise) =>
    new Promise((resolve, rejectThis) => {
      promise.then(resolve, rejectThis);
      reject = rejectThis;
      if (signal.aborted) reject(signal.reason);
    });
}

function checkVersion(id: string, model: ModelObject | StreamingModel): void {
  const version: unknown = model?.specificationVersion;
  if (version === "v3" || version === "v2") return;
  throw usageError(
    `Worker "${id}" needs an AI SDK model object of version "v3" or "v2" (AI SDK 6 or 5), not ${JSON.stringify(version) ?? "something without a version"}.`,
  );
}
