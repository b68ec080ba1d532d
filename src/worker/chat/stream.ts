// What a chat completions server sends → parts of a reply. Servers differ: usage in the last event or in all,
// tool calls in pieces or whole, an error in the middle, a whole JSON reply where a stream was asked for. What
// arrives is data of a stranger, so every field is looked at before it is used.

import { randomUUID } from "node:crypto";
import type {
  LanguageModelV3FinishReason,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
} from "@ai-sdk/provider";
import { createParser } from "eventsource-parser";
import { type Fields, isObject, toFields } from "../../base/fields.ts";
import { EndlessReply } from "../failure.ts";
import type { Usage } from "../types.ts";
import { toCount } from "../usage.ts";
import type { PartQueue } from "./call.ts";

export interface ChatStream {
  /** The reply is there, whole: what follows can only be the end of the body. */
  readonly isFinished: boolean;
  push(text: string): void;
  /** The body is over. Says how it ended where that is still open. */
  end(): void;
}

/** In characters, for one event and for a reply that is no stream: far more than any model writes. */
const MAX_BUFFERED = 16 * 1024 * 1024;
/** Calls of tools in one reply, for the same reason. */
const MAX_CALLS = 1_024;

/** `maxCharacters`: of the arguments of tools, which nobody else sees before they are whole. */
export function createChatStream(queue: PartQueue, maxCharacters = Number.POSITIVE_INFINITY): ChatStream {
  const toolCalls = createToolCalls();
  let finishReason: LanguageModelV3FinishReason | undefined;
  let usage: Fields | undefined;
  let isChat = false;
  let isStrange = false;
  let isFinished = false;
  /** Undefined until the first character says whether this is JSON instead of events. */
  let whole: string | undefined;
  let isEvents = false;

  const parser = createParser({
    maxBufferSize: MAX_BUFFERED,
    onEvent: ({ data, event }) => (data === "[DONE]" ? finish() : take(data, event === "error")),
    onError: ({ type }) => type === "max-buffer-size-exceeded" && refuse("AI_JSONParseError"),
  });

  /** The names are those of the AI SDK's errors, by which failure.ts knows what they mean. */
  function refuse(name: string): void {
    queue.add({ type: "error", error: Object.assign(new Error("not a chat stream"), { name }) });
    queue.end();
  }

  function take(data: string, isError = false): void {
    if (queue.isEnded) return;
    let chunk: Fields;
    try {
      chunk = toFields(JSON.parse(data));
    } catch {
      refuse("AI_JSONParseError");
      return;
    }
    const error = chunk.error ?? (isError || chunk.object === "error" ? chunk : undefined);
    if (error !== undefined) {
      queue.add({ type: "error", error });
      queue.end();
      return;
    }
    if (isObject(chunk.usage)) usage = chunk.usage;
    if (Array.isArray(chunk.choices)) takeChoice(toFields(chunk.choices[0]));
    // A sign of life, or another protocol altogether: how it ends will tell.
    else if (!usage) isStrange = true;
  }

  function takeChoice(choice: Fields): void {
    isChat = true;
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
      finishReason = toFinishReason(choice.finish_reason);
    const delta = choice.delta ?? choice.message;
    if (!isObject(delta)) return;
    const reasoning = delta.reasoning_content || delta.reasoning;
    if (typeof reasoning === "string") queue.addDelta("reasoning-delta", reasoning);
    if (typeof delta.content === "string") queue.addDelta("text-delta", delta.content);
    else if (Array.isArray(delta.content)) delta.content.forEach(takeContentPart);
    if (!Array.isArray(delta.tool_calls)) return;
    for (const call of delta.tool_calls.slice(0, MAX_CALLS + 1)) toolCalls.take(toFields(call));
    if (toolCalls.count > MAX_CALLS) refuse("AI_TypeValidationError");
    if (toolCalls.length() > maxCharacters) queue.end({ error: new EndlessReply() });
  }

  /** Mistral's reasoning models write parts instead of a string. */
  function takeContentPart(value: unknown): void {
    const part = toFields(value);
    if (part.type === "text" && typeof part.text === "string") queue.addDelta("text-delta", part.text);
    if (part.type !== "thinking" || !Array.isArray(part.thinking)) return;
    for (const thought of part.thinking) {
      const { text } = toFields(thought);
      if (typeof text === "string") queue.addDelta("reasoning-delta", text);
    }
  }

  function finish(): void {
    if (queue.isEnded) return;
    const calls = toolCalls.all();
    if (!finishReason || calls.some(({ toolName }) => toolName === "")) {
      refuse(isStrange && !isChat ? "AI_TypeValidationError" : "AI_InvalidResponseDataError");
      return;
    }
    for (const call of calls) queue.add(call);
    // Some servers say "stop" when they call a tool.
    const unified = calls.length > 0 && finishReason.unified === "stop" ? "tool-calls" : finishReason.unified;
    queue.add({ type: "finish", finishReason: { ...finishReason, unified }, usage: toUsage(usage) });
    queue.end();
    isFinished = true;
  }

  return {
    get isFinished() {
      return isFinished;
    },
    push(text) {
      if (queue.isEnded) return;
      if (isEvents) {
        parser.feed(text);
        return;
      }
      const start = (whole ?? "") + text;
      const first = whole ? "{" : start.trimStart()[0];
      if (first === "{") {
        whole = start;
        if (whole.length > MAX_BUFFERED) refuse("AI_JSONParseError");
      } else if (first !== undefined) {
        isEvents = true;
        parser.feed(start.trimStart());
      }
    },
    end() {
      if (whole !== undefined) {
        take(whole);
        // It is whole, or it would be no JSON.
        if (isChat) finishReason ??= { unified: "stop", raw: undefined };
      } else if (!queue.isEnded) parser.feed("\n\n");
      finish();
    },
  };
}

