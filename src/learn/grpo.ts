// GRPO: a group of rollouts for each question, and what was better than its group becomes likelier. As in the
// paper: reward 0 / 0.5 / 1, clipped ratio, no KL. Where we leave it, because a small model collapsed without:
// advantages are centred but not divided by the deviation, and the entropy of decisions is rewarded.

import type { Language } from "../conductor/native/language.ts";
import { toDecision } from "../conductor/text.ts";
import type { Lesson } from "../nn/model.ts";
import { hashSeed } from "../random.ts";
import { MAX_STEPS } from "../workflow/types.ts";
import { type Plan, type Policy, type Prompt, toPrompt, writePlans } from "./policy.ts";
import { type Outcome, performTexts, REWARD } from "./rollout.ts";
import type { Grading, World } from "./types.ts";

/** A first-round sample gets (1 − γ) of its own reward and γ of what the second round made of it. */
const GAMMA = 0.25;
/** What words earn is small against the luck of a run: they learn more slowly than decisions, or they drift. */
const WORDS = 0.5;

/**
 * Entropy of a decision, in nats, above which no more is asked for, and none of what is no workflow: without
 * these bounds it ran away, once the groups were nearly flat, into ever longer babble.
 */
const ENOUGH = 1;

export interface Group {
  prompt: Prompt;
  plans: Plan[];
  outcomes: Outcome[];
  /** After costs; undefined where a worker was down. */
  rewards: (number | undefined)[];
}

export interface RolloutOptions {
  policy: Policy;
  world: World;
  group: number;
  costPerCall: number;
  seed: number;
  /** One plan of each size instead of plans by lot. */
  sizes?: readonly number[];
  signal: AbortSignal;
}

/** First rounds: every plan is performed. Questions run at the same time only where workers take time. */
export async function rollOut(prompts: readonly Prompt[], options: RolloutOptions): Promise<Group[]> {
  const { policy, world, group, costPerCall, seed, sizes, signal } = options;
  const written = await writePlans(policy, prompts, { group, seed, signal, ...(sizes && { sizes }) });
  return Promise.all(
    prompts.map(async (prompt, q) => {
      const plans = written[q]!;
      const { question } = prompt;
      const outcomes = await performAll(plans, world, (plan) =>
        performTexts({ world, question, texts: [plan.text], seed: hashSeed(seed, q), signal }),
      );
      const obeyed = outcomes.map((outcome) => obey(outcome, prompt));
      const rewards = obeyed.map((outcome) => rewardOf(outcome, costPerCall));
      return { prompt, plans, outcomes: obeyed, rewards };
    }),
  );
}

/** What free plans are compared by: one of each size. */
export const SIZES: readonly number[] = [1, 2, 3, 4];

/**
 * For a free size: the likeliest plan of each size is performed. Sampled plans would not do, since a long one has
 * more places to go wrong by lot than a short one, and teams were dropped for that alone.
 */
export function rollOutSizes(prompts: readonly Prompt[], options: RolloutOptions): Promise<Group[]> {
  return rollOut(prompts, { ...options, group: SIZES.length, sizes: SIZES });
}

/** Equal texts get equal outcomes where nothing is left to chance but the seed: they are performed once. */
async function performAll(
  plans: readonly Plan[],
  { isInstant }: World,
  perform: (plan: Plan) => Promise<Outcome>,
): Promise<Outcome[]> {
  const known = new Map<string, Promise<Outcome>>();
  const results: Promise<Outcome>[] = [];
  for (const plan of plans) {
    const result = known.get(plan.text) ?? perform(plan);
    known.set(plan.text, result);
    results.push(result);
    if (isInstant) await result;
  }
  return Promise.all(results);
}

/** Where a size is given, a team of another size is no answer to what was asked. */
function obey(outcome: Outcome, { size }: Prompt): Outcome {
  if (size === undefined || !outcome.isValid || outcome.steps === size) return outcome;
  return { ...outcome, isValid: false, isRight: false, reward: REWARD.invalid };
}

function rewardOf({ isOutage, reward, calls }: Outcome, costPerCall: number): number | undefined {
  return isOutage ? undefined : reward - costPerCall * calls;
}

/**
 * Second rounds: from every other group two first rounds go on, one right and one wrong where there are both, and
 * each gets a group of its own. What comes of them also counts for the first round.
 */
