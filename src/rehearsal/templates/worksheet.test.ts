import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { FAMILIES } from "../questions.ts";
import { Sheet, showNumber, workOutWrongly } from "./worksheet.ts";

const slipAt = (stage: number, seed = 1) => new Sheet({ stage, random: createRandom(seed) });

describe("without a slip", () => {
  test("results are true, and each is a stage with its line", () => {
    const sheet = new Sheet();
    expect(sheet.number("add", 1.5, "1 + 0.5 = #")).toBe(1.5);
    expect(sheet.text("reverse", "ba", "ab → #")).toBe("ba");
    expect(sheet.choice("pick", "left", ["right"], "it is #")).toBe("left");
    expect(sheet.choice("count", [1, 2], [[]], "# left", (cases) => `${cases.length}`)).toEqual([1, 2]);
    expect(sheet.stages).toEqual([
      { work: "add", line: "1 + 0.5 = 1.5" },
      { work: "reverse", line: "ab → ba" },
      { work: "pick", line: "it is left" },
      { work: "count", line: "2 left" },
    ]);
  });

  test("the result stands wherever the line has its sign, also beside dollars", () => {
    const sheet = new Sheet();
    sheet.number("twice", 4, "$# and again $#, $&");
    expect(sheet.stages[0]!.line).toBe("$4 and again $4, $&");
  });
});

describe("a slip", () => {
  test("happens at its stage and nowhere else, and later stages go on from there", () => {
    const sheet = slipAt(1);
    const first = sheet.number("first", 10, "#");
    const second = sheet.number("second", first + 10, "#");
    const third = sheet.number("third", second + 10, "#");
    expect(first).toBe(10);
    expect(second).not.toBe(20);
    expect(third).toBe(second + 10);
    expect(sheet.stages.map(({ line }) => Number(line))).toEqual([first, second, third]);
  });

  test("in a number is near, and never turns it negative", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.nat(), (value, seed) => {
        const slipped = slipAt(0, seed).number("n", value, "#");
        expect(slipped).not.toBe(value);
        expect(Math.abs(slipped - value)).toBeLessThanOrEqual(10);
        expect(slipped).toBeGreaterThanOrEqual(0);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("in a text always changes it, by one letter or two", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-c]{1,8}$/), fc.nat(), (value, seed) => {
        const slipped = slipAt(0, seed).text("t", value, "#");
        expect(slipped).not.toBe(value);
        expect(Math.abs(slipped.length - value.length)).toBeLessThanOrEqual(1);
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test("in a choice takes one of the others, and where there are none it stays", () => {
    const taken = new Set(
      Array.from({ length: 40 }, (_, seed) => slipAt(0, seed).choice("c", "a", ["b", "c"], "#")),
    );
    expect([...taken].sort()).toEqual(["b", "c"]);
    expect(slipAt(0).choice("c", "a", [], "#")).toBe("a");
  });
});

test("numbers are shown without the noise of floating point", () => {
  expect(showNumber(0.1 + 0.2)).toBe("0.3");
  expect(showNumber(-0)).toBe("0");
  expect(showNumber(1e9)).toBe("1000000000");
  expect(showNumber(2 / 3)).toBe("0.666667");
});

test("a problem is worked out wrongly as often as wanted, and its own solution is untouched", () => {
  for (const family of FAMILIES) {
    const problem = family.generate(createRandom(family.id), 3);
    const before = structuredClone(problem);
    for (let stage = 0; stage <= problem.stages.length; stage++) {
      const wrong = workOutWrongly(family, problem, stage, createRandom(stage));
      expect(wrong.answer, family.id).not.toBe(problem.answer);
    }
    expect(problem).toEqual(before);
    expect(family.workOut(problem)).toEqual({ stages: problem.stages, answer: problem.answer });
  }
});
