// Separable CMA-ES (Ros and Hansen, 2008): an evolution strategy that learns one variance per coordinate and its step
// size from paths. Standard constants; the learning rates of the covariance are (n + 2) / 3 times those of the full one.
//
// Where we leave it: equal fitness gets equal weight, and a generation in which nobody is better moves nothing. Rewards
// of 0 and 1 on few questions are often equal, and an order made up for them would be noise.

import { createRandom, hashSeed } from "../../base/random.ts";
import { defaultPopulation, type Search, type SearchOptions, type SearchState } from "./types.ts";

interface Constants {
  population: number;
  /** By rank, best first: positive for the better half, else 0. */
  weights: number[];
  /** Variance-effective number of parents. */
  parents: number;
  /** Cumulation and damping of the step size. */
  stepRate: number;
  damping: number;
  /** Cumulation and learning rates (rank one, rank mu) of the variances. */
  pathRate: number;
  rankOne: number;
  rankMany: number;
  /** Expected length of a standard normal vector. */
  expectedLength: number;
}

interface State {
  generation: number;
  sigma: number;
  mean: Float64Array;
  /** Relative to sigma². */
  variances: Float64Array;
  stepPath: Float64Array;
  path: Float64Array;
}

export function createSepCmaEs(options: SearchOptions, saved?: SearchState): Search {
  const { start, scales, seed } = options;
  // A coordinate without a scale is none to search.
  const free = [...scales.keys()].filter((i) => scales[i]! > 0);
  const constants = toConstants(free.length, options.population);
  let state = saved ? fromSaved(saved) : createState(options);

  /** Standard normal: candidates are mean + sigma × deviation × these. */
  const sampleSteps = (): Float64Array[] =>
    Array.from({ length: constants.population }, (_, number) => {
      const random = createRandom(hashSeed(seed, "generation", state.generation, number));
      const step = new Float64Array(start.length);
      for (const i of free) step[i] = random.normal();
      return step;
    });

  return {
    get mean() {
      return state.mean;
    },
    get sigma() {
      return state.sigma;
    },
    ask() {
      const { mean, sigma, variances } = state;
      return sampleSteps().map((step) =>
        mean.map((value, i) => value + sigma * Math.sqrt(variances[i]!) * step[i]!),
      );
    },
    tell(fitness) {
      state = update(state, sampleSteps(), toRankWeights(fitness, constants.weights), constants, free);
    },
    save: () => toSaved(state),
  };
}

/** The state after a generation; without weights only the generation is another one. */
function update(
  state: State,
  steps: readonly Float64Array[],
  weights: readonly number[] | undefined,
  constants: Constants,
  free: readonly number[],
): State {
  const generation = state.generation + 1;
  if (!weights) return { ...state, generation };
  const { parents, stepRate, damping, pathRate, rankOne, rankMany, expectedLength } = constants;
  const mean = state.mean.slice();
  const stepPath = state.stepPath.slice();
  const path = state.path.slice();
  const variances = state.variances.slice();
  const averages = new Float64Array(mean.length);
  let squared = 0;
  for (const i of free) {
    const average = steps.reduce((sum, step, k) => sum + weights[k]! * step[i]!, 0);
    averages[i] = average;
    mean[i]! += state.sigma * Math.sqrt(variances[i]!) * average;
    stepPath[i] = (1 - stepRate) * stepPath[i]! + Math.sqrt(stepRate * (2 - stepRate) * parents) * average;
    squared += stepPath[i]! ** 2;
  }
  const length = Math.sqrt(squared);
  // While the step size grows fast the variances wait, or both would grow for the same reason.
  const begun = Math.sqrt(1 - (1 - stepRate) ** (2 * generation));
  const isSteady = length / begun < (1.4 + 2 / (free.length + 1)) * expectedLength;
  for (const i of free) {
    const deviation = Math.sqrt(variances[i]!);
    const way = isSteady ? Math.sqrt(pathRate * (2 - pathRate) * parents) * deviation * averages[i]! : 0;
    path[i] = (1 - pathRate) * path[i]! + way;
    const many = steps.reduce((sum, step, k) => sum + weights[k]! * step[i]! ** 2, 0) * variances[i]!;
    const lost = isSteady ? 0 : rankOne * pathRate * (2 - pathRate) * variances[i]!;
    variances[i] =
      (1 - rankOne - rankMany) * variances[i]! + rankOne * path[i]! ** 2 + lost + rankMany * many;
  }
  const sigma = state.sigma * Math.exp(Math.min(1, (stepRate / damping) * (length / expectedLength - 1)));
  return { generation, sigma, mean, variances, stepPath, path };
}

