// What others build on: a store and observers of one's own, through the public doors of the library and the gateway.

import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../gateway/server.ts";
import {
  createTutti,
  type Pool,
  type RunEvent,
  type RunObserver,
  type Store,
  type TuttiInput,
} from "../index.ts";
import { createMemoryStore } from "../store/memory.ts";
import { startChatServer } from "../testing/gateway/chat-server.ts";
import { playedConductor, scriptedWorker, step } from "../testing/stage.ts";
import { createSelfWorker } from "../worker/self.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (let close = closing.pop(); close; close = closing.pop()) await close();
});

const ONE = { steps: [step(0, "go")] };
const PRICE = { inputUsd: 1, outputUsd: 2 };
const poolOf = (...workers: Pool["members"][number]["worker"][]): Pool => ({
  members: workers.map((worker) => ({ worker, price: PRICE })),
});

function open(input: TuttiInput, notices: string[] = []) {
  const tutti = createTutti(input, { env: {}, onNotice: (text) => notices.push(text) });
  closing.push(() => tutti.close());
  return tutti;
}

/** Counts, and remembers what it heard. */
function createCounter() {
  const events: RunEvent[] = [];
  const observer: RunObserver = { onEvent: (event) => events.push(event) };
  return { observer, events, types: () => events.map(({ type }) => type) };
}

describe("a store of one's own", () => {
  it("keeps the runs, is asked for them, and is closed by whoever made it", async () => {
    const calls: string[] = [];
    const inner = createMemoryStore();
    const store: Store = new Proxy(inner, {
      get: (target, name: keyof Store) => {
        calls.push(name);
        return target[name];
      },
    });
    const tutti = createTutti({ store }, { env: {} });
    const pool = poolOf(scriptedWorker("w", "It is 42."));
    const run = await tutti.ask("What is 6 × 7?", { pool, workflow: ONE });
    expect(await tutti.store()).toBe(store);
    expect((await inner.listRuns()).map(({ id, answer }) => [id, answer])).toEqual([[run.id, "It is 42."]]);
    expect((await tutti.load(run.id))?.answer).toBe("It is 42.");
    await tutti.close();
    expect(calls).toContain("append");
    expect(calls).not.toContain("close");
    expect(await inner.loadRun(run.id)).not.toEqual([]);
  });

  it("that fails ends the run as a journal that fails does", async () => {
    const inner = createMemoryStore();
    const append = (events: RunEvent[]) => {
      if (events.some(({ type }) => type === "step-end")) throw new Error("the disk is full");
      return inner.append(events);
    };
    const tutti = open({ store: { ...inner, append } });
    const run = await tutti.ask("?", { pool: poolOf(scriptedWorker("w", "It is 42.")), workflow: ONE });
    expect(run).toMatchObject({ stopReason: "journal-failed", answer: "It is 42.", hasAnswer: true });
  });
});

describe("an observer", () => {
  it("hears what a listener hears, after it is in the journal", async () => {
    const store = createMemoryStore();
    const journaled: Promise<number>[] = [];
    const heard: RunEvent[] = [];
    const observer: RunObserver = {
      onEvent(event) {
        heard.push(event);
        if (event.type === "step-end") journaled.push(store.loadRun(event.runId).then((all) => all.length));
      },
    };
    const tutti = open({ store, observers: [observer] });
    const listened: RunEvent[] = [];
    const stream = tutti.stream("?", { pool: poolOf(scriptedWorker("w", "42")), workflow: ONE });
    for await (const event of stream) listened.push(event);
    expect(heard).toEqual(listened);
    // run-start, plan-start, plan-end, step-start, step-end
    expect(await Promise.all(journaled)).toEqual([5]);
  });

  it("hears runs that nobody listens to, and runs inside of runs", async () => {
    const { observer, events, types } = createCounter();
    const tutti = open({ store: "memory", observers: [observer], maxDepth: 1 });
    const conductor = playedConductor(
      { steps: [step(1, "Do it yourself.")] },
      { steps: [step(0, "Answer it.")] },
    );
    const run = await tutti.ask("?", {
      pool: poolOf(scriptedWorker("w", "42"), createSelfWorker()),
      conductor,
    });
    expect(run.answer).toBe("42");
    const ids = new Set(events.map(({ runId }) => runId));
    expect([...ids].sort()).toEqual([run.id, run.steps[0]!.nestedRunId].sort());
    expect(types().filter((type) => type === "run-end")).toHaveLength(2);
  });

  it.each<[string, RunObserver]>([
    ["throws", { onEvent: () => raise("no collector") }],
    ["rejects", { onEvent: async () => raise("no collector") }],
  ])("that %s hurts neither the run nor the others, and it is said once", async (_, broken) => {
    const notices: string[] = [];
    const { observer, types } = createCounter();
    const tutti = open({ store: "memory", observers: [broken, observer] }, notices);
    const run = await tutti.ask("?", { pool: poolOf(scriptedWorker("w", "42")), workflow: ONE });
    expect(run).toMatchObject({ answer: "42", stopReason: "done" });
    expect(types()).toContain("run-end");
    await expect.poll(() => notices).toEqual(["An observer of runs failed: no collector"]);
  });

  it("hears the runs of a gateway, also what is passed through", async () => {
    const upstream = await startChatServer({ models: ["alpha"], reply: () => "An answer." });
    closing.push(() => upstream.close());
    const { observer, events } = createCounter();
    const store = createMemoryStore();
    const worker = { id: "stub/alpha", model: "stub/alpha", baseUrl: upstream.baseUrl, price: PRICE };
    const gateway = await startGateway({
      config: { workers: [worker], store, observers: [observer] },
      env: {},
    });
    closing.push(() => gateway.close());
    const ask = async (model: string) => {
      const body = JSON.stringify({ model, messages: [{ role: "user", content: `${model}?` }] });
      const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body });
      expect(response.status).toBe(200);
      await response.text();
      return response.headers.get("x-tutti-run-id")!;
    };
    const ids = [await ask("tutti-fast"), await ask("stub/alpha")];
    const ended = () => events.filter(({ type }) => type === "run-end").map(({ runId }) => runId);
    await expect.poll(ended).toEqual(ids);
    expect((await store.listRuns()).map(({ conductor }) => conductor).sort()).toEqual(["relay", "single"]);
  });
});

function raise(message: string): never {
  throw new Error(message);
}
