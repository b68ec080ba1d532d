import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { extractAnswer } from "./extract.ts";

describe("a stated answer is found", () => {
  test.each([
    ["Answer: 42", "42"],
    ["so it goes\nAnswer: 41\nno, wait\nAnswer: 42", "42"],
    ["Answer: 3 or rather Answer: 4", "4"],
    ["**Final answer:** 42", "42"],
    ["**Answer: 42**", "42**"],
    ["## Final Answer\n\n42", "42"],
    ["Answer:\n\n  Paris", "Paris"],
    ["I think the answer is 3.14. It follows from the table.", "3.14"],
    ["The answer is 42 because six times seven is that.", "42"],
    ["We get \\boxed{\\frac{1}{2}} at last", "\\frac{1}{2}"],
    ["\\boxed{1} then \\boxed{2} and \\boxed{3", "2"],
    ["Answer: $\\boxed{x^{2}}$", "x^{2}"],
    ["\\boxed{1}\nAnswer: 2", "2"],
    ["Answer: 2\nor \\boxed{1}", "1"],
    ["The correct answer is (C).", "(C)"],
    ["Answer: (C) Paris", "(C)"],
    ["Answer: C) Paris", "(C)"],
    ["So option B is correct.", "(B)"],
    ["I choose (D)", "(D)"],
    ["The correct answer is Berlin.", "Berlin"],
    ["<think>Answer: 1</think>\nAnswer: 2", "2"],
    ["first we add\nthen we have\n17", "17"],
    ["", ""],
    ["   \n ", ""],
  ])("%j → %j", (text, answer) => {
    expect(extractAnswer(text)).toBe(answer);
  });
});

test("prose without a statement is kept whole", () => {
  const prose = `${"word ".repeat(30)}end`;
  expect(extractAnswer(`  ${prose}\n`)).toBe(prose);
});

test("any text gives a text, and a final statement always wins", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer(), (text, number) => {
      expect(typeof extractAnswer(text)).toBe("string");
      expect(extractAnswer(`${text}\nAnswer: ${number}`)).toBe(String(number));
    }),
    { seed: 2, numRuns: 500 },
  );
});

test("hostile texts take linear time", () => {
  const hostile = [
    "\\boxed{",
    "answer ",
    "answer: ",
    " ",
    "\n",
    "}",
    "{",
    "*",
    "(C",
    "correct answer ",
    "</think>",
  ];
  const cpuMs = startCpuClock();
  for (const piece of hostile) extractAnswer(piece.repeat(40_000));
  extractAnswer(`${hostile.join("").repeat(5000)}`);
  expect(cpuMs()).toBeLessThan(3000);
});
