// Intervals of figures that are no plain mean (areas under a curve, ratios of sums, means over sets): tasks are
// resampled within their group, and the whole figure is computed again from how often each was drawn.

import { createRandom } from "../../base/random.ts";
import { type Estimate, interval } from "../../base/statistics.ts";

const RESAMPLES = 400;

/** How often each task counts. */
export type Weights = ArrayLike<number>;

export interface IntervalOptions {
  seed: number;
  /** Numbers of the tasks of each group; resampled apart. */
  groups: readonly (readonly number[])[];
  resamples?: number;
}

/** `measure` is called with all weights 1 for the figures themselves, then once per resample. */
export function estimateFigures<K extends string>(
  measure: (weights: Weights) => Record<K, number>,
  { seed, groups, resamples = RESAMPLES }: IntervalOptions,
): Record<K, Estimate> {
  const count = groups.reduce((sum, group) => sum + group.length, 0);
  const figures = measure(new Uint16Array(count).fill(1));
  const names = Object.keys(figures) as K[];
  const drawn = new Map(names.map((name) => [name, new Float64Array(resamples)]));
  const random = createRandom(seed);
  const weights = new Uint16Array(count);
  for (let i = 0; i < resamples; i++) {
    weights.fill(0);
    for (const group of groups)
      for (let j = 0; j < group.length; j++) weights[group[Math.floor(random.next() * group.length)]!]!++;
    const resampled = measure(weights);
    for (const name of names) drawn.get(name)![i] = resampled[name];
  }
  const estimates = names.map((name) => {
    const values = drawn.get(name)!.filter(Number.isFinite).sort();
    const bounds = values.length === 0 ? { low: Number.NaN, high: Number.NaN } : interval(values);
    return [name, { mean: figures[name], ...bounds }];
  });
  return Object.fromEntries(estimates) as Record<K, Estimate>;
}

/** Positions by key, in the order of first appearance. */
export function groupPositions<T>(items: readonly T[], key: (item: T) => string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [position, item] of items.entries()) {
    const group = groups.get(key(item));
    if (group) group.push(position);
    else groups.set(key(item), [position]);
  }
  return groups;
}
