// What evolution searches and how: a policy as a flat vector, and ask/tell searches over such vectors. Apart from the
// Conductor whose policy it is, so that both can change without each other.

import type { TurnChoice } from "../../conductor/trinity/types.ts";
import type { Conductor } from "../../conductor/types.ts";
import type { Question } from "../../world/types.ts";
import type { ValidationMetrics } from "../types.ts";
import type { Evaluate } from "./exact-generation.ts";

/** A policy as a flat vector: what evolution searches. */
export interface SearchedPolicy {
  size: number;
  /**
   * The first so many coordinates are the head, one weight per feature: the logit of an option is their product with its
   * features. Gradients move these alone; evolution and random search move all.
   */
  head: number;
  /** Where the search begins: exactly looking ahead. */
  start: Float64Array;
  /** Scale of each coordinate: sigma is multiplied by it. 0: the coordinate stays as it is. */
  scales: Float64Array;
  /** Rounds that a run may take, the one that accepts included. */
  rounds: number;
  /** Of a question while it is trained on, where a right answer is worth 1; absent: that of the training. */
  costPerCall?(question: Question): number;
  /** Keeps nothing between runs: one Conductor performs many at the same time. */
  conductor(vector: Float64Array, options?: ConductorOptions): Conductor;
  /** What it is worth on questions of recordings, exactly: over all prices. Absent: it has to be performed. */
  evaluate?: Evaluate;
  /** Writes weights and card. */
  save(folder: string, vector: Float64Array, trained: TrainedPolicy): Promise<void>;
}

export interface ConductorOptions {
  /** Choices are sampled from a softmax of logits / temperature; absent: the best is taken. */
  explore?: { temperature: number; seed: number };
  /** At this turn (rounds before it, so from 0) this option is taken, whatever the head says. */
  force?: { turn: number; option: number };
  /** Told every choice, in the order of the turns. */
  onChoice?(choice: TurnChoice): void;
}

/** What is known of a policy when it is saved, for its card. */
interface TrainedPolicy {
  iterations: number;
  /** Rollouts performed to learn it. */
  runs: number;
  validation: ValidationMetrics;
  algorithm: string;
}

/** A search over vectors. Candidates come from seed and generation alone, so that its state is small. */
export interface Search {
  /** What is best by now: for evolution the mean of the population. */
  readonly mean: Float64Array;
  readonly sigma: number;
  /** The candidates of this generation: the same ones until their fitness is told. */
  ask(): Float64Array[];
  /** The fitness of each, in their order: higher is better. NaN: not known, so not better than any. */
  tell(fitness: readonly number[]): void;
  /** Plain JSON, exact to the bit. */
  save(): SearchState;
}

export interface SearchState {
  generation: number;
  sigma: number;
  /** By name. */
  vectors: Record<string, number[]>;
}

export interface SearchOptions {
  start: Float64Array;
  scales: Float64Array;
  sigma: number;
  /** Candidates of a generation; by default `defaultPopulation` of the size. */
  population?: number;
  seed: number;
}

/** 4 + 3 ln n, as is usual for CMA-ES. */
export function defaultPopulation(size: number): number {
  return 4 + Math.floor(3 * Math.log(size));
}
