// GRPO, in the order in which it happens: questions are sampled, a group of plans is written for each, they are
// performed, and what earned more than its group becomes more likely. As in the paper: rewards 0 / 0.5 / 1, a clipped
// ratio, no KL term. Where we leave it, because a small model collapsed without:
// - advantages are centred, but not divided by the deviation of their group;
// - the entropy of decisions is rewarded, up to a bound;
// - a little likelihood of random workflows is added, or the language is forgotten.

import { hashSeed, type Random } from "../base/random.ts";
import type { TokenKind } from "../conductor/native/language.ts";
import type { TrainingExample } from "../nn/model.ts";
import type { Weights } from "../nn/types.ts";
import { isModel, numbersOf } from "../worker/kinds.ts";
import type { Step } from "../workflow/types.ts";
import { isSimulatedTask } from "../world/joined.ts";
import type { Outcome } from "../world/rollout.ts";
import type { Question, World } from "../world/types.ts";
import { findByExchange } from "./native/exchange.ts";
import type { Focus } from "./native/schedule.ts";
import {
  createStageRandom,
  learn,
  learnNothing,
  MICRO_BATCH,
  type OutcomeGroup,
  type Plan,
  type Policy,
  type Prompt,
  type StageContext,
  sampleQuestions,
  TEXT_WEIGHT,
  type TrainingStage,
  toPrompt,
  writePlans,
} from "./native/stage.ts";
import { toLossOptions, toRandomExamples } from "./native/warm-up.ts";
import { toWorthless } from "./perform.ts";
import type { Asking, WrittenRollout } from "./types.ts";

/** A question with the plans that were written for it, and what came of each. */
export interface PlanGroup extends OutcomeGroup {
  prompt: Prompt;
  plans: readonly Plan[];
  /** Of the first try: it is what goes on to a second round. */
  outcomes: readonly Outcome[];
  rewards: (number | undefined)[];
  /** So many, the last ones, were given and not sampled: the likeliest plan, then what exchanges in it led to. */
  found?: number;
}

/** How far the probability of a token may move in one step, as a ratio. */
const CLIP = 0.2;

/** One iteration. */
export const grpo: TrainingStage = async function* (context) {
  const { policy, plan, group, questions } = context;
  const random = createStageRandom(context, "sizes");

  // 1. Questions, each with the size that its team shall have.
  const prompts = sampleQuestions(context, questions).map((question) =>
    toPrompt(policy, question, { size: plan.sampleSize(random) }),
  );

  // 2. A group of plans for each, performed and rewarded; some go on to a second round.
  const first = yield* rollOut(prompts, context);
  const again = plan.stage === "rounds" ? yield* rollOutAgain(first, context, random) : [];
  const groups = [...first, ...again];

  // 3. What was better than its group becomes a training example. A flat group would teach nothing but its entropy,
  //    which would pull it apart for no reason.
  const scale = 1 / (groups.length * group);
  const rows = groups
    .filter(({ rewards }) => !isFlat(rewards))
    .map((each) => ({ prefix: each.prompt.reading.prefix, examples: toExamples(each, context, scale) }));
  if (rows.length === 0) return learnNothing(groups);

  // 4. The gradient of the clipped objective, and of what must not be forgotten; then one step.
  const learned = await policy.model.computeGradients(rows, {
    objective: { kind: "policy", clip: CLIP },
    start: policy.language.start,
    group,
    textWeight: TEXT_WEIGHT.policy * scale,
    microBatch: MICRO_BATCH,
  });
  addInto(learned.gradients, await computeReminder(context));
  return learn(context, learned, groups);
};

// ---- Rollouts: plans are written and performed ------------------------------------------------------------

/** What a plan is performed with. */
export type Try = Pick<WrittenRollout, "seed" | "before" | "isFurtherTry">;

/**
 * In a simulation each plan is tried so often: one try says more about the noise than about the plan. Plans of a question
 * meet the same luck, and what is not decided by luck alone is seen at once.
 */
export const TRIES = 16;

/** First rounds. A plan's reward is the mean of its tries, which have the same seeds for the whole group. */
export async function* rollOut(prompts: readonly Prompt[], context: StageContext): Asking<PlanGroup[]> {
  const { policy, world, group, costPerCall, signal, plan } = context;
  const seed = toRolloutSeed(context);
  // Of words alone, or of teams that are found as well as sampled.
  const teams =
    plan.focus === "words"
      ? (await writePlans(policy, prompts, { group: 1, signal })).map(([likeliest]) => likeliest!.tokens)
      : undefined;
  const given = plan.exchanges
    ? yield* findByExchange(prompts, context, createStageRandom(context, "exchange"))
    : [];
  const plans = await writePlans(policy, prompts, { group, seed, signal, teams, given });
  const tries = prompts.map((_, q) => toTries(world, prompts[q]!.question, seed, q, TRIES));
  const tried = yield* performPlans(prompts, plans, tries);
  return prompts.map((prompt, q) => ({
    prompt,
    plans: plans[q]!,
    outcomes: tried[q]!.map(([outcome]) => outcome!),
    rewards: tried[q]!.map((outcomes) => meanReward(outcomes, costPerCall)),
    found: given[q]?.length ?? 0,
  }));
}

