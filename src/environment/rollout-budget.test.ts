// The budget through real kept replies: what workers of a live pool cost in all, and in a day.
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { toMember } from "../testing/learn/small-world.ts";
import { createFiles } from "../testing/temporary-files.ts";
import { createCachingWorker } from "../world/live/caching-worker.ts";
import { openReplyCache, type ReplyCache } from "../world/live/reply-cache.ts";
import { createRolloutBudget } from "./rollout-budget.ts";

const files = createFiles();
const { signal } = new AbortController();
const DAY_MS = 86_400_000;
let cache: ReplyCache | undefined;
let count = 0;
afterEach(() => cache?.close());

/** A dollar for a million tokens in, two for a million out: an ask of 100 tokens at the most. */
async function open(
  limits: { totalUsd?: number; dailyUsd?: number },
  file = join(files.folder, `${count++}.jsonl`),
) {
  const replies = await openReplyCache(file);
  cache = replies;
  const clock = { now: Date.now() };
  const budget = createRolloutBudget({
    totalUsd: limits.totalUsd ?? Number.POSITIVE_INFINITY,
    dailyUsd: limits.dailyUsd ?? Number.POSITIVE_INFINITY,
    spentUsd: replies.costUsd,
    spentOn: (day) => replies.costOn(day),
    now: () => clock.now,
  });
  const worker = createCachingWorker(toMember("good", "x".repeat(400), 0.9), replies, budget);
  const ask = async (question: string) => {
    const request = {
      messages: [{ role: "user" as const, content: question }],
      maxOutputTokens: 100,
      seed: 0,
    };
    for await (const _ of worker.ask({ ...request, brief: undefined as never }, signal));
  };
  return { ask, budget, clock, file, replies };
}

/** 100 tokens out and a few in. */
const ASK_USD = 0.00021;

describe("money for rollouts", () => {
  test("is never overrun in all, also after a restart", async () => {
    const first = await open({ totalUsd: 3.5 * ASK_USD });
    for (const question of ["a", "b", "c"]) await first.ask(question);
    await expect(first.ask("d")).rejects.toMatchObject({ code: "budget-spent" });
    await first.ask("a"); // kept: costs nothing
    first.replies.close();
    const second = await open({ totalUsd: 3.5 * ASK_USD }, first.file);
    expect(second.budget.spentUsd).toBeCloseTo(first.budget.spentUsd, 12);
    expect(second.budget.spentUsd).toBeLessThanOrEqual(3.5 * ASK_USD);
    await expect(second.ask("d")).rejects.toMatchObject({ code: "budget-spent" });
  });

  test("of a day is there again the next day, and not after a restart", async () => {
    const first = await open({ dailyUsd: 1.5 * ASK_USD });
    await first.ask("a");
    await expect(first.ask("b")).rejects.toMatchObject({ code: "budget-spent" });
    first.replies.close();
    const second = await open({ dailyUsd: 1.5 * ASK_USD }, first.file);
    await expect(second.ask("b")).rejects.toMatchObject({ code: "budget-spent" });
    second.clock.now += DAY_MS;
    await second.ask("b");
    expect(second.budget.spentUsd).toBeGreaterThan(ASK_USD);
  });

  test("what the day refuses is given back to the whole", async () => {
    const { ask, clock } = await open({ totalUsd: 2.5 * ASK_USD, dailyUsd: 1.5 * ASK_USD });
    await ask("a");
    for (let i = 0; i < 5; i++) await expect(ask("b")).rejects.toMatchObject({ code: "budget-spent" });
    clock.now += DAY_MS;
    await ask("b");
  });
});
