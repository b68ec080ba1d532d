// From rows to what a result must show. Rows of an outage and rows that could not be graded are counted
// and left out of every result; two Conductors are compared on the tasks that both have.

import { hashSeed } from "../base/random.ts";
import {
  entropyBits,
  estimateShare,
  meanOf,
  type PairedDifference,
  pairedDifference,
} from "../base/statistics.ts";
import type { CostSource } from "../recording/costs.ts";
import { RIGHT } from "../recording/types.ts";
import type { BenchResult, BenchRow, FittedOn } from "./types.ts";

export interface ResultOptions {
  seed: number;
  isSimulated: boolean;
  fittedOn?: FittedOn;
  costSource?: CostSource;
}

/** One for each Conductor, in the order in which they first appear. */
export function toResults(rows: readonly BenchRow[], options: ResultOptions): BenchResult[] {
  const groups = groupBy(rows, ({ conductor }) => conductor);
  const graded = new Map([...groups].map(([conductor, all]) => [conductor, all.filter(isGraded)]));
  return [...groups].map(([conductor, all]) => {
    const own = graded.get(conductor)!;
    const others = [...graded].filter(([other]) => other !== conductor);
    return {
      ...summarise(conductor, all, own, options),
      against: others.map(([other, theirs]) => {
        const { mean, low, high, p } = compareAccuracy(own, theirs, options.seed);
        return { conductor: other, difference: mean, low, high, p };
      }),
      ...(options.fittedOn && { fittedOn: options.fittedOn }),
    };
  });
}

function summarise(
  conductor: string,
  all: readonly BenchRow[],
  graded: readonly BenchRow[],
  { seed, isSimulated, costSource }: ResultOptions,
): Omit<BenchResult, "against"> {
  const { mean: accuracy, low, high } = estimateAccuracy(graded, seed);
  const valid = graded.filter((row) => row.valid);
  const costs = graded.map(toCostUsd);
  const average = (field: "calls" | "conductorCalls" | "tokens" | "durationMs" | "steps") =>
    meanOf(graded.map((row) => row[field]));
  return {
    conductor,
    set: all[0]?.set ?? "",
    n: graded.length,
    accuracy,
    low,
    high,
    calls: average("calls"),
    conductorCalls: average("conductorCalls"),
    tokens: average("tokens"),
    costUsd: costs.every((usd) => usd !== undefined) ? meanOf(costs) : undefined,
    ...(costSource && { costSource }),
    durationMs: average("durationMs"),
    routingEntropy: entropyBits(countAsked(graded).values()),
    steps: average("steps"),
    validShare: graded.length === 0 ? 0 : valid.length / graded.length,
    accuracyIfValid: meanOf(valid.map(toRight)),
    ungraded: all.filter((row) => row.ungraded && !row.isOutage).length,
    outages: all.filter((row) => row.isOutage).length,
    isSimulated,
    byCategory: [...groupBy(graded, ({ category }) => category)]
      .map(([category, own]) => {
        const estimate = estimateAccuracy(own, seed);
        return { category, n: own.length, accuracy: estimate.mean, low: estimate.low, high: estimate.high };
      })
      .sort((a, b) => (a.category < b.category ? -1 : 1)),
  };
}

export function estimateAccuracy(rows: readonly BenchRow[], seed: number) {
  return estimateShare(rows.map(toRight), { seed: hashSeed("accuracy", seed) });
}

/** Paired over the tasks that both were graded on; the tasks are in one order, so a swap only changes the sign. */
export function compareAccuracy(
  a: readonly BenchRow[],
  b: readonly BenchRow[],
  seed: number,
): PairedDifference & { n: number } {
  const pairs = toPairs(a, b);
  const [left, right] = [pairs.map(([row]) => toRight(row)), pairs.map(([, row]) => toRight(row))];
  return { ...pairedDifference(left, right, { seed: hashSeed("paired", seed) }), n: pairs.length };
}

export function toPairs(a: readonly BenchRow[], b: readonly BenchRow[]): [BenchRow, BenchRow][] {
  const theirs = new Map(b.filter(isGraded).map((row) => [row.task, row]));
  return a.filter(isGraded).flatMap((row): [BenchRow, BenchRow][] => {
    const other = theirs.get(row.task);
    return other ? [[row, other]] : [];
  });
}

/** How often each worker was asked. */
export function countAsked(rows: readonly BenchRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { asked } of rows) for (const id of asked) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Undefined where a call of unknown price is in it. */
export function toCostUsd({ costUsd, unpricedCalls = 0 }: BenchRow): number | undefined {
  return unpricedCalls > 0 ? undefined : costUsd;
}

export function isGraded({ ungraded, isOutage }: BenchRow): boolean {
  return !ungraded && !isOutage;
}

export function toRight({ score }: Pick<BenchRow, "score">): 0 | 1 {
  return score >= RIGHT ? 1 : 0;
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
