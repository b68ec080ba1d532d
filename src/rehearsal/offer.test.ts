import { describe, expect, it } from "vitest";
import { offerQuestion, SUBJECTS } from "./offer.ts";
import { toSumQuestion } from "./plain-sums.ts";
import { FAMILIES, generateProblems, readProblem } from "./questions.ts";

it("every family of the rehearsal has a subject by which it is offered", () => {
  const offered = new Set(SUBJECTS.map(([family]) => family));
  expect(FAMILIES.map(({ id }) => id).filter((id) => !offered.has(id))).toEqual(["arithmetic"]);
  expect([...offered].filter((id) => !FAMILIES.some((family) => family.id === id))).toEqual([]);
});

describe("a question that is refused", () => {
  it.each([
    ["What is 17 times 23 modulo 5?", "arithmetic"],
    ["What is the capital of the moon?", "capitals"],
    ["Convert three leagues into furlongs", "units"],
    ["How many ounces are in a stone?", "units"],
    ["Write a function that reverses a linked list in Python", "programs"],
    ["Solve for y: the square of y is nine", "equations"],
    ["On which weekday was Mozart born?", "dates"],
    ["What is the atomic weight of kryptonite?", "elements"],
    ["Which is cheaper, a lease or a loan?", "shopping"],
    ["What is the shortest way from Paris to Rome by train?", "routes"],
    ["Find a slot for a meeting of four people", "schedules"],
    ["How much fence does a triangle need?", "gardens"],
    ["What rhymes with orange? Count its letters", "strings"],
    ["Who is taller, Ann or Bob?", "ordering"],
    ["Explain the liar paradox", "knights"],
    ["What is the median of this spreadsheet?", "tables"],
  ])("%s gets one of its kind offered", (question, family) => {
    expect(readProblem(question)).toBeUndefined();
    expect(readProblem(offerQuestion(question))?.family).toBe(family);
  });

  it.each(["Write a haiku", "", "¿?", "a".repeat(5000)])("%.20j gets one that is recognised", (question) => {
    const offered = offerQuestion(question);
    expect(readProblem(offered)).toBeDefined();
    expect(offered).not.toMatch(/['`$\\!\n]/);
  });
});

describe("a sum as people type it", () => {
  it.each([
    ["What is 17 times 23?", "391"],
    ["17 times 23", "391"],
    ["1+1?", "2"],
    ["what's 10 minus 4", "6"],
    ["How much is 84 divided by 7?", "12"],
    ["12*(3+4)=", "84"],
  ])("%s is answered", (question, answer) => {
    expect(readProblem(question)).toMatchObject({ family: "arithmetic", answer });
  });

  it.each(["There are 3 plus a few", "2026", "12-", "Who won 3 times?", "3 over"])("%s is none", (text) => {
    expect(toSumQuestion(text)).toBeUndefined();
  });

  it("and no question of another family is taken for one", () => {
    for (const { question, family } of generateProblems({ count: 300, seed: "sums" }))
      if (family !== "arithmetic") expect(toSumQuestion(question)).toBeUndefined();
  });
});
