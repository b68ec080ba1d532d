// What the stages of the native Conductor's training share: the policy, its optimiser, and how an iteration samples
// its questions.

import { createRandom, hashSeed, type Random } from "../../base/random.ts";
import type { LossAndGradients } from "../../nn/model.ts";
import type { AdamW } from "../../nn/optimiser.ts";
import type { Outcome } from "../../world/rollout.ts";
import type { Question, World } from "../../world/types.ts";
import type { Asking } from "../types.ts";
import type { Policy } from "./policy.ts";
import type { Words } from "./random-workflow.ts";
import type { StagePlan } from "./schedule.ts";

export interface StageContext {
  policy: Policy;
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
  words: Words;
  signal: AbortSignal;
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
