import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sameAnswer } from "../../answer/normalise.ts";
import { createRandom } from "../../base/random.ts";
import { startCpuClock } from "../../testing/cpu-clock.ts";
import { TOPICS } from "../../worker/types.ts";
import { FAMILIES, gradeProblem, readProblem } from "../questions.ts";
import { cleanText } from "../templates/templates.ts";
import { workOutWrongly } from "../templates/worksheet.ts";
import type { Difficulty } from "../types.ts";

const DIFFICULTIES: Difficulty[] = [1, 2, 3];
const drawn = fc.record({
  seed: fc.integer(),
  family: fc.constantFrom(...FAMILIES),
  difficulty: fc.constantFrom(...DIFFICULTIES),
});

test("there are at least nine families, each with a topic of the profiles", () => {
  expect(FAMILIES.length).toBeGreaterThanOrEqual(9);
  expect(new Set(FAMILIES.map(({ id }) => id)).size).toBe(FAMILIES.length);
  for (const { topic } of FAMILIES) expect(TOPICS).toContain(topic);
});

test("what a family generates, it reads back as the same problem, and no other family takes it", () => {
  fc.assert(
    fc.property(drawn, ({ seed, family, difficulty }) => {
      const problem = family.generate(createRandom(seed), difficulty);
      expect(problem.difficulty).toBe(difficulty);
      expect(family.read(problem.question)).toEqual(problem);
      for (const other of FAMILIES) {
        if (other !== family) expect(other.read(problem.question)).toBeUndefined();
      }
    }),
    { seed: 5, numRuns: 1500 },
  );
});

test("a question is found inside other words, quoted and wrapped", () => {
  fc.assert(
    fc.property(drawn, ({ seed, family, difficulty }) => {
      const problem = family.generate(createRandom(seed), difficulty);
      const words = problem.question.split(" ");
      const quoted = words.map((word, i) => (i % 7 === 6 ? `${word}\n> ` : `${word} `)).join("");
      const text = `Hello, please help me with my homework.\n\n> ${quoted}\n\nThank you very much, and no rush!`;
      expect(family.read(cleanText(text))).toEqual(problem);
    }),
    { seed: 6, numRuns: 600 },
  );
});

test("a slip at any stage gives another answer, and it is never graded right", () => {
  fc.assert(
    fc.property(drawn, fc.nat(), ({ seed, family, difficulty }, at) => {
      const problem = family.generate(createRandom(seed), difficulty);
      const wrong = workOutWrongly(family, problem, at % problem.stages.length, createRandom(seed + 1));
      expect(sameAnswer(wrong.answer, problem.answer)).toBe(false);
      expect(gradeProblem(problem, `Answer: ${wrong.answer}`).score).toBe(0);
      expect(gradeProblem(problem, `Answer: ${problem.answer}`).score).toBe(1);
      expect(wrong.answer).not.toMatch(/NaN|Infinity|undefined|none/);
      expect(wrong.stages.map(({ line }) => line)).not.toEqual(problem.stages.map(({ line }) => line));
    }),
    { seed: 7, numRuns: 3000 },
  );
});

test("harder problems have more stages", () => {
  for (const family of FAMILIES.filter(({ recall }) => !recall)) {
    const mean = (difficulty: Difficulty) => {
      const counts = Array.from(
        { length: 40 },
        (_, i) => family.generate(createRandom(i), difficulty).stages.length,
      );
      return counts.reduce((sum, count) => sum + count, 0) / counts.length;
    };
    expect(mean(2), family.id).toBeGreaterThan(mean(1));
    expect(mean(3), family.id).toBeGreaterThan(mean(2));
  }
});

describe("a person's own numbers are worked out, not looked up", () => {
  test.each([
    ["what is 2+3*4", "14"],
    ["What is (1,200 - 200) / 8?", "125"],
    ["please calculate 7 x 8", "56"],
    ["solve for x: 3x+5=20", "5"],
    ["If 3x + 1 = 9, what is x?", "8/3"],
    ["Solve for t: 5t - 3 = 2t + 18", "7"],
    ["If 2x + 3y = 12 and 4x - 3y = 6, what is x + y?", "5"],
    ["Anna buys 3 hats at $12.50 each. How many dollars is that?", "37.5"],
    ["What is the area, in square metres, of a rectangle 7 m long and 6 m wide?", "42"],
    [
      "What does this program print?\n```js\nlet a = 2;\nwhile (a < 20) { a *= 3; }\nconsole.log(a);\n```",
      "54",
    ],
    ["what is the capital of new zealand?", "Wellington"],
    ["What date is 30 days after 15 February 2024?", "16 March 2024"],
    ["How many days is it from 25 December 2023 to 1 March 2024?", "67"],
    ["Today is Monday. Which weekday is it in 100 days?", "Wednesday"],
    ['Take the word "tutti" and reverse it. What do you get?', "ittut"],
    ["How many kilometres are 2,500 metres?", "2.5"],
    ["How long is the shortest route... no idea", undefined],
    [
      "Roads with their lengths in km: A-B 2, B-C 2, A-C 5. How long is the shortest route from A to C, in km?",
      "4",
    ],
    ["What is the meaning of life?", undefined],
    ["What is 1 / 3?", undefined],
    ["What is 5?", undefined],
    ["", undefined],
  ])("%s → %s", (question, answer) => {
    expect(readProblem(question)?.answer).toBe(answer);
  });
});

test("unsolvable questions are not recognised", () => {
  const says = (who: string, what: string) => `${who} says: "${what}."`;
  const island = "Knights always tell the truth, knaves always lie.";
  const ask = "Name all the knights, separated by commas, or write nobody.";
  const knights = FAMILIES.find(({ id }) => id === "knights")!;
  const open = `${island} ${says("Ada", "Bo is a knight")} ${says("Bo", "Ada is a knight")} ${ask}`;
  expect(knights.read(open)).toBeUndefined();
  const closed = `${island} ${says("Ada", "Bo is a knave")} ${says("Bo", "Ada and I are the same kind")} ${ask}`;
  expect(knights.read(closed)?.answer).toBe("Ada");
});

test("hostile texts are read in linear time", () => {
  const pieces = [
    "What is ",
    "(",
    "1 + ",
    "let a = 1; ",
    "Ada says: ",
    "a, b, 1, 2; ",
    "A-B 2, ",
    "> ",
    "x takes 1 hours; ",
    "Solve for x: 1",
  ];
  const cpuMs = startCpuClock();
  for (const piece of pieces) readProblem(piece.repeat(20_000));
  expect(cpuMs()).toBeLessThan(5000);
});
