// How a Conductor learns: what is told while it learns, and what is kept.

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
