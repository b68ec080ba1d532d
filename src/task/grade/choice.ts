// Grades choices among options: exactly the expected letter or letters, in whatever way they are said.

import type { Grade, GradedTask } from "../types.ts";
import { toOptions } from "./choice-claim.ts";
import { chosenLetters, expectedLetters } from "./choice-statement.ts";
import { short } from "./stated.ts";

export function gradeChoice(task: GradedTask, answer: string): Grade {
  const options = toOptions(task.choices);
  const expected = expectedLetters(task.answer, options).sort();
  if (expected.length === 0) {
    const why = `the expected answer ${short(task.answer)} names no option`;
    return { score: 0, why, ungraded: true };
  }
  const chosen = chosenLetters(answer, options).sort();
  const said = chosen.length === 0 ? "no option" : chosen.join(" and ");
  const isRight = chosen.join() === expected.join();
  return { score: isRight ? 1 : 0, why: `said ${said}, expected ${expected.join(" and ")}` };
}
