// The behaviour of the Store port, the same for every store. What runs of the gateway have besides is in
// gateway-runs.test.ts.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerSecret } from "../base/redact.ts";
import { planEnd, runEnd, runStart, stepDelta, stepEnd, stepError } from "../testing/events.ts";
import { STORES } from "../testing/stores.ts";
import { createMemoryStore } from "./memory.ts";
import { openStore } from "./open.ts";
import type { Owner, RunEvent, RunFilter, Store } from "./types.ts";

const me: Owner = { id: "me", pid: process.pid, host: hostname() };
const other: Owner = { id: "other", pid: process.pid, host: hostname() };
const elsewhere: Owner = { id: "elsewhere", pid: 1, host: "another-host" };

/** Also zero characters and halves of surrogate pairs. */
const anyUnit = fc.nat(0xffff).map((code) => String.fromCharCode(code));

let folder: string;
let clock: number;
const now = () => clock;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-store-"));
  clock = 1_000_000;
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(STORES)("the %s store", (_, open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open(folder, now);
  });
  afterEach(() => store.close());

  const ids = async (filter?: RunFilter) => (await store.listRuns(filter)).map((run) => run.id);
  const summary = async (id: string) => (await store.listRuns({ nested: true })).find((run) => run.id === id);

  describe("events", () => {
    it("come back in order, each run its own", async () => {
      const a = [runStart("a"), stepDelta("a", "one"), stepDelta("a", "two"), runEnd("a", "done")];
      const b = [runStart("b"), stepEnd("b", "reply")];
      await store.append([a[0]!, b[0]!, a[1]!]);
      await store.append([a[2]!]);
      await store.append([b[1]!, a[3]!]);
      expect(await store.loadRun("a")).toEqual(a);
      expect(await store.loadRun("b")).toEqual(b);
      expect(await store.loadRun("c")).toEqual([]);
    });

    it("that are ratings are found without their runs, newest first, and go with them", async () => {
      const about = { workers: ["w"], question: "Why?" };
      const rating = (runId: string, score: number): RunEvent => ({
        ...{ type: "run-feedback", runId, at: 1, score, about },
      });
      await store.append([runStart("a"), runEnd("a", "done")]);
      await store.append([runStart("b"), runEnd("b", "done")]);
      expect(await store.listFeedback({ limit: 9 })).toEqual([]);
      await store.append([rating("a", 0)]);
      await store.append([rating("b", 1)]);
      await store.append([rating("a", 0.5)]);
      const scores = async (after?: number, limit = 9) =>
        (await store.listFeedback({ limit, after })).map(({ event }) => event.score);
      const [, middle] = await store.listFeedback({ limit: 9 });
      expect(await scores()).toEqual([0.5, 1, 0]);
      expect(await scores(middle!.place)).toEqual([0.5]);
      expect(await scores(0, 1)).toEqual([0.5]);
      await store.stripRun("a");
      const stripped = await store.listFeedback({ limit: 9, after: middle!.place });
      expect(stripped.map(({ event }) => event.about)).toEqual([{ workers: ["w"] }, { workers: ["w"] }]);
      await store.deleteRun("a");
      expect(await scores()).toEqual([1]);
    });

    it("keep their order when nobody waits in between", async () => {
      const events = Array.from({ length: 100 }, (_, i) => stepDelta("a", String(i)));
      await Promise.all(events.map((event) => store.append([event])));
      expect(await store.loadRun("a")).toEqual(events);
    });

    it("leave out the pieces of plans, whose whole follows", async () => {
      const delta: RunEvent = { type: "plan-delta", runId: "a", at: 0, round: 0, attempt: 0, text: "x" };
      await store.append([delta]);
      expect(await store.loadRun("a")).toEqual([]);
      await store.append([runStart("a"), delta, planEnd("a", "x")]);
      expect((await store.loadRun("a")).map((event) => event.type)).toEqual(["run-start", "plan-end"]);
    });

    it("come back with any text unchanged", async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: anyUnit, maxLength: 300 }), async (text) => {
          const id = `run-${count++}`;
          const events = [runStart(id, 0, text), stepEnd(id, text), runEnd(id, text)];
          await store.append(events);
          expect(await store.loadRun(id)).toEqual(events);
        }),
        { seed: 3, numRuns: 100 },
      );
    });
  });

  describe("secrets", () => {
    it("are taken out of everything, while our own words stay", async () => {
      registerSecret("key-of-a-user-1");
      registerSecret("run-start");
      await store.append([
        runStart("a", 0, "my key is key-of-a-user-1, run-start"),
        stepEnd("a", "you said key-of-a-user-1"),
        runEnd("a", "key-of-a-user-1"),
      ]);
      const [start, step] = await store.loadRun("a");
      expect(start).toMatchObject({ type: "run-start" });
      expect(JSON.stringify([step, await store.listRuns()])).not.toContain("key-of-a-user-1");
      expect(await summary("a")).toMatchObject({ question: "my key is [redacted], [redacted]" });
    });

    it("that only look like keys are taken out of errors, not out of questions and replies", async () => {
      await store.append([
        runStart("a", 0, "what is sk-abcdefgh12345678?"),
        stepError("a", "401: bad key sk-abcdefgh12345678"),
      ]);
      const [start, error] = await store.loadRun("a");
      expect(start).toEqual(runStart("a", 0, "what is sk-abcdefgh12345678?"));
      expect(error).toEqual(stepError("a", "401: bad key [redacted]"));
    });
  });

  describe("a summary", () => {
    it("tells what an interrupted run has cost so far", async () => {
      await store.append([runStart("a", 5), planEnd("a", "plan", 0.25), stepEnd("a", "r", 0.5, 2)]);
      await store.append([stepError("a", "broke", 0.125), stepEnd("a", "free")]);
      expect(await summary("a")).toEqual({
        id: "a",
        startedAt: 5,
        question: "What is 6 × 7?",
        conductor: "fixed",
        isSimulated: false,
        state: "interrupted",
        costUsd: 0.875,
        estimatedUsd: 0,
        calls: 4,
        inputTokens: 4,
        outputTokens: 4,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        cacheSavedUsd: 0,
        isStripped: false,
      });
    });

    it("takes the sums of the run when it has ended", async () => {
      await store.append([
        runStart("a", 5),
        stepEnd("a", "r", 9, 9),
        runEnd("a", "It is 42.", 8, "deadline"),
      ]);
      expect(await summary("a")).toMatchObject({
        state: "ended",
        endedAt: 8,
        answer: "It is 42.",
        stopReason: "deadline",
        costUsd: 0.5,
        calls: 3,
      });
    });

    it("is not over any more when the run is resumed", async () => {
      await store.append([runStart("a"), stepEnd("a", "reply", 0.5), runEnd("a", "so far", 5, "cancelled")]);
      expect(await summary("a")).toMatchObject({ state: "ended", stopReason: "cancelled" });
      await store.append([{ type: "run-resume", runId: "a", at: 6 }]);
      const resumed = await summary("a");
      expect(resumed!.state).toBe("interrupted");
      expect(resumed!.stopReason).toBeUndefined();
      await store.append([runEnd("a", "whole", 7)]);
      expect(await summary("a")).toMatchObject({ state: "ended", stopReason: "done", answer: "whole" });
    });

    it("begins with the last user message, at most 200 characters of it", async () => {
      await store.append([
        runStart("a", 0, [
          { role: "user", content: "earlier" },
          { role: "assistant", content: "yes?" },
          {
            role: "user",
            content: [
              { type: "text", text: "Look:" },
              { type: "image", image: "data:" },
              { type: "text", text: `${"x".repeat(193)}🙂 and more` },
            ],
          },
        ]),
        runStart("b", 0, [{ role: "system", content: "nobody asked" }]),
        runEnd("b", `zero\0${"y".repeat(300)}`),
      ]);
      expect(await summary("a")).toMatchObject({ question: `Look:\n${"x".repeat(193)}` });
      expect(await summary("b")).toMatchObject({ question: "", answer: `zero ${"y".repeat(195)}` });
    });
  });

  describe("a list", () => {
    it("shows top-level runs, newest first, fifty unless told", async () => {
      const events = Array.from({ length: 60 }, (_, i) => runStart(`run-${i}`, i));
      await store.append([...events, runStart("nested", 100, "inner", "run-1"), stepDelta("no-start", "x")]);
      expect(await ids()).toEqual(Array.from({ length: 50 }, (_, i) => `run-${59 - i}`));
      expect(await ids({ limit: 2 })).toEqual(["run-59", "run-58"]);
      expect(await ids({ limit: Number.POSITIVE_INFINITY })).toHaveLength(60);
      expect(await ids({ nested: true, limit: 1 })).toEqual(["nested"]);
    });

    it("is paged without losing runs that started at the same time", async () => {
      await store.append(Array.from({ length: 20 }, (_, i) => runStart(`run-${i + 10}`, Math.floor(i / 7))));
      const all = await ids();
      const paged: string[] = [];
      let filter: RunFilter = { limit: 3 };
      for (let page = await store.listRuns(filter); page.length > 0; page = await store.listRuns(filter)) {
        paged.push(...page.map((run) => run.id));
        filter = { limit: 3, startedBefore: page.at(-1)!.startedAt, beforeId: page.at(-1)!.id };
      }
      expect(paged).toEqual(all);
      expect(await ids({ startedBefore: 1 })).toEqual(all.slice(-7));
      expect(await ids({ startedFrom: 1 })).toEqual(all.slice(0, -7));
    });

    it("finds a text in question and answer, whatever the case, sign by sign", async () => {
      await store.append([
        runStart("a", 3, "Wie groß ist der ÄRGER?"),
        runStart("b", 2, "100% of a_b"),
        runEnd("b", "Nobody\\knows; ÉTÉ"),
        runStart("c", 1, "1000 of aXb"),
      ]);
      expect(await ids({ text: "ärger" })).toEqual(["a"]);
      expect(await ids({ text: "GROSS" })).toEqual([]);
      expect(await ids({ text: "WIE GROß" })).toEqual(["a"]);
      expect(await ids({ text: "100%" })).toEqual(["b"]);
      expect(await ids({ text: "A_B" })).toEqual(["b"]);
      expect(await ids({ text: "body\\KNOWS; été" })).toEqual(["b"]);
      expect(await ids({ text: " OF A" })).toEqual(["b", "c"]);
      expect(await ids({ text: "" })).toEqual(["a", "b", "c"]);
      expect(await ids({ text: "nowhere" })).toEqual([]);
    });

    it("is filtered by the beginning of ids, sign by sign", async () => {
      await store.append([runStart("r_a1", 1), runStart("r_a2", 2), runStart("r_b1", 3)]);
      expect(await ids({ idPrefix: "r_a" })).toEqual(["r_a2", "r_a1"]);
      expect(await ids({ idPrefix: "r%" })).toEqual([]);
    });

    it("is filtered by state", async () => {
      await store.append([
        runStart("done", 4),
        runEnd("done", "x"),
        runStart("live", 3),
        runStart("dead", 2),
      ]);
      await store.append([runStart("inner", 1, "q", "live"), runStart("inmost", 0, "q", "inner")]);
      await store.claim("live", me);
      await store.claim("done", me);
      expect(await ids({ state: "ended", nested: true })).toEqual(["done"]);
      expect(await ids({ state: "running", nested: true })).toEqual(["live", "inner", "inmost"]);
      expect(await ids({ state: "interrupted", nested: true })).toEqual(["dead"]);
      const states = (await store.listRuns({ nested: true })).map((run) => run.state);
      expect(states).toEqual(["ended", "running", "interrupted", "running", "running"]);
    });
  });

  describe("a claim", () => {
    it("keeps others out until it is released", async () => {
      expect(await store.claim("a", me)).toBe(true);
      expect(await store.claim("a", me)).toBe(true);
      expect(await store.claim("a", other)).toBe(false);
      expect(await store.claim("b", other)).toBe(true);
      await store.release("a", other);
      expect(await store.claim("a", other)).toBe(false);
      await store.release("a", me);
      expect(await store.claim("a", other)).toBe(true);
      expect(await store.claim("a", me)).toBe(false);
    });

    it("is over when it was not extended for fifteen seconds", async () => {
      await store.append([runStart("a")]);
      await store.claim("a", me);
      clock += 14_999;
      expect(await store.claim("a", other)).toBe(false);
      await store.claim("a", me);
      clock += 14_999;
      expect(await store.claim("a", other)).toBe(false);
      expect(await summary("a")).toMatchObject({ state: "running" });
      clock += 1;
      expect(await summary("a")).toMatchObject({ state: "interrupted" });
      expect(await store.claim("a", other)).toBe(true);
    });

    it("is over at once when its process on this host is dead", async () => {
      const { pid } = spawnSync(process.execPath, ["--version"]);
      await store.append([runStart("a")]);
      await store.claim("a", { id: "killed", pid, host: hostname() });
      expect(await summary("a")).toMatchObject({ state: "interrupted" });
      expect(await store.claim("a", me)).toBe(true);
    });

    it("of another host lives by its heartbeat alone", async () => {
      const { pid } = spawnSync(process.execPath, ["--version"]);
      await store.claim("a", { ...elsewhere, pid });
      expect(await store.claim("a", me)).toBe(false);
    });
  });

  describe("deleting", () => {
    it("takes the nested runs along, and nothing else", async () => {
      await store.append([
        runStart("a", 1),
        runStart("b", 2, "q", "a"),
        runStart("c", 3, "q", "b"),
        runStart("d", 4),
      ]);
      expect(await store.deleteRun("a")).toBe(true);
      expect(await ids({ nested: true })).toEqual(["d"]);
      for (const id of ["a", "b", "c"]) expect(await store.loadRun(id)).toEqual([]);
      expect(await store.loadRun("d")).toHaveLength(1);
      expect(await store.deleteRun("a")).toBe(false);
      expect(await store.deleteRun("unknown")).toBe(false);
    });

    it("is refused while the run is performed", async () => {
      await store.append([runStart("a", 1), runStart("b", 2, "q", "a")]);
      await store.claim("a", me);
      await expect(store.deleteRun("a")).rejects.toMatchObject({ code: "run-active" });
      await expect(store.deleteRun("b")).rejects.toMatchObject({ code: "run-active" });
      await store.append([runEnd("b", "x")]);
      expect(await store.deleteRun("b")).toBe(true);
      await store.release("a", me);
      expect(await store.deleteRun("a")).toBe(true);
    });

    it("by age spares what is running or younger, and counts top-level runs", async () => {
      await store.append([
        runStart("ended", 1),
        runEnd("ended", "x"),
        runStart("nested", 2, "q", "ended"),
        runStart("interrupted", 3),
        runStart("running", 4),
        runStart("inner", 5, "q", "running"),
        runStart("young", 10),
        runStart("younger", 11),
      ]);
      await store.claim("running", me);
      expect(await store.prune(10)).toBe(2);
      expect(await ids({ nested: true })).toEqual(["younger", "young", "inner", "running"]);
      expect(await store.loadRun("nested")).toEqual([]);
      expect(await store.prune(10)).toBe(0);
    });

    it("by age spares a run whose nested run is claimed on its own", async () => {
      await store.append([runStart("outer", 1), runStart("inner", 2, "q", "outer")]);
      await store.claim("inner", me);
      expect(await store.prune(10)).toBe(0);
      await store.release("inner", me);
      expect(await store.prune(10)).toBe(1);
    });
  });
});

describe("openStore", () => {
  it("opens a store by its name or path", async () => {
    const memory = await openStore("memory");
    const first = await openStore(join(folder, "deep", "er", "journal.db"));
    for (const store of [memory, first]) await store.append([runStart("a")]);
    await first.close();
    const second = await openStore(join(folder, "deep", "er", "journal.db"));
    expect(await second.loadRun("a")).toEqual(await memory.loadRun("a"));
    await second.close();
  });
});

describe("the memory store", () => {
  it("is done with an append when it returns", () => {
    expect(createMemoryStore().append([runStart("a")])).toBeUndefined();
  });

  it("forgets the oldest ended runs beyond what it is told to keep", async () => {
    const store = createMemoryStore({ keepEnded: 2 });
    store.append([runStart("open", 0)]);
    for (const id of ["a", "b", "c", "d"]) {
      store.append([
        runStart(id),
        runStart(`${id}-inner`, 0, "q", id),
        runEnd(`${id}-inner`, "x"),
        runEnd(id, "x"),
      ]);
    }
    const kept = (await store.listRuns({ nested: true })).map((run) => run.id).sort();
    expect(kept).toEqual(["c", "c-inner", "d", "d-inner", "open"]);
  });
});
