import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../random.ts";
import { fewestIterations, lotAt, type ScheduleOptions, totalOf } from "./schedule.ts";

const ORDER = ["warm-up", "supervised", "selection", "teams", "rounds"];

const schedules: fc.Arbitrary<ScheduleOptions> = fc.record({
  iterations: fc.integer({ min: 12, max: 400 }),
  warmUp: fc.integer({ min: 0, max: 50 }),
  supervised: fc.constantFrom(0, 20),
  rounds: fc.integer({ min: 1, max: 3 }),
  learningRate: fc.constantFrom(1e-3, 3e-4),
  exploration: fc.constantFrom(0, 0.015),
});

const stagesOf = (options: ScheduleOptions) =>
  Array.from({ length: totalOf(options) }, (_, iteration) => lotAt(iteration, options).stage);

test("stages follow each other in order, each with its share, and rates stay within bounds", () => {
  fc.assert(
    fc.property(schedules, (options) => {
      const stages = stagesOf(options);
      const numbers = stages.map((stage) => ORDER.indexOf(stage));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(stages.filter((stage) => stage === "warm-up").length).toBe(options.warmUp);
      expect(stages.filter((stage) => stage === "supervised").length).toBe(options.supervised);
      expect(stages).toContain("selection");
      expect(stages).toContain("teams");
      expect(stages.includes("rounds")).toBe(options.rounds > 1);
      const isWithin = (iteration: number) => {
        const { stage, learningRate, exploration } = lotAt(iteration, options);
        // The warm-up, which has no noise, may go faster.
        const most = (stage === "warm-up" ? 10 : 1) * options.learningRate;
        return (
          learningRate > 0 && learningRate <= most && exploration >= 0 && exploration <= options.exploration
        );
      };
      expect([...stages.keys()].filter((iteration) => !isWithin(iteration))).toEqual([]);
    }),
    { numRuns: 40, seed: 1 },
  );
});

test("sizes of teams: mostly one while selecting, given in teams, chosen in rounds", () => {
  const options = {
    iterations: 100,
    warmUp: 0,
    supervised: 5,
    rounds: 2,
    learningRate: 1e-3,
    exploration: 0.01,
  };
  const random = createRandom(1);
  const sizes = new Map<string, (number | undefined)[]>();
  for (const [iteration, stage] of stagesOf(options).entries()) {
    const lot = lotAt(iteration, options);
    const drawn = Array.from({ length: 20 }, () => lot.drawSize(random));
    sizes.set(stage, [...(sizes.get(stage) ?? []), ...drawn]);
  }
  const share = (stage: string, isCounted: (size: number | undefined) => boolean) =>
    sizes.get(stage)!.filter(isCounted).length / sizes.get(stage)!.length;
  expect(share("supervised", (size) => size === 1)).toBe(1);
  expect(share("selection", (size) => size === 1)).toBeGreaterThan(0.6);
  expect(share("selection", (size) => size === undefined)).toBe(0);
  // Where sizes are compared none is drawn.
  expect(share("teams", (size) => size === undefined)).toBeLessThan(0.4);
  expect(share("teams", (size) => size !== undefined && size > 1)).toBeGreaterThan(0.4);
  expect(share("rounds", (size) => size === undefined)).toBe(1);
});

test("sizes are compared once teams have practised, never where the size is settled", () => {
  const options = {
    ...{ iterations: 100, warmUp: 0, supervised: 0, rounds: 2, learningRate: 1e-3, exploration: 0.01 },
  };
  const lots = (own: ScheduleOptions) => stagesOf(own).map((_, iteration) => lotAt(iteration, own));
  const compared = lots(options).flatMap((lot, at) => (lot.comparesSizes ? [at] : []));
  expect(compared.length).toBeGreaterThan(15);
  expect(lots(options).findIndex(({ isSizeGiven }) => !isSizeGiven)).toBeLessThanOrEqual(compared[0]!);
  expect(lots(options)[compared[0]!]!.stage).toBe("teams");
  expect(lots({ ...options, size: 4 }).some(({ comparesSizes }) => comparesSizes)).toBe(false);
});

describe("while minutes are not a count yet", () => {
  test("nothing before the end of selection depends on the total", () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 1, max: 10 }), (options, count) => {
        const fewest = fewestIterations(count, options);
        const first = options.warmUp + options.supervised;
        for (const iterations of [fewest, fewest + 1, fewest + 50, 10_000]) {
          const lots = (total: number) =>
            Array.from({ length: first + count }, (_, iteration) => {
              const lot = lotAt(iteration, { ...options, iterations: total });
              return `${lot.stage} ${lot.learningRate} ${lot.exploration}`;
            });
          expect(lots(iterations)).toEqual(lots(1_000_000));
        }
      }),
      { numRuns: 30, seed: 2 },
    );
  });
});
