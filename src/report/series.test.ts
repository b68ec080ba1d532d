import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWithin, moveMean, type Point, thin, toSpans } from "./series.ts";

describe("moving means", () => {
  const spans = [
    { stage: "a", from: 0, to: 40 },
    { stage: "b", from: 40, to: 100 },
  ];

  it("lie between the lowest and the highest of their stage, one for each point", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 100 }),
        (values) => {
          const points = values.map((y, x) => ({ x, y }));
          const means = moveMean(points, spans);
          expect(means.map(({ x }) => x)).toEqual(points.map(({ x }) => x));
          for (const { x, y } of means) {
            const own = points.filter((point) => spans.some((s) => isWithin(x, s) && isWithin(point.x, s)));
            expect(y).toBeGreaterThanOrEqual(Math.min(...own.map((point) => point.y)) - 1e-9);
            expect(y).toBeLessThanOrEqual(Math.max(...own.map((point) => point.y)) + 1e-9);
          }
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  it("never mix two stages, and leave gaps where nothing was measured", () => {
    const points = Array.from(
      { length: 100 },
      (_, x): Point => ({ x, y: x < 40 ? 0 : x === 70 ? Number.NaN : 1 }),
    );
    const means = moveMean(points, spans);
    expect(means.slice(0, 40).every(({ y }) => y === 0)).toBe(true);
    expect(means.slice(40).every(({ x, y }) => (x === 70 ? Number.isNaN(y) : y === 1))).toBe(true);
  });

  it("thinning keeps order, the lowest and the highest", () => {
    const points = Array.from({ length: 5_000 }, (_, x) => ({ x, y: Math.sin(x / 7) * x }));
    const thinned = thin(points);
    expect(thinned.length).toBeLessThanOrEqual(600);
    const [all, kept] = [points, thinned].map((each) => each.map(({ y }) => y));
    expect([Math.min(...kept!), Math.max(...kept!)]).toEqual([Math.min(...all!), Math.max(...all!)]);
    expect(thinned.every(({ x }, i) => i === 0 || x > thinned[i - 1]!.x)).toBe(true);
    expect(thin(points.slice(0, 500))).toHaveLength(500);
  });

  it("stages are spans without holes, also where they come again", () => {
    const stages = ["a", "a", "b", "a"];
    expect(toSpans(stages.map((stage, i) => ({ stage, iteration: i + 3 })))).toEqual([
      { stage: "a", from: 3, to: 5 },
      { stage: "b", from: 5, to: 6 },
      { stage: "a", from: 6, to: 7 },
    ]);
  });
});
