import { expect, test } from "vitest";
import type { GradedTask } from "../types.ts";
import { gradeChoice } from "./choice.ts";

function toTask(choices: string[] | undefined, answer: string): GradedTask {
  const task = {
    id: "t",
    set: "s",
    category: "c",
    family: "c",
    prompt: "Which?",
    answer,
    grader: "choice" as const,
  };
  return choices ? { ...task, choices } : task;
}

const MEMORY = ["Queue memory", "FIFO memory", "LIFO memory", "Random memory"];

test("one letter is right, another, none or several are not", () => {
  const task = toTask(MEMORY, "C");
  expect(gradeChoice(task, "Answer: C")).toEqual({ score: 1, why: "said C, expected C" });
  expect(gradeChoice(task, "Answer: B")).toEqual({ score: 0, why: "said B, expected C" });
  expect(gradeChoice(task, "Hard to say.")).toEqual({ score: 0, why: "said no option, expected C" });
  expect(gradeChoice(task, "Answer: A, C")).toEqual({ score: 0, why: "said A and C, expected C" });
});

test.each(["A, C", "AC", "C,A", "(A)(C)"])("several letters are right where %j is expected", (answer) => {
  const task = toTask(MEMORY, answer);
  expect(gradeChoice(task, "Answer: C and A").score).toBe(1);
  expect(gradeChoice(task, "Answer: A").score).toBe(0);
  expect(gradeChoice(task, "Answer: A, B, C").score).toBe(0);
});

test("the expected answer may be the text of an option", () => {
  expect(gradeChoice(toTask(MEMORY, "LIFO memory"), "I choose C.").score).toBe(1);
  expect(gradeChoice(toTask(MEMORY, "(C)"), "LIFO memory").score).toBe(1);
});

test("an expected answer that names no option is no grade", () => {
  expect(gradeChoice(toTask(MEMORY, "purple"), "C")).toMatchObject({ ungraded: true });
});
