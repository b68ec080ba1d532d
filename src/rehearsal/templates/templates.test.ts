import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { integer, oneOf, word } from "./slots.ts";
import { cleanText, createTemplates } from "./templates.ts";

const slots = { letter: word(["x", "y"], "[a-z]"), count: integer([1, 99]) };
const templates = createTemplates(slots, [
  "Solve for {letter}: {count}{letter}~=~{count}.",
  "What is {count} (exactly), if {letter} is known?",
]);

test("every phrasing is written, and what is written is read back", () => {
  const written = new Set<string>();
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 99 }), (seed, count) => {
      const values = { letter: "x", count };
      const question = templates.write(values, createRandom(seed));
      written.add(question.slice(0, 5));
      expect(templates.match(question)).toEqual({ question, values });
    }),
    { seed: 1, numRuns: 100 },
  );
  expect([...written].sort()).toEqual(["Solve", "What "]);
});

describe("matching", () => {
  test("a slot that stands twice must read the same twice", () => {
    expect(templates.match("Solve for x: 5x = 5.")?.values).toEqual({ letter: "x", count: 5 });
    expect(templates.match("Solve for x: 5y = 5.")).toBeUndefined();
    expect(templates.match("Solve for x: 5x = 6.")).toBeUndefined();
  });

  test("spaces marked with ~ may be left out or be many, and case does not matter", () => {
    for (const text of ["solve for x: 5x=5", "SOLVE FOR X: 5X  =  5.", "Solve  for x:  5x= 5"])
      expect(templates.match(text)?.values, text).toMatchObject({ count: 5 });
  });

  test("signs of the phrasing are signs and not patterns", () => {
    expect(templates.match("What is 7 (exactly), if x is known?")?.question).toBe(
      "What is 7 (exactly), if x is known?",
    );
    expect(templates.match("What is 7 exactly, if x is known?")).toBeUndefined();
  });

  test("the question is cut out of other words, but never out of a word", () => {
    expect(templates.match("Hi. What is 7 (exactly), if x is known? Thanks")?.question).toBe(
      "What is 7 (exactly), if x is known?",
    );
    expect(templates.match("Whatever: dissolve for x: 5x = 5")).toBeUndefined();
    expect(templates.match("Solve for x: 5x = 55")).toBeUndefined();
  });

  test("a question whose slot means nothing is found, and has no values", () => {
    const days = createTemplates({ day: { ...oneOf(["Monday"]), pattern: "[a-z]+" } }, ["Is it {day}?"]);
    expect(days.match("Is it monday?")).toEqual({ question: "Is it monday?", values: { day: "Monday" } });
    expect(days.match("Is it raining?")).toEqual({ question: "Is it raining?", values: undefined });
  });
});

describe("cleaning a text", () => {
  test.each([
    ["> quoted\n>> twice  quoted", "quoted twice quoted"],
    ["```js\nlet a = 1;\n```", "let a = 1;"],
    ["“curly” ‘quotes’", "\"curly\" 'quotes'"],
    ["  a\n\n b\t c ", "a b c"],
    ["5 > 3", "5 > 3"],
  ])("%j becomes %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  test("twice is the same, but for a quoting mark that has come to the beginning", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab \n\t>`\"'“1") }), (text) => {
        expect(cleanText(cleanText(text))).toBe(cleanText(text).replace(/^(?:> ?)+/, ""));
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  test("of a very long text keeps both ends", () => {
    const clean = cleanText(`begin ${"x ".repeat(20_000)}end`);
    expect(clean.startsWith("begin x")).toBe(true);
    expect(clean.endsWith("x end")).toBe(true);
    expect(clean.length).toBeLessThan(17_000);
  });
});
