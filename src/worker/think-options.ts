// How hard and how long a model is to think, how much it is to say, on which tier and in which cache, in the words of its
// provider's package.
// Providers refuse settings that a model does not know, and clients send them with everything: so they go to models that are
// known to take them, by their names, and to nobody else. Our own reading of the makers' documentation, as of 2026-11. Pure.

import type { LanguageModelV3CallOptions } from "@ai-sdk/provider";
import { knownAbilities, toModelName } from "./known-models.ts";
import type { ProviderProtocol } from "./models.ts";
import type { Sampling, WorkerRequest } from "./types.ts";

type Effort = NonNullable<Sampling["effort"]>;
type ProviderOptions = NonNullable<LanguageModelV3CallOptions["providerOptions"]>;

/** Who is asked. */
export interface KnownModel {
  protocol: ProviderProtocol;
  /** As its provider calls it. */
  model: string;
}

/** What Anthropic takes as a budget of thoughts, and the least that is left of a reply beside it. */
const LEAST_BUDGET_TOKENS = 1_024;
const LEAST_ANSWER_TOKENS = 256;

interface ThinkOptions {
  providerOptions: ProviderOptions;
  /** Of the reply without its thoughts: their budget is a part of what was reserved. */
  maxOutputTokens: number;
}

export function toThinkOptions(request: WorkerRequest, known: KnownModel | undefined): ThinkOptions {
  const { maxOutputTokens } = request;
  const nothing = { providerOptions: {}, maxOutputTokens };
  if (!known) return nothing;
  const name = toModelName(known.model);
  switch (known.protocol) {
    case "openai":
      return { providerOptions: toNamed("openai", toOpenAI(request, name)), maxOutputTokens };
    case "openai-compatible":
      return { providerOptions: toNamed("openaiCompatible", toCompatible(request, name)), maxOutputTokens };
    case "anthropic":
      return toAnthropic(request, name);
    case "google":
      return { providerOptions: toNamed("google", toGoogle(request, name)), maxOutputTokens };
    case "mistral":
      return nothing;
  }
}

function toNamed(provider: string, options: Record<string, unknown>): ProviderOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.length > 0 ? ({ [provider]: Object.fromEntries(given) } as ProviderOptions) : {};
}

function toOpenAI({ effort, verbosity, serviceTier, cacheKey }: WorkerRequest, name: string) {
  const thinks = knownAbilities(name).reasoning === true;
  return {
    serviceTier,
    reasoningEffort: thinks && effort ? fitEffort(name, effort) : undefined,
    textVerbosity: /^gpt-([5-9]|\d{2})/.test(name) ? verbosity : undefined,
    promptCacheKey: cacheKey,
  };
}

function toCompatible({ effort, serviceTier }: WorkerRequest, name: string) {
  const thinks = knownAbilities(name).reasoning === true;
  return {
    service_tier: serviceTier,
    reasoningEffort: thinks && effort ? fitEffort(name, effort) : undefined,
  };
}

/** The nearest that this family of OpenAI's models takes. */
function fitEffort(name: string, effort: Effort): Effort {
  if (!name.startsWith("gpt-") || name.startsWith("gpt-oss")) {
    if (effort === "none" || effort === "minimal") return "low";
    return effort === "xhigh" || effort === "max" ? "high" : effort;
  }
  const isFirst = /^gpt-5(?!-\d)/.test(name);
  if (effort === "none") return isFirst ? "minimal" : "none";
  if (effort === "minimal") return isFirst ? "minimal" : "low";
  if (effort !== "xhigh" && effort !== "max") return effort;
  return /codex-max|^gpt-(5-[2-9]|[6-9]|\d{2})/.test(name) ? "xhigh" : "high";
}

const TAKES_EFFORT = /^claude-(?:opus-4-[5-9]|sonnet-4-[6-9]|[a-z]+-(?:[5-9]|\d{2})(?:-|$))/;
const ADAPTS = /^claude-(?:(?:opus|sonnet)-4-[6-9]|[a-z]+-(?:[5-9]|\d{2})(?:-|$))/;
const NEVER_THINKS = /^claude-(?:2|3(?!-7)|instant)/;

function toAnthropic(request: WorkerRequest, name: string): ThinkOptions {
  const { effort, maxOutputTokens } = request;
  const isLow = effort === "none" || effort === "minimal";
  const fitted = effort && TAKES_EFFORT.test(name) ? (isLow ? "low" : effort) : undefined;
  const thinking = NEVER_THINKS.test(name) || !canThink(request) ? undefined : request.thinking;
  if (thinking?.type === "enabled") {
    const budgetTokens = Math.min(thinking.budgetTokens, maxOutputTokens - LEAST_ANSWER_TOKENS);
    if (budgetTokens >= LEAST_BUDGET_TOKENS) {
      const options = { effort: fitted, thinking: { type: "enabled", budgetTokens } };
      // The package adds the budget to what the reply may have; here it is a part of it.
      const rest = ADAPTS.test(name) ? maxOutputTokens : maxOutputTokens - budgetTokens;
      return { providerOptions: toNamed("anthropic", options), maxOutputTokens: rest };
    }
  }
  const isAdaptive = thinking?.type === "adaptive" && ADAPTS.test(name);
  const options = { effort: fitted, thinking: isAdaptive ? { type: "adaptive" } : undefined };
  return { providerOptions: toNamed("anthropic", options), maxOutputTokens };
}

/**
 * Thinking goes with no tool that must be called; and inside a tool loop a turn begins with its own thoughts, which nobody
 * has where another model has called.
 */
function canThink({ toolChoice, messages }: WorkerRequest): boolean {
  if (toolChoice === "required" || typeof toolChoice === "object") return false;
  const start = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(start + 1).every((message) => {
    if (message.role !== "assistant" || !message.toolCalls?.length) return true;
    return message.reasoning?.some(({ metadata }) => metadata?.anthropic !== undefined) === true;
  });
}

const BY_LEVEL = /^gemini-(?:[3-9]|\d{2})/;
const BY_BUDGET = /^gemini-2-5/;

function toGoogle({ effort, thinking }: WorkerRequest, name: string) {
  if (BY_LEVEL.test(name)) {
    // In between is what it does by itself, and not every model knows a word for it.
    const isLow = effort === "none" || effort === "minimal" || effort === "low";
    const isHigh = effort === "high" || effort === "xhigh" || effort === "max";
    return { thinkingConfig: isLow || isHigh ? { thinkingLevel: isLow ? "low" : "high" } : undefined };
  }
  const budget = thinking?.type === "enabled" && BY_BUDGET.test(name) ? thinking.budgetTokens : undefined;
  return { thinkingConfig: budget === undefined ? undefined : { thinkingBudget: budget } };
}