function toFinishReason(raw: string): LanguageModelV3FinishReason {
  if (raw === "stop" || raw === "length") return { unified: raw, raw };
  if (raw === "tool_calls" || raw === "function_call") return { unified: "tool-calls", raw };
  return { unified: raw === "content_filter" ? "content-filter" : "other", raw };
}

function toUsage(usage: Fields = {}): LanguageModelV3Usage {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = fromChatUsage(usage);
  const noCache = inputTokens - cachedInputTokens;
  const text = Math.max(0, outputTokens - reasoningTokens);
  return {
    inputTokens: { total: inputTokens, noCache, cacheRead: cachedInputTokens, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text, reasoning: reasoningTokens },
  };
}

// ---- Tool calls ----------------------------------------------------------------------------------

// Tool calls in a chat stream come in pieces, numbered by `index`; or whole, without index or id; or all under
// index 0.

interface Call {
  id: string;
  index: number | undefined;
  name: string;
  input: string;
}

interface ToolCalls {
  readonly count: number;
  take(piece: Fields): void;
  /** In characters. */
  length(): number;
  /** In their order; a name that never came is empty. */
  all(): LanguageModelV3ToolCall[];
}

const CALL_CHARACTERS = 64;

function createToolCalls(): ToolCalls {
  const calls: Call[] = [];
  let length = 0;

  function find(index: number | undefined, id: string, name: string): Call | undefined {
    if (index === undefined) {
      if (id !== "") return calls.findLast((call) => call.id === id);
      return name === "" ? calls.at(-1) : undefined;
    }
    const call = calls.findLast((call) => call.index === index);
    // Another id with a name is another call; another id alone is a server that makes up one for each piece.
    const isAnother = call && name !== "" && id !== "" && call.id !== "" && call.id !== id;
    return isAnother ? undefined : call;
  }

  return {
    get count() {
      return calls.length;
    },
    take(piece) {
      const details = (piece.function ?? {}) as Fields;
      const index = typeof piece.index === "number" ? piece.index : undefined;
      const id = toText(piece.id);
      const name = toText(details.name);
      let call = find(index, id, name);
      if (!call) {
        call = { id, index, name, input: "" };
        calls.push(call);
        // Searched for at every piece, so a call has its weight even without a word in it.
        length += CALL_CHARACTERS;
      }
      call.id ||= id;
      call.name ||= name;
      const input = toArguments(details.arguments);
      call.input += input;
      length += input.length;
    },
    length: () => length,
    all: () =>
      calls.map(({ id, name, input }) => ({
        type: "tool-call",
        toolCallId: id || `call_${randomUUID()}`,
        toolName: name,
        input,
      })),
  };
}

/** Some local servers send the object itself. */
function toArguments(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : toText(value);
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

// ---- Usage ---------------------------------------------------------------------------------------

// What a chat completion took, as its provider reports it, true or not (usage.ts); the relay reads it too.

export function fromChatUsage(usage: Fields): Usage {
  const input = toCount(usage.prompt_tokens);
  const details = toFields(usage.prompt_tokens_details);
  return {
    inputTokens: input,
    // Some providers leave reasoning out of the completion and count it in the total only.
    outputTokens: Math.max(toCount(usage.completion_tokens), toCount(usage.total_tokens) - input),
    cachedInputTokens: toCount(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
    reasoningTokens: toCount(toFields(usage.completion_tokens_details).reasoning_tokens),
  };
}
