import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TuttiError } from "../base/errors.ts";
import type { Grader } from "../task/types.ts";
import { adder, grader, newFolder, PRICE, record, tasksOf } from "../testing/recording.ts";
import { scriptedWorker, toPool } from "../testing/stage.ts";
import { loadRecording } from "./load.ts";
import { planRecording } from "./plan.ts";

describe("the budget holds", () => {
  test("no ask is begun that could go over it, and replies are not shortened", async () => {
    const worker = scriptedWorker("w", ({ maxOutputTokens }) => {
      expect(maxOutputTokens).toBe(1000);
      return `${"word ".repeat(700)}Answer: 1`;
    });
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks: tasksOf(30) };
    const summary = await record({ ...options, maxOutputTokens: 1000, budgetUsd: 0.05, concurrency: 4 });
    expect(summary).toMatchObject({ stopReason: "budget-usd", failed: 0 });
    expect(summary.costUsd).toBeLessThanOrEqual(0.05);
    expect(summary.recorded).toBeGreaterThan(3);
    expect(summary.left).toBe(30 - summary.recorded);
  });

  test("a budget for nothing asks nobody", async () => {
    const worker = adder();
    const summary = await record({ folder: newFolder(), pool: toPool([worker], PRICE), budgetUsd: 0 });
    expect(summary).toMatchObject({ stopReason: "budget-usd", recorded: 0 });
    expect(worker.requests).toHaveLength(0);
  });

  test("an unknown price is refused under a budget unless allowed", async () => {
    const options = { folder: newFolder(), pool: toPool([adder()]), budgetUsd: 1 };
    await expect(record(options)).rejects.toThrow(/price of adder is unknown/);
    const summary = await record({ ...options, allowUnknownPrice: true });
    expect(summary).toMatchObject({ recorded: 3, unpricedCalls: 3, costUsd: 0 });
  });

  test("the estimate lies below its upper bound, which the real cost keeps", async () => {
    const options = { folder: newFolder(), pool: toPool([adder()], PRICE), tasks: tasksOf(3) };
    const plan = await planRecording({ ...options, samples: 1, maxOutputTokens: 2000 });
    expect(plan).toMatchObject({ calls: 3, recorded: 0, unpriced: [] });
    expect(plan.usd).toBeGreaterThan(0);
    expect(plan.maxUsd).toBeGreaterThan(plan.usd);
    expect(existsSync(options.folder)).toBe(false);
    const { costUsd } = await record({ ...options, maxOutputTokens: 2000 });
    expect(costUsd).toBeLessThanOrEqual(plan.maxUsd);
  });
});

describe("failures are no wrong answers", () => {
  test("one that fails once is asked again", async () => {
    const worker = scriptedWorker("w", (_request, _signal, call) =>
      call === 0 ? new TuttiError("rate-limited", "wait", { retryable: true, retryAfterMs: 0 }) : "Answer: 1",
    );
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks: tasksOf(1), retries: 1 };
    expect(await record(options)).toMatchObject({ recorded: 1, failed: 0, calls: 2 });
  });

  test("nothing is recorded, samples stay without gaps, and the next call tries again", async () => {
    const folder = newFolder();
    const worker = scriptedWorker("w", (_request, _signal, call) =>
      call === 0 ? new TuttiError("bad-request", "too long") : "Answer: 1",
    );
    const options = { folder, pool: toPool([worker], PRICE), tasks: tasksOf(2), samples: 2, concurrency: 1 };
    const summary = await record(options);
    expect(summary).toMatchObject({ recorded: 3, failed: 1, left: 1, stopReason: "done" });
    expect(summary.workers[0]).toMatchObject({ error: "too long" });
    expect((await loadRecording(folder)).outcomesOf("s/0", "w").map(({ sample }) => sample)).toEqual([0]);
    expect(await record(options)).toMatchObject({ recorded: 1, left: 0 });
  });

  test("a refused key or many failures in a row end a worker, not the others", async () => {
    const refused = scriptedWorker("refused", () => new TuttiError("auth", "no such key"));
    const broken = scriptedWorker("broken", () => new TuttiError("bad-request", "no"));
    const options = { folder: newFolder(), tasks: tasksOf(20), concurrency: 1 };
    const summary = await record({ ...options, pool: toPool([refused, broken, adder()], PRICE) });
    expect([refused.requests.length, broken.requests.length]).toEqual([1, 5]);
    expect(summary.workers).toMatchObject([{ isGivenUp: true }, { isGivenUp: true }, { recorded: 20 }]);
    expect(summary.left).toBe(40);
  });

  test("what cannot be graded is not recorded, and stops before much is spent", async () => {
    const worker = adder();
    // An empty reply is graded without a judge.
    const none: Grader = {
      grade: async (_task, reply) => ({ score: 0, why: "the judge is down", ungraded: reply !== "" }),
    };
    const options = {
      folder: newFolder(),
      pool: toPool([worker], PRICE),
      tasks: tasksOf(20),
      concurrency: 1,
    };
    const summary = await record({ ...options, grader: none });
    expect(summary).toMatchObject({ stopReason: "cannot-grade", recorded: 0, ungraded: 5 });
    expect(worker.requests).toHaveLength(5);
    const failing: Grader = {
      grade: async (_task, reply) => {
        if (reply !== "") throw new Error("no");
        return { score: 0, why: "said nothing" };
      },
    };
    expect(await record({ ...options, grader: failing })).toMatchObject({ ungraded: 5 });
  });

  test("programs that this machine cannot grade are not even asked for", async () => {
    const worker = adder();
    const tests = {
      language: "python" as const,
      style: "stdin" as const,
      cases: [{ input: "", output: "1" }],
    };
    const tasks = tasksOf(2).map((task) => ({ ...task, grader: "code" as const, tests }));
    const none: Grader = { grade: async () => ({ score: 0, why: "no sandbox", ungraded: true }) };
    const options = { folder: newFolder(), pool: toPool([worker], PRICE), tasks, grader: none };
    await expect(record(options)).rejects.toMatchObject({ code: "cannot-grade" });
    expect(worker.requests).toHaveLength(0);
    const summary = await record({ ...options, grader });
    expect(summary).toMatchObject({ recorded: 2 });
  });

  test("without tasks or models there is nothing to do", async () => {
    const folder = newFolder();
    await expect(record({ folder, pool: toPool([adder()]), tasks: [] })).rejects.toThrow(/no task/);
    const tool = scriptedWorker("vote", "x", "tool");
    await expect(record({ folder, pool: toPool([tool]) })).rejects.toThrow(/no model/);
  });
});

test("asks that must wait for money under way are not taken for the end of the budget", async () => {
  // One ask at a time can be reserved, and all of them together cost less than that.
  const options = { folder: newFolder(), tasks: tasksOf(6), pool: toPool([adder()], PRICE) };
  const summary = await record({ ...options, maxOutputTokens: 1000, budgetUsd: 0.012, concurrency: 4 });
  expect(summary).toMatchObject({ stopReason: "done", recorded: 6 });
  expect(summary.costUsd).toBeLessThan(0.012);
});
