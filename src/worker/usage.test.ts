import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { settle, toSpending } from "../perform/budget.ts";
import { chatEvent, EVENTS, startProvider } from "../testing/gateway/provider-server.ts";
import { fromChatUsage } from "./chat/stream.ts";
import { loadModel, type ProviderProtocol } from "./models.ts";
import { costOf, NO_USAGE } from "./price.ts";
import { createModelWorker } from "./provider.ts";
import type { Usage, WorkerEvent } from "./types.ts";
import { acceptUsage, onRefusedUsage, toCount } from "./usage.ts";

const usage = (more: Partial<Usage> = {}): Usage => ({
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 10,
  reasoningTokens: 5,
  ...more,
});

/** What comes of it, and who was told. */
function accept(reported: Usage, longestReply?: number) {
  const told: string[] = [];
  const stop = onRefusedUsage((workerId) => told.push(workerId));
  const accepted = acceptUsage("w", reported, longestReply);
  stop();
  return { accepted, told };
}

describe("usage", () => {
  it("that can be is taken as it is", () => {
    const reports = [usage(), NO_USAGE, usage({ cachedInputTokens: 100 }), usage({ cacheWriteTokens: 90 })];
    for (const report of reports) {
      const { accepted, told } = accept(report, 100);
      expect(accepted).toBe(report);
      expect(told).toEqual([]);
    }
    // Models that think may take more than the longest reply that was asked for.
    expect(accept(usage({ outputTokens: 60_000 }), 100).told).toEqual([]);
  });

  it.each<[string, Partial<Usage>]>([
    ["negative input", { inputTokens: -1, cachedInputTokens: 0 }],
    ["negative output", { outputTokens: -1 }],
    ["negative cache", { cachedInputTokens: -1 }],
    ["a negative part written to the cache", { cacheWriteTokens: -5 }],
    ["no number", { inputTokens: Number.NaN }],
    ["no end", { outputTokens: Number.POSITIVE_INFINITY }],
    ["half a token", { outputTokens: 1.5 }],
    ["more cached than there was", { cachedInputTokens: 101 }],
    ["more written than there was", { cacheWriteTokens: 91 }],
    ["more than there are words", { inputTokens: 2e8 }],
  ])("with %s is taken as not given, and told", (_, more) => {
    const { accepted, told } = accept(usage(more), 100);
    expect(accepted).toEqual(NO_USAGE);
    expect(told).toEqual(["w"]);
  });

  it("with far more output than was asked for is counted as the most that can be, and told", () => {
    for (const outputTokens of [70_000, 1e15]) {
      const { accepted, told } = accept(usage({ outputTokens }), 100);
      expect(accepted).toEqual(usage({ outputTokens: 66_336 }));
      expect(told).toEqual(["w"]);
    }
  });

  it("a count is a whole number from zero, or none", () => {
    for (const value of [undefined, null, 0]) expect(toCount(value)).toBe(0);
    expect(toCount(7)).toBe(7);
    for (const value of ["7", "", -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, {}, [], true])
      expect(toCount(value)).toBeNaN();
  });
});

describe("a bill", () => {
  const anything = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.integer({ min: 0, max: 1e6 }),
    fc.constantFrom<unknown>("12", null, undefined, -0, -1, {}, [3], true, 1e308, -1e308),
  );

  it("never becomes smaller, whatever a provider reports", () => {
    const entry = { kind: "model" as const, price: { inputUsd: 3, outputUsd: 15, cachedInputUsd: 0.3 } };
    const exchange = { inputTokens: () => 500, written: "a few words", maxOutputTokens: 10 };
    fc.assert(
      fc.property(
        anything,
        anything,
        anything,
        anything,
        anything,
        (input, output, total, cached, reasoning) => {
          const reported = fromChatUsage({
            prompt_tokens: input,
            completion_tokens: output,
            total_tokens: total,
            prompt_tokens_details: { cached_tokens: cached },
            completion_tokens_details: { reasoning_tokens: reasoning },
          });
          const spending = toSpending(entry, acceptUsage("w", reported, 100), exchange);
          expect(spending.costUsd).toBeGreaterThanOrEqual(0);
          const before = {
            spent: { usd: 1, calls: 1, tokens: 1 },
            reserved: { usd: 0, calls: 0, tokens: 0 },
            unpricedCalls: 0,
            estimatedUsd: 0,
          };
          const { spent } = settle(before, { usd: 0, calls: 0, tokens: 0 }, spending);
          for (const name of ["usd", "calls", "tokens"] as const) {
            expect(spent[name]).toBeGreaterThanOrEqual(before.spent[name]);
            expect(spent[name]).toBeLessThan(1e12);
          }
        },
      ),
      { seed: 14, numRuns: 2_000 },
    );
  });

  it("has no negative cost, whatever the usage and the price", () => {
    const number = fc.double({ noNaN: false });
    fc.assert(
      fc.property(number, number, number, number, number, number, (input, output, cached, written, a, b) => {
        const reported = {
          ...NO_USAGE,
          inputTokens: input,
          outputTokens: output,
          cachedInputTokens: cached,
          cacheWriteTokens: written,
        };
        expect(costOf(reported, { inputUsd: a, outputUsd: b })).toBeGreaterThanOrEqual(0);
      }),
      { seed: 14, numRuns: 2_000 },
    );
  });
});

describe("a provider that reports nonsense is not believed", () => {
  const bad: Record<ProviderProtocol, string> = Object.fromEntries(
    (["openai", "openai-compatible", "mistral"] as const).map((protocol) => [
      protocol,
      `${chatEvent({ content: "Hi." }, "stop", { usage: { prompt_tokens: -1_000, completion_tokens: 2 } })}data: [DONE]\n\n`,
    ]),
  ) as Record<ProviderProtocol, string>;
  const event = (fields: { type: string } & Record<string, unknown>) =>
    `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`;
  bad.anthropic =
    event({
      type: "message_start",
      message: {
        ...{ id: "m", type: "message", role: "assistant", model: "m", content: [] },
        usage: { input_tokens: -1_000, output_tokens: 1 },
      },
    }) +
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }) +
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } }) +
    event({ type: "content_block_stop", index: 0 }) +
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }) +
    event({ type: "message_stop" });
  const part = { content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP" };
  const counts = { promptTokenCount: -1_000, candidatesTokenCount: 2, totalTokenCount: 2 };
  bad.google = `data: ${JSON.stringify({ candidates: [part], usageMetadata: counts })}\n\n`;

  it.each(Object.entries(bad) as [ProviderProtocol, string][])("%s", async (protocol, text) => {
    const provider = await startProvider((response) => response.writeHead(200, EVENTS).end(text));
    const address = {
      provider: "test",
      protocol,
      model: "m",
      baseUrl: `${provider.url}/v1`,
      apiKey: "key-of-tests",
    };
    const worker = createModelWorker("test/m", () => loadModel(address));
    const told: string[] = [];
    const stop = onRefusedUsage((workerId) => told.push(workerId));
    const request = { messages: [{ role: "user" as const, content: "?" }], maxOutputTokens: 100 };
    const events: WorkerEvent[] = [];
    for await (const event of worker.ask(request, new AbortController().signal)) events.push(event);
    stop();
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop", usage: NO_USAGE });
    expect(told).toEqual(["test/m"]);
  });
});
