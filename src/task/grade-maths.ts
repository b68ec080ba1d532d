// Grades maths: LaTeX and plain, equal as numbers, sets, intervals, matrices or expressions.

import { sameMaths } from "./maths/same-maths.ts";
import { readStatedMaths } from "./maths/stated-maths.ts";
import { short, statedAnswer } from "./stated.ts";
import type { Grade, GradedTask } from "./types.ts";

export function gradeMaths(task: GradedTask, answer: string): Grade {
  const said = readStatedMaths(statedAnswer(answer)).text;
  const why = `said ${short(said)}, expected ${short(task.answer)}`;
  const how = sameMaths(task.answer, said, task.prompt);
  if (how === undefined) return { score: 0, why };
  return { score: 1, why: said === task.answer ? why : `${why}: ${how}` };
}
