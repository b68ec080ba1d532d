import { describe, expect, it } from "vitest";
import { type KnownModel, toThinkOptions } from "./think-options.ts";
import type { Message, WorkerRequest } from "./types.ts";

const QUESTION: Message = { role: "user", content: "?" };
const ask = (known: KnownModel, more: Partial<WorkerRequest>) =>
  toThinkOptions({ messages: [QUESTION], maxOutputTokens: 8_000, ...more }, known);
const openai = (model: string): KnownModel => ({ protocol: "openai", model });
const claude = (model: string): KnownModel => ({ protocol: "anthropic", model });

describe("effort", () => {
  it.each([
    [openai("gpt-5"), "max", { openai: { reasoningEffort: "high" } }],
    [openai("gpt-5.4"), "max", { openai: { reasoningEffort: "xhigh" } }],
    [openai("gpt-5.4"), "minimal", { openai: { reasoningEffort: "low" } }],
    [openai("o3"), "none", { openai: { reasoningEffort: "low" } }],
    [openai("gpt-4o"), "high", {}],
    [
      { protocol: "openai-compatible", model: "gpt-oss-20b" },
      "high",
      { openaiCompatible: { reasoningEffort: "high" } },
    ],
    [{ protocol: "openai-compatible", model: "llama3.3" }, "high", {}],
    [{ protocol: "mistral", model: "mistral-large" }, "high", {}],
    [claude("claude-opus-4-5-20251101"), "minimal", { anthropic: { effort: "low" } }],
    [claude("claude-haiku-4-5"), "high", {}],
    [
      { protocol: "google", model: "gemini-3-pro" },
      "minimal",
      { google: { thinkingConfig: { thinkingLevel: "low" } } },
    ],
    [{ protocol: "google", model: "gemini-2.5-pro" }, "high", {}],
  ] as const)("%o asked for %s is sent %o", (known, effort, providerOptions) => {
    expect(ask(known, { effort })).toEqual({ providerOptions, maxOutputTokens: 8_000 });
  });
});

describe("a budget of thoughts", () => {
  const thinking = { type: "enabled", budgetTokens: 5_000 } as const;

  it("is a part of what the reply may have", () => {
    const options = { anthropic: { thinking } };
    expect(ask(claude("claude-haiku-4-5"), { thinking })).toEqual({
      providerOptions: options,
      maxOutputTokens: 3_000,
    });
  });

  it("leaves room for an answer, or is not sent", () => {
    const short = ask(claude("claude-haiku-4-5"), { thinking, maxOutputTokens: 2_000 });
    expect(short.providerOptions.anthropic).toEqual({ thinking: { type: "enabled", budgetTokens: 1_744 } });
    expect(short.maxOutputTokens).toBe(256);
    expect(ask(claude("claude-haiku-4-5"), { thinking, maxOutputTokens: 1_000 }).providerOptions).toEqual({});
  });

  it("is not sent to models that do not think, nor where a tool must be called", () => {
    expect(ask(claude("claude-3-5-haiku-20241022"), { thinking }).providerOptions).toEqual({});
    expect(ask(claude("claude-haiku-4-5"), { thinking, toolChoice: "required" }).providerOptions).toEqual({});
  });

  it("is not sent inside a tool loop whose first thoughts nobody has", () => {
    const turn = (reasoning: object): Message[] => [
      QUESTION,
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "f", input: "{}" }], ...reasoning },
      { role: "tool", toolCallId: "c", toolName: "f", content: "42" },
    ];
    const own = { reasoning: [{ text: "Hm.", metadata: { anthropic: { signature: "s" } } }] };
    const sent = (messages: Message[]) =>
      ask(claude("claude-haiku-4-5"), { thinking, messages }).providerOptions;
    expect(sent(turn({}))).toEqual({});
    expect(sent(turn(own))).toEqual({ anthropic: { thinking } });
  });
});
