import { expect, test } from "vitest";
import { boundInput, boundUsage } from "./bound-usage.ts";

const body = (content: unknown) =>
  Buffer.from(JSON.stringify({ model: "m", messages: [{ role: "user", content }] }));

test("text is bounded by its bytes", () => {
  const text = "Was ist ein Kontrapunkt? ".repeat(1000);
  expect(boundInput(body(text))).toBeGreaterThanOrEqual(Buffer.byteLength(text));
});

test.each([
  ["chat", { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(2_000_000)}` } }],
  [
    "messages",
    { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(2_000_000) } },
  ],
])("an image of %s is not counted by its bytes", (_, part) => {
  const tokens = boundInput(body([{ type: "text", text: "What is this?" }, part, part]));
  expect(tokens).toBeGreaterThanOrEqual(20_000);
  expect(tokens).toBeLessThan(25_000);
});

test("a long text that speaks of base64 is no image", () => {
  const text = `base64 ${"word ".repeat(20_000)}`;
  expect(boundInput(body(text))).toBeGreaterThanOrEqual(text.length);
});

test("what the provider said before it was cut counts", () => {
  const usageSoFar = { inputTokens: 7, outputTokens: 1, cachedInputTokens: 3, reasoningTokens: 0 };
  const reading = { usageSoFar, writtenTokens: 32, events: 2, hasError: false };
  expect(boundUsage(body("hello"), reading)).toEqual({ ...usageSoFar, outputTokens: 32 });
});
