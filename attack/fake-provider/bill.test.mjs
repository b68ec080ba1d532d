// The fake provider's bill is the measure of every attack on a budget: each field that costs must cost there.
import { describe, expect, it } from "vitest";
import { billOf, MOST_OUTPUT_TOKENS, PRICE } from "./bill.mjs";

const usd = (body, { thinks = true, headers } = {}) =>
  billOf(body, { textBytes: 0, thinks, replyTokens: 10, headers }).usd;
const tokens = (count) => (count * PRICE.outputUsd) / 1e6;

describe("the fake provider bills", () => {
  it.each([
    ["the limit of a model that reasons", { max_tokens: 100 }, tokens(100)],
    [
      "the largest of several limits",
      { max_tokens: 1, max_completion_tokens: 300, max_output_tokens: 200 },
      tokens(300),
    ],
    ["its own limit where none is given", {}, tokens(MOST_OUTPUT_TOKENS)],
    ["no more than its own limit", { max_tokens: 1e308 }, tokens(MOST_OUTPUT_TOKENS)],
    ["numbers that are texts", { max_tokens: "100", n: "3" }, tokens(300)],
    ["every choice", { max_tokens: 100, n: 64 }, tokens(6_400)],
    ["twice for a faster tier", { max_tokens: 100, service_tier: "priority" }, tokens(200)],
    ["the expensive one of a list of models", { max_tokens: 100, models: ["a", "b"] }, tokens(2_000)],
    [
      "tools that it runs itself",
      { max_tokens: 100, tools: [{ type: "web_search" }, { type: "function" }] },
      tokens(100) + 0.03,
    ],
    [
      "an image",
      { max_tokens: 100, messages: [{ content: [{ type: "image_url" }] }] },
      tokens(100) + (1_500 * PRICE.inputUsd) / 1e6,
    ],
    [
      "a file",
      { max_tokens: 100, messages: [{ content: [{ type: "file" }] }] },
      tokens(100) + (10_000 * PRICE.inputUsd) / 1e6,
    ],
    [
      "a conversation it has stored",
      { max_tokens: 100, previous_response_id: "x" },
      tokens(100) + (100_000 * PRICE.inputUsd) / 1e6,
    ],
  ])("%s", (_, body, expected) => {
    expect(usd(body)).toBeCloseTo(expected, 9);
  });

  it("what is shown only, for a model that does not reason", () => {
    expect(usd({ max_tokens: 100 }, { thinks: false })).toBeCloseTo(tokens(10), 9);
  });

  it("text by its bytes, twice where it is kept for an hour", () => {
    const of = (body) => billOf(body, { textBytes: 4_000, thinks: false, replyTokens: 0 }).usd;
    const once = (1_000 * PRICE.inputUsd) / 1e6;
    expect(of({})).toBeCloseTo(once, 9);
    expect(of({ system: [{ type: "text", cache_control: { ttl: "1h" } }] })).toBeCloseTo(2 * once, 9);
  });
});
