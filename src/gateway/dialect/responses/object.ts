// The Response object and its output items. One place builds them, whether the reply is whole, streamed or read
// again later, and every id is made from the reply's own id: so a client that keeps an item from a stream finds
// the same item, under the same id and index, in the final object.

import { isTuttiError, TuttiError } from "../../../base/errors.ts";
import { isContextError } from "../../../worker/failure.ts";
import type { ToolCall } from "../../../worker/types.ts";
import { isFields } from "../../http/object-reader.ts";
import type { GatewayUsage, ReplyHead, ReplyOutcome, TuttiFields } from "../../types.ts";
import { toSeconds, toTuttiFields } from "../common.ts";
import { toOpenAIError } from "../openai-error.ts";
import { fromCustomInput } from "../openai-tools.ts";
import { toOpenAIUsage } from "../openai-usage.ts";
import { findNamedTool, type NamedTool } from "./namespaces.ts";
import { toTypedItem } from "./typed-tools.ts";

type ResponseStatus = "completed" | "incomplete" | "failed" | "in_progress" | "queued" | "cancelled";
type ItemStatus = "in_progress" | "completed" | "incomplete";
export type MessageItem = ReturnType<typeof toMessageItem>;
export type CallItem = ReturnType<typeof toCallItem>;
export type OutputItem = ReturnType<typeof toReasoningItem> | MessageItem | CallItem;

/** What is known of the reply beside its head. */
interface ResponseParts {
  output?: OutputItem[];
  usage?: GatewayUsage;
  error?: { code: string; message: string };
  incompleteReason?: "max_output_tokens" | "content_filter";
  completedAt?: number;
  tutti?: TuttiFields;
}

/** Enough of an error, thrown or journaled, to tell a client of it. */
type Failure = Pick<TuttiError, "code" | "message">;

// ---- The object -------------------------------------------------------------------------------

function toResponseObject(head: ReplyHead, status: ResponseStatus, parts: ResponseParts = {}) {
  const { echo } = head.request;
  return {
    id: head.id,
    object: "response",
    created_at: toSeconds(head.createdAt),
    completed_at: parts.completedAt === undefined ? null : toSeconds(parts.completedAt),
    status,
    background: head.request.isBackground,
    error: parts.error ?? null,
    incomplete_details: parts.incompleteReason ? { reason: parts.incompleteReason } : null,
    instructions: echo.instructions ?? null,
    max_output_tokens: echo.max_output_tokens ?? null,
    model: head.request.model,
    output: parts.output ?? [],
    parallel_tool_calls: echo.parallel_tool_calls ?? true,
    previous_response_id: echo.previous_response_id ?? null,
    reasoning: { effort: null, summary: null, ...fieldsOf(echo.reasoning) },
    // The tier that served it, not the one that was asked for: there is only one.
    service_tier: "default",
    store: echo.store ?? true,
    temperature: echo.temperature ?? 1,
    text: { format: { type: "text" }, ...fieldsOf(echo.text) },
    tool_choice: echo.tool_choice ?? "auto",
    tools: echo.tools ?? [],
    top_p: echo.top_p ?? 1,
    truncation: echo.truncation ?? "disabled",
    usage: parts.usage ? toOpenAIUsage(parts.usage, "input", "output") : null,
    user: echo.user ?? null,
    metadata: echo.metadata ?? {},
    tutti: parts.tutti ?? { run_id: head.runId },
  };
}

type ResponseObject = ReturnType<typeof toResponseObject>;

/** A reply that came to its end, by itself or by the client's own limit of tokens. */
export function toFinishedResponse(outcome: ReplyOutcome): ResponseObject {
  const incompleteReason = incompleteReasonOf(outcome);
  return toResponseObject(outcome.head, incompleteReason ? "incomplete" : "completed", {
    output: toOutputItems(outcome),
    usage: outcome.usage,
    incompleteReason,
    completedAt: incompleteReason ? undefined : outcome.completedAt,
    tutti: toTuttiFields(outcome),
  });
}

export function toUnfinishedResponse(head: ReplyHead, status: "queued" | "in_progress" | "cancelled") {
  return toResponseObject(head, status);
}

