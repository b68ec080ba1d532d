// Grades texts: the stated answer equals the expected one once both are normalised. An answer of
// several lines (a grid, a table) is also looked for whole, behind its label or in its code block.

import { normaliseAnswer } from "../../answer/normalise.ts";
import type { Grade, GradedTask } from "../types.ts";
import { lastPart, short, statedAnswer } from "./stated.ts";

export function gradeText(task: GradedTask, answer: string): Grade {
  const expected = normaliseAnswer(task.answer);
  const said = statedAnswer(answer);
  const isLong = task.answer.trim().includes("\n");
  const candidates = isLong ? [answer, ...blocksOf(lastPart(answer))] : [said, ...quotedIn(said)];
  const isRight = candidates.some((candidate) => normaliseAnswer(candidate) === expected);
  const shown = isLong && isRight ? task.answer : said;
  return { score: isRight ? 1 : 0, why: `said ${short(shown)}, expected ${short(task.answer)}` };
}

/** Everything behind the last label, and the last code block. */
function blocksOf(text: string): string[] {
  const label = /^[\s\S]*\banswer\b[*_\s]*:[*_\s]*([\s\S]+)$/i.exec(text)?.[1];
  const blocks = text.split(/^```[^\n]*$/m);
  const block = blocks.length >= 3 ? blocks[blocks.length - (blocks.length % 2 === 1 ? 2 : 1)] : undefined;
  return [label, block].filter((candidate) => candidate !== undefined);
}

/** \text{Paris} and \boxed{Paris} say Paris. */
function quotedIn(said: string): string[] {
  const inner = /^\$?\\(?:text|textbf|mathrm|boxed)\s*\{([^{}]*)\}\$?\.?$/.exec(said.trim())?.[1];
  return inner === undefined ? [] : [inner];
}