/** Of second rounds: whether there shall be one is chosen later, so its size is given. */
const SECOND_SIZES = [1, 2, 2, 3, 3, 4] as const;
/** A first round gets (1 − γ) of its own reward and γ of what the second round made of it. */
const GAMMA = 0.25;

/**
 * Second rounds: from every other group two first rounds go on, one right and one wrong where there are both, and each
 * gets a group of its own. Every other group, since then there are about as many second rounds as first ones.
 */
export async function* rollOutAgain(
  groups: readonly PlanGroup[],
  context: StageContext,
  random: Random,
): Asking<PlanGroup[]> {
  const { policy, world, group, costPerCall, signal } = context;
  const seed = toRolloutSeed(context);
  const picked = groups.flatMap((first, q) =>
    q % 2 === 0 ? pickStates(first).map((at) => ({ first, q, at, before: first.outcomes[at]! })) : [],
  );
  if (picked.length === 0) return [];
  const prompts = picked.map(({ first, before: { rounds } }) =>
    toPrompt(policy, first.prompt.question, { rounds, size: random.pick(SECOND_SIZES) }),
  );
  const plans = await writePlans(policy, prompts, { group, seed: hashSeed("again", seed), signal });
  const tries = picked.map(({ first, q, before }) => [
    { ...toTries(world, first.prompt.question, seed, q, TRIES)[0]!, before },
  ]);
  const tried = yield* performPlans(prompts, plans, tries);
  return prompts.map((prompt, i) => {
    const outcomes = tried[i]!.map(([outcome]) => outcome!);
    const rewards = outcomes.map((outcome) => meanReward([outcome], costPerCall));
    const { first, at } = picked[i]!;
    const known = rewards.filter((reward) => reward !== undefined);
    const own = first.rewards[at];
    if (known.length > 0 && own !== undefined)
      first.rewards[at] = (1 - GAMMA) * own + (GAMMA * known.reduce((sum, r) => sum + r, 0)) / known.length;
    return { prompt, plans: plans[i]!, outcomes, rewards };
  });
}

/** One right and one wrong, where there are both; never an outage or a format error. */
function pickStates({ outcomes }: PlanGroup): number[] {
  const find = (isRight: boolean) =>
    outcomes.findIndex((each) => each.isValid && !each.isOutage && each.isRight === isRight);
  return [find(true), find(false)].filter((at) => at >= 0);
}

/** All plans of a prompt under each of its tries. Outcomes by prompt, plan and try. */
export async function* performPlans(
  prompts: readonly Prompt[],
  plans: readonly (readonly { text: string }[])[],
  tries: readonly (readonly Try[])[],
  /** Quick: only what they earn is wanted, so that in a simulation the first try may go the quick way, too. */
  { isQuick = false }: { isQuick?: boolean } = {},
): Asking<Outcome[][][]> {
  const outcomes = yield prompts.flatMap(({ question }, q) =>
    plans[q]!.flatMap(({ text }) =>
      tries[q]!.map(({ seed, before, isFurtherTry }) => {
        const texts = [...(before?.texts ?? []), text];
        return { question, texts, seed, before, isFurtherTry: isQuick || isFurtherTry };
      }),
    ),
  );
  const next = outcomes.values();
  return prompts.map((prompt, q) =>
    plans[q]!.map(() => tries[q]!.map(() => obey(next.next().value!, prompt))),
  );
}

/** In a recording the same is answered again when the same is asked, and live workers cost: one try. */
export function toTries(
  world: World,
  { task }: Question,
  seed: number,
  question: number,
  count: number,
): Try[] {
  if (!isSimulatedTask(world, task)) return [{ seed: hashSeed(seed, question) }];
  return Array.from({ length: count }, (_, number) => ({
    seed: hashSeed(seed, question, number),
    isFurtherTry: number > 0,
  }));
}

export function toRolloutSeed({ seed, plan }: StageContext): number {
  return hashSeed(seed, "rollouts", plan.iteration);
}

// ---- Rewards and advantages -------------------------------------------------------------------------------

/**
 * Where a size is given, a team of another size is no answer to what was asked, and neither is one that asks somebody
 * twice while others are left: whoever was best alone was asked for everything, and nobody can check their own work.
 */
function obey(outcome: Outcome, { size, question, rounds: before }: Prompt): Outcome {
  if (size === undefined || !outcome.isValid) return outcome;
  const steps = outcome.rounds[before.length]?.workflow.steps ?? [];
  return steps.length === size && isTeam(steps, question) ? outcome : toWorthless(outcome);
}

function isTeam(steps: readonly Step[], { pool }: Question): boolean {
  const models = new Set(numbersOf(pool, isModel));
  const asked = steps.map(({ worker }) => worker).filter((worker) => models.has(worker));
  return new Set(asked).size === Math.min(asked.length, models.size);
}

