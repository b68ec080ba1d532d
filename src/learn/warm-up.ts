// Warm-up: random valid workflows, so that the model knows the language before it is rewarded. It stands in
// for the pretraining that a large model brings: what a team is, that a plan comes before the work and a check
// after it. Workers, sizes, access lists and the rest of the words are drawn by lot, so it cannot teach who is good
// at what; that it is no better than random choice is measured, not hoped.

import type { Random } from "../base/random.ts";
import { checkTeam } from "../conductor/check-team.ts";
import { combines, isModel, nests, numbersOf } from "../worker/kinds.ts";
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

/** Workers are numbers in the pool. */
export function drawWorkflow(options: DrawOptions): Step[] {
  const { pool, random, previousSteps } = options;
  const compared = options.handOffs ? COMPARED.handOffs : COMPARED.none;
  const tools = numbersOf(pool, combines);
  for (;;) {
    const size = options.size ?? random.integer(1, MAX_STEPS);
    const workers = drawWorkers(options, size);
    const isLarge = size > 1 && size + previousSteps >= FEWEST_COMPARED;
    const isCompared = isLarge && tools.length > 0 && random.next() < compared;
    if (isCompared) workers[size - 1] = random.pick(tools);
    const steps = workers.map((worker, position) =>
      drawStep(options, { worker, position, isLast: position === size - 1, isCompared }),
    );
    if (!checkTeam({ steps }, pool, previousSteps)) return steps;
  }
}

/** A team asks nobody twice while others are left. */
function drawWorkers({ pool, random }: DrawOptions, size: number): number[] {
  // `self` cannot be pointed at: its rounds are the Conductor's own.
  const numbers = numbersOf(pool, (worker) => !nests(worker));
  // With one model only, a second step has nobody else: a tool would have too little to compare.
  if (numbers.length < size || numbersOf(pool, isModel).length < 2)
    return Array.from({ length: size }, () => random.pick(numbers));
  return random.shuffle(numbers).slice(0, size);
}

function drawStep(
  { pool, vocabulary, handOffs, previousSteps, random }: DrawOptions,
  seat: { worker: number; position: number; isLast: boolean; isCompared: boolean },
): Step {
  const { worker, position, isLast, isCompared } = seat;
  const opensTeam = position === 0 && !isLast;
  const drawn =
    isModel(pool.members[worker]!.worker) && !handOffs ? [] : drawAccess(position, previousSteps, random);
  const access = isLast && isCompared ? "all" : drawn;
  return {
    worker,
    subtask: drawSubtask(vocabulary, { seesOthers: access.length > 0, opensTeam }, random),
    access,
  };
}

function drawAccess(position: number, previousSteps: number, random: Random): Access {
  if (position + previousSteps === 0) return [];
  const lot = random.next();
  if (lot < 0.4) return "all";
  if (lot < 0.6) return [];
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.6);
}
