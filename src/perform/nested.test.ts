// A step given to the Conductor itself: a run of its own, with its share of everything, and never without an end.

import { describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import type { Conductor } from "../conductor/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { RunSettings, Store } from "../store/types.ts";
import { playedConductor, scriptedWorker, step, toPool, toStage, toStart } from "../testing/stage.ts";
import { createSelfWorker } from "../worker/self.ts";
import type { Worker } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { performRun, resumeRun } from "./driver.ts";
import { type Run, toRun } from "./run.ts";
import { fold } from "./state.ts";

const SELF = 1;
const PRICE = { inputUsd: 1, outputUsd: 1 };

/** Plans by depth: how many runs are around the one that asks is seen from its conversation. */
function byDepth(...plans: Workflow[]): Conductor {
  return {
    identity: { kind: "custom", id: "by-depth" },
    compose(request, signal) {
      const depth = Math.min(request.task.messages.length - 1, plans.length - 1);
      return playedConductor(plans[depth]!).compose(request, signal);
    },
  };
}

interface Scene {
  run: Run;
  store: Store;
  nested(id: string): Promise<Run>;
}

async function perform(
  worker: Worker,
  conductor: Conductor,
  settings: Partial<RunSettings> = {},
): Promise<Scene> {
  const pool = toPool([{ worker, price: PRICE }, { worker: createSelfWorker() }]);
  const store = createMemoryStore();
  const stage = toStage(pool, conductor, { store });
  const run = toRun(await performRun(toStart(pool, { maxDepth: 1, ...settings }), stage));
  return { run, store, nested: async (id) => toRun(fold(await store.loadRun(id))!) };
}

const worker = () => scriptedWorker("a", ({ brief }) => `did ${brief!.subtask}`);
const inner = { steps: [step(0, "inner")] };

describe("a nested run", () => {
  it("has a share of what is left, and leaves the rest to the steps beside it", async () => {
    const outer = { steps: [step(SELF, "left"), step(SELF, "right"), step(0, "join", "all")] };
    const limits = { usd: 0.3, calls: 9, tokens: 30_000 };
    const { run, nested } = await perform(worker(), byDepth(outer, inner), { limits });
    expect(run).toMatchObject({ stopReason: "done", calls: 3 });
    const [left, right] = [await nested("r_test.1.1"), await nested("r_test.1.2")];
    expect(left.settings.limits).toEqual({ usd: expect.closeTo(0.1), calls: 3, tokens: 10_000 });
    // A third of what the first one left: never more than is there, whoever begins first.
    expect(right.settings.limits).toEqual({ usd: expect.closeTo(0.2 / 3), calls: 2, tokens: 6_666 });
    expect(run.costUsd).toBeCloseTo(left.costUsd + right.costUsd + run.steps[2]!.costUsd!, 12);
  });

  it("never takes more than its share, and what it took is the step's", async () => {
    const greedy = { steps: Array.from({ length: 5 }, (_, i) => step(0, `${i}`, "all")) };
    const { run, nested } = await perform(worker(), byDepth({ steps: [step(SELF, "all of it")] }, greedy), {
      limits: { calls: 3 },
    });
    const inside = await nested("r_test.1.1");
    expect(inside).toMatchObject({ stopReason: "budget-calls", calls: 3 });
    expect(run.steps[0]).toMatchObject({ calls: 3, costUsd: inside.costUsd });
    expect(run.usage).toEqual(inside.usage);
  });

  it("has one round and no reviewer, whatever the run around it has", async () => {
    const review = async () => ({ type: "approve" as const });
    const pool = toPool([worker(), createSelfWorker()]);
    const store = createMemoryStore();
    const conductor = byDepth({ steps: [step(SELF, "all of it")] }, inner);
    const start = toStart(pool, { maxDepth: 1, rounds: 1, review: true });
    await performRun(start, toStage(pool, conductor, { store, review }));
    const { settings } = toRun(fold(await store.loadRun("r_test.1.1"))!);
    expect(settings).toMatchObject({ rounds: 1, review: false, maxDepth: 0, conductor: "by-depth" });
  });

  it("may nest again as deep as allowed, and at the last level there is no `self`", async () => {
    const deeper = { steps: [step(SELF, "deeper")] };
    const { run, nested } = await perform(worker(), byDepth(deeper, deeper, inner), { maxDepth: 2 });
    expect(run.answer).toBe("did inner");
    expect((await nested("r_test.1.1")).pool.map(({ id }) => id)).toEqual(["a", "self"]);
    const last = await nested("r_test.1.1.1.1");
    expect(last.pool.map(({ id }) => id)).toEqual(["a"]);
    expect(last.parent).toEqual({ runId: "r_test.1.1", round: 0, step: 0 });
  });

  it("is planned by the Conductor that is named for it, where a workflow was given", async () => {
    const pool = toPool([worker(), createSelfWorker()]);
    const store = createMemoryStore();
    const nestedConductor = playedConductor(inner);
    const conductor = playedConductor({ steps: [step(SELF, "all of it")] });
    const stage = toStage(pool, conductor, { store, nestedConductor });
    expect(toRun(await performRun(toStart(pool, { maxDepth: 1 }), stage)).answer).toBe("did inner");
    expect([conductor.requests.length, nestedConductor.requests.length]).toEqual([1, 1]);
  });
});

describe("a nested run that fails", () => {
  const refused = new TuttiError("bad-request", "no");

  it("is a failed step: a model takes its place, and the trace says why", async () => {
    // Inside it refuses; asked directly it answers.
    const picky = scriptedWorker("a", ({ messages }) =>
      JSON.stringify(messages).includes("inner") ? refused : "myself",
    );
    const { run, nested } = await perform(picky, byDepth({ steps: [step(SELF, "do it")] }, inner));
    expect(run).toMatchObject({ answer: "myself", stopReason: "done" });
    expect(run.steps[0]).toMatchObject({
      workerId: "a",
      insteadOf: "self",
      failures: [{ worker: "self", error: { code: "nested-failed" } }],
    });
    expect((await nested("r_test.1.1")).stopReason).toBe("failed");
  });

  it("is paid for all the same", async () => {
    const cut = scriptedWorker("a", ({ messages }) =>
      JSON.stringify(messages).includes("inner") ? [{ type: "text-delta", text: "half" }] : "myself",
    );
    const { run } = await perform(cut, byDepth({ steps: [step(SELF, "do it")] }, inner), { retries: 0 });
    expect(run.answer).toBe("half");
    expect(run.steps[0]!.calls).toBeGreaterThan(0);
    expect(run.costUsd).toBeGreaterThan(0);
  });
});

it("a nested run that had ended when its process died is not asked again", async () => {
  const first = await perform(worker(), byDepth({ steps: [step(SELF, "do it")] }, inner));
  const events = await first.store.loadRun("r_test");
  const inside = await first.store.loadRun("r_test.1.1");
  const died = events.slice(
    0,
    events.findIndex(({ type }) => type === "step-end"),
  );
  const store = createMemoryStore();
  store.append([...died, ...inside]);
  const again = worker();
  const pool = toPool([{ worker: again, price: PRICE }, { worker: createSelfWorker() }]);
  const conductor = byDepth({ steps: [step(SELF, "do it")] }, inner);
  const run = toRun(await resumeRun(await store.loadRun("r_test"), toStage(pool, conductor, { store })));
  expect(run).toMatchObject({ answer: "did inner", stopReason: "done" });
  expect(again.requests).toHaveLength(0);
});
