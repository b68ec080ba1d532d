// What teams of different sizes make of the same question, and second rounds of the same answer: from this the
// Conductor learns how large a team shall be, and whether an answer is taken as it is. The model itself learns nothing.

import { createRandom, hashSeed } from "../../base/random.ts";
import { groupBy } from "../../bench/results.ts";
import type { SizeComparison } from "../../conductor/native/choice.ts";
import type { Outcome } from "../../world/rollout.ts";
import type { Question } from "../../world/types.ts";
import { meanReward, performPlans, type Try, toTries } from "../grpo.ts";
import type { Asking } from "../types.ts";
import {
  createStageRandom,
  learnNothing,
  type Plan,
  type Prompt,
  type StageContext,
  sampleQuestions,
  type TrainingStage,
  toPrompt,
  writePlans,
} from "./stage.ts";

/**
 * In a simulation. More tries than in a group of rollouts: where there is only one plan of each size, trying it takes
 * less time than writing it.
 */
const TRIES = 24;
/** Where replies come at once, so many times more questions than in GRPO: one plan of a size is less work. */
const MORE_QUESTIONS = 4;
/** As many as validation questions, so that the same compiled graph serves both. */
const WRITTEN_TOGETHER = 32;

export interface TeamComparison extends SizeComparison {
  question: Question;
  tried: readonly Try[];
  /** By size, then by try. */
  outcomes: Outcome[][];
}

export const compareSizes: TrainingStage = async function* (context) {
  const { policy, world, questions, plan } = context;
  const { first, later } = policy.choices;
  const sampled = sampleQuestions(context, world.isInstant ? MORE_QUESTIONS * questions : questions);
  // Where its size is settled, second rounds still need first ones to follow.
  const size = plan.sampleSize(createStageRandom(context, "sizes"));
  const firsts = yield* compareFirst(sampled, first?.sizes ?? [size], context);
  // After a team there are several ways to agree, each with its plans: half of the questions are enough.
  const followed = firsts.filter((_, q) => q % 2 === 0);
  const laters = later ? yield* compareLater(followed, later.sizes, context) : [];
  first?.learn(firsts);
  later?.learn(laters);
  return learnNothing(
    [...firsts, ...laters].map(({ outcomes, rewards }) => ({ outcomes: outcomes.flat(), rewards })),
  );
};

/**
 * For the choice of a size: the likeliest plan of every size is performed, with the same seeds for all. Sampled plans
 * would not do, since a long one has more places to go wrong than a short one, and teams were dropped for that alone.
 */
export async function* compareFirst(
  questions: readonly Question[],
  sizes: readonly number[],
  context: StageContext,
): Asking<TeamComparison[]> {
  const { policy, world } = context;
  const prompts = questions.flatMap((question) => sizes.map((size) => toPrompt(policy, question, { size })));
  const plans = await writeGreedily(prompts, context);
  const tries = questions.map((question, q) => toTries(world, question, toComparisonSeed(context), q, TRIES));
  const each = prompts.map((_, i) => tries[Math.floor(i / sizes.length)]!);
  const tried = yield* performPlans(prompts, plans, each);
  return questions.map((question, q) => {
    const outcomes = tried.slice(q * sizes.length, (q + 1) * sizes.length).map(([own]) => own!);
    return toComparison(toPrompt(policy, question), tries[q]!, outcomes, 0);
  });
}

/**
 * For the choice after a round: of each comparison one team is sampled and followed. All that came of it is taken as
 * it is, and given to the likeliest plan of every size. 0 is the first of the sizes: taking it. Tries after which the
 * replies agree in the same way read the same, so the same plans follow them.
 */
export async function* compareLater(
  firsts: readonly TeamComparison[],
  sizes: readonly number[],
  context: StageContext,
): Asking<TeamComparison[]> {
  const { policy } = context;
  const states = firsts.flatMap(({ question, tried, outcomes }, q) => {
    const picked = createRandom(hashSeed(toComparisonSeed(context), "later", q)).pick(outcomes);
    const able = [...picked.keys()].filter((at) => picked[at]!.isValid && !picked[at]!.isOutage);
    const followed = able.map((at) => {
      const before = picked[at]!;
      return { ...tried[at]!, before, prompt: toPrompt(policy, question, { rounds: before.rounds }) };
    });
    return [...groupBy(followed, ({ prompt }) => JSON.stringify(prompt.reading.labels)).values()];
  });
  const asked = sizes.slice(1);
  const prompts = states.flatMap(([first]) => {
    const { question, rounds } = first!.prompt;
    return asked.map((size) => toPrompt(policy, question, { rounds, size }));
  });
  const plans = await writeGreedily(prompts, context);
  const each = prompts.map((_, i) => states[Math.floor(i / asked.length)]!);
  const tried = yield* performPlans(prompts, plans, each);
  return states.map((own, i) => {
    const later = tried.slice(i * asked.length, (i + 1) * asked.length).map(([outcomes]) => outcomes!);
    const { before, prompt } = own[0]!;
    return toComparison(prompt, own, [own.map((state) => state.before), ...later], before.calls);
  });
}

function toComparisonSeed({ seed, plan }: StageContext): number {
  return hashSeed(seed, "sizes", plan.iteration);
}

function toComparison(
  { reading, question }: Prompt,
  tried: readonly Try[],
  outcomes: Outcome[][],
  callsBefore: number,
): TeamComparison {
  const meanCalls = (own: readonly Outcome[]) => own.reduce((sum, { calls }) => sum + calls, 0) / own.length;
  return {
    ...{ question, tried, outcomes, reading, tries: tried.length },
    rewards: outcomes.map((own) => meanReward(own, 0)),
    // What is no workflow asks nobody, and is no cheap way either.
    calls: outcomes.map((own) => Math.max(0, meanCalls(own) - callsBefore)),
  };
}

export async function writeGreedily(
  prompts: readonly Prompt[],
  { policy, signal }: StageContext,
): Promise<Plan[][]> {
  const written: Plan[][] = [];
  for (let first = 0; first < prompts.length; first += WRITTEN_TOGETHER) {
    const part = prompts.slice(first, first + WRITTEN_TOGETHER);
    written.push(...(await writePlans(policy, part, { group: 1, signal })));
  }
  return written;
}
