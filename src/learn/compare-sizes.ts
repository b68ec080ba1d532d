// What teams of different sizes make of the same question, and second rounds of the same answer: from this the
// Conductor learns how large a team shall be, and whether an answer is taken as it is.

import { createRandom, hashSeed } from "../base/random.ts";
import { groupBy } from "../bench/results.ts";
import type { SizeComparison } from "../conductor/native/choice.ts";
import { type Outcome, performTexts } from "../world/rollout.ts";
import type { Question } from "../world/types.ts";
import { meanReward, obey, performSecond, type RolloutOptions, triesOf } from "./grpo.ts";
import { type Plan, type Prompt, toPrompt, writePlans } from "./policy.ts";

/**
 * In a simulation. More tries than in a group of rollouts: where there is only one plan of each size, trying it takes
 * less time than writing it.
 */
const TRIES = 8;
/** Plans that are written together: as many as tune questions, so that the same compiled graph serves both. */
const WRITTEN_TOGETHER = 32;

/** What teams of different sizes made of the same question, or of the same answer to it. */
export interface Comparison extends SizeComparison {
  question: Question;
  /** Of each try. */
  chances: number[];
  /** By size, then by try. */
  outcomes: Outcome[][];
}

type CompareOptions = Omit<RolloutOptions, "group">;

/**
 * For the choice of a size: the likeliest plan of every size is performed, with the same luck for all. Sampled plans
 * would not do, since a long one has more places to go wrong by lot than a short one, and teams were dropped for
 * that alone.
 */
export async function compareFirst(
  questions: readonly Question[],
  sizes: readonly number[],
  options: CompareOptions,
): Promise<Comparison[]> {
  const { policy, world, seed, signal } = options;
  const asked = questions.map((question) => sizes.map((size) => toPrompt(policy, question, { size })));
  const plans = await writeLikeliest(asked, options);
  return inTurn(questions, async (question, q) => {
    const outcomes: Outcome[][] = [];
    const chances = triesOf(world, seed, q, TRIES);
    for (const [s, { text }] of plans[q]!.entries()) {
      const own: Outcome[] = [];
      for (const chance of chances) {
        const outcome = await performTexts({ world, question, texts: [text], seed: chance, signal });
        own.push(obey(outcome, asked[q]![s]!));
      }
      outcomes.push(own);
    }
    return { question, chances, ...toCompared(toPrompt(policy, question), outcomes, 0), outcomes };
  });
}

/**
 * For the choice after a round: of each comparison one team by lot is followed. All that came of it is taken as it
 * is, and given to the likeliest plan of every size. 0 is the first of the sizes: taking it. Tries after which the
 * replies agree in the same way read the same, so the same plans follow them.
 */
export async function compareLater(
  firsts: readonly Comparison[],
  sizes: readonly number[],
  options: CompareOptions,
): Promise<Comparison[]> {
  const { policy, seed } = options;
  const states = firsts.flatMap(({ question, chances, outcomes }, q) => {
    const tried = createRandom(hashSeed(seed, "later", q)).pick(outcomes);
    const able = [...tried.keys()].filter((at) => tried[at]!.isValid && !tried[at]!.isOutage);
    const states = able.map((at) => {
      const before = tried[at]!;
      return { before, chance: chances[at]!, prompt: toPrompt(policy, question, { rounds: before.rounds }) };
    });
    return [...groupBy(states, ({ prompt }) => JSON.stringify(prompt.reading.labels)).values()];
  });
  const asked = states.map((own) => {
    const { question, rounds } = own[0]!.prompt;
    return sizes.slice(1).map((size) => toPrompt(policy, question, { rounds, size }));
  });
  const plans = await writeLikeliest(asked, options);
  return inTurn(states, async (own, i) => {
    const outcomes = [own.map(({ before }) => before)];
    for (const [s, { text }] of plans[i]!.entries()) {
      const tried: Outcome[] = [];
      for (const { before, chance } of own) {
        const prompt = { ...asked[i]![s]!, rounds: before.rounds };
        tried.push(obey(await performSecond(text, before, prompt, { ...options, seed: chance }), prompt));
      }
      outcomes.push(tried);
    }
    const { before, prompt } = own[0]!;
    const chances = own.map(({ chance }) => chance);
    return { question: prompt.question, chances, ...toCompared(prompt, outcomes, before.calls), outcomes };
  });
}

function toCompared(
  { reading }: Prompt,
  outcomes: readonly Outcome[][],
  callsBefore: number,
): SizeComparison {
  const mean = (own: readonly Outcome[]) => own.reduce((sum, { calls }) => sum + calls, 0) / own.length;
  return {
    reading,
    rewards: outcomes.map((own) => meanReward(own, 0)),
    // What is no workflow asks nobody, and is no cheap way either.
    calls: outcomes.map((own) => Math.max(0, mean(own) - callsBefore)),
    tries: outcomes[0]!.length,
  };
}

async function writeLikeliest(
  asked: readonly (readonly Prompt[])[],
  { policy, signal }: CompareOptions,
): Promise<Plan[][]> {
  const prompts = asked.flat();
  const written: Plan[] = [];
  for (let first = 0; first < prompts.length; first += WRITTEN_TOGETHER) {
    const part = prompts.slice(first, first + WRITTEN_TOGETHER);
    written.push(...(await writePlans(policy, part, { group: 1, signal })).map(([plan]) => plan!));
  }
  return asked.map((own) => written.splice(0, own.length));
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  perform: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, item] of items.entries()) results.push(await perform(item, at));
  return results;
}
