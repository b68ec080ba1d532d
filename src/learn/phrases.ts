// The words of the warm-up: subtasks as any planner might write them, put together by lot. Most of them name
// something that the question itself mentions, as anybody who can read would; the others name any work at all.
// Whether it helps to name the right work, and to whom to say it, is left to the reward.

import type { Random } from "../base/random.ts";

/**
 * "…" stands for a kind of work. All of them name one: a phrase that fits every question and every place in a
 * team was taken up within minutes, and then words meant nothing. For the same reason each stands where it makes
 * sense: "review the … and correct it" said to somebody who sees nothing was taken up for everything.
 */
const PLANS: readonly string[] = ["Plan the …", "List the steps for the …"];
const SOLUTIONS: readonly string[] = ["Solve the …", "Work out the …"];
/** For those who see what others have replied. */
const REVIEWS: readonly string[] = [
  "Follow the plan for the …",
  "Check the …",
  "Verify the …",
  "Review the … and correct it",
  "Compare the answers about the …",
];

/** Where in its team a subtask stands. */
export interface Place {
  seesOthers: boolean;
  /** Others follow who may see its reply. */
  opensTeam: boolean;
}

/** Of the teams, this share begins with a plan. */
const PLANNED = 1 / 2;

/** What all steps are told where words are not free: one sentence for solving, one for comparing. */
const GENERIC = "Answer the question";

export type Words = "free" | "generic";

const MENTIONED = 3 / 4;

export interface Vocabulary {
  works: readonly string[];
  /** Those that the question mentions. */
  mentioned: readonly string[];
  words: Words;
}

export function toVocabulary(question: string, works: readonly string[], words: Words): Vocabulary {
  const text = ` ${question.toLowerCase().replace(/[^\p{L}]+/gu, " ")} `;
  return { works, words, mentioned: works.filter((work) => text.includes(` ${work.toLowerCase()} `)) };
}

export function drawSubtask(
  { works, mentioned, words }: Vocabulary,
  { seesOthers, opensTeam }: Place,
  random: Random,
): string {
  if (words === "generic") return GENERIC;
  const known = mentioned.length > 0 && random.next() < MENTIONED ? mentioned : works;
  // A plan is no answer, and without anything in sight there is nothing to check.
  const isPlan = opensTeam && random.next() < PLANNED;
  const templates = isPlan ? PLANS : [...SOLUTIONS, ...(seesOthers ? REVIEWS : [])];
  return random.pick(templates).replace("…", random.pick(known));
}

/** All that can be said, for the tokenizer. */
export function allSubtasks(works: readonly string[]): string[] {
  return [...PLANS, ...SOLUTIONS, ...REVIEWS].flatMap((template) =>
    works.map((work) => template.replace("…", work)),
  );
}
