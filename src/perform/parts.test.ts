// The small parts of the performer: the queue of events, what an ask took, what a plan will cost.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PoolEntry } from "../store/types.ts";
import { step, toPool, toStart } from "../testing/stage.ts";
import { NO_USAGE } from "../worker/price.ts";
import { toFailedSpending, toSpending } from "./budget.ts";
import { estimatePlan } from "./estimate.ts";
import { EventQueue } from "./queue.ts";
import { start } from "./state.ts";

describe("the queue", () => {
  it("gives everything in order, however pushes and reads are mixed, and ends when it is closed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 30 }), async (pushes) => {
        const queue = new EventQueue<number>();
        const read: number[] = [];
        const reading = (async () => {
          for await (const item of queue) read.push(item);
        })();
        let count = 0;
        for (const isPush of pushes) {
          if (isPush) queue.push(count++);
          else await Promise.resolve();
        }
        queue.close();
        await reading;
        expect(read).toEqual(Array.from({ length: count }, (_, i) => i));
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it("gives what was pushed before anybody read, also after it was closed", async () => {
    const queue = new EventQueue<string>();
    queue.push("a");
    queue.push("b");
    queue.close();
    const read: string[] = [];
    for await (const item of queue) read.push(item);
    expect(read).toEqual(["a", "b"]);
  });
});

describe("what an ask took", () => {
  const model = { kind: "model" as const, price: { inputUsd: 1_000_000, outputUsd: 2_000_000 } };
  const exchange = (written = "") => ({ inputTokens: () => 10, written, maxOutputTokens: 6 });
  const usage = { ...NO_USAGE, inputTokens: 3, outputTokens: 4 };

  it("is what the provider says; where it says nothing, it is counted from the text on the high side", () => {
    expect(toSpending(model, usage, exchange("abc"))).toEqual({ usage, costUsd: 11, calls: 1 });
    const counted = { ...NO_USAGE, inputTokens: 10, outputTokens: 4 };
    const silent = toSpending(model, NO_USAGE, exchange("ab✓".slice(1)));
    expect(silent).toEqual({ usage: counted, costUsd: 18, calls: 1, estimated: true });
  });

  it("is unknown where the price is, and nothing for a vote", () => {
    expect(toSpending({ kind: "model" }, usage, exchange())).toEqual({ usage, calls: 1 });
    expect(toSpending({ kind: "tool" }, usage, exchange())).toEqual({ usage, costUsd: 0, calls: 0 });
  });

  it.each([
    ["rate-limited", "", 1, 0],
    ["rate-limited", "half", 1, 22],
    ["timeout", "", 1, 22],
    ["aborted", "half", 1, 22],
    ["aborted", "longer than asked for", 1, 52],
    ["interrupted", "half", 1, 22],
    ["not-recorded", "", 0, 0],
    ["nothing-to-vote", "half", 0, 0],
  ])("of a failure %s after %j is %i calls and %i dollars", (code, written, calls, costUsd) => {
    expect(toFailedSpending(model, { code }, exchange(written))).toMatchObject({ calls, costUsd });
  });
});

describe("the estimate of a plan", () => {
  const price = { inputUsd: 1, outputUsd: 10 };
  const entries: PoolEntry[] = [
    { id: "a", kind: "model", price, maxOutputTokens: 500 },
    { id: "free", kind: "tool" },
    { id: "self", kind: "conductor" },
  ];
  const state = (usd?: number) => ({
    ...start(toStart(toPool([]), { limits: { usd } })),
    pool: entries,
  });

  it("counts calls of models, none for a vote, and says whose price nobody knows", () => {
    const workflow = { steps: [step(0, "x"), step(0, "x"), step(2, "x"), step(1, "vote", "all")] };
    expect(estimatePlan(state(), workflow)).toMatchObject({ calls: 3, unpricedSteps: 1 });
  });

  it("never expects more than it can cost, grows with what steps see, and is bounded by the budget", () => {
    const alone = estimatePlan(state(), { steps: [step(0, "x"), step(0, "y")] });
    const seeing = estimatePlan(state(), { steps: [step(0, "x"), step(0, "y", "all")] });
    for (const { usd, maxUsd } of [alone, seeing]) expect(usd).toBeLessThanOrEqual(maxUsd);
    expect(seeing.usd).toBeGreaterThan(alone.usd);
    expect(seeing.maxUsd).toBeGreaterThan(alone.maxUsd);
    expect(estimatePlan(state(0.000_1), { steps: [step(0, "x")] }).maxUsd).toBe(0.000_1);
  });
});
