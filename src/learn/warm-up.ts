// Warm-up: random valid workflows, so that the model knows the language before it is rewarded. It stands in
// for the pretraining that a large model brings. Workers, words, sizes and access lists are drawn by lot, so
// it cannot teach who is good at what; that it is no better than random choice is measured, not hoped.

import { checkTeam } from "../conductor/check-team.ts";
import type { Random } from "../random.ts";
import type { Pool } from "../worker/types.ts";
import { type Access, MAX_STEPS, type Step } from "../workflow/types.ts";
import { drawSubtask, type Words } from "./phrases.ts";

export interface DrawOptions {
  pool: Pool;
  works: readonly string[];
  words: Words;
  /** Exactly so many steps; absent: by lot. */
  size?: number;
  /** Models may see the replies of others: not in a recording. */
  handOffs: boolean;
  /** Steps of the round before. */
  previousSteps: number;
  random: Random;
}

/** Workers are numbers in the pool. Later rounds accept half of the time: then there are no steps. */
export function drawWorkflow(options: DrawOptions): Step[] {
  const { pool, random, previousSteps } = options;
  if (previousSteps > 0 && random.next() < 0.5) return [];
  for (;;) {
    const size = options.size ?? random.integer(1, MAX_STEPS);
    const steps = Array.from({ length: size }, (_, position) => drawStep(options, position));
    if (!checkTeam({ steps }, pool, previousSteps)) return steps;
  }
}

function drawStep(options: DrawOptions, position: number): Step {
  const { pool, works, words, handOffs, previousSteps, random } = options;
  const worker = random.integer(0, pool.members.length - 1);
  const isModel = pool.members[worker]!.worker.kind === "model";
  const access = isModel && !handOffs ? [] : drawAccess(position, previousSteps, random);
  return { worker, subtask: drawSubtask(works, words, random), access };
}

function drawAccess(position: number, previousSteps: number, random: Random): Access {
  if (position + previousSteps === 0) return [];
  const lot = random.next();
  if (lot < 0.4) return "all";
  if (lot < 0.6) return [];
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.6);
}
