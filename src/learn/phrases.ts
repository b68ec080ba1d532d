// The words of the warm-up: subtasks as any planner might write them, put together by lot. They name kinds of
// work that belong to the question only by chance: which words help is left to the reward.

import type { Random } from "../random.ts";

/** "…" stands for a kind of work. */
const TEMPLATES: readonly string[] = [
  "Plan the …",
  "List the steps for the …",
  "Make a plan",
  "Solve the …",
  "Work out the …",
  "Follow the plan: …",
  "Answer the question",
  "Check the …",
  "Verify the …",
  "Review the work and correct it",
  "Compare the answers and pick the right one",
  "Write down what is known",
];

/** What all steps are told where words are not free: one sentence for solving, one for comparing. */
const GENERIC = "Answer the question";

export type Words = "free" | "generic";

export function drawSubtask(works: readonly string[], words: Words, random: Random): string {
  if (words === "generic") return GENERIC;
  return random.pick(TEMPLATES).replace("…", random.pick(works));
}

/** All that can be said, for the tokenizer. */
export function allSubtasks(works: readonly string[]): string[] {
  return TEMPLATES.flatMap((template) => works.map((work) => template.replace("…", work)));
}
