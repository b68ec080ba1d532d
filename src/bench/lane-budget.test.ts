import fc from "fast-check";
import { expect, it } from "vitest";
import { LaneBudget } from "./lane-budget.ts";

it("gives every lane an equal share, and what was not used to those that follow", () => {
  const budget = new LaneBudget(10, 2);
  const first = Array.from({ length: 4 }, () => budget.take(4)!);
  expect(first.map(({ usd }) => usd)).toEqual([2, 2, 2, 2]);
  first[0]!.giveBack(1);
  expect(budget.take(4)!.usd).toBe(1);
  expect(budget.spentUsd).toBe(3);
});

it("gives all to one at a time when a share was not enough, and nothing when that was not", () => {
  const budget = new LaneBudget(1);
  budget.take(2)!.giveBack(0.25);
  expect([budget.narrow(2), budget.isNarrow, budget.take(1)!.usd]).toEqual([true, true, 0.75]);
  expect([budget.narrow(1), budget.isClosed, budget.take(1)]).toEqual([false, true, undefined]);
});

it("never gives more than there is, and never runs dry while runs use less than their share", () => {
  const shares = fc.array(fc.double({ min: 0, max: 0.9, noNaN: true }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(shares, fc.integer({ min: 1, max: 8 }), (used, lanes) => {
      const budget = new LaneBudget(1);
      const running: { usd: number; giveBack(spent: number): void; share: number }[] = [];
      for (const share of used) {
        if (running.length === lanes) {
          const oldest = running.shift()!;
          oldest.giveBack(oldest.usd * oldest.share);
        }
        const allowance = budget.take(lanes)!;
        running.push({ ...allowance, share });
        const given = running.reduce((sum, { usd }) => sum + usd, 0);
        expect(given + budget.spentUsd).toBeLessThanOrEqual(1 + 1e-9);
      }
    }),
  );
});
