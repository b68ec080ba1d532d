// An Outcome as Anthropic's clients read it: the message, its usage, its stop reason, its errors. Shared by
// the whole reply and the stream, so that both say the same.

import type { TuttiError } from "../../../base/errors.ts";
import type { FinishReason } from "../../../worker/types.ts";
import type { GatewayUsage, Outcome } from "../../types.ts";
import { isFields, toTuttiFields } from "../fields.ts";
import { isOfWorkers, toShownMessage } from "../shown-error.ts";

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

const INVALID = "invalid_request_error";

/** Clients try again by status, and a try is a whole team at work: what cannot get better is below 500. */
const ERRORS = new Map<string, [status: number, type: string]>([
  ["bad-request", [400, INVALID]],
  ["usage", [400, INVALID]],
  ["content-filter", [400, INVALID]],
  ["auth", [401, "authentication_error"]],
  ["budget-spent", [402, "billing_error"]],
  ["forbidden", [403, "permission_error"]],
  ["unknown-model", [404, "not_found_error"]],
  ["not-found", [404, "not_found_error"]],
  ["unknown-run", [404, "not_found_error"]],
  ["method-not-allowed", [405, INVALID]],
  ["conflict", [409, INVALID]],
  ["run-active", [409, INVALID]],
  ["run-busy", [409, INVALID]],
  ["too-large", [413, "request_too_large"]],
  ["invalid-output", [422, INVALID]],
  ["limit", [422, INVALID]],
  ["rate-limited", [429, "rate_limit_error"]],
  ["aborted", [499, "api_error"]],
  ["cancelled", [499, "api_error"]],
  ["timeout", [504, "timeout_error"]],
  ["overloaded", [529, "overloaded_error"]],
  ["unreachable", [529, "overloaded_error"]],
]);

export function toMessagesError(error: TuttiError): { status: number; body: object } {
  const known =
    ERRORS.get(error.code) ?? (isOfWorkers(error.code) ? ([502, "api_error"] as const) : undefined);
  const [status, type] = known ?? [500, "api_error"];
  return {
    status,
    body: { type: "error", error: { type, message: toShownMessage(error, known !== undefined) } },
  };
}
