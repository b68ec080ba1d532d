// Grades JSON: the last value in the reply equals the expected one. Order of keys is free, numbers
// count by value, prose and code fences around are no matter.

import type { Grade, GradedTask } from "../types.ts";
import { type ExactJson, parseJsonAt, sameJson } from "./parse-json.ts";
import { lastPart, short, statedAnswer } from "./stated.ts";

/** Prose full of brackets is given up on after this many characters were looked at. */
const MAX_WORK = 1_000_000;
const MAX_LENGTH = 1_000_000;

export function gradeJson(task: GradedTask, answer: string): Grade {
  const expected = parseWhole(task.answer);
  if (expected === undefined) {
    return { score: 0, why: `the expected answer ${short(task.answer)} is not JSON`, ungraded: true };
  }
  const isScalar = typeof expected !== "object" || expected === null;
  const said = isScalar ? wholeStatement(answer) : lastValue(answer);
  if (!said) return { score: 0, why: `no JSON in ${short(statedAnswer(answer))}` };
  const isRight = sameJson(said.value, expected);
  const why = `said ${short(said.text)}, expected ${short(task.answer)}`;
  return { score: isRight ? 1 : 0, why: isRight ? `${why}: equal as JSON` : why };
}

function parseWhole(text: string): ExactJson | undefined {
  const trimmed = text.trim();
  const { value, end } = parseJsonAt(trimmed, 0);
  return end === trimmed.length ? value : undefined;
}

interface FoundJson {
  value: ExactJson;
  text: string;
}

/** A number or a string is JSON only where it is the whole reply, the stated answer or a whole code block. */
function wholeStatement(answer: string): FoundJson | undefined {
  const fence = /```\w*\n([^`]*)```\s*$/.exec(lastPart(answer))?.[1];
  for (const text of [answer, fence ?? "", statedAnswer(answer).replace(/^[*`]+|[*`]+\.?$/g, "")]) {
    const value = parseWhole(text);
    if (value !== undefined) return { value, text };
  }
  return undefined;
}

/** The last object or array that is not part of another. */
function lastValue(answer: string): FoundJson | undefined {
  const text = answer.slice(-MAX_LENGTH);
  let last: FoundJson | undefined;
  let work = 0;
  for (let at = nextOpening(text, 0); at >= 0 && work < MAX_WORK; ) {
    const { value, end } = parseJsonAt(text, at);
    work += end - at;
    if (value !== undefined) last = { value, text: text.slice(at, end) };
    at = nextOpening(text, value === undefined ? at + 1 : end);
  }
  return last;
}

function nextOpening(text: string, from: number): number {
  const opening = /[[{]/g;
  opening.lastIndex = from;
  return opening.exec(text)?.index ?? -1;
}
