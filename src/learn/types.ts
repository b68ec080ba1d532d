// How a Conductor learns: the port behind which every learning algorithm stands, and what is told while it learns.

import type { Conductor } from "../conductor/types.ts";
import type { Gain, InstructionRole, Lineage } from "../instruction/types.ts";
import type { Weights } from "../nn/types.ts";
import type { Outcome } from "../world/rollout.ts";
import type { Question } from "../world/types.ts";

// ---- The port -----------------------------------------------------------------------------------------

/** Something to try, performed for a question under a seed: texts that were written, or a Conductor that decides. */
export type Rollout = WrittenRollout | ConductedRollout;

export interface WrittenRollout {
  question: Question;
  /** Round by round. */
  texts: readonly string[];
  seed: number;
  /** What the texts before the last one became; absent in the first round. */
  before?: Outcome;
  /** Another try of what is performed anyway: in a simulation the quick way does. Its dollars are not counted. */
  isFurtherTry?: boolean;
}

export interface ConductedRollout {
  question: Question;
  /** Composes every round while it is performed. Its outcome has no texts. */
  conductor: Conductor;
  /** At the most, the one that accepts included. */
  rounds: number;
  seed: number;
}

/** Proposes rollouts, is sent their outcomes, in their order and as often as it needs, and returns what it made of them. */
export type Asking<Result> = AsyncGenerator<Rollout[], Result, Outcome[]>;

/**
 * Propose → outcomes → update, with a state of its own. The trainer performs, counts, evaluates on the validation
 * split, keeps the best, saves and resumes; it knows nothing of how an algorithm learns.
 */
export interface LearningAlgorithm<Entry extends ScheduleEntry = ScheduleEntry> {
  /** Saved with its state, so that no other algorithm goes on with it. */
  readonly name: string;
  /** What computes, for the log: an engine and its threads. */
  readonly engine?: string;
  /** How it spends so many iterations. Pure: minutes become a count while a training runs. */
  schedule(iterations: number): Schedule<Entry>;
  /**
   * `const outcomes = yield rollouts` performs them. All randomness comes from the seed and the number of the
   * iteration. An iteration that is cut off is never resumed after its `yield`: it must not have changed anything yet.
   */
  iterate(entry: Entry, signal: AbortSignal): Asking<UpdateMetrics>;
  /** What becomes of these questions now, without exploration: the evaluation. */
  answer(
    questions: readonly Question[],
    entry: Entry,
    options: { seed: number; signal: AbortSignal },
  ): Promise<Outcome[]>;
  /** What `answer` performed for a question. Absent: the texts of its outcome tell. */
  toRollout?(question: Question, entry: Entry, seed: number): Rollout;
  /** All it needs to go on as if nothing had happened, to the bit. */
  save(): AlgorithmState;
  /** What steps were told in the plans of the last `answer`, where that is chosen from a repertoire. */
  instructions?(): InstructionUse[];
  /** What it is worth on the validation split where it knows that better than one run of each question tells. */
  validate?(): number | undefined;
  /** What people will use, into a folder of its own. */
  saveCheckpoint(
    folder: string,
    trained: { iterations: number; validation: ValidationMetrics },
  ): Promise<void>;
  close(): Promise<void>;
}

export interface Schedule<Entry extends ScheduleEntry = ScheduleEntry> {
  /** All iterations, the warm-up included. */
  total: number;
  at(iteration: number): Entry;
}

export interface ScheduleEntry {
  /** From 0, over all stages. */
  iteration: number;
  stage: string;
  /** Not yet worth an evaluation, and as fast as it is whatever follows: it is not timed. */
  isWarmUp: boolean;
  /** Only what was evaluated in the final stage can be the best. */
  isFinal: boolean;
  /** A validation reward so much below the best one still replaces it: differences like this are noise. */
  tolerance: number;
}