/** The weight of each candidate. Equal ones share theirs; undefined where nobody is better than anybody. */
function toRankWeights(fitness: readonly number[], byRank: readonly number[]): number[] | undefined {
  if (fitness.length !== byRank.length)
    throw new TypeError(`${fitness.length} values of fitness for ${byRank.length} candidates`);
  const worth = fitness.map((value) => (Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value));
  if (worth.every((value) => value === worth[0])) return undefined;
  const order = [...worth.keys()].sort((a, b) => compare(worth[b]!, worth[a]!));
  const weights = new Array<number>(worth.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && worth[order[to]!] === worth[order[from]!]) to++;
    const shared = byRank.slice(from, to).reduce((sum, weight) => sum + weight, 0) / (to - from);
    for (const candidate of order.slice(from, to)) weights[candidate] = shared;
    from = to;
  }
  return weights;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

// ---- Constants and state ------------------------------------------------------------------------------

/** Hansen's defaults ("The CMA Evolution Strategy: A Tutorial", 2016), for n coordinates. */
function toConstants(size: number, wanted: number | undefined): Constants {
  const n = Math.max(1, size);
  const population = wanted ?? defaultPopulation(n);
  const half = Array.from({ length: population }, (_, i) =>
    Math.max(0, Math.log((population + 1) / 2) - Math.log(i + 1)),
  );
  const sum = half.reduce((total, weight) => total + weight, 0);
  const weights = half.map((weight) => weight / sum);
  const parents = 1 / weights.reduce((total, weight) => total + weight ** 2, 0);
  const stepRate = (parents + 2) / (n + parents + 5);
  const separable = (n + 2) / 3;
  const rankOne = Math.min(1, (separable * 2) / ((n + 1.3) ** 2 + parents));
  // At the most half of what is left: a large population in few dimensions would forget all in one generation.
  const rankMany = Math.min(
    (1 - rankOne) / 2,
    (separable * 2 * (parents - 2 + 1 / parents)) / ((n + 2) ** 2 + parents),
  );
  return {
    ...{ population, weights, parents, stepRate, rankOne, rankMany },
    damping: 1 + 2 * Math.max(0, Math.sqrt((parents - 1) / (n + 1)) - 1) + stepRate,
    pathRate: (4 + parents / n) / (n + 4 + (2 * parents) / n),
    expectedLength: Math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n ** 2)),
  };
}

function createState({ start, scales, sigma }: SearchOptions): State {
  const zeros = () => new Float64Array(start.length);
  const variances = scales.map((scale) => scale ** 2);
  return { generation: 0, sigma, mean: start.slice(), variances, stepPath: zeros(), path: zeros() };
}

function toSaved({ generation, sigma, ...vectors }: State): SearchState {
  const named = Object.entries(vectors).map(([name, vector]): [string, number[]] => [name, [...vector]]);
  return { generation, sigma, vectors: Object.fromEntries(named) };
}

function fromSaved({ generation, sigma, vectors }: SearchState): State {
  const of = (name: keyof State) => Float64Array.from(vectors[name]!);
  return {
    ...{ generation, sigma, mean: of("mean"), variances: of("variances") },
    ...{ stepPath: of("stepPath"), path: of("path") },
  };
}
