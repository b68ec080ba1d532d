// What looks like a question of a family and is none, because its values make no sense together.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { FAMILIES, generateProblems, readProblem } from "../questions.ts";
import { cleanText } from "../templates/templates.ts";
import type { Difficulty } from "../types.ts";

const TABLE = "Table (name, city, units, price)";
const ROADS = "Roads with their lengths in km";
const RACE = "ran a race without ties";
const BILL =
  "Mia orders 2 mugs at 3 dollars each and 4 lamps at 5 dollars each. The shop takes 10% off, then adds 2 dollars for delivery. 0 friends share the bill equally. How many dollars does each pay?";

describe("is not recognised:", () => {
  test.each([
    ["an equation without the unknown", "Solve for x: 0x + 3 = 5."],
    ["an equation with equal factors on both sides", "Solve for x: 3x + 3 = 3x + 5."],
    ["a system that has no single solution", "If 2x + 3y = 5 and 4x + 6y = 10, what is y?"],
    ["a system whose first row has no y", "If 2x + 0y = 4 and 1x + 1y = 5, what is y?"],
    ["a bill for nobody", BILL],
    ["a day that is none", "What date is 30 days after 31 February 2024?"],
    ["dates in the wrong order", "How many days is it from 1 March 2024 to 25 December 2023?"],
    ["dates of the same month", "How many days is it from 1 March 2024 to 5 March 2024?"],
    ["dates years apart", "How many days is it from 1 March 2020 to 5 May 2024?"],
    ["units of different kinds", "Convert 5 litres to metres."],
    ["units into themselves", "Convert 5 metres to metres."],
    [
      "a table without the row",
      `${TABLE}: Anna, Rome, 1, 2; Boris, Oslo, 3, 4. How many units does Clara have?`,
    ],
    [
      "a table without the city",
      `${TABLE}: Anna, Rome, 1, 2; Boris, Oslo, 3, 4. How many units do the rows of Bern have together?`,
    ],
    ["a route from nowhere", `${ROADS}: A-B 2, B-C 2. How long is the shortest route from X to C, in km?`],
    ["a route to where one is", `${ROADS}: A-B 2, B-C 2. How long is the shortest route from A to A, in km?`],
    [
      "a route that does not exist",
      `${ROADS}: A-B 2, C-D 2. How long is the shortest route from A to D, in km?`,
    ],
    [
      "a job that waits for a later one",
      "With enough workers, what is the shortest time in hours for all of these jobs? a takes 2 hours and needs b; b takes 3 hours.",
    ],
    [
      "a job that is there twice",
      "With enough workers, what is the shortest time in hours for all of these jobs? a takes 2 hours; a takes 3 hours.",
    ],
    [
      "a race whose clues leave the place open",
      `Amir, Bea and Carl ${RACE}. Amir finished before Bea. Who finished second?`,
    ],
    [
      "a race with a stranger in its clues",
      `Amir, Bea and Carl ${RACE}. Amir finished before Hugo, Bea finished before Carl. Who finished first?`,
    ],
    [
      "a place behind the last runner",
      `Amir, Bea and Carl ${RACE}. Amir finished before Bea, Bea finished before Carl. Who finished fifth?`,
    ],
    ["a division that does not come out", "What is 10 / 7?"],
    ["a division by zero", "What is 10 / 0?"],
    ["brackets that do not close", "What is (2 + 3 * 4?"],
    ["a number alone", "What is 12?"],
    ["a capital nobody has in a table", "What is the capital of Atlantis?"],
    ["an element that is none", "What is the chemical symbol of unobtainium?"],
    ["a program with texts in it", 'What does this program print? let a = "x"; console.log(a);'],
    [
      "a program that never ends",
      "What does this program print? let a = 1; while (a > 0) { a++; } console.log(a);",
    ],
  ])("%s", (_, question) => {
    expect(readProblem(question)).toBeUndefined();
  });
});

test("the same questions with sensible values are recognised, so that each refusal has its reason", () => {
  for (const [question, answer] of [
    ["Solve for x: 2x + 3 = 5.", "1"],
    ["If 2x + 3y = 5 and 4x + 5y = 9, what is y?", "1"],
    [BILL.replace("0 friends", "2 friends"), "12.7"],
    ["What date is 30 days after 28 February 2024?", "29 March 2024"],
    ["Convert 5 litres to millilitres.", "5000"],
    [`${TABLE}: Anna, Rome, 1, 2; Boris, Oslo, 3, 4. How many units does Boris have?`, "3"],
    [`${ROADS}: A-B 2, B-C 2. How long is the shortest route from A to C, in km?`, "4"],
    [
      "With enough workers, what is the shortest time in hours for all of these jobs? a takes 2 hours; b takes 3 hours and needs a.",
      "5",
    ],
    [
      `Amir, Bea and Carl ${RACE}. Amir finished before Bea, Bea finished before Carl. Who finished second?`,
      "Bea",
    ],
    ["What is 10 / 4?", "2.5"],
  ] as const)
    expect(readProblem(question)?.answer, question).toBe(answer);
});

test("a person's numbers set the difficulty as the generator would", () => {
  const difficulty = (question: string) => readProblem(question)?.difficulty;
  expect(difficulty("What is 2 + 3?")).toBe(1);
  expect(difficulty("What is 2 + 3 * 4?")).toBe(2);
  expect(difficulty("What is 2 + 3 * 4 - 5 * 6?")).toBe(3);
  expect(difficulty('Take the word "tutti" and reverse it. What do you get?')).toBe(1);
  expect(difficulty('Take the word "tutti" and reverse it, then remove its vowels. What do you get?')).toBe(
    2,
  );
});

test("whatever the words around a question, the same problem is read from it", () => {
  const prose = fc.array(
    fc.constantFrom("Hello.", "Please help.", "thank you!", "I need this by noon.", "Well…"),
    {
      maxLength: 4,
    },
  );
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom<Difficulty>(1, 2, 3),
      prose,
      prose,
      (seed, difficulty, before, after) => {
        const family = FAMILIES[seed % FAMILIES.length]!;
        const problem = family.generate(createRandom(seed), difficulty);
        const text = [...before, problem.question, ...after].join(" ");
        expect(readProblem(text)).toEqual(problem);
        expect(family.read(cleanText(text))).toEqual(problem);
      },
    ),
    { seed: 3, numRuns: 400 },
  );
});

test("every phrasing of every family is asked and differs from all others", () => {
  for (const family of FAMILIES) {
    const problems = generateProblems({ count: 200, seed: "phrasings", families: [family.id] });
    const beginnings = new Set(
      problems.map(({ question, form }) => `${form} ${question.replace(/[\d"].*/, "").slice(0, 6)}`),
    );
    expect(beginnings.size, family.id).toBeGreaterThanOrEqual(3);
  }
});
