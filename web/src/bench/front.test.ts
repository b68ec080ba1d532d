import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BenchResult } from "../../../src/bench/types.ts";
import { EDGES, placeFront } from "./front.ts";

function result(conductor: string, accuracy: number, calls: number, costUsd = calls / 1000): BenchResult {
  return {
    ...{ conductor, set: "s", n: 10, accuracy, low: accuracy * 0.9, high: Math.min(1, accuracy * 1.1) },
    ...{ calls, conductorCalls: 0, tokens: 0, costUsd, durationMs: 0, routingEntropy: 0, steps: 1 },
    ...{ validShare: 1, accuracyIfValid: 1, ungraded: 0, outages: 0, isSimulated: true },
    ...{ against: [], byCategory: [] },
  };
}

describe("the front", () => {
  it("joins those that nobody beats at their price; a bound is never on it", () => {
    const results = [
      result("cheap", 0.5, 1),
      result("bad", 0.4, 2),
      result("good", 0.8, 4),
      result("oracle", 1, 1),
    ];
    const { points } = placeFront(results, "calls");
    const onFront = points.filter(({ isOnFront }) => isOnFront).map(({ name }) => name);
    expect(onFront.sort()).toEqual(["cheap", "good"]);
  });

  it("leaves out who spends nothing, and says so", () => {
    const { points, left } = placeFront([result("free", 0.5, 1, 0), result("paid", 0.6, 1)], "cost");
    expect(points.map(({ name }) => name)).toEqual(["paid"]);
    expect(left).toEqual(["free"]);
  });

  it("places every point and its interval inside of the chart", () => {
    const one = fc.tuple(fc.double({ min: 0.05, max: 0.95, noNaN: true }), fc.integer({ min: 1, max: 500 }));
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 25 }), (some) => {
        const { points } = placeFront(
          some.map(([accuracy, calls], i) => result(`c${i}`, accuracy, calls)),
          "calls",
        );
        for (const { x, y, yLow, yHigh } of points) {
          expect(x).toBeGreaterThanOrEqual(EDGES.left);
          expect(x).toBeLessThanOrEqual(EDGES.right);
          for (const at of [y, yLow, yHigh]) {
            expect(at).toBeGreaterThanOrEqual(EDGES.top - 1);
            expect(at).toBeLessThanOrEqual(EDGES.bottom + 1);
          }
        }
      }),
      { seed: 6 },
    );
  });
});
