// Anthropic Messages passed through: who speaks it, and what is read of a provider's reply.

import { isObject, toFields } from "../../../base/fields.ts";
import type { FinishReason, Usage } from "../../../worker/types.ts";
import { toCount } from "../../../worker/usage.ts";
import type { Fields } from "../../http/object-reader.ts";
import { bytesOf, toList, toText } from "../../relay/reply-fields.ts";
import type { RelayReader } from "../../relay/types.ts";
import { sse } from "../common.ts";
import { toMessagesError } from "./reply.ts";

/** Anthropic refuses requests that name no version. A client's own takes the place of this one. */
const ANTHROPIC_VERSION = "2023-06-01";

export const messagesRelay: RelayReader = {
  protocols: ["anthropic"],
  lengthField: () => "max_tokens",
  namesModel: true,
  pricedFields: {
    known: new Set([
      ...["model", "messages", "system", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences"],
      ...["stream", "tools", "tool_choice", "thinking", "metadata", "service_tier", "output_config"],
      ...["output_format", "context_management", "cache_control", "tutti"],
    ]),
    clientTools: /^(custom|(bash|text_editor|memory)_\d{8})$/,
  },
  toCredentials: (apiKey) => ({
    "anthropic-version": ANTHROPIC_VERSION,
    ...(apiKey && { "x-api-key": apiKey }),
  }),
  withoutOurs(raw, body) {
    if (!raw.includes('"thinking"') || !Array.isArray(body.messages)) return undefined;
    let hasOurs = false;
    const isOurs = (block: unknown) => isObject(block) && block.type === "thinking" && !block.signature;
    const messages = body.messages.map((message: unknown) => {
      if (!isObject(message) || !Array.isArray(message.content) || !message.content.some(isOurs))
        return message;
      hasOurs = true;
      return { ...message, content: message.content.filter((block) => !isOurs(block)) };
    });
    // A turn that was nothing but progress would be an empty one, which is refused too.
    const isEmpty = ({ content }: Fields) => Array.isArray(content) && content.length === 0;
    const said = messages.filter((message) => !isObject(message) || !isEmpty(message as Fields));
    return hasOurs ? { ...body, messages: said } : undefined;
  },
  toErrorEvent: (error) => sse(toMessagesError(error).body, "error"),
  // The input is counted at the start, the output at the end.
  isUsageWhole: ({ finishReason }) => finishReason !== undefined,
  read(event, known) {
    switch (event.type) {
      case "message": {
        const blocks = toList(event.content);
        const inputs = blocks.map(({ input }) => (input === undefined ? "" : JSON.stringify(input)));
        return {
          ...known,
          usage: toUsage(toFields(event.usage)),
          finishReason: toFinishReason(event.stop_reason) ?? known.finishReason,
          text: blocks.map(({ text }) => toText(text)).join(""),
          writtenBytes: bytesOf(...blocks.flatMap(({ text, thinking }) => [text, thinking]), ...inputs),
        };
      }
      case "message_start":
        return { ...known, usage: toUsage(toFields(toFields(event.message).usage)) };
      case "content_block_delta": {
        const { text, thinking, partial_json: json } = toFields(event.delta);
        const writtenBytes = known.writtenBytes + bytesOf(text, thinking, json);
        return { ...known, text: known.text + toText(text), writtenBytes };
      }
      case "message_delta":
        return {
          ...known,
          usage: toUsage(toFields(event.usage), known.usage),
          finishReason: toFinishReason(toFields(event.delta).stop_reason) ?? known.finishReason,
        };
      case "error":
        return { ...known, hasError: true };
      default:
        return known;
    }
  },
};

/** Anthropic counts cached input apart from `input_tokens`, and says some of it at the start only. */
function toUsage(usage: Fields, earlier?: Usage): Usage | undefined {
  if (usage.output_tokens === undefined && usage.input_tokens === undefined) return earlier;
  const cached = toCount(usage.cache_read_input_tokens ?? earlier?.cachedInputTokens);
  const written = toCount(usage.cache_creation_input_tokens ?? earlier?.cacheWriteTokens);
  const { ephemeral_1h_input_tokens: hour } = toFields(usage.cache_creation);
  const hourWrites = hour === undefined ? (earlier?.hourWriteTokens ?? 0) : toCount(hour);
  const fresh =
    usage.input_tokens !== undefined
      ? toCount(usage.input_tokens)
      : (earlier?.inputTokens ?? 0) - (earlier?.cachedInputTokens ?? 0) - (earlier?.cacheWriteTokens ?? 0);
  return {
    inputTokens: fresh + cached + written,
    outputTokens: toCount(usage.output_tokens ?? earlier?.outputTokens),
    cachedInputTokens: cached,
    reasoningTokens: 0,
    ...(written > 0 && { cacheWriteTokens: written }),
    ...(hourWrites > 0 && { hourWriteTokens: hourWrites }),
  };
}

function toFinishReason(reason: unknown): FinishReason | undefined {
  if (typeof reason !== "string") return undefined;
  if (reason === "end_turn" || reason === "stop_sequence") return "stop";
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "length";
  if (reason === "tool_use") return "tool-calls";
  return reason === "refusal" ? "content-filter" : "other";
}
