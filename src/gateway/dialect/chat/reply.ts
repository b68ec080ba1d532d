// A complete reply of Chat Completions, and the parts that the stream writes too.

import type { GatewayUsage, ReplyOutcome } from "../../types.ts";
import { toSeconds, toTuttiFields } from "../common.ts";
import { fromCustomInput } from "../openai-tools.ts";
import { toOpenAIUsage } from "../openai-usage.ts";

/** A tool is answered in the form in which it was declared. */
export type ChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export function toChatReply(outcome: ReplyOutcome): object {
  const { head, text } = outcome;
  const toolCalls = toChatToolCalls(outcome);
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
  };
  return {
    id: head.id,
    object: "chat.completion",
    created: toSeconds(head.createdAt),
    model: head.request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: toChatFinishReason(outcome) }],
    usage: toChatUsage(outcome.usage),
    tutti: toTuttiFields(outcome),
  };
}

export function toChatUsage(usage: GatewayUsage) {
  return toOpenAIUsage(usage, "prompt", "completion");
}

export function toChatToolCalls({ head, toolCalls }: ReplyOutcome): ChatToolCall[] {
  const custom = head.request.echo.custom_tools;
  return toolCalls.map(({ id, name, input }) =>
    Array.isArray(custom) && custom.includes(name)
      ? { id, type: "custom", custom: { name, input: fromCustomInput(input) } }
      : { id, type: "function", function: { name, arguments: input } },
  );
}

/** Agents go by the reason, not by what they find: with calls it must say so, without any it must not. */
export function toChatFinishReason({ finishReason, toolCalls }: ReplyOutcome): string {
  if (finishReason === "length") return "length";
  if (finishReason === "content-filter") return "content_filter";
  return toolCalls.length > 0 ? "tool_calls" : "stop";
}
