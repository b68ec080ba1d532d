// What a provider refuses in a conversation that others take: instructions in the middle of it, ids of calls in letters of its
// own. Such a conversation comes from an agent that was served by another model before. Pure.

import { hash } from "node:crypto";
import type { LanguageModelV3CallOptions, LanguageModelV3Message } from "@ai-sdk/provider";

/** What its API demands of the ids of calls. */
export interface IdRule {
  pattern: RegExp;
  /** Of those that it would refuse. */
  length: number;
}

export const ANTHROPIC_IDS: IdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, length: 24 };
export const MISTRAL_IDS: IdRule = { pattern: /^[A-Za-z0-9]{9}$/, length: 9 };

/** The same for the same id, wherever it comes again. */
function toAcceptedId(id: string, { pattern, length }: IdRule): string {
  return pattern.test(id) ? id : hash("sha256", id).slice(0, length);
}

/** Instructions that come later than the first message that is none stand in a turn of the user, marked as what they are. */
export function withSystemFirst(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { prompt } = options;
  const first = prompt.findIndex(({ role }) => role !== "system");
  if (first < 0 || !prompt.some(({ role }, at) => at > first && role === "system")) return options;
  const toUser = (message: LanguageModelV3Message, at: number): LanguageModelV3Message => {
    if (message.role !== "system" || at < first) return message;
    const text = `<system-message>\n${message.content}\n</system-message>`;
    return { role: "user", content: [{ type: "text", text }], providerOptions: message.providerOptions };
  };
  return { ...options, prompt: prompt.map(toUser) };
}

/** Calls and results under ids that the provider takes. */
export function withAcceptedIds(
  options: LanguageModelV3CallOptions,
  rule: IdRule,
): LanguageModelV3CallOptions {
  const isRefused = (message: LanguageModelV3Message) =>
    (message.role === "assistant" || message.role === "tool") &&
    message.content.some((part) => "toolCallId" in part && !rule.pattern.test(part.toolCallId));
  if (!options.prompt.some(isRefused)) return options;
  const prompt = options.prompt.map((message) => {
    if (!isRefused(message)) return message;
    const content = (message.content as { toolCallId?: string }[]).map((part) =>
      part.toolCallId === undefined ? part : { ...part, toolCallId: toAcceptedId(part.toolCallId, rule) },
    );
    return { ...message, content } as LanguageModelV3Message;
  });
  return { ...options, prompt };
}
