// Two wordings of one instruction compete: in the same plans for the same questions under the same seeds, and all that
// differs is the sentence. What seems better is measured again on questions that neither was chosen by, since the best of
// many tries seems better than it is. Stopped early is only what cannot win any more, never what seems to win: so the
// interval of what is kept means what it says.

import { hashSeed, type Random } from "../../../base/random.ts";
import { meanOf, pairedDifference } from "../../../base/statistics.ts";
import { Language } from "../../../conductor/native/language.ts";
import { toWording } from "../../../conductor/native/reading.ts";
import type { Gain, Instruction } from "../../../instruction/types.ts";
import { type Outcome, REWARD } from "../../../world/rollout.ts";
import type { Question } from "../../../world/types.ts";
import { meanReward, performPlans, type Try } from "../../grpo.ts";
import type { Asking } from "../../types.ts";
import type { OutcomeGroup, StageContext } from "../stage.ts";
import { replace } from "./adopt.ts";
import { type TriedPlan, tryPlans, type WrittenPlan, writeFor } from "./failures.ts";

/** A wording that competes with its parent. */
export interface Contest {
  parent: Instruction;
  proposal: Instruction;
}

/** One question: what both earned on it, from 0 to 1, and all that was performed for it. */
export interface Pair extends OutcomeGroup {
  parent: number;
  proposal: number;
}

interface Compared {
  pairs: Pair[];
  /** Rollouts that it took. */
  performed: number;
}

/** Whether a gain is worth measuring anew: it need not be sure, it must not be nothing. */
const WORTH_MEASURING_P = 0.6;
/** Fewer comparisons say nothing. */
const FEWEST = 4;

/** What is no workflow of the wanted size earns nothing with any sentence: there is nothing to compare. */
function isPlace({ outcomes }: TriedPlan): boolean {
  return outcomes.some(({ isValid }) => isValid);
}

/** A plan uses it. */
export function uses({ told }: WrittenPlan, { id }: Instruction): boolean {
  return told.some((instruction) => instruction?.id === id);
}

/** The same plans with the proposal's sentence where the parent's stood, under the same seeds. */
export async function* comparePlans(
  all: readonly TriedPlan[],
  { parent, proposal }: Contest,
  { policy: { language } }: StageContext,
): Asking<Compared> {
  const tried = all.filter(isPlace);
  const other = new Language(language.tokenizer, replace(language.repertoire, parent, proposal));
  const prompts = tried.map(({ prompt }) => prompt);
  const plans = tried.map(({ prompt: { reading, question }, plan }) => [
    { text: other.toText(plan.tokens, toWording(reading, question.pool)) },
  ]);
  const performed = yield* performPlans(
    prompts,
    plans,
    tried.map(({ tries }) => tries),
  );
  const pairs = tried.flatMap(({ outcomes }, q): Pair[] => {
    const theirs = performed[q]![0]!;
    const [own, changed] = [toAccuracy(outcomes), toAccuracy(theirs)];
    if (own === undefined || changed === undefined) return [];
    return [{ parent: own, proposal: changed, outcomes: [...outcomes, ...theirs], rewards: [own, changed] }];
  });
  return { pairs, performed: tried.reduce((sum, { tries }) => sum + tries.length, 0) };
}

/** The reward on a scale where wrong is 0 and right is 1; undefined where all tries were lost to an outage. */
function toAccuracy(outcomes: readonly Outcome[]): number | undefined {
  const reward = meanReward(outcomes, 0);
  return reward === undefined ? undefined : (reward - REWARD.wrong) / (REWARD.right - REWARD.wrong);
}

export function toGain(pairs: readonly Pair[], seed: number): Gain & { p: number } {
  const { mean, low, high, p } = pairedDifference(
    pairs.map(({ proposal }) => proposal),
    pairs.map(({ parent }) => parent),
    { seed },
  );
  return { mean, low, high, comparisons: pairs.length, p };
}

/** After the first comparison. */
export function seemsBetter({ mean, p, comparisons }: Gain & { p: number }): boolean {
  return comparisons >= FEWEST && mean > 0 && p < WORTH_MEASURING_P;
}

export interface FreshOptions {
  /** Fresh training questions, as many as are asked for. */
  sample(count: number): Question[];
  triesOf(question: Question, number: number): Try[];
  /** At the most: plans that are written, most of which may not use it, and rollouts of both. */
  plans: number;
  rollouts: number;
  seed: number;
  random: Random;
}

/** Looked at so many plans at a time. */
const LOOK = 64;

/** The second measurement. */
export async function* measureAnew(
  contest: Contest,
  { sample, triesOf, plans, rollouts, seed, random }: FreshOptions,
  context: StageContext,
): Asking<Compared> {
  const pairs: Pair[] = [];
  let performed = 0;
  let written = 0;
  while (written < plans) {
    const questions = sample(Math.min(LOOK, plans - written));
    if (questions.length === 0) break;
    written += questions.length;
    const using = (await writeFor(questions, context, random)).filter((plan) => uses(plan, contest.parent));
    const tries = using.map(({ prompt }, i) => triesOf(prompt.question, hashSeed(written, i)));
    const fitting = countFitting(tries, rollouts - performed);
    const tried = yield* tryPlans(using.slice(0, fitting), tries);
    const compared = yield* comparePlans(tried, contest, context);
    pairs.push(...compared.pairs);
    performed += tried.reduce((sum, own) => sum + own.tries.length, compared.performed);
    if (fitting < using.length || performed >= rollouts) break;
    if (isHopeless(pairs, Math.max(written / plans, performed / rollouts), seed)) break;
  }
  return { pairs, performed };
}

/** How many of the plans can be tried with both wordings. */
function countFitting(tries: readonly (readonly Try[])[], rollouts: number): number {
  let left = rollouts;
  const stop = tries.findIndex((own) => {
    left -= 2 * own.length;
    return left < 0;
  });
  return stop < 0 ? tries.length : stop;
}

/** `share` of the budget is spent. */
function isHopeless(pairs: readonly Pair[], share: number, seed: number): boolean {
  if (pairs.length < FEWEST) return false;
  if (share >= 0.5 && meanOf(pairs.map(({ parent, proposal }) => proposal - parent)) <= 0) return true;
  return toGain(pairs, seed).high < 0;
}
