// Usage as OpenAI writes it, with Fugu's names for what it does not have: orchestration stands beside and is no part of the
// input, the output or the total.

import type { GatewayUsage } from "../types.ts";

/** Chat Completions says "prompt" and "completion", Responses "input" and "output". */
export function toOpenAIUsage(
  usage: GatewayUsage,
  input: "prompt" | "input",
  output: "completion" | "output",
) {
  return {
    [`${input}_tokens`]: usage.inputTokens,
    [`${output}_tokens`]: usage.outputTokens,
    total_tokens: usage.totalTokens,
    [`${input}_tokens_details`]: {
      cached_tokens: usage.cachedInputTokens,
      orchestration_input_tokens: usage.orchestrationInputTokens,
      orchestration_input_cached_tokens: usage.orchestrationCachedInputTokens,
    },
    [`${output}_tokens_details`]: {
      reasoning_tokens: usage.reasoningTokens,
      orchestration_output_tokens: usage.orchestrationOutputTokens,
    },
  };
}
