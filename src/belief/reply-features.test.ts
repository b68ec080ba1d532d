import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkReplyFeatures, readReplyFeatures } from "./reply-features.ts";

describe("what a reply looks like", () => {
  test("a plain answer is short, clean, sure and single", () => {
    expect(readReplyFeatures("Two and two make four.\nAnswer: 4")).toEqual({
      characters: 32,
      cleanEnd: 1,
      hedges: 0,
      changes: 0,
      answers: 1,
    });
  });

  test("nothing at all is empty, and no clean end", () => {
    expect(readReplyFeatures("  \n ")).toEqual({
      characters: 0,
      cleanEnd: 0,
      hedges: 0,
      changes: 0,
      answers: 0,
    });
  });

  test.each([
    [
      "a reply that was cut in a sentence",
      "The sum of the first ten numbers is therefore equal to the product of",
    ],
    ["a reply that was cut in a formula", "We get x ="],
    ["a fence that was never closed", "```python\ndef f(x):\n    return x."],
  ])("%s does not end clean", (_, reply) => expect(readReplyFeatures(reply).cleanEnd).toBe(0));

  test.each(["It is 4.", "```\nprint(4)\n```", "So \\boxed{4}", "Answer: C"])("%s ends clean", (reply) =>
    expect(readReplyFeatures(reply).cleanEnd).toBe(1),
  );

  test("hedges are counted, whatever their case", () => {
    expect(readReplyFeatures("I think it is probably 4, but I'm not sure.").hedges).toBe(3);
  });

  test("a change of mind counts where it comes late", () => {
    const working = "We add the numbers one after the other and look at the sum. ".repeat(3);
    expect(readReplyFeatures(`${working}Wait, let me recheck. Actually it is 5.`).changes).toBe(3);
    expect(readReplyFeatures(`Wait. ${working}`).changes).toBe(0);
  });

  test("what was thought aloud does not count", () => {
    const reply = "<think>Wait, actually, hmm, maybe the answer is 7.</think>The answer is 4.";
    expect(readReplyFeatures(reply)).toMatchObject({ hedges: 0, changes: 0, answers: 1, cleanEnd: 1 });
  });

  test("different answers are counted once each, equal ones together", () => {
    expect(readReplyFeatures("The answer is 4. No: the answer is 5.\nAnswer: 4").answers).toBe(1 + 1);
    expect(readReplyFeatures("\\boxed{4}\nAnswer: 4").answers).toBe(1);
    expect(readReplyFeatures("\\boxed{{84}} and then \\boxed{85}").answers).toBe(2);
  });

  test("a reply of megabytes is read in its beginning and its end", () => {
    const long = `I think so. ${"x ".repeat(4_000_000)} Wait. Answer: 4`;
    expect(readReplyFeatures(long)).toMatchObject({
      characters: long.length,
      hedges: 1,
      changes: 1,
      answers: 1,
    });
  });

  test.each([
    ["words", "answer ".repeat(200_000)],
    ["spaces", `answer${" ".repeat(400_000)}`],
    ["boxes", "\\boxed{".repeat(100_000)],
    ["braces", `\\boxed${"{".repeat(400_000)}`],
    ["fences", "```".repeat(200_000)],
    ["not sure", "i'm not ".repeat(100_000)],
    ["stars", `answer:${"*".repeat(400_000)}`],
    ["line ends", "\n".repeat(400_000)],
  ])("hostile text (%s) gives numbers within bounds", (_, reply) => {
    const features = readReplyFeatures(reply);
    expect(checkReplyFeatures(features)).toBeUndefined();
    expect(Math.max(features.hedges, features.changes, features.answers)).toBeLessThanOrEqual(50);
  });

  test("any text gives features that can be kept", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expect(checkReplyFeatures(JSON.parse(JSON.stringify(readReplyFeatures(text))))).toBeUndefined();
      }),
    );
  });

  test.each([
    null,
    [],
    "4",
    { characters: 4 },
    { ...readReplyFeatures("4"), hedges: -1 },
    { ...readReplyFeatures("4"), changes: "2" },
  ])("features from outside are refused: %j", (value) =>
    expect(checkReplyFeatures(value)).toMatch(/an object of characters/),
  );
});
