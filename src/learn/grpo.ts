// GRPO: a group of rollouts for each question, and what was better than its group becomes likelier. As in the
// paper: reward 0 / 0.5 / 1, clipped ratio, no KL. Where we leave it, because a small model collapsed without:
// advantages are centred but not divided by the deviation, and the entropy of decisions is rewarded.

import { hashSeed } from "../base/random.ts";
import { toDecision } from "../conductor/text.ts";
import type { TrainingExample } from "../nn/model.ts";
import { isModel, numbersOf } from "../worker/kinds.ts";
import { MAX_STEPS, type Step } from "../workflow/types.ts";
import { type Outcome, performTexts, REWARD } from "../world/rollout.ts";
import type { Grading, Question, World } from "../world/types.ts";
import { type Plan, type Policy, type Prompt, toPrompt, writePlans } from "./policy.ts";

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
  signal: AbortSignal;
}

/**
 * First rounds: every plan is performed, in a simulation several times with the same luck for all, and its reward is
 * the mean. Questions run at the same time only where workers take time.
 */
export async function rollOut(prompts: readonly Prompt[], options: RolloutOptions): Promise<Group[]> {
  const { policy, world, group, costPerCall, seed, signal } = options;
  const written = await writePlans(policy, prompts, { group, seed, signal });
  return Promise.all(
    prompts.map(async (prompt, q) => {
      const plans = written[q]!;
      const { question } = prompt;
      const tried: Outcome[][] = [];
      for (const chance of triesOf(world, seed, q)) {
        const outcomes = await performAll(plans, world, ({ text }) =>
          performTexts({ world, question, texts: [text], seed: chance, signal }),
        );
        tried.push(outcomes.map((outcome) => obey(outcome, prompt)));
      }
      const rewards = plans.map((_, i) =>
        meanReward(
          tried.map((outcomes) => outcomes[i]!),
          costPerCall,
        ),
      );
      // What goes on to a second round is what came of the first try.
      return { prompt, plans, outcomes: tried[0]!, rewards };
    }),
  );
}

/** In a simulation each plan is tried so often: one try says more about luck than about the plan. */
const TRIES = 4;

/** The chance of each try. Elsewhere the same is answered again when the same is asked, or it costs: there is one. */
export function triesOf({ isSimulated }: World, seed: number, question: number, tries = TRIES): number[] {
  const chances = Array.from({ length: tries }, (_, number) => hashSeed(seed, question, number));
  return isSimulated ? chances : [hashSeed(seed, question)];
}

/** Of those that were not lost; undefined where all were. */
export function meanReward(outcomes: readonly Outcome[], costPerCall: number): number | undefined {
  const known = outcomes.flatMap((outcome) => rewardOf(outcome, costPerCall) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, reward) => sum + reward, 0) / known.length;
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

/**
 * Where a size is given, a team of another size is no answer to what was asked, and neither is one that asks somebody
 * twice while others are left: whoever was best alone was asked for everything, and nobody can check their own work.
 */
export function obey(outcome: Outcome, { size, question, rounds: before }: Prompt): Outcome {
  if (size === undefined || !outcome.isValid) return outcome;
  const steps = outcome.rounds[before.length]?.workflow.steps ?? [];
  if (steps.length === size && isTeam(steps, question)) return outcome;
  return { ...outcome, isValid: false, isRight: false, reward: REWARD.invalid };
}

function isTeam(steps: readonly Step[], { pool }: Question): boolean {
  const models = new Set(numbersOf(pool, isModel));
  const asked = steps.map(({ worker }) => worker).filter((worker) => models.has(worker));
  return new Set(asked).size === Math.min(asked.length, models.size);
}

function rewardOf({ isOutage, reward, calls }: Outcome, costPerCall: number): number | undefined {
  return isOutage ? undefined : reward - costPerCall * calls;
}

/**
 * Second rounds: from every other group two first rounds go on, one right and one wrong where there are both, and
 * each gets a group of its own, of a given size: whether there shall be a second round is chosen later. What comes
 * of them also counts for the first round.
 */
export async function rollOutAgain(
  groups: readonly Group[],
  options: RolloutOptions & { drawSize(): number },
): Promise<Group[]> {
  const { policy, world, group, costPerCall, seed, signal } = options;
  // Every other question: then there are about as many second rounds as first ones.
  const going = groups.filter((_, q) => q % 2 === 0);
  const picked = going.flatMap((first) => pickStates(first).map((at) => ({ first, at })));
  if (picked.length === 0) return [];
  const prompts = picked.map(({ first, at }) => {
    const { rounds } = first.outcomes[at]!;
    return toPrompt(policy, first.prompt.question, { rounds, size: options.drawSize() });
  });
  const written = await writePlans(policy, prompts, { group, seed: hashSeed("again", seed), signal });
  return Promise.all(
    prompts.map(async (prompt, i) => {
      const { first, at } = picked[i]!;
      const before = first.outcomes[at]!;
      const q = groups.indexOf(first);
      const plans = written[i]!;
      const outcomes = await performAll(plans, world, async (plan) =>
        obey(
          await performSecond(plan.text, before, prompt, {
            ...options,
            seed: triesOf(world, seed, q)[0]!,
          }),
          prompt,
        ),
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

export interface ExampleOptions {
  policy: Policy;
  scale: number;
  /** Weight of the entropy of decisions. */
  exploration: number;
  /** none: not learned; all: learned; verbs: learned, and what kind of work a step is told to do is a decision. */
  words: "none" | "all" | "verbs";
}

/** What is to be learned from a group. Every rollout counts the same, however long it is. */
export function toExamples(
  { plans, outcomes, rewards }: Group,
  { policy, scale, exploration, words }: ExampleOptions,
): TrainingExample[] {
  const { language } = policy;
  const advantages = advantagesOf(rewards);
  // Nothing is learned from an outage, not even to explore.
  const isTaught = (i: number) => outcomes[i]!.isValid && rewards[i] !== undefined;
  return plans.map(({ tokens, logps, entropies }, i) => {
    const isDecision = language.decisions(tokens);
    if (words === "verbs") for (const [t, is] of language.verbs(tokens).entries()) isDecision[t]! ||= is;
    const isExplored = (t: number) => isTaught(i) && entropies[t]! < ENOUGH;
    return {
      tokens,
      logps,
      advantage: advantages[i]!,
      weights: isDecision.map((is) => (is ? 1 : words === "none" ? 0 : WORDS) * scale),
      exploration: isDecision.map((is, t) => (isExplored(t) ? is * exploration * scale : 0)),
    };
  });
}