/** With the outcome, what it took is shown too: a failed run has its price. */
export function toFailedResponse(head: ReplyHead, error: Failure, outcome?: ReplyOutcome): ResponseObject {
  return toResponseObject(head, "failed", {
    error: toFailure(error),
    output: outcome && toOutputItems(outcome),
    usage: outcome?.usage,
    tutti: outcome && toTuttiFields(outcome),
  });
}

function incompleteReasonOf({ finishReason }: ReplyOutcome): ResponseParts["incompleteReason"] {
  if (finishReason === "length") return "max_output_tokens";
  return finishReason === "content-filter" ? "content_filter" : undefined;
}

/**
 * In codes that coding agents act on: all but the last two make them give up after one request, and every
 * retry of a team costs a whole run.
 */
function toFailure(error: Failure): { code: string; message: string } {
  const known = isTuttiError(error) ? error : new TuttiError(error.code, error.message);
  const { status, body } = toOpenAIError(known);
  const { type, code, message } = body.error;
  const toCode = () => {
    // Older journals have the words alone; and neither gets better by asking again.
    if (code === "context_length_exceeded" || isContextError(message)) return "context_length_exceeded";
    if (code === "insufficient_quota" || /insufficient_quota/.test(message)) return "insufficient_quota";
    if (code === "server_is_overloaded" || code === "rate_limit_exceeded") return code;
    return type === "invalid_request_error" && status !== 401 ? "invalid_prompt" : "server_error";
  };
  return { code: toCode(), message };
}

// ---- Items ------------------------------------------------------------------------------------

export function toOutputItems(outcome: ReplyOutcome): OutputItem[] {
  const { head, progress, text, toolCalls } = outcome;
  return [
    ...(progress.length > 0 ? [toReasoningItem(head, progress)] : []),
    ...(text === ""
      ? []
      : [toMessageItem(head, text, incompleteReasonOf(outcome) ? "incomplete" : "completed")]),
    ...toolCalls.map((call, index) => toCallItem(head, call, index)),
  ];
}

export function toReasoningItem(head: ReplyHead, lines: string[]) {
  return { id: `rs_${tailOf(head.id)}`, type: "reasoning" as const, summary: lines.map(toSummaryPart) };
}

export function toSummaryPart(text: string) {
  return { type: "summary_text", text };
}

export function toMessageItem(head: ReplyHead, text: string, status: ItemStatus) {
  // A message that has just been opened has no part yet: that is an event of its own.
  const content = status === "in_progress" ? [] : [toOutputText(text)];
  return { id: `msg_${tailOf(head.id)}`, type: "message" as const, status, role: "assistant", content };
}

export function toOutputText(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** A custom tool is called with free text instead of JSON. */
function toCallItem({ id: replyId, request }: ReplyHead, call: ToolCall, index: number) {
  const { id, name, input } = call;
  const tail = `${tailOf(replyId)}_${index}`;
  const found: NamedTool = findNamedTool(request.echo.tools, name) ?? { name, isCustom: false };
  const { isCustom, typed, ...named } = found;
  if (typed) return toTypedItem(typed, call, tail);
  const common = { status: "completed", call_id: id, ...named };
  return isCustom
    ? { id: `ctc_${tail}`, type: "custom_tool_call" as const, ...common, input: fromCustomInput(input) }
    : { id: `fc_${tail}`, type: "function_call" as const, ...common, arguments: input };
}

/** The reply that an item of ours belongs to: undefined for an id that is not ours. */
export function parseItemId(id: string): { responseId: string } | undefined {
  const found = /^(?:rs|msg)_([a-z0-9]+(?:_\d+)?)$|^(?:fc|ctc|lsh|sh|apc)_([a-z0-9]+(?:_\d+)?)_\d+$/.exec(id);
  const tail = found?.[1] ?? found?.[2];
  return tail === undefined ? undefined : { responseId: `resp_${tail}` };
}

export function tailOf(responseId: string): string {
  return responseId.replace(/^resp_/, "");
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return isFields(value) ? value : {};
}
