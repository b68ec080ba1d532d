// An outcome as Anthropic's clients read it: the message, its usage, its stop reason, its errors. Shared by
// the whole reply and the stream, so that both say the same.

import type { TuttiError } from "../../../base/errors.ts";
import type { FinishReason } from "../../../worker/types.ts";
import { isFields } from "../../http/object-reader.ts";
import type { GatewayUsage, ReplyOutcome } from "../../types.ts";
import { toTuttiFields } from "../common.ts";
import { toShownError } from "../shown-error.ts";

export function toMessagesReply(outcome: ReplyOutcome): object {
  const { head, text, toolCalls, progress } = outcome;
  const content: object[] = toolCalls.map(({ id, name, input }) => ({
    type: "tool_use",
    id,
    name,
    input: JSON.parse(toInputJson(input)),
  }));
  if (text !== "") content.unshift({ type: "text", text });
  if (head.request.showsProgress && progress.length > 0)
    content.unshift({ type: "thinking", thinking: progress.join("\n"), signature: "" });
  return {
    id: head.id,
    type: "message",
    role: "assistant",
    model: head.request.model,
    content,
    ...toStop(outcome),
    usage: toMessagesUsage(outcome.usage),
    tutti: toTuttiFields(outcome),
  };
}

/** The text of a JSON object, as every client of this dialect expects; what is none becomes an empty one. */
export function toInputJson(input: string): string {
  try {
    return isFields(JSON.parse(input)) ? input : "{}";
  } catch {
    return "{}";
  }
}

/** Why it ended, and with which of the client's own sequences. */
export function toStop({ finishReason, stopSequence }: ReplyOutcome) {
  if (stopSequence !== undefined && finishReason === "stop")
    return { stop_reason: "stop_sequence", stop_sequence: stopSequence };
  return { stop_reason: STOP_REASONS[finishReason], stop_sequence: null };
}

const STOP_REASONS: Record<FinishReason, string> = {
  stop: "end_turn",
  length: "max_tokens",
  "tool-calls": "tool_use",
  "content-filter": "refusal",
  other: "end_turn",
};

/** In this dialect tokens that were read from a cache or written into one are no part of `input_tokens`. */
export function toMessagesUsage(usage: GatewayUsage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens - usage.cacheWriteInputTokens,
    cache_creation_input_tokens: usage.cacheWriteInputTokens,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    orchestration_input_tokens: usage.orchestrationInputTokens,
    orchestration_input_cached_tokens: usage.orchestrationCachedInputTokens,
    orchestration_output_tokens: usage.orchestrationOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

const ERROR_TYPES: Record<number, string> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Clients try again by status, and a try is a whole team at work: what cannot get better is below 500. */
export function toMessagesError(error: TuttiError): { status: number; body: object } {
  const { status: common, code, message } = toShownError(error);
  const status = code === "budget-spent" ? 402 : common === 503 ? 529 : common;
  const type = ERROR_TYPES[status] ?? (status < 499 ? "invalid_request_error" : "api_error");
  // Agents compact their conversation when they read these very words.
  const shown = code === "context-length" ? `prompt is too long: ${message}` : message;
  return { status, body: { type: "error", error: { type, message: shown } } };
}
