// A searched policy as a learning algorithm: separable CMA-ES, or for comparison random search, REINFORCE, and a
// supervised stage before evolution. All are given the same questions and the same number of runs an iteration.

import { hashSeed } from "../../base/random.ts";
import type { World } from "../../world/types.ts";
import { toOutcomeMetrics } from "../metrics.ts";
import { performAll, performAsked, toRunSeed } from "../perform.ts";
import { type TrainerOptions, type TrainResult, train } from "../train.ts";
import type { AlgorithmState, LearningAlgorithm, ScheduleEntry, UpdateMetrics } from "../types.ts";
import { evaluateGeneration } from "./exact-generation.ts";
import { toReward } from "./fitness.ts";
import { performGeneration } from "./generation.ts";
import { GradientHead } from "./gradient-head.ts";
import { createRandomSearch } from "./random-search.ts";
import { reinforce } from "./reinforce.ts";
import { createSepCmaEs } from "./sep-cma-es.ts";
import { type StageContext, type StageResult, type Trial, toRollout } from "./stage.ts";
import { supervise } from "./supervised.ts";
import { defaultPopulation, type Search, type SearchedPolicy, type SearchState } from "./types.ts";

export const ALGORITHMS = ["evolution", "random-search", "reinforce", "supervised"] as const;
export type AlgorithmName = (typeof ALGORITHMS)[number];

export interface LearnerOptions {
  policy: SearchedPolicy;
  world: World;
  seed: number;
  algorithm: AlgorithmName;
  /** Questions of an iteration. */
  questions: number;
  /** Runs of each question with seeds of their own, for each candidate. */
  replications: number;
  /** Candidates of a generation, and for the others runs of each question; by default 4 + 3 ln n. */
  population?: number;
  /** Where the search begins, in scales of the policy. */
  sigma: number;
  /** Where a right answer is worth 1. */
  costPerCall: number;
  diversityBonus?: number;
  turnBonus?: number;
  /** Of the softmax that REINFORCE samples from and gradients are of. */
  temperature?: number;
  /** Of gradients, in scales of the policy. */
  learningRate?: number;
  /** With "supervised": the share of the iterations before evolution takes over. */
  supervisedShare?: number;
}

/** In iterations: an exact evaluation takes less than an iteration. */
const EVALUATE_EXACT_EVERY = 5;
const TEMPERATURE = 0.05;
const LEARNING_RATE = 0.05;
const SUPERVISED_SHARE = 0.3;

export interface PolicyLearner extends LearningAlgorithm {
  /** The policy as it is now, without exploration. */
  readonly vector: Float64Array;
}

export function openLearner(options: LearnerOptions, saved?: AlgorithmState): PolicyLearner {
  const { policy, world, algorithm, replications } = options;
  const population = options.population ?? defaultPopulation(policy.size);
  const head = new GradientHead(policy, saved?.tensors);
  let runs = (saved?.values.runs as number | undefined) ?? 0;
  let search = saved?.values.search
    ? openSearch({ ...options, population }, policy.start, saved.values.search as SearchState)
    : undefined;
  const best = () => search?.mean ?? head.vector;
  const exact = openExact(options);

  const learn = (stage: AlgorithmName, context: StageContext) => {
    if (stage === "reinforce") return reinforce(context, head);
    if (stage === "supervised") return supervise(context, head);
    // After a supervised stage the search begins where that has come to. Nothing has changed if it is opened again.
    search ??= openSearch({ ...options, population }, head.vector);
    return performGeneration(context, search);
  };

  return {
    name: algorithm,

    get vector() {
      return best();
    },

    schedule(total) {
      const { supervisedShare = SUPERVISED_SHARE } = options;
      const supervised = algorithm === "supervised" ? Math.max(1, Math.round(supervisedShare * total)) : 0;
      const at = (iteration: number): ScheduleEntry => {
        const isSupervised = iteration < supervised;
        const stage = algorithm !== "supervised" ? algorithm : isSupervised ? "supervised" : "evolution";
        // Whatever was evaluated may be the best: all stages learn the same policy.
        return { iteration, stage, isWarmUp: false, isFinal: true, tolerance: 0 };
      };
      return { total, at };
    },

    async *iterate({ iteration, stage }) {
      if (exact && isSearch(stage)) {
        search ??= openSearch({ ...options, population }, head.vector);
        const { performed, ...metrics } = exact.generation(search, iteration);
        runs += performed;
        return { ...metrics, runs };
      }
      const context: StageContext = {
        ...{ policy, population, replications, trials: sampleTrials(options, iteration) },
        seed: hashSeed(options.seed, "iteration", iteration),
        temperature: options.temperature ?? TEMPERATURE,
        learningRate: options.learningRate ?? LEARNING_RATE,
        toReward: (outcome, question) => {
          const costPerCall = policy.costPerCall?.(question) ?? options.costPerCall;
          return toReward(outcome, { ...options, costPerCall, turns: policy.rounds - 1 });
        },
      };
      const result = yield* learn(stage as AlgorithmName, context);
      runs += result.outcomes.length;
      return toMetrics(result, runs);
    },

    answer(questions, _, { seed, signal }) {
      const vector = best();
      const trials = questions.map((question) => ({ question, seed: toRunSeed(seed, question) }));
      const rollouts = trials.map((trial) => toRollout({ policy }, trial, vector));
      return performAll(rollouts, world, signal);
    },

    toRollout: (question, _, seed) => toRollout({ policy }, { question, seed }, best()),

    save: () => ({ tensors: head.toTensors(), values: { runs, search: search?.save() } }),

    validate: () => exact?.value(best()),

    // Where nothing that was learned is better than the beginning on the validation split, the beginning is kept.
    saveCheckpoint: (folder, trained) => {
      const isBetter = !exact || exact.value(best()) > exact.value(policy.start);
      return policy.save(folder, isBetter ? best() : policy.start, { ...trained, runs, algorithm });
    },

    async close() {},
  };
}

