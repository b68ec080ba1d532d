import { expect, test } from "vitest";
import { toMessages } from "../task/types.ts";
import { findProblem } from "./reading.ts";
import { createRehearsalGrader, rehearsalTaskSet } from "./task-set.ts";

test("a set is repeatable from its seed, says that it is simulated, and asks nothing twice", () => {
  const set = rehearsalTaskSet({ count: 200, seed: 3 });
  expect(rehearsalTaskSet({ count: 200, seed: 3 })).toEqual(set);
  expect(rehearsalTaskSet({ count: 200, seed: 4 }).tasks[0]!.prompt).not.toBe(set.tasks[0]!.prompt);
  expect(set).toMatchObject({ id: "rehearsal", source: "rehearsal (simulated)" });
  expect(set.tasks.length).toBeGreaterThan(150);
  for (const key of ["id", "prompt"] as const)
    expect(new Set(set.tasks.map((task) => task[key])).size).toBe(set.tasks.length);
});

test("the question is recognised as it is asked, and graded by its family", async () => {
  const { tasks } = rehearsalTaskSet({ count: 60, seed: 1 });
  const grader = createRehearsalGrader();
  for (const task of tasks) {
    expect(findProblem(toMessages(task))?.answer).toBe(task.answer);
    expect(await grader.grade(task, `So.\nAnswer: ${task.answer}`)).toMatchObject({ score: 1 });
    expect(await grader.grade(task, "Answer: no idea")).toMatchObject({ score: 0 });
  }
  const foreign = { ...tasks[0]!, prompt: "What is love?" };
  await expect(grader.grade(foreign, "x")).rejects.toMatchObject({ code: "usage" });
});
