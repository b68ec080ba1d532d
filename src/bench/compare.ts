// Two Conductors on the same tasks: by how much they differ, where, and which tasks flipped.

import type { PairedDifference } from "../base/statistics.ts";
import { compareAccuracy, groupBy, toPairs, toRight } from "./results.ts";
import type { BenchRow } from "./types.ts";

/** A task that one has right and the other wrong. */
export interface Flip {
  task: string;
  category: string;
  family: string;
  answerA: string;
  answerB: string;
}

export interface ConductorComparison {
  a: string;
  b: string;
  /** Tasks that both were graded on. */
  n: number;
  accuracyA: number;
  accuracyB: number;
  /** B − A: positive where B is better. */
  difference: PairedDifference;
  byCategory: { category: string; n: number; difference: PairedDifference }[];
  gained: Flip[];
  lost: Flip[];
  /** Tasks that only one of them has: left out. */
  onlyA: number;
  onlyB: number;
}

export function compareRows(
  a: { name: string; rows: readonly BenchRow[] },
  b: { name: string; rows: readonly BenchRow[] },
  seed: number,
): ConductorComparison {
  const pairs = toPairs(a.rows, b.rows);
  const share = (side: 0 | 1) =>
    pairs.reduce((sum, pair) => sum + toRight(pair[side]), 0) / Math.max(1, pairs.length);
  const differ = (some: [BenchRow, BenchRow][]) =>
    compareAccuracy(
      some.map(([, row]) => row),
      some.map(([row]) => row),
      seed,
    );
  const flipped = (isRightA: 0 | 1) =>
    pairs.filter(([one, other]) => toRight(one) === isRightA && toRight(other) !== isRightA).map(toFlip);
  const categories = groupBy(pairs, ([row]) => row.category);
  return {
    a: a.name,
    b: b.name,
    n: pairs.length,
    accuracyA: share(0),
    accuracyB: share(1),
    difference: differ(pairs),
    byCategory: [...categories].map(([category, some]) => ({
      category,
      n: some.length,
      difference: differ(some),
    })),
    gained: flipped(0),
    lost: flipped(1),
    onlyA: a.rows.length - pairs.length,
    onlyB: b.rows.length - pairs.length,
  };
}

function toFlip([one, other]: [BenchRow, BenchRow]): Flip {
  const { task, category, family } = one;
  return { task, category, family, answerA: one.answer, answerB: other.answer };
}