/** Of a policy and a world that can be replayed exactly. Whoever samples or follows gradients needs runs all the same. */
function openExact({ policy, world, seed, questions: perSet, diversityBonus, turnBonus }: LearnerOptions) {
  const { evaluate } = policy;
  // The bonuses are of runs.
  if (!evaluate || !world.replays || diversityBonus || turnBonus) return undefined;
  const [train, validation] = [world.replays("train"), world.replays("validation")];
  return {
    generation: (search: Search, iteration: number) =>
      evaluateGeneration(search, {
        ...{ questions: train, perSet, evaluate },
        seed: hashSeed(seed, "exact", iteration),
      }),
    value: (vector: Float64Array) => evaluate(vector, validation).value,
  };
}

function isSearch(stage: string): boolean {
  return stage === "evolution" || stage === "random-search";
}

/** The same for all algorithms: whoever is compared with whom has seen the same questions. */
function sampleTrials({ world, seed, questions, replications }: LearnerOptions, iteration: number): Trial[] {
  return Array.from({ length: questions }, (_, i) => {
    const question = world.sample(hashSeed(seed, "question", iteration, i));
    return Array.from({ length: replications }, (__, j) => ({
      question,
      seed: hashSeed(seed, "run", iteration, i, j),
    }));
  }).flat();
}

function openSearch(options: LearnerOptions, start: Float64Array, saved?: SearchState): Search {
  const { policy, algorithm, sigma, population } = options;
  const create = algorithm === "random-search" ? createRandomSearch : createSepCmaEs;
  const seed = hashSeed(options.seed, "search");
  return create({ start, scales: policy.scales, sigma, population, seed }, saved);
}

function toMetrics(result: StageResult, runs: number): UpdateMetrics {
  const { outcomes, groups, loss, entropy, gradientNorm, learningRate } = result;
  const flat = groups.filter((rewards) => rewards.every((reward) => reward === rewards[0])).length;
  return {
    ...toOutcomeMetrics(outcomes),
    flatShare: flat / Math.max(1, groups.length),
    decisionEntropy: entropy,
    ...{ loss, gradientNorm, learningRate, runs },
  };
}

// ---- From its beginning to its end ------------------------------------------------------------------------

export interface TrainPolicyOptions
  extends Omit<TrainerOptions<ScheduleEntry>, "open">,
    Omit<LearnerOptions, "world" | "seed" | "costPerCall"> {}

/** With a folder: evaluated, the best kept, resumed. */
export function trainPolicy(options: TrainPolicyOptions): Promise<TrainResult> {
  return train({
    ...options,
    // The trainer's rewards are 0.5 for wrong and 1 for right, ours 0 and 1: a call costs half as much there.
    costPerCall: options.costPerCall / 2,
    evaluateEvery: options.policy.evaluate && options.world.replays ? EVALUATE_EXACT_EVERY : undefined,
    open: async (saved) => openLearner(options, saved),
  });
}

export interface LearnedPolicy {
  vector: Float64Array;
  runs: number;
  metrics: UpdateMetrics[];
}

/** Without a folder, for experiments and tests: so many iterations, and what came of them. */
export async function learnPolicy(
  options: LearnerOptions & { iterations: number; signal: AbortSignal },
): Promise<LearnedPolicy> {
  const { world, iterations, signal } = options;
  const algorithm = openLearner(options);
  const schedule = algorithm.schedule(iterations);
  const metrics: UpdateMetrics[] = [];
  for (let iteration = 0; iteration < iterations; iteration++) {
    const learned = await performAsked(algorithm.iterate(schedule.at(iteration), signal), world, signal);
    if (!learned) break;
    metrics.push(learned);
  }
  return { vector: algorithm.vector, runs: metrics.at(-1)?.runs ?? 0, metrics };
}
