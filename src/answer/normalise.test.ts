import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { normaliseAnswer, sameAnswer } from "./normalise.ts";

describe("normaliseAnswer", () => {
  test.each([
    ["  Paris. ", "paris"],
    ["**42**", "42"],
    ["$1,234,567$", "1234567"],
    ["“Ana”", "ana"],
    ["−5", "-5"],
    ["12.00", "12"],
    ["12.50", "12.50"],
    [".5", ".5"],
    ["(C)", "c"],
    ["**(C)**.", "c"],
    ["1/2", "1/2"],
    ["5 km", "5 km"],
    ["(3, 4)", "(3, 4)"],
    ["Ana,\n Ben", "ana, ben"],
    ["1,2,3", "1,2,3"],
  ])("%j → %j", (text, normal) => {
    expect(normaliseAnswer(text)).toBe(normal);
  });
});

describe("sameAnswer", () => {
  test.each([
    ["42", "42.0"],
    ["0.5", ".50"],
    ["1,000", "1000"],
    ["+7", "7"],
    ["-0", "0"],
    ["007", "7"],
    ["(b)", "B"],
    ["1e3", "1000"],
  ])("%j and %j are the same", (a, b) => {
    expect(sameAnswer(a, b)).toBe(true);
  });
  test.each([
    ["42", "43"],
    ["5 km", "5"],
    ["1/2", "0.5"],
    ["-5", "5"],
    ["9007199254740993", "9007199254740992"],
    ["", "0"],
  ])("%j and %j are not", (a, b) => {
    expect(sameAnswer(a, b)).toBe(false);
  });
});

const answers = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.stringMatching(/^[-+*$"'., ()0-9a-c]{0,12}$/),
  fc.double({ noNaN: true }).map(String),
);

test("normalising twice changes nothing", () => {
  fc.assert(
    fc.property(answers, (text) => {
      const once = normaliseAnswer(text);
      expect(normaliseAnswer(once)).toBe(once);
    }),
    { seed: 3, numRuns: 3000 },
  );
});

test("being the same is reflexive and symmetric", () => {
  fc.assert(
    fc.property(answers, answers, (a, b) => {
      expect(sameAnswer(a, a)).toBe(true);
      expect(sameAnswer(a, b)).toBe(sameAnswer(b, a));
      expect(sameAnswer(a, normaliseAnswer(a))).toBe(true);
    }),
    { seed: 4, numRuns: 2000 },
  );
});

test("hostile texts take linear time", () => {
  const cpuMs = startCpuClock();
  for (const piece of ["1,234", "*", "1,2341,", ". ", "“", "0", "((", "1,"]) {
    sameAnswer(`${piece.repeat(40_000)}x`, "1");
    sameAnswer(`x${piece.repeat(40_000)}`, "1");
  }
  expect(cpuMs()).toBeLessThan(3000);
});
