// The Responses API passed through: who speaks it, and what is read of a provider's reply.

import { isObject, toFields } from "../../../base/fields.ts";
import type { FinishReason } from "../../../worker/types.ts";
import { toCount } from "../../../worker/usage.ts";
import type { Fields } from "../../http/object-reader.ts";
import { bytesOf, toList, toText } from "../../relay/reply-fields.ts";
import type { RelayReader, ReplyFields } from "../../relay/types.ts";
import { sse } from "../common.ts";
import { toOpenAIError } from "../openai-error.ts";
import { parseItemId } from "./object.ts";

export const responsesRelay: RelayReader = {
  protocols: ["openai"],
  lengthField: () => "max_output_tokens",
  pricedFields: {
    known: new Set([
      ...["model", "input", "instructions", "max_output_tokens", "temperature", "top_p", "top_logprobs"],
      ...["stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls", "max_tool_calls"],
      ...["text", "reasoning", "metadata", "user", "safety_identifier", "prompt_cache_key"],
      ...["prompt_cache_retention", "store", "truncation", "include", "service_tier", "tutti"],
    ]),
    clientTools: /^(function|custom|local_shell|apply_patch)$/,
  },
  // OpenAI looks for a thought by its id, and refuses one that it has not had and that is not encrypted. Codex keeps no ids.
  withoutOurs(raw, body) {
    if (!raw.includes('"reasoning"') || !Array.isArray(body.input)) return undefined;
    const isOurs = (item: unknown) =>
      isObject(item) &&
      (item as Fields).type === "reasoning" &&
      !(item as Fields).encrypted_content &&
      ((item as Fields).id === undefined || parseItemId(String((item as Fields).id)) !== undefined);
    if (!body.input.some(isOurs)) return undefined;
    return { ...body, input: body.input.filter((item) => !isOurs(item)) };
  },
  // `response.failed` would need the whole response, which only the provider has.
  toErrorEvent(error, events) {
    const { code, message } = toOpenAIError(error).body.error;
    return sse({ type: "error", code, message, param: null, sequence_number: events }, "error");
  },
  read(event, known) {
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
};

function readResponse(response: Fields, known: ReplyFields): ReplyFields {
  const output = toList(response.output);
  const texts = output.flatMap(({ content }) => toList(content)).map(({ text }) => text);
  const usage = toFields(response.usage);
  return {
    usage:
      usage.input_tokens !== undefined
        ? {
            inputTokens: toCount(usage.input_tokens),
            outputTokens: toCount(usage.output_tokens),
            cachedInputTokens: toCount(toFields(usage.input_tokens_details).cached_tokens),
            reasoningTokens: toCount(toFields(usage.output_tokens_details).reasoning_tokens),
          }
        : undefined,
    finishReason: toFinishReason(response, output) ?? known.finishReason,
    text: texts.map(toText).join(""),
    writtenBytes: bytesOf(...texts, ...output.map((item) => item.arguments)),
    hasError: known.hasError || isObject(response.error),
  };
}

/** Undefined while it is not over. */
function toFinishReason(response: Fields, output: Fields[]): FinishReason | undefined {
  if (response.status === "completed") {
    const hasCalls = output.some(({ type }) => type === "function_call" || type === "custom_tool_call");
    return hasCalls ? "tool-calls" : "stop";
  }
  if (response.status !== "incomplete") return undefined;
  const { reason } = toFields(response.incomplete_details);
  if (reason === "max_output_tokens") return "length";
  return reason === "content_filter" ? "content-filter" : "other";
}
