// How sure a metric is: seeded bootstrap over tasks. Plain arithmetic, no dependency on what is measured.
//
// A resample of n values is decided by how often each distinct value is drawn. Right-or-wrong data has two
// or three of them, so their numbers are drawn at once from the binomial distribution: the same
// distribution as drawing n times, a thousand times faster. Other data is drawn value by value.

import { createRandom, type Random } from "./random.ts";

/** Mean with its 95 % interval by bootstrap over tasks. */
export interface Estimate {
  mean: number;
  low: number;
  high: number;
}

const RESAMPLES = 2000;
const OUTSIDE = 0.05;
const Z = 1.959964;
/** Below this a bootstrap of right-or-wrong data is too narrow, and with no spread it has no width at all. */
const FEW = 30;

interface BootstrapOptions {
  seed: number;
  resamples?: number;
}

/** Mean with its 95 % percentile interval. */
export function bootstrapMean(values: readonly number[], options: BootstrapOptions): Estimate {
  return { mean: meanOf(values), ...interval(resampledMeans(values, options)) };
}

/** Share of right ones among 0s and 1s: bootstrap, and Wilson's interval where there are few or all agree. */
export function estimateShare(values: readonly number[], options: BootstrapOptions): Estimate {
  const right = values.reduce((sum, value) => sum + value, 0);
  if (values.length < FEW || right === 0 || right === values.length) return wilson(right, values.length);
  return bootstrapMean(values, options);
}

export interface PairedDifference extends Estimate {
  /** Two-sided: the probability that chance alone puts the difference on the other side of 0. Never exactly 0. */
  p: number;
}

/** The mean of a − b over the same tasks: what both find easy or hard falls out. */
export function pairedDifference(
  a: readonly number[],
  b: readonly number[],
  options: BootstrapOptions,
): PairedDifference {
  if (a.length !== b.length)
    throw new RangeError(`A paired difference needs the same tasks: there are ${a.length} and ${b.length}`);
  const differences = a.map((value, i) => value - b[i]!);
  const means = resampledMeans(differences, options);
  const p = twoSided(means);
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  const reach = differences.length < FEW ? fewPairs(better, worse, differences.length) : interval(means);
  // The bootstrap of a handful of tasks is sure of anything; the exact sign test is not.
  return { mean: meanOf(differences), ...reach, p: Math.max(p, signTest(better, worse)) };
}

/** The p of resampled differences: twice the share of them on the rarer side of 0. */
export function twoSided(means: Float64Array): number {
  let atMost = 0;
  let atLeast = 0;
  for (const mean of means) {
    if (mean <= 0) atMost++;
    if (mean >= 0) atLeast++;
  }
  return Math.min(1, (2 * (Math.min(atMost, atLeast) + 1)) / (means.length + 1));
}

/** Which side of 0 the difference is shown to be on; 0 where neither: both the interval and p must say so. */
export function sideOf({ low, high, p }: { low: number; high: number; p: number }): -1 | 0 | 1 {
  if (p >= OUTSIDE) return 0;
  return low > 0 ? 1 : high < 0 ? -1 : 0;
}

/** Two-sided and exact: how often coins would fall at least as unevenly as tasks won and lost. */
export function signTest(better: number, worse: number): number {
  const n = better + worse;
  let tail = 0;
  let probability = 0.5 ** n;
  for (let k = 0; k <= Math.min(better, worse); k++) {
    tail += probability;
    probability *= (n - k) / (k + 1);
  }
  // Of thousands of tasks 0.5ⁿ is no number any more: there the bootstrap decides.
  return n > 1000 ? 0 : Math.min(1, 2 * tail);
}

/** The interval of Agresti and Min: half a task is added to each way a pair can fall. */
function fewPairs(better: number, worse: number, n: number): { low: number; high: number } {
  const won = (better + 0.5) / (n + 2);
  const lost = (worse + 0.5) / (n + 2);
  const difference = won - lost;
  const reach = Z * Math.sqrt((won + lost - difference ** 2) / (n + 2));
  return { low: Math.max(-1, difference - reach), high: Math.min(1, difference + reach) };
}

