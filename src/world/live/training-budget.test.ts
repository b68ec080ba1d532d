import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { toTask } from "../../testing/bench-rows.ts";
import { scriptedWorker, toPool } from "../../testing/stage.ts";
import { estimateTraining, TrainingBudget, type WantedAsk } from "./training-budget.ts";

const never = new AbortController().signal;
const price = { inputUsd: 0, outputUsd: 1_000_000 };
/** A dollar a token. */
const wanting = (maxOutputTokens: number): WantedAsk => ({
  ...{ worker: "w", price, inputTokens: () => 0, maxOutputTokens },
});
const settled = async (promise: Promise<unknown>) => {
  let isSettled = false;
  void promise
    .finally(() => {
      isSettled = true;
    })
    .catch(() => {});
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return isSettled;
};

describe("the budget of a training", () => {
  test("is never overrun, whatever is asked at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 }),
        fc.nat(),
        async (budgetUsd, asks, seed) => {
          const budget = new TrainingBudget(budgetUsd);
          const random = createRandom(seed);
          let refused = 0;
          await Promise.all(
            asks.map(async (tokens) => {
              try {
                const settle = await budget.reserve(wanting(tokens), never);
                for (let i = random.integer(0, 5); i > 0; i--) await Promise.resolve();
                settle(random.integer(0, tokens));
              } catch (error) {
                expect(error).toMatchObject({ code: "budget-spent", retryable: false });
                refused++;
              }
              expect(budget.spentUsd).toBeLessThanOrEqual(budgetUsd);
            }),
          );
          if (asks.reduce((sum, tokens) => sum + tokens, 0) <= budgetUsd - 1) expect(refused).toBe(0);
        },
      ),
      { seed: 4, numRuns: 200 },
    );
  });

  test("waits for what may come back from asks under way", async () => {
    const budget = new TrainingBudget(10.1);
    const settle = await budget.reserve(wanting(8), never);
    const second = budget.reserve(wanting(8), never);
    expect(await settled(second)).toBe(false);
    settle(1);
    (await second)(8);
    expect(budget.spentUsd).toBe(9);
    await expect(budget.reserve(wanting(8), never)).rejects.toThrow(
      'Worker "w" was not asked: of the budget of $10.1',
    );
  });

  test("whoever waits can be stopped", async () => {
    const budget = new TrainingBudget(10);
    await budget.reserve(wanting(8), never);
    const controller = new AbortController();
    const waiting = budget.reserve(wanting(8), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  test("counts what was spent before, and refuses unknown prices unless there is no limit", async () => {
    const resumed = new TrainingBudget(10, { alreadySpentUsd: 9 });
    await expect(resumed.reserve(wanting(2), never)).rejects.toMatchObject({ code: "budget-spent" });
    const unpriced = { ...wanting(2), price: undefined };
    await expect(new TrainingBudget(10).reserve(unpriced, never)).rejects.toMatchObject({
      code: "budget-spent",
    });
    (await new TrainingBudget(Number.POSITIVE_INFINITY).reserve(unpriced, never))(0);
    expect(() => new TrainingBudget(-1)).toThrow("not -1");
  });
});

describe("the estimate of a training", () => {
  const tasks = [1, 2, 3].map((i) => toTask(i));
  const cheap = { worker: scriptedWorker("cheap", ""), price: { inputUsd: 0, outputUsd: 1 } };
  const dear = { worker: scriptedWorker("dear", ""), price: { inputUsd: 0, outputUsd: 3 } };
  const unknown = { worker: scriptedWorker("unknown", "") };

  test("grows with rollouts and steps, and is the mean of the pool", () => {
    const estimate = estimateTraining({
      tasks,
      pool: toPool([cheap, dear]),
      rollouts: 1000,
      stepsPerRollout: 2,
    });
    expect(estimate).toEqual({
      asks: 2000,
      // 600 tokens a reply, at one and at three dollars a million.
      usd: expect.closeTo((2000 * 600 * 2) / 1e6, 9),
      dearestUsd: expect.closeTo((2000 * 600 * 3) / 1e6, 9),
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
