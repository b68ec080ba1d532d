// Recursion in both forms: corrective rounds of one run, and runs nested in a step (`self`).

import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { createSelfWorker } from "../worker/self.ts";
import { performRun } from "./driver.ts";
import { toRun } from "./run.ts";
import { fold } from "./state.ts";

describe("rounds", () => {
  it("show the Conductor its plan and its team's replies, and end when it accepts", async () => {
    const pool = toPool([scriptedWorker("a", "first answer")]);
    const workflow = { steps: [step(0, "go")] };
    const conductor = playedConductor(workflow, { type: "accept" });
    const run = toRun(await performRun(toStart(pool, { rounds: 3 }), toStage(pool, conductor)));
    expect(run).toMatchObject({ answer: "first answer", stopReason: "done", calls: 1 });
    expect(conductor.requests[1]!.rounds).toEqual([{ workflow, replies: ["first answer"] }]);
  });

  it("can accept a step that is not the last", async () => {
    const pool = toPool([scriptedWorker("a", "right"), scriptedWorker("b", "wrong")]);
    const workflow = { steps: [step(0, "one"), step(1, "two")] };
    const conductor = playedConductor(workflow, { type: "accept", step: 0 });
    const run = toRun(await performRun(toStart(pool, { rounds: 2 }), toStage(pool, conductor)));
    expect(run.answer).toBe("right");
  });

  it("can accept a step of an earlier round", async () => {
    const pool = toPool([scriptedWorker("a", "right"), scriptedWorker("b", "wrong")]);
    const first = { steps: [step(0, "one"), step(1, "two")] };
    const accept = { type: "accept" as const, round: 0, step: 0 };
    const conductor = playedConductor(first, { steps: [step(1, "again")] }, accept);
    const stage = toStage(pool, conductor);
    const run = toRun(await performRun(toStart(pool, { rounds: 3 }), stage));
    expect(run).toMatchObject({ answer: "right", stopReason: "done", calls: 3 });
    expect(toRun(fold(await stage.store.loadRun("r_test"))!).answer).toBe("right");
  });

  it("perform a corrective workflow with its own subtasks, and `all` also exposes the round before", async () => {
    const worker = scriptedWorker("a", (request) => `did ${request.brief!.subtask}`);
    const pool = toPool([worker]);
    const conductor = playedConductor(
      { steps: [step(0, "draft"), step(0, "check", "all")] },
      { steps: [step(0, "repair alone"), step(0, "repair with all", "all"), step(0, "finish", [1])] },
    );
    const run = toRun(await performRun(toStart(pool, { rounds: 2 }), toStage(pool, conductor)));
    // Each request carries the subtask of its own step, never one of the round before.
    expect(worker.requests.map((request) => request.brief!.subtask)).toEqual([
      "draft",
      "check",
      "repair alone",
      "repair with all",
      "finish",
    ]);
    const seen = (call: number) => worker.requests[call]!.brief!.visible.map((v) => [v.round, v.reply]);
    expect(seen(2)).toEqual([]);
    expect(seen(3)).toEqual([
      [0, "did draft"],
      [0, "did check"],
      [1, "did repair alone"],
    ]);
    expect(seen(4)).toEqual([[1, "did repair with all"]]);
    expect(run.answer).toBe("did finish");
  });

  it("stream the answer only when no further round can follow", async () => {
    const pool = toPool([scriptedWorker("a", "text")]);
    const stage = toStage(pool, playedConductor({ steps: [step(0, "one")] }));
    await performRun(toStart(pool, { rounds: 2, streaming: true }), stage);
    const deltas = stage.events.filter((event) => event.type === "step-delta");
    expect(deltas.map((event) => [event.round, event.answer])).toEqual([
      [0, false],
      [1, true],
    ]);
  });

  it("keep what is there when a later plan is no workflow", async () => {
    const pool = toPool([scriptedWorker("a", "good enough")]);
    const error = { code: "cut-off" as const, message: "cut" };
    const conductor = playedConductor({ steps: [step(0, "one")] }, { type: "format-error", error });
    const run = toRun(await performRun(toStart(pool, { rounds: 2 }), toStage(pool, conductor)));
    expect(run).toMatchObject({ answer: "good enough", stopReason: "done", calls: 1 });
    expect(run.rounds[1]!.fallback).toMatch(/cut/);
  });

  it("keep the last finished round when a budget ends a later one", async () => {
    const pool = toPool([scriptedWorker("a", "round one"), scriptedWorker("b", "half of round two")]);
    const conductor = playedConductor(
      { steps: [step(0, "one")] },
      { steps: [step(1, "two"), step(1, "three", "all")] },
    );
    const start = toStart(pool, { rounds: 2, limits: { calls: 2 } });
    const run = toRun(await performRun(start, toStage(pool, conductor)));
    expect(run).toMatchObject({ answer: "round one", stopReason: "budget-calls", calls: 2 });
  });
});

