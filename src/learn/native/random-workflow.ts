// Random valid workflows, and the words in them: subtasks as any planner might write them. Most name something that
// the question itself mentions, as anybody who can read would; the others name any work at all. Whether it helps to
// name the right work, and to whom to say it, is left to the reward.

import type { Random } from "../../base/random.ts";
import { checkTeam } from "../../conductor/text.ts";
import { combines, isModel, nests, numbersOf } from "../../worker/kinds.ts";
import type { Pool } from "../../worker/types.ts";
import { type Access, MAX_STEPS, type Step } from "../../workflow/types.ts";

// ---- Words ----------------------------------------------------------------------------------------------

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

/** What all steps are told where words are not free. */
const GENERIC = "Answer the question";
/** Of the teams, this share begins with a plan. */
const PLANNED = 1 / 2;
/** Of the subtasks, this share names work that the question mentions, where it mentions any. */
const MENTIONED = 3 / 4;

export type Words = "free" | "generic";

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

export function sampleSubtask(
  { works, mentioned, words }: Vocabulary,
  /** `opensTeam`: others follow who may see its reply. */
  { seesOthers, opensTeam }: { seesOthers: boolean; opensTeam: boolean },
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

// ---- Workflows ------------------------------------------------------------------------------------------

export interface WorkflowOptions {
  pool: Pool;
  vocabulary: Vocabulary;
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

/** Workers are numbers in the pool. */
export function sampleWorkflow(options: WorkflowOptions): Step[] {
  const { pool, random, previousSteps } = options;
  const compared = options.handOffs ? COMPARED.handOffs : COMPARED.none;
  const tools = numbersOf(pool, combines);
  for (;;) {
    const size = options.size ?? random.integer(1, MAX_STEPS);
    const workers = sampleWorkers(options, size);
    const isLarge = size > 1 && size + previousSteps >= FEWEST_COMPARED;
    const isCompared = isLarge && tools.length > 0 && random.next() < compared;
    if (isCompared) workers[size - 1] = random.pick(tools);
    const steps = workers.map((worker, position) =>
      sampleStep(options, { worker, position, isLast: position === size - 1, isCompared }),
    );
    if (!checkTeam({ steps }, pool, previousSteps)) return steps;
  }
}

/** A team asks nobody twice while others are left. */
function sampleWorkers({ pool, random }: WorkflowOptions, size: number): number[] {
  // `self` cannot be pointed at: its rounds are the Conductor's own.
  const numbers = numbersOf(pool, (worker) => !nests(worker));
  // With one model only, a second step has nobody else: a tool would have too little to compare.
  if (numbers.length < size || numbersOf(pool, isModel).length < 2)
    return Array.from({ length: size }, () => random.pick(numbers));
  return random.shuffle(numbers).slice(0, size);
}

function sampleStep(
  { pool, vocabulary, handOffs, previousSteps, random }: WorkflowOptions,
  seat: { worker: number; position: number; isLast: boolean; isCompared: boolean },
): Step {
  const { worker, position, isLast, isCompared } = seat;
  const opensTeam = position === 0 && !isLast;
  const isBlind = isModel(pool.members[worker]!.worker) && !handOffs;
  const sampled = isBlind ? [] : sampleAccess(position, previousSteps, random);
  const access = isLast && isCompared ? "all" : sampled;
  const subtask = sampleSubtask(vocabulary, { seesOthers: access.length > 0, opensTeam }, random);
  return { worker, subtask, access };
}

function sampleAccess(position: number, previousSteps: number, random: Random): Access {
  if (position + previousSteps === 0) return [];
  const share = random.next();
  if (share < 0.4) return "all";
  if (share < 0.6) return [];
  return Array.from({ length: position }, (_, earlier) => earlier).filter(() => random.next() < 0.6);
}
