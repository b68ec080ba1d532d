// Subtasks in plain words that name the work a question needs: written by the scripted planner and by
// the search for the best workflow, so that both are judged with the same words.

import { familyOf } from "./questions.ts";
import type { Problem } from "./types.ts";

const STATE_IT = 'End with a line "Answer: …".';

export function planSubtask(problem: Problem | undefined): string {
  return `Plan the solution without solving it: list the steps it takes to ${workOf(problem)}.`;
}

export function solveSubtask(problem: Problem | undefined, options: { plan?: boolean } = {}): string {
  return `Solve it step by step${options.plan ? ", along the plan above" : ""}: ${workOf(problem)}. ${STATE_IT}`;
}

export function checkSubtask(problem: Problem | undefined): string {
  return `Check the answer above; where you find a mistake, ${workOf(problem)} again. ${STATE_IT}`;
}

export function compareSubtask(): string {
  return `Compare the answers above and pick the one that is right. ${STATE_IT}`;
}

function workOf(problem: Problem | undefined): string {
  return problem ? familyOf(problem).work : "answer what is asked";
}
