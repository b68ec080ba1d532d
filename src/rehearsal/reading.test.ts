import { describe, expect, test } from "vitest";
import { readInstruction } from "./instruction-reading.ts";
import { FAMILIES, generateProblems } from "./questions.ts";
import { findProblem, kindOf, lookAround, namedWork } from "./reading.ts";
import { checkSubtask, compareSubtask, planSubtask, solveSubtask } from "./subtasks.ts";
import type { Problem } from "./types.ts";

const problemOf = (family: string, difficulty: 1 | 2 | 3 = 3): Problem =>
  generateProblems({ count: 1, seed: 1, families: [family], difficulties: [difficulty] })[0]!;
const seen = (...replies: string[]) =>
  replies.map((reply, step) => ({ round: 0, step, worker: 0, subtask: "", reply }));

describe("the first word of work decides what a subtask asks for", () => {
  test.each([
    ["Solve the equation.", "solve"],
    ["Answer the question.", "solve"],
    ["Make a plan for solving this; do not solve it.", "plan"],
    ["Plan the steps", "plan"],
    ["Outline the solution", "plan"],
    ["Break the problem down into steps", "plan"],
    ["Following the plan above, solve the equation", "solve"],
    ["Do not solve this, write a plan", "plan"],
    ["Check the previous answer and correct it", "check"],
    ["Carefully verify the solution, then solve again", "check"],
    ["Find any mistakes in the solution", "check"],
    ["Solve it and check your work", "solve"],
    ["Compare the answers and choose the best", "compare"],
    ["Take a majority vote", "compare"],
    ["Sing a song", "other"],
    ["", "other"],
  ])("%j → %s", (subtask, kind) => {
    expect(kindOf(subtask)).toBe(kind);
  });
});

describe("naming the work", () => {
  test("our own subtasks are of their kind and name the right work, in every family", () => {
    for (const { id } of FAMILIES) {
      const problem = problemOf(id);
      expect(kindOf(planSubtask(problem)), id).toBe("plan");
      expect(kindOf(solveSubtask(problem)), id).toBe("solve");
      expect(kindOf(solveSubtask(problem, { plan: true })), id).toBe("solve");
      expect(kindOf(checkSubtask(problem)), id).toBe("check");
      expect(kindOf(compareSubtask()), id).toBe("compare");
      for (const subtask of [planSubtask(problem), solveSubtask(problem), checkSubtask(problem)])
        expect(readInstruction(subtask, problem).namesWork, `${id}: ${subtask}`).not.toBe("wrong");
      for (const subtask of [planSubtask(problem), solveSubtask(problem)])
        expect(readInstruction(subtask, problem).namesWork, `${id}: ${subtask}`).toBe("right");
    }
  });

  test("generic words name nothing", () => {
    for (const { id } of FAMILIES) {
      for (const subtask of [
        "Solve the question.",
        "Check the answer above.",
        "Make a plan.",
        "Think step by step.",
      ]) {
        expect(namedWork(subtask, problemOf(id)), `${id}: ${subtask}`).toBe("nothing");
      }
    }
  });

  test("the work of another topic is wrong, and a list of everything is nothing", () => {
    expect(namedWork("Solve the linear equation.", problemOf("knights"))).toBe("wrong");
    const everything = FAMILIES.map(({ terms }) => terms.join(", ")).join(", ");
    for (const { id } of FAMILIES) expect(namedWork(`Solve: ${everything}`, problemOf(id))).toBe("nothing");
  });
});

test("the last recognised message of the user is the problem; assistants are not asked", () => {
  const user = (content: string) => ({ role: "user" as const, content });
  const found = findProblem([
    user("What is 1 + 1?"),
    user("What is 2 + 3?"),
    { role: "assistant", content: "What is 9 + 9?" },
    user("Thank you!"),
  ]);
  expect(found?.answer).toBe("5");
  const parts = [{ role: "user" as const, content: [{ type: "text" as const, text: "What is 4 + 4?" }] }];
  expect(findProblem(parts)?.answer).toBe("8");
  expect(findProblem([user("Who are you?")])).toBeUndefined();
});

describe("what is in sight", () => {
  const problem = problemOf("equations");
  const plan = (lines: string[]) =>
    `Sure.\nPlan:\n${lines.map((line, i) => `${i + 1}. ${line}.`).join("\n")}`;
  const works = problem.stages.map(({ work }) => work);
  const quality = (lines: string[]) => lookAround(seen(plan(lines)), problem).planQuality!;

  test("the quality of a plan is counted in its text", () => {
    expect(quality(works)).toBe(1);
    expect(quality([])).toBe(0);
    expect(quality(works.slice(0, 2))).toBeCloseTo(2 / works.length, 9);
    expect(quality([...works, "sing a song"])).toBeLessThan(1);
    expect(quality(works.toReversed())).toBeLessThan(0.5);
    expect(lookAround(seen("Answer: 3"), problem).planQuality).toBeUndefined();
  });

  test("the same line again and again is not a good plan", () => {
    expect(quality(Array.from({ length: 20 }, () => works[0]!))).toBe(0);
  });

  test("answers are counted, plans and prose are not", () => {
    const { answers } = lookAround(
      seen("Answer: 3", plan(works), `Answer: ${problem.answer}`, "Answer: 3.0", "word ".repeat(60)),
      problem,
    );
    expect(answers.map(({ answer, votes, right }) => [answer, votes, right])).toEqual([
      ["3.0", 2, false],
      [problem.answer, 1, true],
    ]);
  });
});
