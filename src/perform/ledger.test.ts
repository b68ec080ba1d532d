import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { AskBudget, Ledger, type WantedAsk } from "./ledger.ts";

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

describe("money for asks", () => {
  test("is never overrun, whatever is asked at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 30 }),
        fc.nat(),
        async (budgetUsd, asks, seed) => {
          const budget = new AskBudget(new Ledger(budgetUsd));
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
    const budget = new AskBudget(new Ledger(10.1));
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
    const budget = new AskBudget(new Ledger(10));
    await budget.reserve(wanting(8), never);
    const controller = new AbortController();
    const waiting = budget.reserve(wanting(8), controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: "aborted" });
  });

  test("counts what was spent before, and refuses unknown prices unless there is no limit", async () => {
    const resumed = new AskBudget(new Ledger(10, 9));
    await expect(resumed.reserve(wanting(2), never)).rejects.toMatchObject({ code: "budget-spent" });
    const unpriced = { ...wanting(2), price: undefined };
    await expect(new AskBudget(new Ledger(10)).reserve(unpriced, never)).rejects.toMatchObject({
      code: "budget-spent",
    });
    (await new AskBudget(new Ledger(Number.POSITIVE_INFINITY)).reserve(unpriced, never))(0);
    expect(() => new AskBudget(new Ledger(-1))).toThrow("not -1");
  });
});

test("64 asks at a time out of two ledgers take what both have, to the dollar", async () => {
  const [total, day] = [new Ledger(100.5, 20), new Ledger(40.5)];
  const budget = new AskBudget(() => [total, day]);
  const results = await Promise.allSettled(
    Array.from({ length: 64 }, async () => {
      const settle = await budget.reserve(wanting(2), never);
      expect(total.leftUsd).toBeGreaterThanOrEqual(0);
      expect(day.leftUsd).toBeGreaterThanOrEqual(0);
      await Promise.resolve();
      settle(1);
    }),
  );
  // Each reserves two dollars and takes one: the day ends when less than two are left.
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(39);
  expect([total.spentUsd, day.spentUsd, budget.spentUsd]).toEqual([59, 39, 59]);
  expect([total.reservedUsd, day.reservedUsd, total.holders]).toEqual([0, 0, 0]);
});
