// What the stages of the native Conductor's training share: the policy, its optimiser, and how an iteration samples
// its questions.

import { createRandom, hashSeed, type Random } from "../../base/random.ts";
import { type Choices, chooseSize } from "../../conductor/native/choice.ts";
import type { Language } from "../../conductor/native/language.ts";
import { PLAN_TOKENS } from "../../conductor/native/opened.ts";
import { type Reading, toReading, toWording } from "../../conductor/native/reading.ts";
import { createTokenSampler } from "../../conductor/native/sample-token.ts";
import type { ComposedRound } from "../../conductor/types.ts";
import type { LossAndGradients, Model } from "../../nn/model.ts";
import type { AdamW } from "../../nn/optimiser.ts";
import type { Completion, TextModel } from "../../nn/text-model.ts";
import { toMessages } from "../../task/types.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import type { Outcome } from "../../world/rollout.ts";
import type { Question, World } from "../../world/types.ts";
import type { Asking, ProposalMetrics } from "../types.ts";
import type { ProposalMemory, Proposer } from "./propose/types.ts";
import type { StagePlan } from "./schedule.ts";

export interface StageContext {
  policy: LearningPolicy;
  optimiser: AdamW;
  world: World;
  /** Of the training. */
  seed: number;
  plan: StagePlan;
  /** Questions of an iteration. */
  questions: number;
  /** Rollouts of a question. */
  group: number;
  /** Subtracted from the reward for every call. */
  costPerCall: number;
  signal: AbortSignal;
  /** Of the stage of proposals: who makes them, and what was tried. */
  proposing?: { proposer: Proposer; memory: ProposalMemory };
}

/** What came of the rollouts of a question. */
export interface OutcomeGroup {
  outcomes: readonly Outcome[];
  /** After costs; undefined where a worker was down. */
  rewards: readonly (number | undefined)[];
}

export interface StageResult {
  /** What the metrics are made from; none where nobody was asked for a reward. */
  groups: readonly OutcomeGroup[];
  loss: number;
  /** Mean over the decisions of the policy, in nats. */
  entropy: number;
  gradientNorm: number;
  /** Of the stage of proposals, beside its groups: who proposes is asked, too. */
  proposal?: ProposalMetrics;
  proposalUsd?: number;
}

/** One iteration of a stage, as in the port. */
export type TrainingStage = (context: StageContext) => Asking<StageResult>;

/** Questions in one run of a training graph. */
export const MICRO_BATCH = 4;
/** A small weight on the questions' own text keeps the model a reader: their likelihood is measured with it. */
export const TEXT_WEIGHT = { warmUp: 0.1, policy: 0.02 };
const MAX_NORM = 1;

export function sampleQuestions({ world, seed, plan }: StageContext, count: number): Question[] {
  const { iteration } = plan;
  return Array.from({ length: count }, (_, i) => world.sample(hashSeed(seed, "question", iteration, i)));
}

/** All randomness of an iteration comes from its number, so that one that was cut off begins again the same. */
export function createStageRandom({ seed, plan }: StageContext, purpose: string): Random {
  return createRandom(hashSeed(seed, purpose, plan.iteration));
}

/** One step of the optimiser. */
export function learn(
  { optimiser, plan: { learningRate } }: StageContext,
  { gradients, loss, entropy }: LossAndGradients,
  groups: readonly OutcomeGroup[] = [],
): StageResult {
  const { norm: gradientNorm } = optimiser.step(gradients, { learningRate, maxNorm: MAX_NORM });
  return { groups, loss, entropy, gradientNorm };
}

export function learnNothing(groups: readonly OutcomeGroup[]): StageResult {
  return { groups, loss: 0, entropy: 0, gradientNorm: 0 };
}

// ---- The policy ----------------------------------------------------------------------------------

// The model as a policy: it reads questions, chooses how large a team each shall have, and writes workflows, sampled
// or greedily, always without a mask.

export interface Policy {
  model: TextModel;
  language: Language;
  /** Of the size of a team, before it writes; none where the size is always given. */
  choices: Choices;
}

/** One that can be trained: its model runs on an engine, which computes gradients. */
export interface LearningPolicy extends Policy {
  model: Model;
}

/** A question as it stands before the policy: its team's work so far, and the size that is wanted. */
export interface Prompt {
  question: Question;
  rounds: ComposedRound[];
  size?: number;
  /** Where it has been read already. */
  reading: Reading;
}

export interface Plan extends Completion {
  text: string;
}

export function toPrompt(
  { language }: Policy,
  question: Question,
  { rounds = [], size }: { rounds?: ComposedRound[]; size?: number } = {},
): Prompt {
  const { task, pool } = question;
  const asked = { task: { id: task.id, messages: toMessages(task) }, pool, rounds };
  return { question, rounds, reading: toReading({ ...asked, size }, language), size };
}

/** With the size that the policy chooses where none is given; 0: what the team has answered is taken. */
export function settleSize(policy: Policy, prompt: Prompt, cost: number): Prompt {
  const { question, rounds, reading } = prompt;
  const { size } = chooseSize(policy.choices, reading, { given: prompt.size, cost, most: MAX_STEPS });
  if (size === prompt.size) return prompt;
  // Where nothing will be written, nothing has to be read anew.
  return size === 0 ? { ...prompt, size } : toPrompt(policy, question, { rounds, size });
}

interface WritePlansOptions {
  group: number;
  seed?: number;
  signal?: AbortSignal;
  /** Of each prompt, a plan whose team is written again: only what its steps are told is chosen anew. */
  teams?: readonly (readonly number[])[];
  /** Of each prompt, plans that take the last places of its group: they are read and not chosen. */
  given?: readonly (readonly (readonly number[])[] | undefined)[];
}

/** `group` plans for each prompt: sampled, each with a seed of its own; or greedy, without a seed. */
export async function writePlans(
  { model, language }: Policy,
  prompts: readonly Prompt[],
  { group, seed, signal, teams, given = [] }: WritePlansOptions,
): Promise<Plan[][]> {
  const samplers = prompts.map((_, q) =>
    Array.from({ length: group }, (_, i) =>
      createTokenSampler({ seed: seed === undefined ? undefined : hashSeed(seed, q, i) }),
    ),
  );
  const written = await model.generate(
    prompts.map(({ reading }) => reading.prefix),
    {
      ...{ group, length: PLAN_TOKENS, start: language.start, end: language.end, signal },
      choose: (probabilities, q, i, tokens) =>
        given[q]?.[i - group + given[q].length]?.[tokens.length] ??
        (teams && language.continueTeam(teams[q]!, tokens)) ??
        samplers[q]![i]!(probabilities, tokens),
    },
  );
  return written.map((completions, q) => {
    const { reading, question } = prompts[q]!;
    const wording = toWording(reading, question.pool);
    return completions.map((each) => ({ ...each, text: language.toText(each.tokens, wording) }));
  });
}
