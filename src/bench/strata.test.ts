import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../base/random.ts";
import { meanOf, pairedDifference } from "../base/statistics.ts";
import { stratifiedDifference, stratifiedMean } from "./strata.ts";

const coins = (count: number, share: number, seed: number) => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => (random.next() < share ? 1 : 0));
};

describe("a mean over several sets", () => {
  it("counts each set the same, or each task the same", () => {
    const strata = [
      [1, 1, 1, 0],
      [0, 0],
    ];
    expect(stratifiedMean(strata, { seed: 1, weigh: "sets" }).mean).toBeCloseTo(0.375);
    expect(stratifiedMean(strata, { seed: 1, weigh: "tasks" }).mean).toBeCloseTo(0.5);
  });

  it("does not draw tasks across sets: sets that differ but have no spread within leave no doubt", () => {
    const strata = [Array(50).fill(1), Array(50).fill(0)];
    const { low, high } = stratifiedMean(strata, { seed: 1, weigh: "tasks" });
    expect([low, high]).toEqual([0.5, 0.5]);
  });

  it("has an interval as wide as the theory says", () => {
    const strata = [coins(400, 0.5, 1), coins(1600, 0.5, 2)];
    const width = (weigh: "sets" | "tasks") => {
      const { low, high } = stratifiedMean(strata, { seed: 3, weigh });
      return high - low;
    };
    // Variances of the two means are 1/1600 and 1/6400.
    expect(width("sets")).toBeCloseTo(2 * 1.96 * Math.sqrt((1 / 1600 + 1 / 6400) / 4), 2);
    expect(width("tasks")).toBeCloseTo(2 * 1.96 * Math.sqrt(0.04 / 1600 + 0.64 / 6400), 2);
  });

  it("is the same for a seed; sets do not share their chance", () => {
    const values = coins(200, 0.4, 5);
    const options = { seed: 7, weigh: "sets" as const };
    expect(stratifiedMean([values, values], options)).toEqual(stratifiedMean([values, values], options));
    // Drawn alike, the two would be as unsure as one of them alone.
    const one = stratifiedMean([values], options);
    const both = stratifiedMean([values, values], options);
    expect((both.high - both.low) / (one.high - one.low)).toBeCloseTo(Math.SQRT1_2, 1);
  });

  it("leaves out sets without tasks, and needs one with some", () => {
    expect(stratifiedMean([[], [1, 0]], { seed: 1, weigh: "sets" }).mean).toBe(0.5);
    expect(() => stratifiedMean([[], []], { seed: 1, weigh: "sets" })).toThrow(RangeError);
  });
});

describe("a difference over several sets", () => {
  it("of one set is the paired one", () => {
    const [a, b] = [coins(300, 0.7, 1), coins(300, 0.6, 2)];
    const one = stratifiedDifference([{ a, b }], { seed: 3, weigh: "tasks" });
    const plain = pairedDifference(a, b, { seed: 3 });
    expect(one.mean).toBeCloseTo(plain.mean);
    expect(one.low).toBeCloseTo(plain.low, 1);
    expect(one.high).toBeCloseTo(plain.high, 1);
  });

  it("turns its sign when the sides are swapped, and holds its own mean", () => {
    const pair = fc
      .array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { minLength: 1, maxLength: 40 })
      .map((tasks) => ({ a: tasks.map(([a]) => a / 3), b: tasks.map(([, b]) => Number(b)) }));
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("sets", "tasks"),
        (pairs, weigh) => {
          const options = { seed: 1, weigh, resamples: 200 } as const;
          const { mean, low, high, p } = stratifiedDifference(pairs, options);
          const swapped = stratifiedDifference(
            pairs.map(({ a, b }) => ({ a: b, b: a })),
            options,
          );
          expect(swapped.mean).toBeCloseTo(-mean);
          expect(low).toBeLessThanOrEqual(high);
          expect(p).toBeGreaterThan(0);
          expect(p).toBeLessThanOrEqual(1);
          const all = pairs.flatMap(({ a, b }) => a.map((value, i) => value - b[i]!));
          if (weigh === "tasks") expect(mean).toBeCloseTo(meanOf(all));
        },
      ),
      { seed: 4, numRuns: 60 },
    );
  });

  it("finds a small gain that every set has, and none where there is none", () => {
    const pairs = [1, 2, 3, 4].map((seed) => {
      const b = coins(1000, 0.6, seed);
      return { b, a: b.map((value, i) => (i % 25 === 0 ? 1 : value)) };
    });
    const gain = stratifiedDifference(pairs, { seed: 1, weigh: "sets" });
    expect(gain.low).toBeGreaterThan(0);
    expect(gain.p).toBeLessThan(0.01);
    const same = stratifiedDifference(
      pairs.map(({ b }) => ({ a: b, b })),
      { seed: 1, weigh: "sets" },
    );
    expect(same).toMatchObject({ mean: 0, low: 0, high: 0, p: 1 });
  });

  it("needs the same tasks", () => {
    expect(() => stratifiedDifference([{ a: [1, 0], b: [1] }], { seed: 1, weigh: "sets" })).toThrow(
      "2 and 1",
    );
  });
});
