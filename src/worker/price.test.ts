import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addUsage, costOf, estimateInputTokens, mostCostOf, NO_USAGE, priceAt, priceOf } from "./price.ts";
import type { Message, Price, Usage } from "./types.ts";

const NOVEMBER = Date.parse("2026-11-15T20:00:00Z");

describe("list prices", () => {
  it.each([
    ["openai", "gpt-5", { inputUsd: 1.25, outputUsd: 10, cachedInputUsd: 0.125 }],
    [
      "anthropic",
      "claude-haiku-4-5",
      { inputUsd: 1, outputUsd: 5, cachedInputUsd: 0.1, cacheWriteUsd: 1.25 },
    ],
    [
      "google",
      "gemini-2.5-pro",
      {
        ...{ inputUsd: 1.25, outputUsd: 10, cachedInputUsd: 0.125 },
        long: { aboveInputTokens: 200_000, inputUsd: 2.5, outputUsd: 15, cachedInputUsd: 0.25 },
      },
    ],
    ["xai", "grok-3", { inputUsd: 3, outputUsd: 15, cachedInputUsd: 0.75 }],
    ["openai", "text-embedding-3-small", { inputUsd: 0.02, outputUsd: 0 }],
    ["openrouter", "openai/gpt-oss-20b:free", { inputUsd: 0, outputUsd: 0 }],
  ])("%s/%s", async (provider, model, price) => {
    expect(await priceOf(provider, model, NOVEMBER)).toEqual(price);
  });

  it("takes the most expensive hour of a price that changes by the clock", async () => {
    const night = await priceOf("deepseek", "deepseek-v4-pro", Date.parse("2026-11-15T20:00:00Z"));
    const day = await priceOf("deepseek", "deepseek-v4-pro", Date.parse("2026-11-15T08:00:00Z"));
    expect(night).toEqual(day);
    expect(night).toMatchObject({ inputUsd: 1.32, outputUsd: 3.96 });
  });

  it.each([
    ["openai", "gpt-99"],
    ["nobody", "gpt-5"],
  ])("does not know %s/%s", async (provider, model) => {
    expect(await priceOf(provider, model, NOVEMBER)).toBeUndefined();
  });

  it("asks more for all of a long prompt, where the provider does", async () => {
    const price = (await priceOf("anthropic", "claude-sonnet-4-5", NOVEMBER))!;
    const cost = (inputTokens: number) => costOf({ ...NO_USAGE, inputTokens, outputTokens: 1e6 }, price);
    expect(cost(200_000)).toBeCloseTo(0.6 + 15);
    expect(cost(200_001)).toBeCloseTo(1.2 + 22.5);
    expect(mostCostOf(200_000, 1e6, price)).toBeCloseTo(0.75 + 15);
    expect(mostCostOf(1e6, 1e6, price)).toBeCloseTo(7.5 + 22.5);
  });

  it("finds a price by the address of the server", async () => {
    const price = await priceAt("https://api.groq.com/openai/v1", "openai/gpt-oss-120b", NOVEMBER);
    expect(price).toMatchObject({ inputUsd: 0.15, outputUsd: 0.6 });
    expect(await priceAt("http://127.0.0.1:8000/v1", "gpt-5", NOVEMBER)).toBeUndefined();
  });
});

const usage = fc
  .record({
    cached: fc.nat(1e6),
    written: fc.nat(1e6),
    fresh: fc.nat(1e6),
    output: fc.nat(1e6),
    reasoning: fc.nat(100),
  })
  .map(
    ({ cached, written, fresh, output, reasoning }): Required<Usage> => ({
      hourWriteTokens: Math.floor(written / 3),
      inputTokens: cached + written + fresh,
      outputTokens: output + reasoning,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
    }),
  );
const dollars = fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 1000);
const prices: fc.Arbitrary<Price> = fc.record(
  { inputUsd: dollars, outputUsd: dollars, cachedInputUsd: dollars, cacheWriteUsd: dollars },
  { requiredKeys: ["inputUsd", "outputUsd"] },
);

describe("the cost of a usage", () => {
  it("bills cached and written input at their own prices", () => {
    const price = { inputUsd: 2, outputUsd: 10, cachedInputUsd: 0.2, cacheWriteUsd: 2.5 };
    const base = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 400, reasoningTokens: 50 };
    expect(costOf(base, price)).toBeCloseTo((600 * 2 + 400 * 0.2 + 100 * 10) / 1e6, 12);
    expect(costOf({ ...base, cacheWriteTokens: 600 }, price)).toBeCloseTo(
      (600 * 2.5 + 400 * 0.2 + 100 * 10) / 1e6,
      12,
    );
    expect(costOf({ ...base, cacheWriteTokens: 600, hourWriteTokens: 200 }, price)).toBeCloseTo(
      (200 * 2 * 2 + 400 * 2.5 + 400 * 0.2 + 100 * 10) / 1e6,
      12,
    );
    expect(costOf(base, { inputUsd: 2, outputUsd: 10 })).toBeCloseTo((1000 * 2 + 100 * 10) / 1e6, 12);
  });

  it("is additive", () => {
    fc.assert(
      fc.property(usage, usage, prices, (a, b, price) => {
        const sum = { ...addUsage(a, b), cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens };
        expect(costOf(sum, price)).toBeCloseTo(costOf(a, price) + costOf(b, price), 6);
      }),
      { seed: 11 },
    );
  });

  it("never falls when there is more input or output, and is never negative", () => {
    fc.assert(
      fc.property(usage, fc.nat(1000), fc.nat(1000), prices, (less, input, output, price) => {
        const more = {
          ...less,
          inputTokens: less.inputTokens + input,
          outputTokens: less.outputTokens + output,
        };
        expect(costOf(more, price)).toBeGreaterThanOrEqual(costOf(less, price) - 1e-9);
        expect(costOf(less, price)).toBeGreaterThanOrEqual(0);
      }),
      { seed: 12 },
    );
  });
});

describe("the upper bound of the input", () => {
  it("is never below the bytes of what is sent", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 6 }), (texts) => {
        const messages = texts.map((content): Message => ({ role: "user", content }));
        const bytes = texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0);
        expect(estimateInputTokens(messages)).toBeGreaterThanOrEqual(bytes + 3 * texts.length);
      }),
      { seed: 13 },
    );
  });

  it("counts images, tool calls, tools and schemas, but not the bytes of an image", () => {
    const text: Message[] = [{ role: "user", content: "hi" }];
    const image = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    const withImage: Message[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "hi" },
          { type: "image", image },
        ],
      },
    ];
    expect(estimateInputTokens(withImage) - estimateInputTokens(text)).toBe(10_000);
    const inputSchema = { type: "object", description: "x".repeat(500) };
    expect(estimateInputTokens(text, { tools: [{ name: "add", inputSchema }] })).toBeGreaterThan(1500);
    expect(
      estimateInputTokens(text, { responseFormat: { type: "json", schema: inputSchema } }),
    ).toBeGreaterThan(1500);
    const call = { id: "1", name: "add", input: "y".repeat(300) };
    expect(estimateInputTokens([{ role: "assistant", content: "", toolCalls: [call] }])).toBeGreaterThan(300);
  });
});
