import { describe, expect, test } from "vitest";
import { toTask } from "../../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { estimateTraining } from "./training-estimate.ts";

describe("the estimate of a training", () => {
  const tasks = [1, 2, 3].map((i) => toTask(i));
  const cheap = { worker: scriptedWorker("cheap", ""), price: { inputUsd: 0, outputUsd: 1 } };
  const expensive = { worker: scriptedWorker("expensive", ""), price: { inputUsd: 0, outputUsd: 3 } };
  const unknown = { worker: scriptedWorker("unknown", "") };

  test("grows with rollouts and steps, and is the mean of the pool", () => {
    const estimate = estimateTraining({
      tasks,
      pool: toPool([cheap, expensive]),
      rollouts: 1000,
      stepsPerRollout: 2,
    });
    expect(estimate).toEqual({
      asks: 2000,
      // 600 tokens a reply, at one and at three dollars a million.
      usd: expect.closeTo((2000 * 600 * 2) / 1e6, 9),
      highestUsd: expect.closeTo((2000 * 600 * 3) / 1e6, 9),
      unpriced: [],
    });
  });

  test("names whose price is unknown, and counts nothing for them", () => {
    const known = estimateTraining({ tasks, pool: toPool([cheap, cheap]), rollouts: 10 });
    const half = estimateTraining({ tasks, pool: toPool([cheap, unknown]), rollouts: 10 });
    expect(half.unpriced).toEqual(["unknown"]);
    expect(half.usd).toBeCloseTo(known.usd / 2, 12);
  });

  test("counts longer questions and what is seen of others as input", () => {
    const pool = toPool([{ worker: scriptedWorker("reader", ""), price: { inputUsd: 1, outputUsd: 0 } }]);
    const usdOf = (prompt: string, stepsPerRollout: number) =>
      estimateTraining({ tasks: [{ ...tasks[0]!, prompt }], pool, rollouts: 1, stepsPerRollout }).usd /
      stepsPerRollout;
    expect(usdOf("x".repeat(4000), 1) - usdOf("", 1)).toBeCloseTo(1000 / 1e6, 9);
    expect(usdOf("", 5) - usdOf("", 1)).toBeCloseTo((2 * 600) / 1e6, 9);
  });
});