describe("self", () => {
  const nestedPool = () => {
    const worker = scriptedWorker("a", (request) => `did ${request.brief!.subtask}`);
    return { worker, pool: toPool([worker, createSelfWorker()]) };
  };

  it("performs a step as a run of its own, nested in the journal, summed up in the outer run", async () => {
    const { worker, pool } = nestedPool();
    const outer = { steps: [step(0, "prepare"), step(1, "the hard part", "all")] };
    const inner = { steps: [step(0, "inner one"), step(0, "inner two", "all")] };
    const store = createMemoryStore();
    const stage = toStage(pool, playedConductor(outer, inner), { store });
    const run = toRun(await performRun(toStart(pool, { maxDepth: 1 }), stage));
    expect(run).toMatchObject({ answer: "did inner two", stopReason: "done", calls: 3 });
    expect(run.steps[1]).toMatchObject({ workerId: "self", nestedRunId: "r_test.1.2", calls: 2 });

    const nested = toRun(fold(await store.loadRun("r_test.1.2"))!);
    expect(nested).toMatchObject({
      parent: { runId: "r_test", round: 0, step: 1 },
      stopReason: "done",
      calls: 2,
    });
    // The nested team sees the whole conversation, what the step may see, and what is asked of it.
    const asked = JSON.stringify(worker.requests[1]!.messages);
    expect(asked).toContain("What is 6 × 7?");
    expect(asked).toContain("did prepare");
    expect(asked).toContain("the hard part");
    // Depth is limited by construction: one level down there is no `self` to ask.
    expect(nested.pool.map((entry) => entry.id)).toEqual(["a"]);
  });

  it("inherits the budget and the deadline", async () => {
    const { worker, pool } = nestedPool();
    const outer = { steps: [step(1, "all of it")] };
    const inner = { steps: [step(0, "1"), step(0, "2", "all"), step(0, "3", "all")] };
    const start = toStart(pool, { maxDepth: 1, limits: { calls: 2, deadlineMs: 5000 } });
    const store = createMemoryStore();
    const run = toRun(await performRun(start, toStage(pool, playedConductor(outer, inner), { store })));
    expect(worker.requests).toHaveLength(2);
    expect(run.calls).toBe(2);
    const nested = toRun(fold(await store.loadRun("r_test.1.1"))!);
    expect(nested.stopReason).toBe("budget-calls");
    expect(nested.settings.limits.deadlineMs).toBeLessThanOrEqual(5000);
  });

  it("streams the nested answer when it is the answer", async () => {
    const { pool } = nestedPool();
    const conductor = playedConductor({ steps: [step(1, "all of it")] }, { steps: [step(0, "inner")] });
    const stage = toStage(pool, conductor);
    const run = toRun(await performRun(toStart(pool, { maxDepth: 1, streaming: true }), stage));
    const answer = stage.events.filter((e) => e.runId === "r_test" && e.type === "step-delta" && e.answer);
    expect(answer).toHaveLength(1);
    expect(run.answer).toBe("did inner");
  });

  it("is stopped with the run around it, and both are journaled to their end", async () => {
    const controller = new AbortController();
    const slow = scriptedWorker("slow", () => {
      controller.abort();
      return new Promise<string>(() => {});
    });
    const pool = toPool([slow, createSelfWorker()]);
    const store = createMemoryStore();
    const conductor = playedConductor({ steps: [step(1, "outer")] }, { steps: [step(0, "inner")] });
    const stage = toStage(pool, conductor, { store, signal: controller.signal });
    const run = toRun(await performRun(toStart(pool, { maxDepth: 1 }), stage));
    expect(run.stopReason).toBe("cancelled");
    expect((await store.loadRun("r_test.1.1")).at(-1)).toMatchObject({
      type: "run-end",
      stopReason: "cancelled",
    });
  });
});
