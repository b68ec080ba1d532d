// What a provider's own JSON says, in the three dialects that are relayed: usage, why it stopped, the text.
// Read by shape: a field that is missing or odd is no reason to fail, the bytes have long been sent on.

import type { DialectName } from "../../store/types.ts";
import { fromChatUsage, isObject, toCount, toFields } from "../../worker/chat/usage.ts";
import type { FinishReason, Usage } from "../../worker/types.ts";

type Fields = Record<string, unknown>;

/** What is known of the reply so far; each event may add to it. */
export interface ReplyFields {
  usage?: Usage;
  finishReason?: FinishReason;
  /** Of the answer. */
  text: string;
  /** Bytes of all that was written (answer, reasoning, arguments of tools), where its tokens are not reported. */
  writtenBytes: number;
  hasError: boolean;
}

export function readEvent(dialect: DialectName, event: unknown, known: ReplyFields): ReplyFields {
  return READERS[dialect](toFields(event), known);
}

const READERS: Record<DialectName, (event: Fields, known: ReplyFields) => ReplyFields> = {
  // A completion and its chunks differ in one name: `message` or `delta`.
  chat(event, known) {
    const { usage: reported, choices, error } = event;
    const isReported = isObject(reported) && typeof reported.prompt_tokens === "number";
    let { finishReason, text, writtenBytes } = known;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice)) continue;
      const message = toFields(choice.message ?? choice.delta);
      if ((choice.index ?? 0) === 0) {
        text += toText(message.content);
        if (typeof choice.finish_reason === "string") finishReason = fromChat(choice.finish_reason);
      }
      if (!isReported) writtenBytes += writtenIn(message);
    }
    return {
      usage: isReported ? fromChatUsage(reported) : known.usage,
      finishReason,
      text,
      writtenBytes,
      hasError: known.hasError || isObject(error),
    };
  },

  responses(event, known) {
    const { type } = event;
    if (type === undefined) return readResponse(event, known);
    if (type === "response.completed" || type === "response.incomplete" || type === "response.failed") {
      const { usage, finishReason, hasError } = readResponse(toFields(event.response), known);
      return { ...known, usage, finishReason, hasError };
    }
    if (type === "error") return { ...known, hasError: true };
    const text = type === "response.output_text.delta" ? known.text + toText(event.delta) : known.text;
    return { ...known, text, writtenBytes: known.writtenBytes + bytesOf(event.delta) };
  },

  messages(event, known) {
    switch (event.type) {
      case "message":
        return readMessage(event, known);
      case "message_start":
        return { ...known, usage: fromMessagesUsage(toFields(toFields(event.message).usage)) };
      case "content_block_delta": {
        const { text, thinking, partial_json: json } = toFields(event.delta);
        const writtenBytes = known.writtenBytes + bytesOf(text, thinking, json);
        return { ...known, text: known.text + toText(text), writtenBytes };
      }
      case "message_delta": {
        const { stop_reason: reason } = toFields(event.delta);
        const usage = fromMessagesUsage(toFields(event.usage), known.usage);
        return { ...known, usage, ...(typeof reason === "string" && { finishReason: fromMessages(reason) }) };
      }
      case "error":
        return { ...known, hasError: true };
      default:
        return known;
    }
  },
};

function writtenIn(message: Fields): number {
  const calls = toList(message.tool_calls).map(({ function: call }) => toText(toFields(call).arguments));
  const { content, reasoning_content: thoughts, reasoning, refusal } = message;
  return bytesOf(content, thoughts ?? reasoning, refusal, ...calls);
}

function readResponse(response: Fields, known: ReplyFields): ReplyFields {
  const output = toList(response.output);
  const parts = output.flatMap(({ content }) => toList(content));
  const texts = parts.map(({ text }) => text);
  const usage = toFields(response.usage);
  const cut = toFields(response.incomplete_details).reason;
  const hasCalls = output.some(({ type }) => type === "function_call" || type === "custom_tool_call");
  const whole = hasCalls ? "tool-calls" : "stop";
  const finishReason =
    response.status === "completed"
      ? whole
      : response.status === "incomplete"
        ? cut === "max_output_tokens"
          ? "length"
          : cut === "content_filter"
            ? "content-filter"
            : "other"
        : known.finishReason;
  return {
    ...(typeof usage.input_tokens === "number" && { usage: fromResponsesUsage(usage) }),
    ...(finishReason && { finishReason }),
    text: texts.map(toText).join(""),
    writtenBytes: bytesOf(...texts, ...output.map((item) => item.arguments)),
    hasError: known.hasError || isObject(response.error),
  };
}

function readMessage(message: Fields, known: ReplyFields): ReplyFields {
  const blocks = toList(message.content);
  const inputs = blocks.map(({ input }) => (input === undefined ? "" : JSON.stringify(input)));
  return {
    ...known,
    usage: fromMessagesUsage(toFields(message.usage)),
    ...(typeof message.stop_reason === "string" && { finishReason: fromMessages(message.stop_reason) }),
    text: blocks.map(({ text }) => toText(text)).join(""),
    writtenBytes: bytesOf(...blocks.flatMap(({ text, thinking }) => [text, thinking]), ...inputs),
  };
}

// ---- Usage ------------------------------------------------------------------------------------

function fromResponsesUsage(usage: Fields): Usage {
  return {
    inputTokens: toCount(usage.input_tokens),
    outputTokens: toCount(usage.output_tokens),
    cachedInputTokens: toCount(toFields(usage.input_tokens_details).cached_tokens),
    reasoningTokens: toCount(toFields(usage.output_tokens_details).reasoning_tokens),
  };
}

/** Anthropic counts cached input apart from `input_tokens`, and says some of it at the start only. */
function fromMessagesUsage(usage: Fields, earlier?: Usage): Usage | undefined {
  if (typeof usage.output_tokens !== "number" && typeof usage.input_tokens !== "number") return earlier;
  const cached = toCount(usage.cache_read_input_tokens ?? earlier?.cachedInputTokens);
  const written = toCount(usage.cache_creation_input_tokens ?? earlier?.cacheWriteTokens);
  const fresh =
    typeof usage.input_tokens === "number"
      ? toCount(usage.input_tokens)
      : (earlier?.inputTokens ?? 0) - (earlier?.cachedInputTokens ?? 0) - (earlier?.cacheWriteTokens ?? 0);
  return {
    inputTokens: fresh + cached + written,
    outputTokens: toCount(usage.output_tokens ?? earlier?.outputTokens),
    cachedInputTokens: cached,
    reasoningTokens: 0,
    ...(written > 0 && { cacheWriteTokens: written }),
  };
}

// ---- Why it stopped ---------------------------------------------------------------------------

function fromChat(reason: string): FinishReason {
  if (reason === "stop" || reason === "length") return reason;
  if (reason === "tool_calls" || reason === "function_call") return "tool-calls";
  return reason === "content_filter" ? "content-filter" : "other";
}

function fromMessages(reason: string): FinishReason {
  if (reason === "end_turn" || reason === "stop_sequence") return "stop";
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  if (reason === "tool_use") return "tool-calls";
  return reason === "refusal" ? "content-filter" : "other";
}

// ---- Shapes -----------------------------------------------------------------------------------

function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function bytesOf(...values: unknown[]): number {
  return values.reduce((sum: number, value) => sum + Buffer.byteLength(toText(value)), 0);
}
