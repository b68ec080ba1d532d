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
export function narrow<Case>(sheet: Worksheet, cases: Case[], clues: readonly Clue<Case>[]): Case[] {
  let left = cases;
  for (const clue of clues) {
    const before = left;
    const kept = before.filter(clue.holds);
    left = sheet.choice(
      clue.work,
      kept,
      // Read the wrong way round; where that leaves nothing, the clue is passed over.
      kept.length < before.length ? [before.filter((candidate) => !clue.holds(candidate)), before] : [],
      (remaining) => `${clue.text}: ${remaining.length} of ${before.length} cases left`,
    );
    if (left.length === 0) left = before;
  }
  return left;
}

/** All orders of these things. */
export function permutations<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, i) => permutations(items.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}
