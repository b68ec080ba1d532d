import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { meanOf } from "../base/statistics.ts";
import { toBenchRow } from "../testing/bench-rows.ts";
import { toOverSets } from "./over-sets.ts";
import { toResults } from "./results.ts";
import type { BenchRow } from "./types.ts";

function toOutcome(rows: BenchRow[], isStopped = false) {
  return { rows, results: toResults(rows, { seed: 3, isSimulated: false }), seed: 3, isStopped };
}

/** The first `right` of `n` tasks are right. */
function rowsOf(conductor: string, n: number, right: number, parts: Partial<BenchRow> = {}): BenchRow[] {
  return Array.from({ length: n }, (_, i) => toBenchRow(conductor, i, i < right, parts));
}

describe("over several sets", () => {
  it("counts each set the same, whatever its size, in accuracy and in calls", () => {
    const over = toOverSets([
      toOutcome(rowsOf("vote", 300, 300, { calls: 3 })),
      toOutcome(rowsOf("vote", 100, 50, { calls: 1 })),
    ]);
    expect(over).toMatchObject([{ conductor: "vote", sets: 2, n: 400, accuracy: 0.75, calls: 2 }]);
    expect(over[0]!.low).toBeLessThan(0.75);
    expect(over[0]!.high).toBeGreaterThan(0.75);
  });

  it("is the mean of what the sets show, for anyone who is there in all of them", () => {
    const counts = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(counts, { minLength: 2, maxLength: 4 }), (sets) => {
        const outcomes = sets.map(([n, right]) => toOutcome(rowsOf("a", n, Math.min(n, right))));
        const [over] = toOverSets(outcomes);
        expect(over!.accuracy).toBeCloseTo(meanOf(outcomes.map(({ results }) => results[0]!.accuracy)));
        expect(over!.low).toBeLessThanOrEqual(over!.accuracy + 1e-9);
        expect(over!.high).toBeGreaterThanOrEqual(over!.accuracy - 1e-9);
      }),
      { seed: 5, numRuns: 30 },
    );
  });

  it("leaves out whom a set refused, and who has no graded row in it", () => {
    const over = toOverSets([
      toOutcome([...rowsOf("a", 10, 5), ...rowsOf("b", 10, 5), ...rowsOf("c", 10, 5)]),
      toOutcome([...rowsOf("a", 10, 5), ...rowsOf("c", 10, 5, { ungraded: true })]),
    ]);
    expect(over.map(({ conductor, against }) => [conductor, against])).toEqual([["a", []]]);
  });

  it("compares over the same tasks of each set", () => {
    const set = () => toOutcome([...rowsOf("best-single", 200, 100), ...rowsOf("vote", 200, 120)]);
    const [single, vote] = toOverSets([set(), set()]);
    const [gain] = vote!.against;
    expect(gain).toMatchObject({ conductor: "best-single", difference: expect.closeTo(0.1) });
    expect(gain!.low).toBeGreaterThan(0);
    expect(gain!.p).toBeLessThan(0.01);
    expect(single!.against[0]!.difference).toBeCloseTo(-0.1);
  });

  it("is not sure after a handful of tasks", () => {
    const set = () => toOutcome([...rowsOf("best-single", 2, 0), ...rowsOf("vote", 2, 2)]);
    const [, vote] = toOverSets([set(), set()]);
    expect(vote!.against[0]!.p).toBe(0.125);
  });

  it("says nothing where a set is not finished", () => {
    expect(toOverSets([toOutcome(rowsOf("a", 10, 5)), toOutcome(rowsOf("a", 4, 2), true)])).toEqual([]);
    expect(toOverSets([])).toEqual([]);
  });
});
