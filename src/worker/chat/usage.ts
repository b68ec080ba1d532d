// What a chat completion took, as its provider reports it. Apart because two read it: the model of our own, and
// the relay, which only looks at bytes that pass.

import { type Fields, toFields } from "../../base/fields.ts";
import type { Usage } from "../types.ts";

export function fromChatUsage(usage: Fields): Usage {
  const input = toCount(usage.prompt_tokens);
  const details = toFields(usage.prompt_tokens_details);
  return {
    inputTokens: input,
    // Some providers leave reasoning out of the completion and count it in the total only.
    outputTokens: Math.max(toCount(usage.completion_tokens), toCount(usage.total_tokens) - input),
    cachedInputTokens: toCount(details.cached_tokens ?? usage.prompt_cache_hit_tokens),
    reasoningTokens: toCount(toFields(usage.completion_tokens_details).reasoning_tokens),
  };
}

/** Zero for what is no count. */
export function toCount(value: unknown): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.round(value) : 0;
}
