// The stores against each other: whatever happens to them, they answer the same. The memory store is small
// enough to be read as the model of the other.

import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runEnd, runStart, stepEnd } from "../testing/events.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { Owner, RunEvent, Store } from "./types.ts";

const me: Owner = { id: "me", pid: process.pid, host: hostname() };
const other: Owner = { ...me, id: "other" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-stores-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("all stores", () => {
  const run = fc.constantFrom("a", "b", "c", "d");
  const text = fc.constantFrom("one", "Two", "ÉTÉ", "");
  const start = fc.record({ id: run, at: fc.nat(3), text, parent: fc.option(run, { nil: undefined }) });
  const command = fc.oneof(
    start.map(
      ({ id, at, text, parent }) =>
        (store: Store) =>
          append(store, id, at, text, parent),
    ),
    fc.tuple(run, text).map(
      ([id, text]) =>
        (store: Store) =>
          appendOpen(store, stepEnd(id, text, 0.25)),
    ),
    fc.tuple(run, text).map(
      ([id, text]) =>
        (store: Store) =>
          appendOpen(store, runEnd(id, text)),
    ),
    fc.tuple(run, fc.constantFrom(me, other)).map(
      ([id, owner]) =>
        (store: Store) =>
          store.claim(id, owner),
    ),
    fc.tuple(run, fc.constantFrom(me, other)).map(
      ([id, owner]) =>
        (store: Store) =>
          store.release(id, owner),
    ),
    run.map((id) => (store: Store) => store.deleteRun(id).catch((error) => error.code)),
    fc.nat(4).map((before) => (store: Store) => store.prune(before)),
    fc
      .record({
        limit: fc.nat(3),
        startedBefore: fc.option(fc.nat(3), { nil: undefined }),
        state: fc.option(fc.constantFrom("ended" as const, "running" as const, "interrupted" as const), {
          nil: undefined,
        }),
        text: fc.option(fc.constantFrom("o", "t", "été"), { nil: undefined }),
        nested: fc.boolean(),
      })
      .map((filter) => (store: Store) => store.listRuns(filter)),
    run.map((id) => (store: Store) => store.loadRun(id)),
  );

  /** A run starts and ends once, and its parent was there before it: the driver never does otherwise. */
  async function append(store: Store, id: string, at: number, text: string, parent?: string) {
    const known = parent === undefined || (parent < id && (await isStarted(store, parent)));
    if (known && !(await isStarted(store, id))) await store.append([runStart(id, at, text, parent)]);
  }
  async function appendOpen(store: Store, event: RunEvent) {
    const types = (await store.loadRun(event.runId)).map(({ type }) => type);
    if (types.includes("run-start") && !types.includes("run-end")) await store.append([event]);
  }
  async function isStarted(store: Store, id: string) {
    return (await store.loadRun(id)).some((event) => event.type === "run-start");
  }

  it("answer the same to the same history", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const memory = createMemoryStore();
        const sqlite = await openSqliteStore(join(folder, `same-${count++}.db`));
        for (const perform of commands) {
          expect(await perform(sqlite)).toEqual(await perform(memory));
        }
        await sqlite.close();
      }),
      { seed: 5, numRuns: 60 },
    );
  });
});