export interface AlgorithmState {
  /** By name: they come back in another order. */
  tensors: Weights;
  /** Plain JSON. */
  values: Record<string, unknown>;
}

// ---- What is told -------------------------------------------------------------------------------------

/** Means over rollouts that were not lost to an outage. Shares and rates are 0..1. */
export interface OutcomeMetrics {
  /** The cost term not counted. */
  reward: number;
  accuracy: number;
  validShare: number;
  accuracyIfValid: number;
  /** Bits: who is asked, over all calls of the iteration. */
  routingEntropy: number;
  calls: number;
  steps: number;
  /** Rollouts that lost a worker to an outage: dropped, never learned from. */
  outages: number;
  costUsd: number;
  /** Share of the calls by worker id; absent where nothing was performed, as in the warm-up. */
  asked?: Record<string, number>;
}

/** What an iteration has learned. NaN where an algorithm has no such metric. */
export interface UpdateMetrics extends OutcomeMetrics {
  /** Nats: mean over the decisions of the policy itself. */
  decisionEntropy: number;
  /** Groups in which all rollouts got the same reward: nothing can be learned from them. */
  flatShare: number;
  loss: number;
  gradientNorm: number;
  /** For evolution the step size, sigma. */
  learningRate: number;
  /** Rollouts performed so far, where algorithms are compared by them. */
  runs?: number;
  /** Where one better instruction was looked for: what came of it. */
  proposal?: ProposalMetrics;
}

/** A proposal for an instruction of the repertoire. Gains are of accuracy over the parent in the same places. */
export type ProposalMetrics = { rollouts: number } & (
  | { end: "none"; why: string }
  /** What was proposed could not be an instruction in its parent's place. */
  | { end: "refused"; parent: string; by: string; why: string }
  /** It did not seem better in the first comparison, or was not shown to be in the second, on fresh questions. */
  | { end: "dropped"; parent: string; by: string; text: string; seemed: Gain; gain?: Gain }
  /** It has the parent's place, under an id of its own. */
  | { end: "kept"; parent: string; by: string; text: string; seemed: Gain; gain: Gain; id: string }
);

/** An instruction of the repertoire, and how many steps of the plans were told it. */
export interface InstructionUse {
  id: string;
  role: InstructionRole;
  /** In English, with its slots. */
  text: string;
  used: number;
  lineage?: Lineage;
}

/** Told after every iteration. */
export interface IterationMetrics extends UpdateMetrics {
  type: "iteration";
  stage: string;
  iteration: number;
  total: number;
  /** The minutes have not become a count yet: the total is no more than a bound. */
  isTiming?: true;
  seconds: number;
}

/** What there is to say of a part of the validation questions, too. */
interface ValidationPart extends Pick<OutcomeMetrics, "accuracy" | "validShare" | "calls"> {
  tasks: number;
  /** The 95 % interval of the accuracy. */
  low: number;
  high: number;
}

/** On the validation split: greedy, without any mask. */
export interface ValidationMetrics
  extends ValidationPart,
    Pick<OutcomeMetrics, "costUsd" | "routingEntropy"> {
  type: "validation";
  stage: string;
  iteration: number;
  /** Of worlds that were joined: each apart, by its name. */
  parts?: Readonly<Record<string, ValidationPart>>;
  /** What the steps of these plans were told: all that were used or proposed. */
  instructions?: readonly InstructionUse[];
  /** Costs counted. */
  reward: number;
  isBest: boolean;
}

/** A workflow as it was written at some point of the training. */
export interface Sample {
  type: "sample";
  stage: string;
  iteration: number;
  task: string;
  question: string;
  /** What was written, round by round; the workflows of a Conductor that decides without text. */
  texts: string[];
  answer: string;
  score: number;
  calls: number;
  runId: string;
}

export type TrainEvent =
  | IterationMetrics
  | ValidationMetrics
  | Sample
  /** Something to know: the engine, the iteration count that the minutes became. */
  | { type: "notice"; text: string };
