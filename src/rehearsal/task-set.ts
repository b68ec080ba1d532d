// The rehearsal as a task set with its grader: generated problems in the shape of any other task, so that
// what measures or records real tasks does the same with simulated ones. Its name always says so.

import { TuttiError } from "../base/errors.ts";
import type { GradedTask, Grader, TaskSet } from "../task/types.ts";
import { generateProblems, gradeProblem, readProblem } from "./questions.ts";
import type { Problem } from "./types.ts";

/** A question that is drawn twice is asked once, so there may be a few less than `count`. */
export function rehearsalTaskSet({ count, seed }: { count: number; seed: number }): TaskSet {
  const problems = new Map(generateProblems({ count, seed }).map((problem) => [problem.question, problem]));
  const tasks = [...problems.values()].map((problem, i) =>
    toRehearsalTask(problem, `rehearsal/${seed}/${i}`),
  );
  return { id: "rehearsal", tasks, source: "rehearsal (simulated)" };
}

export function toRehearsalTask(problem: Problem, id: string, set = "rehearsal"): GradedTask {
  const { topic: category, family, question: prompt, answer } = problem;
  return { id, set, category, family, prompt, answer, grader: "rehearsal" };
}

/** Grades by the rules of the family that asked, which it finds by reading the question back. */
export function createRehearsalGrader(): Grader {
  return {
    async grade(task, answer) {
      const problem = readProblem(task.prompt);
      if (problem) return gradeProblem(problem, answer);
      throw new TuttiError(
        "usage",
        `Task "${task.id}" is none of the rehearsal's: ${task.prompt.slice(0, 60)}`,
      );
    },
  };
}
