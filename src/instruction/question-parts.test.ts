import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findParts, MOST_PARTS } from "./question-parts.ts";

const CLOSING = "End with a line “Answer: …” that states the final answer alone.";

describe("what is asked for comes first", () => {
  test.each([
    ["How many tiles are the tiles for the border?", "the tiles for the border"],
    ["How long is the shortest route from Flint to Brook, in km?", "the shortest route from Flint to Brook"],
    ["If 5x + 6y = 55 and 3x − 5y = -10, what is y?", "y"],
    ["A rectangular garden of 30 m by 12 m gets a fence. How many dollars does the fence cost?", "the fence"],
    ["What is the mass, in kilograms, of the oil in 3 tanks?", "the mass"],
    ["Emil and Fay raced. Name the one who came third.", "the one who came third"],
    ["Who finished first?", "“Who finished first?”"],
    ['Take the word "planet" and reverse it. What do you get?', 'the word "planet"'],
    ["What is the atomic number of sulfur?", "the atomic number of sulfur"],
    ["Summarise the email below. Anna wrote: can you come on Friday?", "the email"],
    ["Wie viele Fliesen braucht man für den Rand?", "“Wie viele Fliesen braucht man für den Rand?”"],
    ["首都はどこですか？", "“首都はどこですか？”"],
  ])("%s", (question, first) => {
    expect(findParts(question)[0]).toMatchObject({ text: first, isAsked: true });
  });
});

test("names, numbers and options of the rest follow", () => {
  const parts = findParts(
    "Mr. Okafor sells 250 boxes a week in Lagos.\nWhich month is best for him?\n(A) March\n(B) the last of the year\n(C) April",
  );
  const kinds = new Set(parts.map(({ kind }) => kind));
  expect(kinds).toContain("option");
  expect(kinds).toContain("number");
  expect(kinds).toContain("name");
  expect(parts.length).toBeLessThanOrEqual(MOST_PARTS);
});

test("of a language without noun phrases: the question, names, numbers and what is quoted", () => {
  const texts = findParts("Frau Müller kauft in „Blumen Maier“ 12 Rosen. Was kosten die Rosen?").map(
    ({ text }) => text,
  );
  expect(texts[0]).toBe("“Was kosten die Rosen?”");
  expect(texts).toContain("“Blumen Maier”");
  expect(texts).toContain("12 Rosen");
});

test("how the answer is to be written is no part", () => {
  for (const ending of [CLOSING, "End with a line “Answer: X”, where X is the letter of the right option."]) {
    const texts = findParts(`What is the capital of Kenya?\n\n${ending}`).map(({ text }) => text);
    expect(texts).toEqual(["the capital of Kenya"]);
  }
});

test("at the place where it stands", () => {
  const question = "It is late. What is the capital of Kenya?";
  expect(findParts(question)[0]?.at).toBeCloseTo(question.indexOf("the capital") / question.length, 5);
});

test("of a question of megabytes only the ends are read, in no time", () => {
  const start = performance.now();
  for (const filling of ["a word of the middle ", "((((", "x + ", "“", "A) ", "1,", "and "]) {
    const parts = findParts(`${filling.repeat(3_000_000 / filling.length)}\nWhat is the capital of Kenya?`);
    expect(parts[0]?.text).toBe("the capital of Kenya");
  }
  expect(performance.now() - start).toBeLessThan(5000);
});

test("never throws and is bounded", () => {
  const words = fc.constantFrom(
    ...'the a of 12 x + = ( ) “ ” " ? . , : km Anna what is costs { } \n A) B) für und is that'.split(" "),
  );
  const texts = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.array(words, { maxLength: 60 }).map((list) => list.join(" ")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const parts = findParts(text);
      expect(parts.length).toBeLessThanOrEqual(MOST_PARTS);
      for (const { text: phrase, at, words } of parts) {
        expect(phrase).not.toMatch(/[{}\n\r]/);
        expect(phrase.trim()).toBe(phrase);
        expect(phrase.length).toBeLessThanOrEqual(90);
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThanOrEqual(1);
        expect(words).toBeGreaterThan(0);
      }
    }),
    { numRuns: 1000, seed: 19 },
  );
});
