// Settings of a request that a provider does not have: its package leaves them out, and says so before the reply begins. Only
// those that the client has set are named to it: a seed of our own goes with every ask. Pure.

import type { LanguageModelV2CallWarning, SharedV3Warning } from "@ai-sdk/provider";
import type { KnownModel } from "./think-options.ts";
import type { Message, OutputSettings, SettingName, WorkerRequest } from "./types.ts";

/**
 * By what packages call them. Stop sequences, one call at a time and the form of JSON are not here: where a provider does not
 * have them, we see to them.
 */
const SETTINGS: Record<string, SettingName> = {
  temperature: "temperature",
  topP: "topP",
  topK: "topK",
  presencePenalty: "presencePenalty",
  frequencyPenalty: "frequencyPenalty",
  seed: "seed",
  toolChoice: "toolChoice",
  serviceTier: "serviceTier",
  reasoningEffort: "effort",
  textVerbosity: "verbosity",
  "providerOptions.anthropic.effort": "effort",
  "providerOptions.anthropic.thinking": "thinking",
};

/** Both versions of the AI SDK's interface. */
type Warning = SharedV3Warning | LanguageModelV2CallWarning;

export function toIgnoredSettings(
  warnings: readonly Warning[],
  { topK, messages }: Pick<WorkerRequest, "topK" | "messages">,
  known: KnownModel | undefined,
): SettingName[] {
  const names = warnings.flatMap((warning) => {
    if (warning.type === "unsupported") return SETTINGS[warning.feature] ?? [];
    return warning.type === "unsupported-setting" ? (SETTINGS[String(warning.setting)] ?? []) : [];
  });
  // Of chat completions it is Mistral that refuses it, so it is not sent (chat/body.ts).
  if (known?.protocol === "mistral" && topK !== undefined) names.push("topK");
  const hasNoDetail = known?.protocol === "anthropic" || known?.protocol === "google";
  if (hasNoDetail && messages.some(hasDetail)) names.push("detail");
  return [...new Set(names)];
}

function hasDetail({ role, content }: Message): boolean {
  if (role !== "user" || typeof content === "string") return false;
  return content.some((part) => part.type === "image" && part.detail !== undefined);
}

/** Those that the client has asked for; a penalty of 0 asks for nothing. */
export function askedFor(names: readonly SettingName[], output: OutputSettings = {}): SettingName[] {
  return names.filter((name) => name === "detail" || (output[name] ?? 0) !== 0);
}
