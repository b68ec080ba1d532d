// How a Conductor learns: the world it practises in, what is told while it learns, and what is kept.

import type { Run } from "../perform/run.ts";
import type { Grade, GradedTask } from "../task/types.ts";
import type { Pool } from "../worker/types.ts";

/** A task with the pool it may be answered by; the profiles are those for this very question. */
export interface Question {
  task: GradedTask;
  pool: Pool;
}

/** Where a Conductor practises. Training, tune and test tasks never mix. */
export interface World {
  kind: "rehearsal" | "recording" | "tasks";
  /** For people and cards: "rehearsal (simulated)", "reasoning-gym-hard + mmlu-pro". */
  name: string;
  isSimulated: boolean;
  /** What its splits keep together, where it is not the prompt: a bench must split in the same way. */
  splitBy?: "family";
  /** Workers answer at once: no timers are needed. */
  isInstant: boolean;
  /** A training question by lot: the same for the same seed. Its pool is shuffled, and random where that is wanted. */
  draw(seed: number): Question;
  /** The same questions every time, for watching while training. Never trained on. */
  readonly tune: readonly Question[];
  grade(task: GradedTask, run: Run, signal: AbortSignal): Grade | Promise<Grade>;
  /** Questions to make the tokenizer from: training tasks only. */
  texts(): readonly string[];
  /** The work that a subtask may name here, in a word or two: "equations", "critical path". */
  works(): readonly string[];
}

/** What a run needs of a world. */
export type Grading = Pick<World, "isInstant" | "grade">;

/** An order of learning: each stage has its own team size, rounds and exploration. */
export type StageName = "warm-up" | "supervised" | "selection" | "teams" | "rounds" | "sizes";

/** What is told after every iteration. Shares and rates are 0..1. */
export interface IterationFigures {
  type: "iteration";
  stage: StageName;
  /** From 0, over all stages. */
  iteration: number;
  total: number;
  /** The minutes have not become a count yet: the total is no more than a bound. */
  isTiming?: true;
  /** Mean reward of the rollouts, the cost term not counted. */
  reward: number;
  accuracy: number;
  validShare: number;
  accuracyIfValid: number;
  /** Bits: who is asked, over all calls of the iteration. */
  routingEntropy: number;
  /** Nats: mean over the decisions of the policy itself. */
  decisionEntropy: number;
  calls: number;
  steps: number;
  /** Groups in which all rollouts got the same reward: nothing can be learned from them. */
  flatShare: number;
  /** Rollouts that lost a worker to an outage: dropped, never taught. */
  outages: number;
  loss: number;
  gradientNorm: number;
  learningRate: number;
  costUsd: number;
  seconds: number;
  /** Share of the calls by worker id; absent in the warm-up. */
  asked?: Record<string, number>;
}

/** Greedy on the tune split, without any mask. */
export interface TuneFigures {
  type: "tune";
  stage: StageName;
  iteration: number;
  tasks: number;
  accuracy: number;
  low: number;
  high: number;
  reward: number;
  validShare: number;
  calls: number;
  costUsd: number;
  routingEntropy: number;
  isBest: boolean;
}

/** A workflow as it was written at some point of the training. */
export interface Sample {
  type: "sample";
  stage: StageName;
  iteration: number;
  task: string;
  question: string;
  /** What the model wrote, round by round. */
  texts: string[];
  answer: string;
  score: number;
  calls: number;
  runId: string;
}

export type TrainEvent =
  | IterationFigures
  | TuneFigures
  | Sample
  /** Something to know: the engine, the iteration count that the minutes became, an early stop. */
  | { type: "notice"; text: string };
