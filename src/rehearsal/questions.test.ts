import { describe, expect, test } from "vitest";
import { hashSeed } from "../base/random.ts";
import {
  exampleQuestion,
  FAMILIES,
  familyOf,
  generateProblems,
  gradeProblem,
  readProblem,
} from "./questions.ts";

describe("generating problems", () => {
  test("takes families and difficulties in equal shares", () => {
    const problems = generateProblems({ count: FAMILIES.length * 6, seed: 1 });
    for (const { id } of FAMILIES) {
      const own = problems.filter(({ family }) => family === id);
      expect(own.map(({ difficulty }) => difficulty).sort(), id).toEqual([1, 1, 2, 2, 3, 3]);
    }
  });

  test("takes only what was asked for", () => {
    const problems = generateProblems({
      count: 10,
      seed: 1,
      families: ["dates", "units"],
      difficulties: [2],
    });
    expect(new Set(problems.map(({ family }) => family))).toEqual(new Set(["dates", "units"]));
    expect(problems.every(({ difficulty }) => difficulty === 2)).toBe(true);
  });

  test("is repeatable, and another seed gives other problems", () => {
    const questions = (seed: number) => generateProblems({ count: 30, seed }).map(({ question }) => question);
    expect(questions(1)).toEqual(questions(1));
    const [first, second] = [questions(1), questions(2)];
    expect(first.filter((question) => second.includes(question)).length).toBeLessThan(10);
  });

  test("more problems of a seed begin with the fewer", () => {
    const few = generateProblems({ count: 20, seed: 5 });
    expect(generateProblems({ count: 40, seed: 5 }).slice(0, 20)).toEqual(few);
  });

  test("a family that there is not is named, with those there are", () => {
    expect(() => generateProblems({ count: 1, seed: 1, families: ["cooking"] })).toThrow(
      /No family "cooking" \(there are: arithmetic, equations/,
    );
  });
});

test("a problem knows its family, its topic and the hash of its question", () => {
  for (const problem of generateProblems({ count: 45, seed: 2 })) {
    const family = familyOf(problem);
    expect([family.id, family.topic]).toEqual([problem.family, problem.topic]);
    expect(problem.hash).toBe(hashSeed(problem.question));
    expect(problem.stages.length).toBeGreaterThan(0);
    expect(problem.stages.length).toBeLessThanOrEqual(14);
    if (family.recall) expect(problem.stages).toHaveLength(1);
  }
});

test("the memo changes nothing: a text is read alike the first time, later, and after many others", () => {
  const problems = generateProblems({ count: 700, seed: "memo" });
  const first = problems.map(({ question }) => readProblem(question));
  expect(problems.map(({ question }) => readProblem(question))).toEqual(first);
  expect(first).toEqual(problems);
  const long = `${"word ".repeat(1000)}What is 2 + 3?`;
  expect([readProblem(long)?.answer, readProblem(long)?.answer]).toEqual(["5", "5"]);
});

test("examples are recognised, are not easy, and differ", () => {
  const examples = Array.from({ length: 30 }, (_, seed) => exampleQuestion(seed));
  for (const question of examples) expect(readProblem(question)?.difficulty, question).toBeGreaterThan(1);
  expect(new Set(examples).size).toBeGreaterThan(20);
  expect(exampleQuestion()).toBe(exampleQuestion(0));
});

describe("grading", () => {
  const [problem] = generateProblems({ count: 1, seed: 3, families: ["capitals"] });

  test("counts the last answer that is stated, and says why", () => {
    const right = problem!.answer;
    expect(gradeProblem(problem!, `Answer: nowhere\nNo.\nAnswer: ${right}`)).toEqual({
      score: 1,
      why: `"${right}" is right`,
    });
    expect(gradeProblem(problem!, `Answer: ${right}\nNo.\nAnswer: nowhere`)).toEqual({
      score: 0,
      why: `"nowhere" is not "${right}"`,
    });
  });

  test("shortens what it quotes", () => {
    const { score, why } = gradeProblem(problem!, "x".repeat(500));
    expect(score).toBe(0);
    expect(why.length).toBeLessThan(120);
    expect(why).toContain("…");
  });

  test("an empty reply is wrong", () => {
    for (const each of generateProblems({ count: 30, seed: 9 })) expect(gradeProblem(each, "").score).toBe(0);
  });
});