/** After costs, of those that were not lost; undefined where all were. */
export function meanReward(outcomes: readonly Outcome[], costPerCall: number): number | undefined {
  const known = outcomes.filter(({ isOutage }) => !isOutage);
  const sum = known.reduce((total, { reward, calls }) => total + (reward - costPerCall * calls), 0);
  return known.length === 0 ? undefined : sum / known.length;
}

/** Rewards less the mean of their group; 0 where there is none. */
export function toAdvantages(rewards: readonly (number | undefined)[]): number[] {
  const known = rewards.filter((reward) => reward !== undefined);
  const mean = known.reduce((sum, reward) => sum + reward, 0) / Math.max(1, known.length);
  return rewards.map((reward) => (reward === undefined ? 0 : reward - mean));
}

export function isFlat(rewards: readonly (number | undefined)[]): boolean {
  return toAdvantages(rewards).every((advantage) => Math.abs(advantage) < 1e-9);
}

// ---- Training examples ------------------------------------------------------------------------------------

/** What a step is told earns little against the noise of a run: it learns more slowly than who is asked, or it drifts. */
const FOCUS: Record<Focus, readonly TokenKind[]> = {
  all: ["team", "instruction", "filling", "fixed"],
  // While workers are selected "solve it" was said to everybody ever after; with teams one sentence was, for all.
  team: ["team", "fixed"],
  words: ["instruction", "filling"],
};
const KIND_WEIGHT: Record<TokenKind, number> = { team: 1, instruction: 1, filling: 1, fixed: 0.5 };
/**
 * Entropy of a decision, in nats, above which no more is asked for, and none of what is no workflow: without these
 * bounds it ran away, once the groups were nearly flat, into ever longer babble.
 */
const ENOUGH_ENTROPY = 1;

/**
 * Every rollout counts the same, however long it is. What was found by exchange is compared with the likeliest plan, and
 * only learned where it earned more: it was never sampled, so that it cannot be sampled less.
 */
export function toExamples(
  { plans, outcomes, rewards, found = 0 }: PlanGroup,
  { policy, plan: { focus, exploration } }: Pick<StageContext, "policy" | "plan">,
  scale: number,
): TrainingExample[] {
  const { language } = policy;
  const sampled = plans.length - found;
  const advantages = [
    ...toAdvantages(rewards.slice(0, sampled)),
    ...rewards.slice(sampled).map((reward) => toGain(reward, rewards[sampled])),
  ];
  return plans.map(({ tokens, logps, entropies }, i) => {
    const kinds = language.kinds(tokens);
    const isFound = i >= sampled;
    const isLearned = (t: number) => isFound || FOCUS[focus].includes(kinds[t]!);
    const isCounted = !isFound || advantages[i]! > 0;
    // Nothing is learned from an outage, not even to explore.
    const isTaught = !isFound && outcomes[i]!.isValid && rewards[i] !== undefined;
    const isExplored = (t: number) =>
      isTaught && kinds[t] !== "fixed" && isLearned(t) && entropies[t]! < ENOUGH_ENTROPY;
    return {
      tokens,
      logps,
      advantage: advantages[i]!,
      weights: tokens.map((_, t) => (isCounted && isLearned(t) ? KIND_WEIGHT[kinds[t]!] * scale : 0)),
      exploration: tokens.map((_, t) => (isExplored(t) ? exploration * scale : 0)),
    };
  });
}

/** What a plan earned more than the likeliest one. */
function toGain(reward: number | undefined, likeliest: number | undefined): number {
  return reward === undefined || likeliest === undefined ? 0 : Math.max(0, reward - likeliest);
}

// ---- What must not be forgotten ---------------------------------------------------------------------------

/** Weights of the tokens of random workflows beside reinforcement. */
const REMINDER = { words: 0.004, size: 0.05 };

/**
 * Words earn little and rewards are noisy: without a reminder of the language they drift into one phrase, and after a
 * stage of teams of one a given size means nothing any more. Who is asked is not reminded of.
 */
async function computeReminder(context: StageContext): Promise<Weights> {
  const { policy, questions } = context;
  const rows = toRandomExamples(
    context,
    sampleQuestions(context, Math.min(questions, MICRO_BATCH)),
    (tokens) => toReminderWeights(policy, tokens),
  );
  return (await policy.model.computeGradients(rows, toLossOptions(context, 0))).gradients;
}

function toReminderWeights({ language }: Policy, tokens: readonly number[]): Float32Array {
  const weights = Float32Array.from(language.kinds(tokens), (kind) => (kind === "team" ? 0 : REMINDER.words));
  const end = tokens.indexOf(language.subtasks);
  for (let at = 0; at <= end; at++)
    if (tokens[at] === language.next || tokens[at] === language.subtasks) weights[at] = REMINDER.size;
  return weights;
}

function addInto(sums: Weights, others: Weights): void {
  for (const [name, { data }] of others) {
    const sum = sums.get(name)!.data;
    for (let i = 0; i < data.length; i++) sum[i]! += data[i]!;
  }
}
