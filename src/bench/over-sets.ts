// Several sets together: the mean over sets of each Conductor that was measured on all of them. Apart from the
// results of one set, because a Conductor that one of them refused cannot be compared over all.

import { hashSeed } from "../base/random.ts";
import { meanOf, signTest } from "../base/statistics.ts";
import type { BenchOutcome } from "./bench.ts";
import { groupBy, isGraded, toPairs, toRight } from "./results.ts";
import { stratifiedDifference, stratifiedMean } from "./strata.ts";
import type { BenchResult, BenchRow } from "./types.ts";

/** Each set counts the same, whatever its size. */
export interface OverSets {
  conductor: string;
  /** How many sets, and how many graded tasks they have together. */
  sets: number;
  n: number;
  accuracy: number;
  low: number;
  high: number;
  calls: number;
  /** Paired over the tasks of each set. */
  against: BenchResult["against"];
}

type SetOutcome = Pick<BenchOutcome, "rows" | "results" | "seed" | "isStopped">;

/** Nobody where a set is not finished: half a set would count as a whole one. */
export function toOverSets(outcomes: readonly SetOutcome[]): OverSets[] {
  if (outcomes.some(({ isStopped }) => isStopped)) return [];
  const seed = outcomes[0]?.seed ?? 0;
  const bySet = outcomes.map(({ rows }) => groupBy(rows.filter(isGraded), ({ conductor }) => conductor));
  const rowsOf = (conductor: string) => bySet.map((groups) => groups.get(conductor) ?? []);
  const names = (outcomes[0]?.results ?? [])
    .map(({ conductor }) => conductor)
    .filter((conductor) => rowsOf(conductor).every(({ length }) => length > 0));
  return names.map((conductor) => {
    const own = rowsOf(conductor);
    const right = own.map((rows) => rows.map(toRight));
    const { mean, low, high } = stratifiedMean(right, { seed: hashSeed("accuracy", seed), weigh: "sets" });
    return {
      conductor,
      sets: own.length,
      n: own.reduce((sum, { length }) => sum + length, 0),
      ...{ accuracy: mean, low, high },
      calls: meanOf(own.map((rows) => meanOf(rows.map(({ calls }) => calls)))),
      against: names
        .filter((other) => other !== conductor)
        .flatMap((other) => compareOver(other, own, rowsOf(other), seed) ?? []),
    };
  });
}

/** Nothing where a set has no task that both were graded on. */
function compareOver(
  conductor: string,
  own: readonly BenchRow[][],
  theirs: readonly BenchRow[][],
  seed: number,
): BenchResult["against"][number] | undefined {
  const pairs = own.map((rows, i) => {
    const same = toPairs(rows, theirs[i]!);
    return { a: same.map(([row]) => toRight(row)), b: same.map(([, row]) => toRight(row)) };
  });
  if (pairs.some(({ a }) => a.length === 0)) return undefined;
  const { mean, low, high, p } = stratifiedDifference(pairs, {
    seed: hashSeed("paired", seed),
    weigh: "sets",
  });
  const differences = pairs.flatMap(({ a, b }) => a.map((value, i) => value - b[i]!));
  const better = differences.filter((difference) => difference > 0).length;
  const worse = differences.filter((difference) => difference < 0).length;
  // As in one set: the bootstrap of a handful of tasks is sure of anything, the sign test is not.
  return { conductor, difference: mean, low, high, p: Math.max(p, signTest(better, worse)) };
}
