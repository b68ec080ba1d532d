// A complete reply of Chat Completions, and the parts that the stream writes too.

import type { GatewayUsage, Outcome } from "../../types.ts";
import { toSeconds, toTuttiFields } from "../common.ts";
import { fromCustomInput } from "../openai-tools.ts";

/** A tool is answered in the form in which it was declared. */
export type ChatToolCall =
  | { id: string; type: "function"; function: { name: string; arguments: string } }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export function toChatReply(outcome: Outcome): object {
  const { head, text } = outcome;
  const toolCalls = toChatToolCalls(outcome);
  const message = {
    role: "assistant",
    content: text === "" && toolCalls.length > 0 ? null : text,
    refusal: null,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
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

/** Fugu's names: orchestration is added to the total and is no part of prompt_tokens or completion_tokens. */
export function toChatUsage(usage: GatewayUsage) {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      orchestration_input_tokens: usage.orchestrationInputTokens,
      orchestration_input_cached_tokens: usage.orchestrationCachedInputTokens,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens,
      orchestration_output_tokens: usage.orchestrationOutputTokens,
    },
  };
}

export function toChatToolCalls({ head, toolCalls }: Pick<Outcome, "head" | "toolCalls">): ChatToolCall[] {
  const custom = head.request.echo.custom_tools;
  return toolCalls.map(({ id, name, input }) =>
    Array.isArray(custom) && custom.includes(name)
      ? { id, type: "custom", custom: { name, input: fromCustomInput(input) } }
      : { id, type: "function", function: { name, arguments: input } },
  );
}

export type ChatFinishReason = "stop" | "length" | "tool_calls" | "content_filter";

/** Agents go by the reason, not by what they find: with calls it must say so, without any it must not. */
export function toChatFinishReason({
  finishReason,
  toolCalls,
}: Pick<Outcome, "finishReason" | "toolCalls">): ChatFinishReason {
  if (finishReason === "length") return "length";
  if (finishReason === "content-filter") return "content_filter";
  return toolCalls.length > 0 ? "tool_calls" : "stop";
}
