import { expect, test } from "vitest";
import { createRandom } from "../../../base/random.ts";
import { fewestIterations } from "../../train.ts";
import { createSchedule, type ScheduleOptions } from "../schedule.ts";

const options: ScheduleOptions = {
  ...{ iterations: 50, warmUp: 5, distilled: 3, rounds: 2, learningRate: 1e-3, exploration: 0.01 },
};
const plansOf = (own: Partial<ScheduleOptions>) => {
  const { total, at } = createSchedule({ ...options, ...own });
  return Array.from({ length: total }, (_, iteration) => at(iteration));
};

test("proposals come after teams and rounds, before sizes, on top of the iterations; the model stays as it is", () => {
  const plans = plansOf({ proposals: 7 });
  const stages = plans.map(({ stage }) => stage);
  expect([...new Set(stages)]).toEqual([
    "warm-up",
    "distillation",
    "selection",
    "teams",
    "rounds",
    "proposals",
    "sizes",
  ]);
  expect(stages.filter((stage) => stage === "proposals").length).toBe(7);
  expect(stages.length).toBe(5 + 3 + 50 + 7);
  expect(stages.filter((stage) => stage !== "proposals")).toEqual(plansOf({}).map(({ stage }) => stage));
  for (const { stage, learningRate, exploration } of plans)
    if (stage === "proposals") expect([learningRate, exploration]).toEqual([0, 0]);
});

test("sizes are those of the stage of teams", () => {
  const random = createRandom(1);
  const sizes = plansOf({ proposals: 7, size: 4 })
    .filter(({ stage }) => stage === "proposals")
    .flatMap(({ sampleSize }) => Array.from({ length: 50 }, () => sampleSize(random)));
  expect(sizes.filter((size) => size === 4).length / sizes.length).toBeGreaterThan(0.7);
});

test("where nothing follows them, what they end with is kept", () => {
  const finals = (own: Partial<ScheduleOptions>) =>
    new Set(plansOf(own).flatMap(({ stage, isFinal }) => (isFinal ? [stage] : [])));
  expect(finals({ proposals: 7 })).toEqual(new Set(["sizes"]));
  expect(finals({ proposals: 7, rounds: 1, size: 3 })).toEqual(new Set(["proposals"]));
  expect(finals({ rounds: 1, size: 3 })).toEqual(new Set(["teams"]));
});

test("while minutes are not a count yet, nothing that was done depends on the total", () => {
  const schedule = (iterations: number) => createSchedule({ ...options, proposals: 7, iterations });
  const last = 5 + 3 + 6;
  const fewest = fewestIterations({ schedule }, last);
  for (const iterations of [fewest, fewest + 50, 10_000])
    for (let iteration = 0; iteration <= last; iteration++)
      expect(JSON.stringify(schedule(iterations).at(iteration))).toBe(
        JSON.stringify(schedule(1_000_000).at(iteration)),
      );
});
