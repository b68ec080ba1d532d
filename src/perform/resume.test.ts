// A run whose process died goes on from its journal: for every point at which it can die.

import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { RunEvent } from "../store/types.ts";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { NO_USAGE } from "../worker/price.ts";
import { createSelfWorker } from "../worker/self.ts";
import { performRun, resumeRun } from "./driver.ts";
import { toRun } from "./run.ts";

const outer = { steps: [step(0, "one"), step(0, "two"), step(1, "nested", "all"), step(0, "last", "all")] };
const inner = { steps: [step(0, "inner one"), step(0, "inner two", "all")] };

function scene() {
  const worker = scriptedWorker("a", (request) => `did ${request.brief!.subtask}`);
  const pool = toPool([worker, createSelfWorker()]);
  // By what it is asked, not by how often: a resumed run composes only what is missing.
  const conductor = {
    identity: { kind: "custom" as const, id: "by-task" },
    async *compose(
      request: Parameters<ReturnType<typeof playedConductor>["compose"]>[0],
      signal: AbortSignal,
    ) {
      yield* playedConductor(request.task.messages.length > 1 ? inner : outer).compose(request, signal);
    },
  };
  return { worker, pool, conductor };
}

describe("resume", () => {
  it("finishes the run from every prefix of its journal, and asks no finished step again", async () => {
    const { pool, conductor } = scene();
    const order: RunEvent[] = [];
    const memory = createMemoryStore();
    const store = {
      ...memory,
      append: (events: RunEvent[]) => {
        order.push(...events);
        return memory.append(events);
      },
    };
    const whole = toRun(
      await performRun(toStart(pool, { maxDepth: 1 }), toStage(pool, conductor, { store })),
    );
    expect(whole.answer).toBe("did last");
    expect(order.length).toBeGreaterThan(20);

    for (let length = 1; length < order.length; length++) {
      const prefix = order.slice(0, length);
      const revived = scene();
      const fresh = createMemoryStore();
      await fresh.append(prefix);
      const finished = prefix.filter((event) => event.type === "step-end");
      const stage = toStage(revived.pool, revived.conductor, { store: fresh });
      const run = toRun(await resumeRun(await fresh.loadRun("r_test"), stage));
      expect(run).toMatchObject({ answer: "did last", stopReason: "done" });
      expect(run.steps.map((each) => each.state)).toEqual(["done", "done", "done", "done"]);
      const replies = finished.map((event) => event.reply.text.slice("did ".length));
      const asked = revived.worker.requests.map((request) => request.brief!.subtask);
      expect(asked.filter((subtask) => replies.includes(subtask))).toEqual([]);
    }
  });

  it("waits no longer than was left to wait, whatever the clock of the process that died", async () => {
    const { pool, conductor } = scene();
    const ahead = Date.now() + 7 * 60_000;
    const common = { runId: "r_test", round: 0, at: ahead };
    const spending = { usage: NO_USAGE, costUsd: 0, calls: 1 };
    const error = { code: "overloaded" as const, message: "later", retryable: true };
    const beginning: RunEvent[] = [
      { ...toStart(pool, { maxDepth: 1 }), at: ahead },
      { type: "plan-start", ...common, attempt: 0, reserved: { usd: 0, calls: 0, tokens: 0 } },
    ];
    const retry = { error, durationMs: 1, spending, retryAt: ahead + 20 };
    const planFailed: RunEvent[] = [{ type: "plan-error", ...common, attempt: 0, ...retry }];
    const decision = { type: "workflow" as const, workflow: { steps: [step(0, "only")] } };
    const stepWaits: RunEvent[] = [
      { type: "plan-end", ...common, attempt: 0, text: "", decision, durationMs: 1, spending },
      {
        ...{ type: "step-start", ...common, step: 0, attempt: 0, worker: 0, maxOutputTokens: 10 },
        reserved: { usd: 0, calls: 1, tokens: 0 },
      },
      { type: "step-error", ...common, step: 0, attempt: 0, worker: 0, delivered: false, ...retry },
      { type: "step-wait", ...common, step: 0, attempt: 1, reason: "retry", until: ahead + 20 },
    ];
    for (const rest of [planFailed, stepWaits]) {
      const store = createMemoryStore();
      await store.append([...beginning, ...rest]);
      const run = toRun(await resumeRun(await store.loadRun("r_test"), toStage(pool, conductor, { store })));
      expect(run.stopReason).toBe("done");
      // It ended before it began, by these clocks.
      expect(run.durationMs).toBe(0);
      for (const { durationMs } of run.steps) expect(durationMs).toBeGreaterThanOrEqual(0);
    }
  });

  it("counts a call that was lost, on the high side", async () => {
    const { pool, conductor } = scene();
    const price = { inputUsd: 1, outputUsd: 1 };
    for (const member of pool.members) member.price = price;
    const store = createMemoryStore();
    const start = toStart(pool, { maxDepth: 1, limits: { usd: 1 } });
    await store.append([
      start,
      {
        type: "plan-start",
        runId: "r_test",
        at: 1,
        round: 0,
        attempt: 0,
        reserved: { usd: 0, calls: 0, tokens: 0 },
      },
      {
        type: "plan-end",
        runId: "r_test",
        at: 2,
        round: 0,
        attempt: 0,
        text: "",
        decision: { type: "workflow", workflow: { steps: [step(0, "only")] } },
        durationMs: 1,
        spending: {
          usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 },
          costUsd: 0,
          calls: 0,
        },
      },
      {
        type: "step-start",
        runId: "r_test",
        at: 3,
        round: 0,
        step: 0,
        attempt: 0,
        worker: 0,
        reserved: { usd: 0.01, calls: 1, tokens: 0 },
        maxOutputTokens: 100,
      },
      {
        type: "step-delta",
        runId: "r_test",
        at: 4,
        round: 0,
        step: 0,
        attempt: 0,
        channel: "text",
        text: "half",
        answer: false,
      },
    ]);
    const run = toRun(await resumeRun(await store.loadRun("r_test"), toStage(pool, conductor, { store })));
    expect(run).toMatchObject({ answer: "did only", calls: 2 });
    expect(run.steps[0]!.failures[0]).toMatchObject({ error: { code: "interrupted" } });
    expect(run.steps[0]!.failures[0]!.costUsd).toBeGreaterThan(0);
  });

  it("is refused while another living process performs the run", async () => {
    const { pool, conductor } = scene();
    const store = createMemoryStore();
    const stage = toStage(pool, conductor, { store });
    await store.append([toStart(pool)]);
    await store.claim("r_test", { ...stage.owner, id: "somebody else" });
    await expect(resumeRun(await store.loadRun("r_test"), stage)).rejects.toMatchObject({ code: "run-busy" });
  });

  it("goes on after a cancellation", async () => {
    const { pool, conductor, worker } = scene();
    const controller = new AbortController();
    const store = createMemoryStore();
    const onEvent = (event: RunEvent) => {
      if (event.type === "step-end") controller.abort();
    };
    const stage = toStage(pool, conductor, { store, onEvent, signal: controller.signal });
    const stopped = toRun(await performRun(toStart(pool, { maxDepth: 1 }), stage));
    expect(stopped.stopReason).toBe("cancelled");
    const done = stopped.steps.filter((each) => each.state === "done").length;
    expect(done).toBeGreaterThan(0);
    const asked = worker.requests.length;
    const run = toRun(await resumeRun(await store.loadRun("r_test"), toStage(pool, conductor, { store })));
    expect(run).toMatchObject({ answer: "did last", stopReason: "done" });
    // Two outer steps of four, two nested ones: what was done is not asked again.
    expect(worker.requests.length - asked).toBe(5 - done);
  });

  it("plans again when it was cancelled while planning", async () => {
    const { pool, conductor } = scene();
    const controller = new AbortController();
    const slow = {
      identity: { kind: "custom" as const, id: "slow" },
      async *compose(_: unknown, signal: AbortSignal) {
        controller.abort();
        await new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
      },
    };
    const store = createMemoryStore();
    const stage = toStage(pool, slow, { store, signal: controller.signal });
    expect(toRun(await performRun(toStart(pool, { maxDepth: 1 }), stage)).stopReason).toBe("cancelled");
    const run = toRun(await resumeRun(await store.loadRun("r_test"), toStage(pool, conductor, { store })));
    expect(run).toMatchObject({ answer: "did last", stopReason: "done" });
    expect(run.rounds[0]!.fallback).toBeUndefined();
  });
});
