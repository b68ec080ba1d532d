// Warm-up: random valid workflows, so that the model knows the language before it is rewarded. It stands in
// for the pretraining that a large model brings. Workers, words, sizes and access lists are drawn by lot, so
// it cannot teach who is good at what; that it is no better than random choice is measured, not hoped.

import { checkTeam } from "../conductor/check-team.ts";
import type { Random } from "../random.ts";
import type { Pool } from "../worker/types.ts";
import { type Access, MAX_STEPS, type Step } from "../workflow/types.ts";
import { drawSubtask, type Vocabulary } from "./phrases.ts";

export interface DrawOptions {
  pool: Pool;
  vocabulary: Vocabulary;
  /** Exactly so many steps; absent: by lot. */
  size?: number;
  /** Models may see the replies of others: not in a recording. */
  handOffs: boolean;
  /** Steps of the round before. */
  previousSteps: number;
  random: Random;
}

/**
 * Of the teams that are large enough, this share ends with a tool that compares, where there is one: mostly
 * where models cannot see each other, since there nothing else makes a team of them.
 */
const COMPARED = { handOffs: 1 / 3, none: 3 / 4 };
const FEWEST_COMPARED = 3;

/** Workers are numbers in the pool. Later rounds accept half of the time: then there are no steps. */
export function drawWorkflow(options: DrawOptions): Step[] {
  const { pool, random, previousSteps } = options;
  const compared = options.handOffs ? COMPARED.handOffs : COMPARED.none;
  if (previousSteps > 0 && random.next() < 0.5) return [];
  const tools = [...pool.members.keys()].filter((number) => pool.members[number]!.worker.kind === "tool");
  for (;;) {
    const size = options.size ?? random.integer(1, MAX_STEPS);
    const steps = drawWorkers(options, size).map((worker, position) => drawStep(options, worker, position));
    if (size >= FEWEST_COMPARED && tools.length > 0 && random.next() < compared)
      steps[size - 1] = { ...steps[size - 1]!, worker: random.pick(tools), access: "all" };
    if (!checkTeam({ steps }, pool, previousSteps)) return steps;
  }
}

/** Where replies are recorded nobody is asked twice: there may be no second reply. */
function drawWorkers({ pool, handOffs, random }: DrawOptions, size: number): number[] {
  // `self` cannot be pointed at: its rounds are the Conductor's own.
  const numbers = [...pool.members.keys()].filter(
    (number) => pool.members[number]!.worker.kind !== "conductor",
  );
  const models = numbers.filter((number) => pool.members[number]!.worker.kind === "model");
  // With one model only, a second step has nobody else: a tool would have too little to compare.
  if (handOffs || numbers.length < size || models.length < 2)
    return Array.from({ length: size }, () => random.pick(numbers));
  return random.shuffle(numbers).slice(0, size);
}

function drawStep(options: DrawOptions, worker: number, position: number): Step {
  const { pool, vocabulary, handOffs, previousSteps, random } = options;
  const isModel = pool.members[worker]!.worker.kind === "model";
  const access = isModel && !handOffs ? [] : drawAccess(position, previousSteps, random);
  return { worker, subtask: drawSubtask(vocabulary, random), access };
}

function drawAccess(position: number, previousSteps: number, random: Random): Access {
  if (position + previousSteps === 0) return [];
  const lot = random.next();
  if (lot < 0.4) return "all";
  if (lot < 0.6) return [];
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.6);
}
