// All families together: making questions, reading them back, grading what is said about them.

import { extractAnswer } from "../answer/extract.ts";
import { sameAnswer } from "../answer/normalise.ts";
import { TuttiError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { arithmetic } from "./families/arithmetic.ts";
import { capitals } from "./families/capitals.ts";
import { dates } from "./families/dates.ts";
import { elements } from "./families/elements.ts";
import { equations } from "./families/equations.ts";
import { gardens } from "./families/gardens.ts";
import { knights } from "./families/knights.ts";
import { ordering } from "./families/ordering.ts";
import { programs } from "./families/programs.ts";
import { routes } from "./families/routes.ts";
import { schedules } from "./families/schedules.ts";
import { shopping } from "./families/shopping.ts";
import { strings } from "./families/strings.ts";
import { tables } from "./families/tables.ts";
import { units } from "./families/units.ts";
import { toSumQuestion } from "./plain-sums.ts";
import { cleanText } from "./templates/templates.ts";
import type { Difficulty, Family, Problem } from "./types.ts";

export const FAMILIES: readonly Family[] = [
  arithmetic,
  equations,
  shopping,
  gardens,
  knights,
  ordering,
  programs,
  capitals,
  elements,
  dates,
  strings,
  units,
  tables,
  routes,
  schedules,
];

const byId = new Map(FAMILIES.map((family) => [family.id, family]));

/** Training asks the same question many times in a row; reading it is the most expensive part of a simulated ask. */
const MEMO_SIZE = 512;
/** Longer texts are read anew each time, so that the memo stays small. */
const MEMO_LONGEST = 4000;
const memo = new Map<string, Problem | undefined>();

/** The problem that a text asks, if a family recognises it. Pure: what is remembered only saves time. */
export function readProblem(text: string): Problem | undefined {
  if (memo.has(text)) return memo.get(text);
  const clean = cleanText(text);
  let problem: Problem | undefined;
  for (const family of FAMILIES) {
    problem = family.read(clean);
    if (problem) break;
  }
  // Last, so that it changes nothing of what the families themselves write.
  const sum = problem ? undefined : toSumQuestion(text);
  if (sum !== undefined) problem = arithmetic.read(sum);
  if (memo.size >= MEMO_SIZE) memo.clear();
  if (text.length <= MEMO_LONGEST) memo.set(text, problem);
  return problem;
}

export function familyOf(problem: Problem): Family {
  return findFamily(problem.family);
}

export interface ProblemRequest {
  count: number;
  seed: number | string;
  /** Ids; all of them by default, in turn. */
  families?: readonly string[];
  difficulties?: readonly Difficulty[];
}

/** Problems from all asked families and difficulties in equal shares. */
export function generateProblems({
  count,
  seed,
  families,
  difficulties = [1, 2, 3],
}: ProblemRequest): Problem[] {
  const chosen = families?.map(findFamily) ?? FAMILIES;
  return Array.from({ length: count }, (_, i) => {
    const family = chosen[i % chosen.length]!;
    const difficulty = difficulties[Math.floor(i / chosen.length) % difficulties.length]!;
    return family.generate(createRandom(hashSeed(seed, family.id, i)), difficulty);
  });
}

/** A question that is recognised, to offer to people. */
export function exampleQuestion(seed: number | string = 0): string {
  const random = createRandom(hashSeed("example", seed));
  return random.pick(FAMILIES).generate(random, random.pick([2, 3] as const)).question;
}

export interface ProblemGrade {
  score: 0 | 1;
  why: string;
}

/** Grades the whole reply of a worker: what counts is the last answer it states. */
export function gradeProblem(problem: Problem, reply: string): ProblemGrade {
  const stated = extractAnswer(reply);
  if (sameAnswer(stated, problem.answer)) return { score: 1, why: `"${problem.answer}" is right` };
  const shown = stated.length > 60 ? `${stated.slice(0, 60)}…` : stated;
  return { score: 0, why: `"${shown}" is not "${problem.answer}"` };
}

function findFamily(id: string): Family {
  const family = byId.get(id);
  if (family) return family;
  const known = [...byId.keys()].join(", ");
  throw new TuttiError("usage", `No family "${id}" (there are: ${known})`);
}