/** Wilson's score interval of a share. It has a width even when all or none are right. */
export function wilson(right: number, n: number): Estimate {
  if (n === 0) return { mean: 0, low: 0, high: 1 };
  const share = right / n;
  const scale = 1 + Z ** 2 / n;
  const centre = (share + Z ** 2 / (2 * n)) / scale;
  const reach = (Z * Math.sqrt((share * (1 - share)) / n + Z ** 2 / (4 * n ** 2))) / scale;
  return {
    mean: share,
    low: right === 0 ? 0 : Math.max(0, centre - reach),
    high: right === n ? 1 : Math.min(1, centre + reach),
  };
}

/** Bits: 0 when one is always chosen, log2(n) when n are chosen equally often. */
export function entropyBits(counts: Iterable<number>): number {
  const positive = [...counts].filter((count) => count > 0);
  const total = positive.reduce((sum, count) => sum + count, 0);
  // `+ 0` because minus nothing is minus zero.
  return positive.reduce((bits, count) => bits - (count / total) * Math.log2(count / total), 0) + 0;
}

/** The mean of what is a number; not a number where nothing is. */
export function finiteMean(values: readonly number[]): number {
  const measured = values.filter(Number.isFinite);
  return measured.length === 0 ? Number.NaN : meanOf(measured);
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

// ---- Resampling -------------------------------------------------------------------------------

/** Sorted. */
function resampledMeans(values: readonly number[], options: BootstrapOptions): Float64Array {
  return drawMeans(values, options).sort();
}

/** Of each resample, in the order they were drawn. */
export function drawMeans(
  values: readonly number[],
  { seed, resamples = RESAMPLES }: BootstrapOptions,
): Float64Array {
  const means = new Float64Array(resamples);
  if (values.length === 0) return means;
  const random = createRandom(seed);
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const draw = counts.size <= 3 ? drawCounts([...counts], random) : drawValues(values, random);
  for (let i = 0; i < resamples; i++) means[i] = draw() / values.length;
  return means;
}

function drawValues(values: readonly number[], random: Random): () => number {
  const fixed = Float64Array.from(values);
  return () => {
    let sum = 0;
    for (let i = 0; i < fixed.length; i++) sum += fixed[Math.floor(random.next() * fixed.length)]!;
    return sum;
  };
}

/** One binomial draw for the first value, one among what is left for the second, the rest is the third. */
function drawCounts(counts: [value: number, count: number][], random: Random): () => number {
  const n = counts.reduce((sum, [, count]) => sum + count, 0);
  const [[first, firstCount], [second, secondCount] = [0, 0], [third] = [0]] = counts as [
    [number, number],
    [number, number]?,
    [number, number]?,
  ];
  const shareOfRest = secondCount / (n - firstCount || 1);
  const tables = new Map<number, Float64Array>();
  const drawSecond = (left: number): number => {
    if (counts.length < 3) return left;
    let table = tables.get(left);
    if (!table) {
      table = binomialTable(left, shareOfRest);
      tables.set(left, table);
    }
    return pickFrom(table, random.next());
  };
  const table = binomialTable(n, firstCount / n);
  return () => {
    const firsts = pickFrom(table, random.next());
    const seconds = drawSecond(n - firsts);
    return firsts * first + seconds * second + (n - firsts - seconds) * third;
  };
}

/** The cumulated binomial distribution; worked outwards from its peak, where nothing underflows. */
function binomialTable(n: number, share: number): Float64Array {
  const table = new Float64Array(n + 1);
  const peak = Math.min(n, Math.floor((n + 1) * share));
  table[peak] = 1;
  for (let k = peak; k > 0; k--) table[k - 1] = (table[k]! * k * (1 - share)) / ((n - k + 1) * share);
  for (let k = peak; k < n; k++) table[k + 1] = (table[k]! * (n - k) * share) / ((k + 1) * (1 - share));
  let total = 0;
  for (let k = 0; k <= n; k++) {
    total += table[k]!;
    table[k] = total;
  }
  for (let k = 0; k <= n; k++) table[k]! /= total;
  return table;
}

/** The first position whose cumulated share is beyond `share`. */
function pickFrom(table: Float64Array, share: number): number {
  let low = 0;
  let high = table.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (table[middle]! > share) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** 95 %, of sorted means. */
export function interval(sorted: Float64Array): { low: number; high: number } {
  return { low: quantile(sorted, OUTSIDE / 2), high: quantile(sorted, 1 - OUTSIDE / 2) };
}

function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = sorted[Math.floor(at)]!;
  return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
}
