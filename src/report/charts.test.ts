import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toStackedBars } from "./bar-chart.ts";
import { linearScale, logScale, logTicks, roundUp, ticksOf } from "./scale.ts";

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true });

describe("ticks", () => {
  it("are inside of the axis, evenly apart, and few", () => {
    fc.assert(
      fc.property(number(-1e6, 1e6), number(1e-3, 1e6), (low, span) => {
        const ticks = ticksOf(linearScale([low, low + span], [0, 400]), 40);
        expect(ticks.length).toBeLessThanOrEqual(11);
        const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
        for (const [i, tick] of ticks.entries()) {
          expect(tick).toBeGreaterThanOrEqual(low - 1e-6 * span - 1e-6);
          expect(tick).toBeLessThanOrEqual(low + span + 1e-6 * span + 1e-6);
          if (i > 0) expect(tick - ticks[i - 1]!).toBeCloseTo(step, 3);
        }
      }),
      { seed: 3 },
    );
  });

  it("of a logarithmic axis are round, and equal factors are equally far apart", () => {
    const scale = logScale([0.9, 31], [0, 300]);
    expect(logTicks(scale)).toEqual([1, 2, 3, 5, 10, 20, 30]);
    expect(scale(2) - scale(1)).toBeCloseTo(scale(20) - scale(10));
  });

  it.each([
    [0.03, 0.05],
    [0.2, 0.2],
    [3, 5],
    [7, 10],
    [100, 100],
  ])("round %f up to %f", (least, step) => {
    expect(roundUp(least)).toBeCloseTo(step);
  });
});

describe("stacked bars", () => {
  const chart = toStackedBars({
    title: "Dollars",
    columns: ["2026-11-16", "2026-11-17"],
    bands: [
      { name: "a", values: [1, 0] },
      { name: "b", values: [2, 4] },
    ],
    format: (value) => `$${value}`,
  });
  const { shapes, readout, label } = chart.draw({ width: 400, height: 200 })!;

  it("stand on one another, without any for nothing", () => {
    const bars = shapes.filter(({ tag }) => tag === "rect").map(({ attributes }) => attributes);
    expect(bars).toHaveLength(3);
    const [a, b, alone] = bars.map(({ y, height }) => ({
      top: Number(y),
      bottom: Number(y) + Number(height),
    }));
    expect(b!.bottom).toBeCloseTo(a!.top);
    expect(alone!.bottom).toBeCloseTo(a!.bottom);
    expect(alone!.top).toBeLessThan(b!.top);
  });

  it("tell what is under the pointer, and all of it in the label", () => {
    expect(readout!(120)).toEqual(["2026-11-16", "a $1", "b $2"]);
    expect(readout!(330)).toEqual(["2026-11-17", "b $4"]);
    expect(readout!(2)).toEqual([]);
    expect(label).toBe("Dollars: $7");
  });
});
