// A model of a provider as a worker. Any AI SDK model object will do; it is used at the `doStream`
// level, because `generateText` costs milliseconds and hides how a stream ended. What each package does
// when a stream breaks differs (an error part, a made-up finish, silence), and all of it ends here as
// one `TuttiError`. The caller's signal, and a caller that stops reading, close the socket upstream.

import type { LanguageModelV2, LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { TuttiError } from "../errors.ts";
import { toCallOptions } from "./call-options.ts";
import { badResponse, streamCut, toWorkerError } from "./failure.ts";
import { createStopFilter } from "./stop.ts";
import type { FinishReason, Usage, Worker, WorkerEvent, WorkerRequest } from "./types.ts";

/** A V2 object (AI SDK 5) differs only in its finish part. */
export type ModelObject = LanguageModelV3 | LanguageModelV2;

export interface ModelWorkerOptions {
  /** Used where the request does not say. */
  temperature?: number;
  /** Passed to the provider's package as they are, under the provider's name. */
  providerOptions?: Record<string, Record<string, unknown>>;
}

type FinishPart =
  | Extract<LanguageModelV3StreamPart, { type: "finish" }>
  | { type: "finish"; finishReason: string; usage: Record<string, number | undefined> };

/** `model` may be a function, so that a provider's package is loaded at the first ask and not before. */
export function createModelWorker(
  id: string,
  model: ModelObject | (() => Promise<ModelObject>),
  options: ModelWorkerOptions = {},
): Worker {
  if (typeof model !== "function") checkVersion(id, model);
  return {
    id,
    kind: "model",
    async *ask(request, signal) {
      const upstream = new AbortController();
      const stop = () => upstream.abort(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const context = { workerId: id, isAborted: false, isStreaming: false };
      try {
        const aborted = rejectOnAbort(upstream.signal);
        const loaded = typeof model === "function" ? await Promise.race([model(), aborted]) : model;
        checkVersion(id, loaded);
        const callOptions = toCallOptions(request, {
          ...(options as object),
          workerId: id,
          supportedUrls: await loaded.supportedUrls,
        });
        // The two versions share the options and all parts that are read here but `finish`.
        const { doStream } = loaded as LanguageModelV3;
        const call = doStream.call(loaded as LanguageModelV3, {
          ...callOptions,
          abortSignal: upstream.signal,
        });
        const { stream, response } = await Promise.race([call, aborted]);
        context.isStreaming = true;
        yield* toWorkerEvents(id, stream.getReader(), request, aborted, response?.headers?.["content-type"]);
      } catch (error) {
        context.isAborted = signal.aborted;
        throw toWorkerError(error, context);
      } finally {
        signal.removeEventListener("abort", stop);
        upstream.abort();
      }
    },
  };
}

async function* toWorkerEvents(
  id: string,
  reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>,
  request: WorkerRequest,
  aborted: Promise<never>,
  contentType = "",
): AsyncGenerator<WorkerEvent> {
  const filter = request.stop?.length ? createStopFilter(request.stop) : undefined;
  let isAnswering = false;
  const brokenOff = () =>
    isAnswering || contentType.includes("event-stream")
      ? streamCut(id)
      : badResponse(id, `it sent ${contentType || "something unnamed"} instead of an event stream`);

  while (true) {
    const { done, value: part } = await Promise.race([reader.read(), aborted]);
    if (done) throw brokenOff();
    switch (part.type) {
      case "text-delta": {
        isAnswering = true;
        const text = filter ? filter.push(part.delta) : part.delta;
        if (text !== "") yield { type: "text-delta", text };
        break;
      }
      case "reasoning-delta":
        isAnswering = true;
        if (part.delta !== "" && !filter?.stopped) yield { type: "reasoning-delta", text: part.delta };
        break;
      case "tool-call":
        isAnswering = true;
        // Tools that the provider runs itself are its own affair.
        if (part.providerExecuted || filter?.stopped) break;
        yield { type: "tool-call", id: part.toolCallId, name: part.toolName, input: part.input };
        break;
      case "error":
        // openai-compatible's way to say that the body ended without a finish reason.
        if ((part.error as Error)?.name === "AI_InvalidResponseDataError") throw brokenOff();
        throw toWorkerError(part.error, { workerId: id, isAborted: false, isStreaming: true });
      case "finish": {
        const reason = toFinishReason(part);
        if (reason === "cut") throw brokenOff();
        if (reason === "error") throw toWorkerError({ message: "it gave no reason" }, midStream(id));
        const rest = filter?.end() ?? "";
        if (rest !== "") yield { type: "text-delta", text: rest };
        yield { type: "finish", usage: toUsage(part), reason: filter?.stopped ? "stop" : reason };
        return;
      }
    }
  }
}

function midStream(workerId: string) {
  return { workerId, isAborted: false, isStreaming: true };
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
  if (typeof usage.inputTokens !== "object") {
    const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage as Record<
      string,
      number | undefined
    >;
    return {
      inputTokens: inputTokens ?? 0,
      outputTokens: outputTokens ?? 0,
      cachedInputTokens: cachedInputTokens ?? 0,
      reasoningTokens: reasoningTokens ?? 0,
    };
  }
  const { inputTokens, outputTokens } = usage as Extract<
    LanguageModelV3StreamPart,
    { type: "finish" }
  >["usage"];
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    cachedInputTokens: inputTokens.cacheRead ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
    ...(inputTokens.cacheWrite ? { cacheWriteTokens: inputTokens.cacheWrite } : {}),
  };
}

/** A model that ignores its signal must not hold us up. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => {});
  return aborted;
}

function checkVersion(id: string, model: ModelObject): void {
  const version: unknown = model?.specificationVersion;
  if (version === "v3" || version === "v2") return;
  throw new TuttiError(
    "usage",
    `Worker "${id}" needs an AI SDK model object of version "v3" or "v2" (AI SDK 6 or 5), not ${JSON.stringify(version) ?? "something without a version"}.`,
    { status: 400 },
  );
}
