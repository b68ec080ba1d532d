import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { estimateMoreTasks } from "./more-tasks.ts";
import type { Calibration } from "./types.ts";

/** Workers that are right with these probabilities, each on its own. */
function sampled(rates: readonly number[], count: number, seed = 1): Calibration {
  const random = createRandom(seed);
  return {
    workers: rates.map((_, worker) => `w${worker}`),
    tasks: Array.from({ length: count }, (_, task) => ({ text: `question ${task}` })),
    scores: Array.from({ length: count }, () => rates.map((rate) => (random.next() < rate ? 1 : 0))),
    source: "made",
  };
}

describe("what more tasks would bring", () => {
  test("nothing is said with few tasks or one worker", () => {
    expect(estimateMoreTasks(sampled([0.5, 0.8], 23))).toBeUndefined();
    expect(estimateMoreTasks(sampled([0.8], 100))).toBeUndefined();
    expect(estimateMoreTasks({ ...sampled([], 0), workers: [] })).toBeUndefined();
  });

  test("a clear leader is settled, and more tasks bring nothing", () => {
    const more = estimateMoreTasks(sampled([0.2, 0.9, 0.3], 100))!;
    expect(more).toMatchObject({ tasks: 100, leader: "w1", isSettled: true });
    expect(more.tasksToSettle).toBeUndefined();
    expect(more.gain.mean).toBeLessThan(0.01);
    expect(more.pick.low < 0.9 && more.pick.high > 0.85).toBe(true);
  });

  test("leaders that cannot be told apart yet need more tasks than there are", () => {
    const more = estimateMoreTasks(sampled([0.7, 0.68, 0.2], 60))!;
    expect(more.isSettled).toBe(false);
    expect(more.tasksToSettle ?? Infinity).toBeGreaterThan(60);
  });

  test("the pick is not flattered: among equals it is as good as any of them", () => {
    const means = Array.from({ length: 40 }, (_, seed) => {
      const { pick } = estimateMoreTasks(sampled(new Array(10).fill(0.5), 40, seed))!;
      return pick.mean;
    });
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
  });

  test("the gain is on average what twice as many tasks really brought", () => {
    const rates = [0.6, 0.55, 0.5, 0.45];
    const pickOf = ({ scores }: Calibration) => {
      const sums = rates.map((_, worker) => scores.reduce((sum, row) => sum + row[worker]!, 0));
      return rates[sums.indexOf(Math.max(...sums))]!;
    };
    const cases = Array.from({ length: 60 }, (_, seed) => ({
      gain: estimateMoreTasks(sampled(rates, 40, seed))!.gain,
      brought: pickOf(sampled(rates, 80, seed + 1000)) - pickOf(sampled(rates, 40, seed + 2000)),
    }));
    const brought = cases.reduce((sum, each) => sum + each.brought, 0) / cases.length;
    const told = cases.reduce((sum, { gain }) => sum + gain.mean, 0) / cases.length;
    expect(Math.abs(told - brought)).toBeLessThan(0.02);
  });

  test("who was asked a few tasks only is left out, and the same calibration says the same", () => {
    const whole = sampled([0.4, 0.8, 1], 50);
    const scores = whole.scores.map((row, task) => [row[0], row[1], task < 5 ? row[2] : undefined]);
    const more = estimateMoreTasks({ ...whole, scores })!;
    expect(more).toMatchObject({ tasks: 50, leader: "w1", second: "w0" });
    expect(estimateMoreTasks({ ...whole, scores })).toEqual(more);
  });
});
