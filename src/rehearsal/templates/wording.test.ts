import { describe, expect, test } from "vitest";
import { extractAnswer } from "../../answer/extract.ts";
import { PLAYERS } from "../players.ts";
import { generateProblems, gradeProblem, readProblem } from "../questions.ts";
import { isPlan, lookAround } from "../reading.ts";
import {
  writeAdoption,
  writeCheck,
  writeComparison,
  writePlan,
  writeRefusal,
  writeSolution,
} from "./wording.ts";

const problems = generateProblems({ count: 45, seed: "wording" });
const wordy = PLAYERS.find(({ style }) => style.wordy)!;
const brief = PLAYERS.find(({ style }) => !style.wordy)!;
const see = (...replies: string[]) =>
  replies.map((reply, step) => ({ round: 0, step, worker: 0, subtask: "", reply }));

describe("a solution", () => {
  test("begins as its player does, lists every stage and ends with the answer", () => {
    for (const problem of problems) {
      const lines = writeSolution(brief, problem).split("\n");
      expect(lines[0]).toBe(brief.style.opening);
      expect(lines.slice(1, -1)).toEqual(problem.stages.map(({ line }, i) => `${i + 1}. ${line}`));
      expect(lines.at(-1)).toBe(`Answer: ${problem.answer}`);
      expect(gradeProblem(problem, lines.join("\n")).score).toBe(1);
    }
  });

  test("of a wordy player says the work beside doing it, and is longer", () => {
    for (const problem of problems) {
      const text = writeSolution(wordy, problem);
      for (const { work, line } of problem.stages)
        expect(text).toContain(`${work.charAt(0).toUpperCase()}${work.slice(1)}: ${line}`);
      expect(text.length).toBeGreaterThan(writeSolution(brief, problem).length);
    }
  });

  test("may begin with a remark", () => {
    expect(writeSolution(brief, problems[0]!, "I agree.").split("\n")[1]).toBe("I agree.");
  });
});

test("a plan is known as one, and no answer is read from it", () => {
  const plan = writePlan(wordy, ["add the numbers", "read off the sum"]);
  expect(isPlan(plan)).toBe(true);
  expect(plan).toContain("1. Add the numbers.\n2. Read off the sum.");
  for (const problem of problems) {
    const own = writePlan(
      brief,
      problem.stages.map(({ work }) => work),
    );
    const { planQuality, answers } = lookAround(see(own), problem);
    expect([planQuality, answers]).toEqual([1, []]);
    expect(isPlan(writeSolution(brief, problem))).toBe(false);
  }
});

describe("a check", () => {
  test("that finds nothing repeats the answer and works nothing out", () => {
    const text = writeCheck(brief, "42");
    expect(extractAnswer(text)).toBe("42");
    expect(text).toContain("it holds");
    expect(text).not.toContain("Worked again");
  });

  test("that finds a fault says so, works it out again and states the new answer", () => {
    const [problem] = problems;
    const text = writeCheck(brief, "nonsense", problem);
    expect(text).toContain("The earlier answer nonsense is wrong.\nWorked again:\n1. ");
    expect(extractAnswer(text)).toBe(extractAnswer(`Answer: ${problem!.answer}`));
  });
});

test("an adopted answer stands without working; a comparison counts the votes first", () => {
  expect(writeAdoption(brief, "7", "I follow.")).toBe(`${brief.style.opening}\nI follow.\nAnswer: 7`);
  const [problem] = generateProblems({ count: 1, seed: 1, families: ["arithmetic"] });
  const { answers } = lookAround(see("Answer: 1", "Answer: 2", "Answer: 1"), problem!);
  const text = writeComparison(brief, answers, answers[1]!);
  expect(text).toContain("Answers given: 2 × 1; 1 × 2. I go with 2.");
  expect(extractAnswer(text)).toBe("2");
});

test("a refusal says that it is simulated, states no answer, and offers a question that is known", () => {
  for (const text of ["", "Should I?", "What is love?"]) {
    const refusal = writeRefusal(text);
    expect(refusal).toMatch(/^\(simulated worker: /);
    expect(refusal).not.toMatch(/answer:/i);
    const offered = refusal.slice(refusal.indexOf("work on: ") + 9, -1);
    expect(readProblem(offered)?.question).toBe(offered);
    expect(writeRefusal(text)).toBe(refusal);
  }
});
