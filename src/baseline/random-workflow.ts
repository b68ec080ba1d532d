// A valid workflow sampled for each question, with one to five steps: what the language alone
// achieves, before anybody has learned whom to ask. A Conductor's warm-up must do no better.

import { createRandom, type Random } from "../base/random.ts";
import { combines, numbersOf } from "../worker/kinds.ts";
import { type Access, MAX_STEPS, type Step } from "../workflow/types.ts";
import { createOneRound, perform } from "./decide.ts";
import { lotOf } from "./single.ts";
import { requireModels } from "./strength.ts";
import type { Baseline } from "./types.ts";

const SUBTASKS = [
  "Solve the overall task and give the answer.",
  "Write down what is known and what is asked.",
  "Make a plan for the overall task.",
  "Check what was found so far and correct it.",
  "Work out the hardest part of the overall task.",
];

export const randomWorkflow: Baseline = {
  id: "random-workflow",
  summary: "a valid workflow of one to five steps, sampled for each question",
  needsHandOffs: true,
  rounds: 1,
  fit({ pool, seed }) {
    const models = requireModels(pool);
    const tools = numbersOf(pool, combines);
    return createOneRound("random-workflow", ({ task, maxSteps }) => {
      const random = createRandom(lotOf(seed, task));
      const length = random.integer(1, Math.min(MAX_STEPS, maxSteps));
      return perform(Array.from({ length }, (_, position) => drawStep(random, position, models, tools)));
    });
  },
};

function drawStep(random: Random, position: number, models: number[], tools: number[]): Step {
  const access = drawAccess(random, position);
  // A tool compares, so it needs two replies in sight; with fewer a workflow is not valid.
  const seen = access === "all" ? position : access.length;
  const worker = random.pick(seen < 2 ? models : [...models, ...tools]);
  return { worker, subtask: random.pick(SUBTASKS), access };
}

function drawAccess(random: Random, position: number): Access {
  if (random.next() < 1 / 3) return "all";
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.5);
}
