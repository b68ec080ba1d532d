import { describe, expect, test } from "vitest";
import { boundRequest, boundUsage, findBadCount } from "./bound-request.ts";

const USUAL = 500;
const boundOf = (body: object) => boundRequest(Buffer.from(JSON.stringify(body)), { ...body }, USUAL);
const inputOf = (content: unknown, more: object = {}) =>
  boundOf({ model: "m", messages: [{ role: "user", content }], ...more }).inputTokens();
const image = `data:image/png;base64,${"A".repeat(2_000_000)}`;

describe("the output", () => {
  test.each([
    ["nothing said", {}, USUAL],
    ["the dialect's own field", { max_tokens: 7 }, 7],
    ["the largest of two fields", { max_tokens: 7, max_completion_tokens: 9_000 }, 9_000],
    ["a field of another dialect", { max_tokens: 7, max_output_tokens: 9_000 }, 9_000],
    ["several replies", { max_tokens: 7, n: 64 }, 448],
    ["several replies of a usual length", { n: 3 }, 1_500],
    ["a budget of thoughts", { max_tokens: 7, thinking: { type: "enabled", budget_tokens: 4_000 } }, 4_000],
  ])("%s", (_, body, tokens) => {
    expect(boundOf(body).outputTokens).toBe(tokens);
  });

  test.each(["7", 7.5, -7, 0, null, Number.MAX_VALUE, [7], {}])("%j is no number to count with", (value) => {
    for (const name of ["max_tokens", "max_completion_tokens", "max_output_tokens", "n"])
      expect(findBadCount({ [name]: value })).toBe(name);
    expect(findBadCount({ max_tokens: 7, n: 2 })).toBeUndefined();
  });
});

describe("the input", () => {
  test("text is bounded by its bytes", () => {
    const text = "Was ist ein Kontrapunkt? ".repeat(1000);
    expect(inputOf(text)).toBeGreaterThanOrEqual(Buffer.byteLength(text));
  });

  test.each([
    ["chat", { type: "image_url", image_url: { url: image } }],
    ["responses", { type: "input_image", image_url: image }],
    [
      "messages",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(2_000_000) } },
    ],
  ])("an image of %s is not counted by its bytes", (_, part) => {
    const tokens = inputOf([{ type: "text", text: "What is this?" }, part, part]);
    expect(tokens).toBeGreaterThanOrEqual(20_000);
    expect(tokens).toBeLessThan(25_000);
  });

  test.each([
    ["an image to fetch", { type: "image_url", image_url: { url: "https://a.example/i.png" } }],
    ["a file that is kept", { type: "input_file", file_id: "file_1" }],
    ["a file to fetch", { type: "input_file", file_url: "https://a.example/a.pdf" }],
    ["a document", { type: "document", source: { type: "url", url: "https://a.example/a.pdf" } }],
    ["sound", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
    ["a part of a kind that nobody knows", { type: "hologram", url: "https://a.example/h" }],
  ])("%s counts ten thousand tokens", (_, part) => {
    const hundred = Array.from({ length: 100 }, () => part);
    expect(inputOf(hundred)).toBeGreaterThanOrEqual(1_000_000);
  });

  test("an image inside of a tool's result counts too", () => {
    const source = { type: "url", url: "https://a.example/i.png" };
    const result = { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source }] };
    expect(inputOf([result])).toBeGreaterThanOrEqual(10_000);
  });

  test.each([
    ["that speaks of base64", `base64 ${"word ".repeat(20_000)}`],
    ["that looks like data", `"type":"base64","data":"${"A".repeat(200_000)}"`],
    ["that begins like an image", image],
  ])("a long text %s is no image", (_, text) => {
    expect(inputOf(text)).toBeGreaterThanOrEqual(text.length);
    expect(inputOf([{ type: "text", text }])).toBeGreaterThanOrEqual(text.length);
    expect(inputOf([{ type: "text", text, image_url: text }])).toBeGreaterThanOrEqual(2 * text.length);
  });

  test("a document inside of the request counts by its bytes: nobody knows how much text is in it", () => {
    const data = "A".repeat(300_000);
    const part = { type: "document", source: { type: "base64", media_type: "application/pdf", data } };
    expect(inputOf([part])).toBeGreaterThanOrEqual(300_000);
  });

  test("tools have fields of the client's own, which are no images", () => {
    const tools = Array.from({ length: 20 }, () => ({ type: "function", function: { url: "x" } }));
    expect(inputOf("hello", { tools })).toBeLessThan(5_000);
  });
});

describe("what it took, where the provider did not say it to the end", () => {
  const bound = boundOf({ max_tokens: 90, messages: [] });
  const reading = { writtenTokens: 32, events: 2, hasError: false };

  test("is the longest reply where it broke off, and the text where it is whole", () => {
    expect(boundUsage(bound, reading, false)).toMatchObject({ outputTokens: 90 });
    expect(boundUsage(bound, { ...reading, writtenTokens: 200 }, false)).toMatchObject({ outputTokens: 200 });
    expect(boundUsage(bound, reading, true)).toMatchObject({ outputTokens: 32 });
  });

  test("takes the input as it was said before the cut", () => {
    const usageSoFar = { inputTokens: 7, outputTokens: 1, cachedInputTokens: 3, reasoningTokens: 0 };
    expect(boundUsage(bound, { ...reading, usageSoFar }, false)).toEqual({ ...usageSoFar, outputTokens: 90 });
  });
});