export async function rollOutAgain(groups: readonly Group[], options: RolloutOptions): Promise<Group[]> {
  const { policy, world, group, costPerCall, seed, signal } = options;
  // Every other question: then there are about as many second rounds as first ones.
  const going = groups.filter((_, q) => q % 2 === 0);
  const picked = going.flatMap((first) => pickStates(first).map((at) => ({ first, at })));
  if (picked.length === 0) return [];
  const prompts = picked.map(({ first, at }) =>
    toPrompt(policy, first.prompt.question, { rounds: first.outcomes[at]!.rounds }),
  );
  const written = await writePlans(policy, prompts, { group, seed: hashSeed("again", seed), signal });
  return Promise.all(
    prompts.map(async (prompt, i) => {
      const { first, at } = picked[i]!;
      const before = first.outcomes[at]!;
      const q = groups.indexOf(first);
      const plans = written[i]!;
      const outcomes = await performAll(plans, world, (plan) =>
        performSecond(plan.text, before, prompt, { ...options, seed: hashSeed(seed, q) }),
      );
      const rewards = outcomes.map((outcome) => rewardOf(outcome, costPerCall));
      const known = rewards.filter((reward) => reward !== undefined);
      const own = first.rewards[at];
      if (known.length > 0 && own !== undefined)
        first.rewards[at] = (1 - GAMMA) * own + (GAMMA * known.reduce((sum, r) => sum + r, 0)) / known.length;
      return { prompt, plans, outcomes, rewards };
    }),
  );
}

/** What the second plan makes of the first: accepting changes nothing, a format error is worth nothing. */
export async function performSecond(
  text: string,
  before: Outcome,
  { question, rounds }: Prompt,
  { world, seed, signal }: Pick<RolloutOptions, "seed" | "signal"> & { world: Grading },
): Promise<Outcome> {
  const texts = [...before.texts, text];
  const decision = toDecision(text, { pool: question.pool, maxSteps: MAX_STEPS, rounds });
  if (decision.type === "accept") return { ...before, texts };
  if (decision.type === "format-error")
    return { ...before, texts, isValid: false, isRight: false, reward: REWARD.invalid };
  return performTexts({ world, question, texts, seed, signal });
}

function pickStates({ outcomes }: Group): number[] {
  const right = outcomes.findIndex((outcome) => outcome.isValid && !outcome.isOutage && outcome.isRight);
  const wrong = outcomes.findIndex((outcome) => outcome.isValid && !outcome.isOutage && !outcome.isRight);
  return [right, wrong].filter((at) => at >= 0);
}

/** Rewards less the mean of their group; 0 where there is none. */
export function advantagesOf(rewards: readonly (number | undefined)[]): number[] {
  const known = rewards.filter((reward) => reward !== undefined);
  const mean = known.reduce((sum, reward) => sum + reward, 0) / Math.max(1, known.length);
  return rewards.map((reward) => (reward === undefined ? 0 : reward - mean));
}

export function isFlat({ rewards }: Group): boolean {
  return advantagesOf(rewards).every((advantage) => Math.abs(advantage) < 1e-9);
}

/**
 * What is to be learned from a group. Every rollout counts the same, however long it is. The size of a free first
 * round is left out: it is learned by comparing sizes.
 */
export function toLessons(
  { prompt, plans, outcomes, rewards }: Group,
  { policy, scale, exploration }: { policy: Policy; scale: number; exploration: number },
): Lesson[] {
  const { language } = policy;
  const advantages = advantagesOf(rewards);
  const isFree = prompt.size === undefined && prompt.rounds.length === 0;
  // Nothing is learned from an outage, not even to explore.
  const isTaught = (i: number) => outcomes[i]!.isValid && rewards[i] !== undefined;
  return plans.map(({ tokens, logps, entropies }, i) => {
    const isDecision = language.decisions(tokens);
    const isSize = sizeTokens(language, tokens);
    const weights = isDecision.map((is, t) => (isFree && isSize[t] ? 0 : (is ? 1 : WORDS) * scale));
    const explored = (t: number) => isTaught(i) && entropies[t]! < ENOUGH && weights[t]! > 0;
    return {
      tokens,
      logps,
      advantage: advantages[i]!,
      weights,
      exploration: isDecision.map((is, t) => (explored(t) ? is * exploration * scale : 0)),
    };
  });
}

/** True for the tokens that say whether the team goes on or is complete. */
function sizeTokens({ next, subtasks }: Language, tokens: readonly number[]): boolean[] {
  const end = tokens.indexOf(subtasks);
  return tokens.map((token, at) => at <= end && (token === next || token === subtasks));
}

/** What is to be learned from plans of all sizes: how large the team should have been, and nothing else. */
export function toSizeLessons(
  { plans, rewards }: Group,
  { policy, scale }: { policy: Policy; scale: number },
): Lesson[] {
  const advantages = advantagesOf(rewards);
  return plans.map(({ tokens, logps }, i) => {
    const weights = Float32Array.from(sizeTokens(policy.language, tokens), (is) => (is ? scale : 0));
    return { tokens, logps, advantage: advantages[i]!, weights };
  });
}
