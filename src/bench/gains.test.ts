import { describe, expect, it } from "vitest";
import { toBenchRow } from "../testing/bench-rows.ts";
import { concentrationOf, type Gain, toGains } from "./gains.ts";
import type { BenchRow } from "./types.ts";

/** Families "rest 0" to "rest 3", by the number of the task. */
const rows = (conductor: string, isRight: (i: number) => boolean, parts: Partial<BenchRow> = {}) =>
  Array.from({ length: 12 }, (_, i) => toBenchRow(conductor, i, isRight(i), parts));
const never = rows("best-single", () => false);

describe("gains by family", () => {
  it("are tasks won less tasks lost, the largest first", () => {
    const theirs = rows("best-single", (i) => i % 4 === 1);
    const own = rows("trained", (i) => i % 4 === 0 || i === 2);
    expect(toGains([own], theirs)).toEqual([
      { set: "sums", family: "rest 0", n: 3, won: 3 },
      { set: "sums", family: "rest 2", n: 3, won: 1 },
      { set: "sums", family: "rest 3", n: 3, won: 0 },
      { set: "sums", family: "rest 1", n: 3, won: -3 },
    ]);
  });

  it("are the mean over seeds", () => {
    const seeds = [0, 1, 2].map((seed) => rows("trained", (i) => i === 0 && seed > 0));
    const [first] = toGains(seeds, never);
    expect(first).toMatchObject({ family: "rest 0", n: 3 });
    expect(first!.won).toBeCloseTo(2 / 3);
  });

  it("tell the same family of two sets apart, and pair a task with that of its own set", () => {
    const other = { set: "other" };
    const own = [...rows("trained", () => true), ...rows("trained", () => false, other)];
    const theirs = [...never, ...rows("best-single", () => false, other)];
    const gains = toGains([own], theirs);
    expect(gains.filter(({ set }) => set === "sums").every(({ won, n }) => won === n)).toBe(true);
    expect(gains.filter(({ set }) => set === "other").every(({ won }) => won === 0)).toBe(true);
    expect(gains).toHaveLength(8);
  });

  it("leave out what was not graded", () => {
    const own = [toBenchRow("trained", 0, true, { isOutage: true }), toBenchRow("trained", 4, true)];
    expect(toGains([own], never)).toEqual([{ set: "sums", family: "rest 0", n: 1, won: 1 }]);
  });
});

describe("how much comes from the best few", () => {
  const toGain = (family: string, won: number): Gain => ({ set: "s", family, n: 20, won });

  it("is told beside the whole gain and all that was won", () => {
    const gains = [toGain("a", 11), toGain("b", 8), toGain("c", 3), toGain("d", 0), toGain("e", -4)];
    expect(concentrationOf(gains, 2)).toEqual({ net: 18, gross: 22, best: 19 });
  });

  it("does not count losses as the best, and adds thirds up", () => {
    const gains = [toGain("a", -1), toGain("b", 1 / 3), toGain("c", -2)];
    expect(concentrationOf(gains, 2)).toMatchObject({ best: 0.333333333, gross: 0.333333333 });
    const thirds = ["a", "b", "c"].map((name) => toGain(name, 1 / 3));
    expect(concentrationOf(thirds, 3).best).toBe(1);
    expect(concentrationOf([], 2)).toEqual({ net: 0, gross: 0, best: 0 });
  });
});
