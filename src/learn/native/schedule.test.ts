import fc from "fast-check";
import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { fewestIterations } from "../train.ts";
import { createSchedule, type ScheduleOptions } from "./schedule.ts";

const ORDER = ["warm-up", "distillation", "selection", "teams", "rounds", "sizes"];

const schedules: fc.Arbitrary<ScheduleOptions> = fc.record({
  iterations: fc.integer({ min: 12, max: 400 }),
  warmUp: fc.integer({ min: 0, max: 50 }),
  distilled: fc.constantFrom(0, 20),
  rounds: fc.integer({ min: 1, max: 3 }),
  learningRate: fc.constantFrom(1e-3, 3e-4),
  exploration: fc.constantFrom(0, 0.015),
});

const plansOf = (options: ScheduleOptions) => {
  const { total, at } = createSchedule(options);
  return Array.from({ length: total }, (_, iteration) => at(iteration));
};
const stagesOf = (options: ScheduleOptions) => plansOf(options).map(({ stage }) => stage);

test("stages follow each other in order, each with its share, and rates stay within bounds", () => {
  fc.assert(
    fc.property(schedules, (options) => {
      const plans = plansOf(options);
      const stages = plans.map(({ stage }) => stage);
      const numbers = stages.map((stage) => ORDER.indexOf(stage));
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(stages.filter((stage) => stage === "warm-up").length).toBe(options.warmUp);
      expect(stages.filter((stage) => stage === "distillation").length).toBe(options.distilled);
      expect(stages).toContain("selection");
      expect(stages).toContain("teams");
      expect(stages.includes("rounds")).toBe(options.rounds > 1);
      expect(stages.at(-1)).toBe("sizes");
      const isWithin = (iteration: number) => {
        const { stage, learningRate, exploration } = plans[iteration]!;
        // The warm-up, which has no noise, may go faster, and so may what was compared many times.
        const most = { "warm-up": 10, distillation: 3 }[stage as string] ?? 1;
        // What is written stays as it is while sizes are compared.
        const isMoving = learningRate > 0 !== (stage === "sizes");
        return (
          isMoving &&
          learningRate <= most * options.learningRate &&
          exploration >= 0 &&
          exploration <= options.exploration
        );
      };
      expect([...stages.keys()].filter((iteration) => !isWithin(iteration))).toEqual([]);
    }),
    { numRuns: 40, seed: 1 },
  );
});

test("sizes of teams: mostly one while selecting, then all, or mostly the one that is settled", () => {
  const options = {
    ...{ iterations: 100, warmUp: 0, distilled: 30, rounds: 2, learningRate: 1e-3, exploration: 0.01 },
  };
  const shares = (own: ScheduleOptions) => {
    const random = createRandom(1);
    const sizes = new Map<string, number[]>();
    for (const { stage, sampleSize } of plansOf(own)) {
      const sampled = Array.from({ length: 20 }, () => sampleSize(random));
      sizes.set(stage, [...(sizes.get(stage) ?? []), ...sampled]);
    }
    return (stage: string, size: number) =>
      sizes.get(stage)!.filter((each) => each === size).length / sizes.get(stage)!.length;
  };
  const free = shares(options);
  expect(free("selection", 1)).toBeGreaterThan(0.6);
  for (const size of [1, 2, 3, 4, 5])
    for (const stage of ["distillation", "teams", "rounds"]) expect(free(stage, size)).toBeGreaterThan(0.05);
  const settled = shares({ ...options, size: 4 });
  expect(settled("teams", 4)).toBeGreaterThan(0.6);
  expect(settled("rounds", 4)).toBe(1);
});

test("nothing is compared where there is nothing to choose", () => {
  const options = {
    ...{ iterations: 100, warmUp: 0, distilled: 0, rounds: 1, learningRate: 1e-3, exploration: 0.01 },
  };
  const has = (own: ScheduleOptions) => stagesOf(own).includes("sizes");
  expect(has(options)).toBe(true);
  expect(has({ ...options, size: 4 })).toBe(false);
  // Whether another round is worth it.
  expect(has({ ...options, size: 4, rounds: 2 })).toBe(true);
});

test("while minutes are not a count yet, nothing before the end of selection depends on the total", () => {
  fc.assert(
    fc.property(schedules, fc.integer({ min: 0, max: 9 }), (options, timed) => {
      const schedule = (iterations: number) => createSchedule({ ...options, iterations });
      const last = options.warmUp + options.distilled + timed;
      const fewest = fewestIterations({ schedule }, last);
      for (const iterations of [fewest, fewest + 1, fewest + 50, 10_000]) {
        const entries = (total: number) =>
          Array.from({ length: last + 1 }, (_, iteration) => JSON.stringify(schedule(total).at(iteration)));
        expect(entries(iterations)).toEqual(entries(1_000_000));
      }
    }),
    { numRuns: 30, seed: 2 },
  );
});

test("only the last stage is final, and without reinforcement what comes before it", () => {
  const options = {
    ...{ iterations: 20, warmUp: 2, distilled: 0, rounds: 2, learningRate: 1e-3, exploration: 0.01 },
  };
  const finalsOf = (own: Partial<ScheduleOptions>) =>
    new Set(plansOf({ ...options, ...own }).flatMap(({ stage, isFinal }) => (isFinal ? [stage] : [])));
  expect(finalsOf({})).toEqual(new Set(["sizes"]));
  expect(finalsOf({ size: 3, rounds: 1 })).toEqual(new Set(["teams"]));
  expect(finalsOf({ iterations: 0 })).toEqual(new Set(["warm-up"]));
  expect(finalsOf({ iterations: 0, distilled: 2 })).toEqual(new Set(["distillation"]));
});

test("distillation stands between warm-up and reinforcement, explores nothing, and changes nothing after it", () => {
  const options = {
    ...{ iterations: 40, warmUp: 3, distilled: 0, rounds: 2, learningRate: 1e-3, exploration: 0.01 },
  };
  const [without, distilled] = [options, { ...options, distilled: 6 }].map(plansOf);
  expect(distilled!.map(({ stage }) => stage).slice(2, 10)).toEqual([
    ...["warm-up", ...Array(6).fill("distillation"), "selection"],
  ]);
  for (const { exploration, isWarmUp, isFinal } of distilled!.slice(3, 9))
    expect({ exploration, isWarmUp, isFinal }).toEqual({ exploration: 0, isWarmUp: false, isFinal: false });
  const after = (plans: typeof without, from: number) =>
    plans!
      .slice(from)
      .map(({ iteration, ...plan }) => JSON.stringify({ ...plan, iteration: iteration - from }));
  expect(after(distilled, 9)).toEqual(after(without, 3));
});

test("exchanges are tried where teams are learned, once there is a team to be stuck in", () => {
  const plans = plansOf({
    ...{ iterations: 200, warmUp: 10, distilled: 0, rounds: 2, learningRate: 1e-3, exploration: 0.03 },
  });
  const teams = plans.filter(({ stage }) => stage === "teams");
  const exchanging = plans.filter(({ exchanges }) => exchanges);
  expect(exchanging.every(({ stage, focus }) => stage === "teams" && focus === "team")).toBe(true);
  expect(teams.slice(0, Math.floor(teams.length / 2)).some(({ exchanges }) => exchanges)).toBe(false);
  const late = teams.slice(Math.ceil(teams.length / 2));
  expect(late.filter(({ focus }) => focus === "team").every(({ exchanges }) => exchanges)).toBe(true);
});
