// Budgets hold for every workflow, whatever the workers do.

import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createRandom, type Random } from "../base/random.ts";
import { playedConductor, scriptedWorker, toPool, toStage, toStart, usageFor } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import { costOf } from "../worker/price.ts";
import { createSelfWorker } from "../worker/self.ts";
import type { PoolMember, Price, Usage } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { performRun } from "./driver.ts";
import { toRun } from "./run.ts";

interface Bill {
  usd: number;
  calls: number;
  tokens: number;
}

/** Counts at the worker's side, as a provider would: independent of the performer's own sums. */
function billedWorker(id: string, price: Price, random: Random, bill: Bill): PoolMember {
  const charge = (usage: Usage) => {
    bill.usd += costOf(usage, price);
    bill.tokens += usage.inputTokens + usage.outputTokens;
  };
  const worker = scriptedWorker(id, (request) => {
    bill.calls += 1;
    if (random.next() < 0.15) {
      const retryable = random.next() < 0.5;
      return new TuttiError("provider-error", "down", { retryable, retryAfterMs: 0 });
    }
    // Up to the longest reply that is allowed, and sometimes cut in the middle, billed all the same.
    const length = Math.floor(random.next() * request.maxOutputTokens * 4);
    const text = "x".repeat(length);
    charge(usageFor(request, text));
    if (random.next() < 0.1) return [{ type: "text-delta", text }];
    return text;
  });
  return { worker, price };
}

function randomWorkflow(random: Random, workers: number): Workflow {
  const length = random.integer(1, 7);
  const steps = Array.from({ length }, (_, position) => ({
    worker: random.integer(0, workers - 1),
    subtask: `part ${position}`,
    access:
      random.next() < 0.4
        ? ("all" as const)
        : Array.from({ length: position }, (_, at) => at).filter(() => random.next() < 0.5),
  }));
  return { steps };
}

describe("a budget", () => {
  it("is never exceeded by 1,000 random workflows, which all stop with a reason and what there is", async () => {
    const reasons = new Set<string>();
    const perform = async (number: number) => {
      const random = createRandom(number);
      const bill: Bill = { usd: 0, calls: 0, tokens: 0 };
      const price = () => ({ inputUsd: random.next() * 10, outputUsd: random.next() * 50 });
      const members: PoolMember[] = ["a", "b", "c"].map((id) => billedWorker(id, price(), random, bill));
      members.push({ worker: createConsensusWorker() }, { worker: createSelfWorker() });
      const pool = toPool(members);
      const limits = {
        ...(random.next() < 0.7 && { usd: random.next() ** 2 * 0.3 }),
        ...(random.next() < 0.5 && { calls: random.integer(0, 8) }),
        ...(random.next() < 0.5 && { tokens: random.integer(0, 12_000) }),
      };
      const workflow = randomWorkflow(random, members.length);
      const conductor = playedConductor(workflow, randomWorkflow(random, 4), randomWorkflow(random, 4));
      const settings = { limits, rounds: random.integer(1, 3), maxDepth: random.integer(0, 2), seed: number };
      const run = toRun(await performRun(toStart(pool, settings), toStage(pool, conductor)));

      const where = `workflow ${number}, ${JSON.stringify({ limits, bill, stopReason: run.stopReason })}`;
      expect(bill.calls, where).toBeLessThanOrEqual(limits.calls ?? Number.POSITIVE_INFINITY);
      expect(bill.tokens, where).toBeLessThanOrEqual(limits.tokens ?? Number.POSITIVE_INFINITY);
      expect(bill.usd, where).toBeLessThanOrEqual((limits.usd ?? Number.POSITIVE_INFINITY) + 1e-12);
      // Our own sums are never lower than the bill: broken streams are counted on the high side.
      expect(run.calls, where).toBe(bill.calls);
      expect(run.costUsd, where).toBeGreaterThanOrEqual(bill.usd - 1e-12);
      expect(run.stopReason, where).toBeDefined();
      if (run.steps.some((step) => step.reply !== "")) expect(run.answer, where).not.toBe("");
      reasons.add(run.stopReason!);
    };
    // All at the same time: their waits before a retry then overlap.
    await Promise.all(Array.from({ length: 1000 }, (_, number) => perform(number)));
    expect([...reasons]).toEqual(
      expect.arrayContaining(["budget-calls", "budget-tokens", "budget-usd", "done"]),
    );
  }, 60_000);

  it("shortens a reply to what is left rather than refusing it", async () => {
    const worker = scriptedWorker("a", "fine");
    const pool = toPool([worker], { inputUsd: 0, outputUsd: 1000 });
    const start = toStart(pool, { limits: { usd: 0.5 } });
    const run = toRun(
      await performRun(
        start,
        toStage(pool, playedConductor({ steps: [{ worker: 0, subtask: "go", access: [] }] })),
      ),
    );
    expect(run.stopReason).toBe("done");
    expect(worker.requests[0]!.maxOutputTokens).toBe(499);
  });

  it("too small for the worker that was named still buys an answer from a cheaper one", async () => {
    const pool = toPool([
      { worker: scriptedWorker("expensive", "expensive"), price: { inputUsd: 1000, outputUsd: 1000 } },
      { worker: scriptedWorker("cheap", "cheap"), price: { inputUsd: 0.1, outputUsd: 0.1 } },
    ]);
    const start = toStart(pool, { limits: { usd: 0.01 } });
    const run = toRun(
      await performRun(
        start,
        toStage(pool, playedConductor({ steps: [{ worker: 0, subtask: "go", access: [] }] })),
      ),
    );
    expect(run).toMatchObject({ answer: "cheap", stopReason: "done" });
    expect(run.steps[0]).toMatchObject({ insteadOf: "expensive" });
  });

  it("refuses a worker of unknown price unless that is allowed", async () => {
    const pool = toPool([scriptedWorker("unknown", "hello")]);
    const conductor = () => playedConductor({ steps: [{ worker: 0, subtask: "go", access: [] }] });
    const refused = toRun(
      await performRun(toStart(pool, { limits: { usd: 1 } }), toStage(pool, conductor())),
    );
    expect(refused).toMatchObject({ answer: "", stopReason: "budget-usd", calls: 0 });
    const start = toStart(pool, { limits: { usd: 1 }, allowUnknownPrice: true });
    const allowed = toRun(await performRun(start, toStage(pool, conductor())));
    expect(allowed).toMatchObject({ answer: "hello", unpricedCalls: 1 });
  });
});
