// The stores against each other: whatever happens to them, they answer the same. The memory store is small
// enough to be read as the model of the others.

import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gatewayStart, runEnd, runStart, simulated, stepEnd } from "../testing/events.ts";
import { noPostgres, openTestPostgres, POSTGRES } from "../testing/stores.ts";
import { createMemoryStore } from "./memory.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { Owner, RunEvent, SpendingGroup, Store } from "./types.ts";

const me: Owner = { id: "me", pid: process.pid, host: hostname() };
const other: Owner = { ...me, id: "other" };

const ALL_GROUPS = { groupBy: ["key", "user", "model", "day", "metadata.a.b"] satisfies SpendingGroup[] };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-stores-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("all stores", () => {
  const run = fc.constantFrom("a", "b", "c", "d");
  const text = fc.constantFrom("one", "Two", "ÉTÉ", "");
  const start = fc.record({ id: run, at: fc.nat(3), text, parent: fc.option(run, { nil: undefined }) });
  const key = fc.constantFrom("k1", "k2");
  const origin = fc.record(
    {
      keyId: key,
      user: fc.constantFrom("ann", "bob"),
      idempotencyKey: fc.constantFrom("once", "twice"),
      metadata: fc.dictionary(fc.constantFrom("a.b", "c"), fc.constantFrom("x", "y")),
    },
    { requiredKeys: [] },
  );
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
          appendOpen(store, stepEnd(id, text, 0.125), runEnd(id, text)),
    ),
    run.map((id) => (store: Store) => resume(store, id)),
    fc
      .record({ id: run, at: fc.nat(3), text, origin, isSimulated: fc.boolean(), isWhole: fc.boolean() })
      .map(({ id, at, text, origin, isSimulated, isWhole }) => async (store: Store) => {
        const start = gatewayStart(id, origin, at, text);
        const rest = isWhole ? [stepEnd(id, text, 0.25), runEnd(id, text)] : [];
        if (!(await isStarted(store, id)))
          await store.append([isSimulated ? simulated(start) : start, ...rest]);
      }),
    fc
      .record({
        keyId: fc.option(key, { nil: undefined }),
        from: fc.option(fc.nat(3), { nil: undefined }),
        to: fc.option(fc.nat(3), { nil: undefined }),
        groupBy: fc.subarray(ALL_GROUPS.groupBy),
      })
      .map((filter) => (store: Store) => store.sumSpending(filter)),
    run.map((id) => (store: Store) => store.stripRun(id).catch((error) => error.code)),
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
        startedFrom: fc.option(fc.nat(3), { nil: undefined }),
        state: fc.option(fc.constantFrom("ended" as const, "running" as const, "interrupted" as const), {
          nil: undefined,
        }),
        text: fc.option(fc.constantFrom("o", "t", "été"), { nil: undefined }),
        nested: fc.boolean(),
      })
      .map((filter) => (store: Store) => store.listRuns(filter)),
    fc
      .record(
        {
          keyId: key,
          model: fc.constantFrom("tutti", "unknown"),
          idempotencyKey: fc.constantFrom("once", "twice"),
          stopReason: fc.constant("done" as const),
        },
        { requiredKeys: [] },
      )
      .map((filter) => (store: Store) => store.listRuns(filter)),
    run.map((id) => (store: Store) => store.loadRun(id)),
  );

  /** A run starts and ends once, and its parent was there before it: the driver never does otherwise. */
  async function append(store: Store, id: string, at: number, text: string, parent?: string) {
    const known = parent === undefined || (parent < id && (await isStarted(store, parent)));
    if (known && !(await isStarted(store, id))) await store.append([runStart(id, at, text, parent)]);
  }
  async function appendOpen(store: Store, ...events: RunEvent[]) {
    const last = (await store.loadRun(events[0]!.runId)).at(-1);
    if (last && last.type !== "run-end") await store.append(events);
  }
  async function resume(store: Store, runId: string) {
    const last = (await store.loadRun(runId)).at(-1);
    if (last?.type === "run-end") await store.append([{ type: "run-resume", runId, at: 9 }]);
  }
  async function isStarted(store: Store, id: string) {
    return (await store.loadRun(id)).some((event) => event.type === "run-start");
  }

  let count = 0;
  const openFile = () => openSqliteStore(join(folder, `same-${count++}.db`));

  it("answer the same to the same history", () => compare(openFile, 80));
  // A schema for each history: fewer of them.
  it.skipIf(!POSTGRES)(`answer the same in Postgres${noPostgres}`, { timeout: 180_000 }, () =>
    compare(openTestPostgres, 12),
  );

  async function compare(open: () => Promise<Store>, numRuns: number): Promise<void> {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 25 }), async (commands) => {
        const memory = createMemoryStore();
        const other = await open();
        for (const perform of commands) expect(await perform(other)).toEqual(await perform(memory));
        expect(await other.listRuns({ nested: true })).toEqual(await memory.listRuns({ nested: true }));
        expect(await other.sumSpending(ALL_GROUPS)).toEqual(await memory.sumSpending(ALL_GROUPS));
        await other.close();
      }),
      { seed: 5, numRuns },
    );
  }
});
