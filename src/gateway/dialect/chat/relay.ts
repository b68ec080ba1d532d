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
  lengthField: (protocol) => (protocol === "openai" ? "max_completion_tokens" : "max_tokens"),
  pricedFields: {
    known: new Set([
      ...["model", "messages", "max_completion_tokens", "max_tokens", "n", "temperature", "top_p", "top_k"],
      ...["min_p", "presence_penalty", "frequency_penalty", "repetition_penalty", "logit_bias", "logprobs"],
      ...["top_logprobs", "stop", "seed", "stream", "stream_options", "tools", "tool_choice"],
      ...["parallel_tool_calls", "functions", "function_call", "response_format", "user", "metadata"],
      ...["safety_identifier", "prompt_cache_key", "prompt_cache_retention", "store", "reasoning_effort"],
      ...[
        "verbosity",
        "reasoning",
        "thinking",
        "enable_thinking",
        "include_reasoning",
        "service_tier",
        "tutti",
      ],
    ]),
    clientTools: /^(function|custom)$/,
  },
  reportsUsage: (body) => body.includes("include_usage"),
  // Without it a stream ends without a word on what was billed, and thoughts are billed that nobody sees.
  withUsage(body) {
    if (body.stream !== true || (body.stream_options !== undefined && body.stream_options !== null))
      return undefined;
    return { ...body, stream_options: { include_usage: true } };
  },
  toErrorEvent: (error) => sse(toOpenAIError(error).body),
  // A completion and its chunks differ in one name: `message` or `delta`.
  read({ usage: reported, choices, error }, known) {
    const isReported = isObject(reported) && reported.prompt_tokens !== undefined;
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
