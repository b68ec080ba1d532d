import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuClock } from "../testing/cpu-clock.ts";
import { createRandom } from "./random.ts";
import {
  bootstrapMean,
  entropyBits,
  estimateShare,
  pairedDifference,
  sideOf,
  signTest,
  wilson,
} from "./statistics.ts";

/** Drawing value by value, sorting, taking what lies 2.5 % from either end: the textbook, nothing clever. */
function textbook(values: number[], seed: number, resamples: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += random.pick(values);
    return sum / values.length;
  }).sort((a, b) => a - b);
}
const bits = (n: number, ones: number) => Array.from({ length: n }, (_, i) => (i < ones ? 1 : 0));

describe("bootstrapMean", () => {
  it.each([
    ["right or wrong", bits(400, 250)],
    ["three values", [...bits(300, 60).map((bit) => -bit), ...bits(300, 90)]],
    ["many values", Array.from({ length: 150 }, (_, i) => Math.sin(i * i))],
  ])("agrees with the textbook: %s", (_name, values) => {
    const means = textbook(values, 5, 20_000);
    const { mean, low, high } = bootstrapMean(values, { seed: 5, resamples: 20_000 });
    const deviation = Math.sqrt(means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / means.length);
    expect(mean).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 12);
    expect(Math.abs(low - means[500]!)).toBeLessThan(deviation * 0.1);
    expect(Math.abs(high - means[19_499]!)).toBeLessThan(deviation * 0.1);
  });

  it("agrees with the normal distribution where there are many", () => {
    const { low, high } = bootstrapMean(bits(10_000, 3000), { seed: 1, resamples: 20_000 });
    const reach = 1.96 * Math.sqrt((0.3 * 0.7) / 10_000);
    expect(Math.abs(low - (0.3 - reach))).toBeLessThan(reach * 0.06);
    expect(Math.abs(high - (0.3 + reach))).toBeLessThan(reach * 0.06);
  });

  it("repeats with the same seed, and holds its mean", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (values) => {
        const estimate = bootstrapMean(values, { seed: 3, resamples: 200 });
        expect(bootstrapMean(values, { seed: 3, resamples: 200 })).toEqual(estimate);
        expect(estimate.low).toBeLessThanOrEqual(estimate.mean + 1e-9);
        expect(estimate.high).toBeGreaterThanOrEqual(estimate.mean - 1e-9);
      }),
      { numRuns: 50 },
    );
  });

  it("of nothing is nothing", () => {
    expect(bootstrapMean([], { seed: 1 })).toEqual({ mean: 0, low: 0, high: 0 });
  });
});

describe("the 95 % interval covers the truth 92 to 98 times in 100", () => {
  it.each([
    [40, 0.5],
    [200, 0.6],
    [800, 0.9],
    [20, 0.8],
  ])("share of %i tasks, truth %f", (n, truth) => {
    let covered = 0;
    for (let seed = 0; seed < 1000; seed++) {
      const random = createRandom(seed);
      const values = Array.from({ length: n }, () => (random.next() < truth ? 1 : 0));
      const { low, high } = estimateShare(values, { seed });
      if (low <= truth && truth <= high) covered++;
    }
    expect(covered).toBeGreaterThanOrEqual(920);
    expect(covered).toBeLessThanOrEqual(980);
  });

  it("paired difference of 300 tasks, of which one Conductor solves a few more", () => {
    let covered = 0;
    for (let seed = 0; seed < 600; seed++) {
      const random = createRandom(seed);
      const a: number[] = [];
      const b: number[] = [];
      for (let i = 0; i < 300; i++) {
        const base = random.next() < 0.6;
        a.push(random.next() < 0.1 || base ? 1 : 0);
        b.push(base ? 1 : 0);
      }
      const { low, high } = pairedDifference(a, b, { seed });
      if (low <= 0.04 && 0.04 <= high) covered++;
    }
    expect(covered / 600).toBeGreaterThanOrEqual(0.92);
    expect(covered / 600).toBeLessThanOrEqual(0.98);
  });
});

