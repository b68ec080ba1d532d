// An Outcome as Anthropic's clients read it: the message, its usage, its stop reason, its errors. Shared by
// the whole reply and the stream, so that both say the same.

import type { TuttiError } from "../../../base/errors.ts";
import type { FinishReason } from "../../../worker/types.ts";
import { isFields } from "../../http/object-reader.ts";
import type { GatewayUsage, Outcome } from "../../types.ts";
import { toTuttiFields } from "../common.ts";
import { toShownError } from "../shown-error.ts";

export function toMessagesReply(outcome: Outcome): object {
  const { head, text, toolCalls, usage, progress } = outcome;
  const { id, request } = head;
  return {
    id,
    type: "message",
    role: "assistant",
    model: request.model,
    content: [
      ...(request.showsProgress && progress.length > 0
        ? [{ type: "thinking", thinking: progress.join("\n"), signature: "" }]
        : []),
      ...(text === "" ? [] : [{ type: "text", text }]),
      ...toolCalls.map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: JSON.parse(toInputJson(call.input)),
      })),
    ],
    stop_reason: toStopReason(outcome.finishReason),
    stop_sequence: null,
    usage: toMessagesUsage(usage),
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

export function toStopReason(reason: FinishReason): string {
  switch (reason) {
    case "length":
      return "max_tokens";
    case "tool-calls":
      return "tool_use";
    case "content-filter":
      return "refusal";
    default:
      return "end_turn";
  }
}

/** In this dialect cached tokens are no part of `input_tokens`. */
export function toMessagesUsage(usage: GatewayUsage): Record<string, unknown> {
  return {
    input_tokens: usage.inputTokens - usage.cachedInputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    orchestration_input_tokens: usage.orchestrationInputTokens,
    orchestration_input_cached_tokens: usage.orchestrationCachedInputTokens,
    orchestration_output_tokens: usage.orchestrationOutputTokens,
    total_tokens: usage.totalTokens,
  };
}

// ---- Errors -------------------------------------------------------------------------------------

/** Clients try again by status, and a try is a whole team at work: what cannot get better is below 500. */
export function toMessagesError(error: TuttiError): { status: number; body: object } {
  const { status: common, code, message } = toShownError(error);
  const [status, type] = code === "budget-spent" ? [402, "billing_error"] : toKind(common);
  return { status, body: { type: "error", error: { type, message } } };
}

function toKind(status: number): [status: number, type: string] {
  switch (status) {
    case 401:
      return [status, "authentication_error"];
    case 403:
      return [status, "permission_error"];
    case 404:
      return [status, "not_found_error"];
    case 413:
      return [status, "request_too_large"];
    case 429:
      return [status, "rate_limit_error"];
    case 503:
      return [529, "overloaded_error"];
    case 504:
      return [status, "timeout_error"];
    default:
      return [status, status < 499 ? "invalid_request_error" : "api_error"];
  }
}
