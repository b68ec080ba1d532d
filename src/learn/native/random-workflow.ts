// Random valid workflows, with what their steps are told: instructions of the repertoire that make sense where they
// stand, mostly with work that the question speaks of, as anybody who can read would choose them. Which of them helps,
// what of the question to name, and to whom to say it, is left to the reward.

import type { Random } from "../../base/random.ts";
import type { Language, WrittenStep } from "../../conductor/native/language.ts";
import type { Sayable } from "../../conductor/native/sayable.ts";
import { checkTeam } from "../../conductor/text.ts";
import type { Instruction, Work } from "../../instruction/types.ts";
import { combines, isModel, nests, numbersOf } from "../../worker/kinds.ts";
import type { Pool } from "../../worker/types.ts";
import { type Access, MAX_STEPS } from "../../workflow/types.ts";

// ---- Sayings --------------------------------------------------------------------------------------------

/** Of the teams, this share begins with a plan. */
const PLANNED = 1 / 2;
/** Of the sayings, this share names work that the question speaks of. */
const SPOKEN_OF = 3 / 4;

/** Where a step stands: what it may be told depends on it. */
interface Seat {
  seesOthers: boolean;
  /** Others follow who may see its reply. */
  opensTeam: boolean;
}

/** What is chosen for a step; `part` is a number among the question's parts. */
interface SampledSaying {
  instruction: Instruction;
  work: Work;
  part: number;
  form: number;
}

function sampleSaying(
  { repertoire }: Language,
  { parts, works }: Sayable,
  { seesOthers, opensTeam }: Seat,
  random: Random,
): SampledSaying {
  const able = repertoire.instructions.filter(
    ({ role, needs, slots }) =>
      // A plan is no answer, and without anything in sight there is nothing to check.
      role !== "plan" && (needs === "nothing" || seesOthers) && (parts.length > 0 || !slots.includes("part")),
  );
  const plans = repertoire.instructions.filter(
    ({ role, slots }) => role === "plan" && (parts.length > 0 || !slots.includes("part")),
  );
  const isPlan = opensTeam && plans.length > 0 && random.next() < PLANNED;
  return {
    instruction: random.pick(isPlan ? plans : able),
    work: random.pick(random.next() < SPOKEN_OF ? [...works] : repertoire.works),
    part: random.integer(0, Math.max(0, parts.length - 1)),
    form: random.integer(0, Math.max(0, repertoire.forms.length - 1)),
  };
}

// ---- Workflows ------------------------------------------------------------------------------------------

export interface WorkflowOptions {
  pool: Pool;
  language: Language;
  sayable: Sayable;
  /** Numbers in the pool of the slots: those of parts follow. */
  workers: readonly number[];
  /** Exactly so many steps; absent: random. */
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

/** Workers are slots, as in what the model writes. */
export function sampleWorkflow(options: WorkflowOptions): WrittenStep[] {
  const { pool, workers, random, previousSteps } = options;
  const compared = options.handOffs ? COMPARED.handOffs : COMPARED.none;
  const tools = [...workers.keys()].filter((slot) => combines(pool.members[workers[slot]!]!.worker));
  for (;;) {
    const size = options.size ?? random.integer(1, MAX_STEPS);
    const team = sampleTeam(options, size);
    const isLarge = size > 1 && size + previousSteps >= FEWEST_COMPARED;
    const isCompared = isLarge && tools.length > 0 && random.next() < compared;
    if (isCompared) team[size - 1] = random.pick(tools);
    const steps = team.map((worker, position) =>
      sampleStep(options, { worker, position, isLast: position === size - 1, isCompared }),
    );
    const asked = steps.map(({ worker, access }) => ({ worker: workers[worker]!, subtask: "", access }));
    if (!checkTeam({ steps: asked }, pool, previousSteps)) return steps;
  }
}

/** A team asks nobody twice while others are left. `self` cannot be pointed at: its rounds are the Conductor's own. */
function sampleTeam({ pool, workers, random }: WorkflowOptions, size: number): number[] {
  const slots = [...workers.keys()].filter((slot) => !nests(pool.members[workers[slot]!]!.worker));
  // With one model only, a second step has nobody else: a tool would have too little to compare.
  if (slots.length < size || numbersOf(pool, isModel).length < 2)
    return Array.from({ length: size }, () => random.pick(slots));
  return random.shuffle(slots).slice(0, size);
}

function sampleStep(
  { pool, language, sayable, workers, handOffs, previousSteps, random }: WorkflowOptions,
  place: { worker: number; position: number; isLast: boolean; isCompared: boolean },
): WrittenStep {
  const { worker, position, isLast, isCompared } = place;
  const isBlind = isModel(pool.members[workers[worker]!]!.worker) && !handOffs;
  const sampled = isBlind ? [] : sampleAccess(position, previousSteps, random);
  const access = isLast && isCompared ? "all" : sampled;
  const seat = { seesOthers: access.length > 0, opensTeam: position === 0 && !isLast };
  const { instruction, work, part, form } = sampleSaying(language, sayable, seat, random);
  const saying = language.toSayingTokens(instruction, {
    ...{ work, part: workers.length + part, form: language.repertoire.forms[form] },
  });
  return { worker, saying, access };
}

function sampleAccess(position: number, previousSteps: number, random: Random): Access {
  if (position + previousSteps === 0) return [];
  const share = random.next();
  if (share < 0.4) return "all";
  if (share < 0.6) return [];
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.6);
}
