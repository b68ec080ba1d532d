import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBenchResult } from "../../testing/bench-rows.ts";
import { drawFront, type FrontPoint, toFront, toFrontView } from "./front-chart.ts";

const point = (name: string, spending: number, accuracy: number, isBound = false): FrontPoint => ({
  ...{ name, spending, accuracy, isBound },
  low: accuracy - 0.02,
  high: accuracy + 0.02,
});

describe("the front", () => {
  it("holds those that nobody beats at the same or less, and no upper bound", () => {
    const points = [
      point("cheap", 1, 0.5),
      point("worse", 1, 0.45),
      point("expensive and worse", 4, 0.5),
      point("better", 3, 0.6),
      point("oracle", 1, 0.9, true),
    ];
    expect(toFront(points).map(({ name }) => name)).toEqual(["cheap", "better"]);
  });

  it("has labels that do not lie on each other", () => {
    const points = Array.from({ length: 14 }, (_, i) =>
      point(`conductor number ${i}`, 1 + (i % 3), 0.6 + i / 2000),
    );
    const { shapes } = drawFront(points, "calls", String, []);
    const labels = shapes
      .filter(({ attributes }) => attributes.className === "label")
      .map(({ attributes: { x, y }, text }) => ({
        left: Number(x),
        top: Number(y),
        right: Number(x) + text!.length * 6.5,
      }));
    expect(labels).toHaveLength(14);
    for (const [i, a] of labels.entries())
      for (const b of labels.slice(i + 1))
        expect(a.left < b.right && b.left < a.right && Math.abs(a.top - b.top) < 12).toBe(false);
  });

  it("names who is on it, leaves out who spends nothing, and says so", () => {
    const results = [
      toBenchResult("free", { accuracy: 0.9, costUsd: 0 }),
      toBenchResult("cheap", { accuracy: 0.5, costUsd: 0.1 }),
      toBenchResult("good", { accuracy: 0.6, costUsd: 0.2 }),
      toBenchResult("oracle", { accuracy: 1, costUsd: 0.1 }),
    ];
    const { caption, drawing } = toFrontView(results, "cost")!;
    expect(caption).toContain("the same or less: cheap, good.");
    expect(caption).toContain("Without any cost: free.");
    expect(drawing.label).toContain("simulated dollars");
    expect(drawing.shapes.some(({ title }) => title?.startsWith("free"))).toBe(false);
  });

  it("counts the Conductor's own calls, and marks those that are compared", () => {
    const results = ["a", "b"].map((name) => toBenchResult(name, { calls: 2, conductorCalls: 1 }));
    const { shapes } = toFrontView(results, "calls", ["b"])!.drawing;
    const points = shapes.filter(({ tag }) => tag === "circle");
    expect(points.map(({ title }) => title)).toContainEqual(expect.stringMatching(/^b 50\.0 % at 3 /));
    expect(points.filter(({ attributes }) => /marked/.test(String(attributes.className)))).toHaveLength(1);
  });

  it("is not drawn for one alone", () => {
    expect(toFrontView([toBenchResult("alone", {})], "calls")).toBeUndefined();
  });

  it("places every point and its interval inside of the chart", () => {
    const one = fc.tuple(fc.double({ min: 0.05, max: 0.95, noNaN: true }), fc.integer({ min: 1, max: 500 }));
    fc.assert(
      fc.property(fc.array(one, { minLength: 2, maxLength: 25 }), (some) => {
        const results = some.map(([accuracy, calls], i) =>
          toBenchResult(`c${i}`, { accuracy, calls, low: accuracy * 0.9, high: Math.min(1, accuracy * 1.1) }),
        );
        const { width, height, shapes } = toFrontView(results, "calls")!.drawing;
        for (const { tag, attributes } of shapes) {
          if (tag !== "circle" && attributes.className !== "whisker") continue;
          for (const name of ["cx", "x1"])
            if (name in attributes) expect(attributes[name]).toBeLessThan(width);
          for (const name of ["cy", "y1", "y2"])
            if (name in attributes) {
              expect(attributes[name]).toBeGreaterThanOrEqual(0);
              expect(attributes[name]).toBeLessThanOrEqual(height - 40);
            }
        }
      }),
      { seed: 6 },
    );
  });
});
