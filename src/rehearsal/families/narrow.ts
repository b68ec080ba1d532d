// Logic by real search: all cases, narrowed clue by clue. A slip reads a clue the wrong way round, so
// that what follows from it is false in the way a misread clue is.

import type { Worksheet } from "../types.ts";

export interface Clue<Case> {
  /** The kind of work, for a plan. */
  work: string;
  text: string;
  holds(candidate: Case): boolean;
}

/** The cases that are left in the end. After a slip there may be none or several. */
export function narrow<Case>(
  sheet: Worksheet,
  cases: readonly Case[],
  clues: readonly Clue<Case>[],
): readonly Case[] {
  let left = cases;
  for (const clue of clues) {
    const before = left;
    const kept = before.filter(clue.holds);
    left = sheet.choice(
      clue.work,
      kept,
      // Read the wrong way round; where that leaves nothing, the clue is passed over.
      kept.length < before.length ? [before.filter((candidate) => !clue.holds(candidate)), before] : [],
      `${clue.text}: # of ${before.length} cases left`,
      (remaining) => `${remaining.length}`,
    );
    if (left.length === 0) left = before;
  }
  return left;
}

const remembered: number[][][] = [];

/** All orders of the numbers 0 … size − 1. */
export function ordersOf(size: number): readonly (readonly number[])[] {
  remembered[size] ??=
    size === 0 ? [[]] : ordersOf(size - 1).flatMap((order) => insertEverywhere(order, size - 1));
  return remembered[size];
}

function insertEverywhere(order: readonly number[], item: number): number[][] {
  return Array.from({ length: order.length + 1 }, (_, at) => order.toSpliced(at, 0, item));
}
