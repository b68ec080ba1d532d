// Grades maths: LaTeX and plain, equal as numbers, sets, intervals, matrices or expressions.

import { sameMaths } from "../maths/same-maths.ts";
import { readStatedMaths } from "../maths/stated-maths.ts";
import type { Grade, GradedTask } from "../types.ts";
import { short, statedAnswer } from "./stated.ts";

export function gradeMaths(task: GradedTask, answer: string): Grade {
  const statement = statedAnswer(answer);
  const { text: said, quantities } = readStatedMaths(statement);
  const why = `said ${short(said)}, expected ${short(task.answer)}`;
  const isProse = quantities.every(({ value }) => value.kind === "text");
  // Prose is cut before its reasons; what is expected may have been cut with them.
  const how =
    sameMaths(task.answer, said, task.prompt) ?? (isProse ? sameMaths(task.answer, statement) : undefined);
  if (how === undefined) return { score: 0, why };
  return { score: 1, why: said === task.answer ? why : `${why}: ${how}` };
}
