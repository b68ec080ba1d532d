import { describe, expect, it } from "vitest";
import { toBenchRow } from "../testing/bench-rows.ts";
import { compareRows } from "./compare.ts";
import { toResults } from "./results.ts";

const options = { seed: 1, isSimulated: false };
const rowsOf = (name: string, rights: boolean[], parts = {}) =>
  rights.map((isRight, i) => toBenchRow(name, i, isRight, parts));

describe("toResults", () => {
  it("shows what a result must show", () => {
    const rights = Array.from({ length: 100 }, (_, i) => i % 4 !== 0);
    const rows = [
      ...rowsOf("single", rights),
      ...rowsOf("team", Array(100).fill(true), { calls: 2, asked: ["a", "b"], steps: 3, costUsd: 0.002 }),
    ];
    const [single, team] = toResults(rows, options);
    expect(single).toMatchObject({
      conductor: "single",
      set: "sums",
      n: 100,
      accuracy: 0.75,
      calls: 1,
      steps: 1,
    });
    expect(single!.low).toBeGreaterThan(0.6);
    expect(single!.high).toBeLessThan(0.9);
    expect(single).toMatchObject({ tokens: 100, costUsd: expect.closeTo(0.001, 9), durationMs: 500 });
    expect(single).toMatchObject({
      routingEntropy: 0,
      validShare: 1,
      accuracyIfValid: 0.75,
      isSimulated: false,
    });
    expect(team).toMatchObject({ accuracy: 1, calls: 2, routingEntropy: 1, steps: 3 });
    expect(team!.against).toEqual([
      {
        conductor: "single",
        difference: 0.25,
        low: expect.any(Number),
        high: expect.any(Number),
        p: expect.any(Number),
      },
    ]);
    expect(team!.against[0]!.p).toBeLessThan(0.01);
    expect(single!.against[0]!.difference).toBe(-0.25);
    expect(single!.byCategory).toMatchObject([
      { category: "even", n: 50, accuracy: 0.5 },
      { category: "odd", n: 50, accuracy: 1 },
    ]);
  });

  it("counts outages and what could not be graded apart, never as wrong", () => {
    const rows = [
      toBenchRow("a", 0, true),
      toBenchRow("a", 1, false, { isOutage: true, calls: 9 }),
      toBenchRow("a", 2, false, { ungraded: true, calls: 9 }),
      toBenchRow("a", 3, false),
    ];
    expect(toResults(rows, options)[0]).toMatchObject({
      n: 2,
      accuracy: 0.5,
      outages: 1,
      ungraded: 1,
      calls: 1,
    });
  });

  it("compares on the tasks that both have", () => {
    const rows = [
      ...rowsOf("a", [true, true, false]),
      toBenchRow("b", 1, false),
      toBenchRow("b", 2, false),
      toBenchRow("b", 0, true, { isOutage: true }),
    ];
    expect(toResults(rows, options)[0]!.against[0]!.difference).toBe(0.5);
  });

  it("takes 0.99 and more as right, partial credit as wrong", () => {
    const rows = [toBenchRow("a", 0, true, { score: 0.995 }), toBenchRow("a", 1, true, { score: 0.98 })];
    expect(toResults(rows, options)[0]!.accuracy).toBe(0.5);
  });

  it("tells accuracy given a valid plan apart", () => {
    const rows = [toBenchRow("a", 0, true), toBenchRow("a", 1, false, { valid: false })];
    expect(toResults(rows, options)[0]).toMatchObject({ validShare: 0.5, accuracyIfValid: 1, accuracy: 0.5 });
  });
});

describe("compareRows", () => {
  const a = rowsOf("a", [true, true, false, false, true]);
  const b = [...rowsOf("b", [true, false, true, true]), toBenchRow("b", 9, true)];
  const comparison = compareRows({ name: "a", rows: a }, { name: "b", rows: b }, 1);

  it("tells the paired difference, B less A", () => {
    expect(comparison).toMatchObject({ n: 4, accuracyA: 0.5, accuracyB: 0.75, onlyA: 1, onlyB: 1 });
    expect(comparison.difference.mean).toBe(0.25);
  });

  it("tells which tasks flipped, and the categories apart", () => {
    expect(comparison.gained.map(({ task }) => task)).toEqual(["t2", "t3"]);
    expect(comparison.lost.map(({ task }) => task)).toEqual(["t1"]);
    expect(
      comparison.byCategory.map(({ category, n, difference }) => [category, n, difference.mean]),
    ).toEqual([
      ["even", 2, 0.5],
      ["odd", 2, 0],
    ]);
  });
});
