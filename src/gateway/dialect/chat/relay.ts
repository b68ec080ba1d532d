// Chat Completions passed through: who speaks it, and what is read of a provider's reply.

import { isObject, toFields } from "../../../base/fields.ts";
import { fromChatUsage } from "../../../worker/chat/stream.ts";
import type { FinishReason } from "../../../worker/types.ts";
import type { Fields } from "../../http/object-reader.ts";
import { bytesOf, toList, toText } from "../../relay/reply-fields.ts";
import type { RelayReader } from "../../relay/types.ts";
import { sse } from "../common.ts";
import { toOpenAIError } from "../openai-error.ts";

export const chatRelay: RelayReader = {
  protocols: ["openai", "openai-compatible", "mistral"],
  lengthFields: ["max_completion_tokens", "max_tokens"],
  reportsUsage: (body) => body.includes("include_usage"),
  toErrorEvent: (error) => sse(toOpenAIError(error).body),
  // A completion and its chunks differ in one name: `message` or `delta`.
  read({ usage: reported, choices, error }, known) {
    const isReported = isObject(reported) && typeof reported.prompt_tokens === "number";
    let { finishReason, text, writtenBytes } = known;
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice)) continue;
      const message = toFields(choice.message ?? choice.delta);
      if ((choice.index ?? 0) === 0) {
        text += toText(message.content);
        if (typeof choice.finish_reason === "string") finishReason = toFinishReason(choice.finish_reason);
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
};

function writtenIn(message: Fields): number {
  const calls = toList(message.tool_calls).map(({ function: call }) => toText(toFields(call).arguments));
  const { content, reasoning_content: thoughts, reasoning, refusal } = message;
  return bytesOf(content, thoughts ?? reasoning, refusal, ...calls);
}

function toFinishReason(reason: string): FinishReason {
  if (reason === "stop" || reason === "length") return reason;
  if (reason === "tool_calls" || reason === "function_call") return "tool-calls";
  return reason === "content_filter" ? "content-filter" : "other";
}