describe("pairedDifference", () => {
  it("says significant when there is nothing in 2 to 8 of 100 cases", () => {
    let significant = 0;
    for (let seed = 0; seed < 600; seed++) {
      const random = createRandom(seed);
      const draw = () => Array.from({ length: 200 }, () => (random.next() < 0.5 ? 1 : 0));
      if (pairedDifference(draw(), draw(), { seed }).p < 0.05) significant++;
    }
    expect(significant / 600).toBeGreaterThan(0.02);
    expect(significant / 600).toBeLessThan(0.08);
  });

  it("has its sign, and the other sign the other way round", () => {
    const [a, b] = [bits(100, 80), bits(100, 50)];
    const there = pairedDifference(a, b, { seed: 1 });
    const back = pairedDifference(b, a, { seed: 1 });
    expect(there.mean).toBeCloseTo(0.3, 12);
    expect(back.mean).toBeCloseTo(-0.3, 12);
    expect(there.p).toBeLessThan(0.002);
    expect(Math.abs(there.low + back.high)).toBeLessThan(0.02);
  });

  it("of the same is 0 and means nothing", () => {
    expect(pairedDifference(bits(50, 20), bits(50, 20), { seed: 1 })).toEqual({
      mean: 0,
      low: 0,
      high: 0,
      p: 1,
    });
  });

  it("is on one side only when its interval and the sign test say so", () => {
    const wins = (better: number, n: number) => pairedDifference(bits(n, better), bits(n, 0), { seed: 1 });
    // Four tasks of 700 won and none lost: the bootstrap is sure, coins are not.
    expect([wins(4, 700).low > 0, sideOf(wins(4, 700))]).toEqual([true, 0]);
    expect(sideOf(wins(8, 700))).toBe(1);
    expect(sideOf(pairedDifference(bits(700, 0), bits(700, 8), { seed: 1 }))).toBe(-1);
  });

  it("refuses different tasks", () => {
    expect(() => pairedDifference([1], [1, 0], { seed: 1 })).toThrow("there are 1 and 2");
  });
});

describe("known values", () => {
  it("Wilson's interval", () => {
    // Newcombe 1998, table I: 81 of 263; 0 of 20; 1 of 29.
    expect(wilson(81, 263)).toMatchObject({
      low: expect.closeTo(0.2553, 4),
      high: expect.closeTo(0.3662, 4),
    });
    expect(wilson(0, 20)).toMatchObject({ low: 0, high: expect.closeTo(0.1611, 4) });
    expect(wilson(1, 29)).toMatchObject({ low: expect.closeTo(0.0061, 4), high: expect.closeTo(0.1718, 4) });
    expect(wilson(29, 29).high).toBe(1);
    expect(wilson(0, 0)).toEqual({ mean: 0, low: 0, high: 1 });
  });

  it("entropy", () => {
    expect(entropyBits([7])).toBe(0);
    expect(entropyBits([])).toBe(0);
    expect(entropyBits([1, 1, 1, 1, 0])).toBe(2);
    expect(entropyBits([3, 1])).toBeCloseTo(0.811278, 6);
  });
});

it("takes a few milliseconds for 1,000 tasks", () => {
  const [a, b] = [bits(1000, 600), bits(1000, 650).toReversed()];
  estimateShare(a, { seed: 0 });
  pairedDifference(a, b, { seed: 0 });
  const cpuMs = startCpuClock();
  for (let seed = 0; seed < 20; seed++) {
    estimateShare(a, { seed });
    pairedDifference(a, b, { seed });
  }
  expect(cpuMs() / 20).toBeLessThan(20);
});

describe("a handful of tasks", () => {
  it("proves nothing: one task won is not significant, and its interval holds 0", () => {
    const { mean, low, high, p } = pairedDifference([1], [0], { seed: 1 });
    expect(mean).toBe(1);
    expect(low).toBeLessThan(0);
    expect(high).toBe(1);
    expect(p).toBe(1);
  });

  it.each([
    [5, 0, 2 / 32],
    [6, 0, 2 / 64],
    [8, 2, (2 * (1 + 10 + 45)) / 1024],
    [3, 3, 1],
    [0, 0, 1],
  ])("won %i and lost %i has the exact chance of coins", (better, worse, p) => {
    expect(signTest(better, worse)).toBeCloseTo(Math.min(1, p), 12);
  });
});
