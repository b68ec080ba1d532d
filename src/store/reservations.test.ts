// Money of keys, the same for every store: what is reserved counts as spent until it is released, in every process.

import { mkdtempSync, rmSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gatewayStart, planEnd, runEnd, runStart, stepEnd } from "../testing/events.ts";
import { STORES } from "../testing/stores.ts";
import { CLAIM_MS } from "./owner.ts";
import type { ReservationRequest } from "./reservation.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { Owner, Store } from "./types.ts";

const DAY_MS = 86_400_000;
const me: Owner = { id: "me", pid: process.pid, host: hostname() };
/** Above what any kernel gives out. */
const dead: Owner = { id: "dead", pid: 2 ** 30, host: hostname() };

const wish = (more: Partial<ReservationRequest> = {}): ReservationRequest => ({
  ...{ runId: "r_1", keyId: "k1", wantedUsd: 1, leastUsd: 0.001, budgetUsd: 4, from: 0, owner: me },
  ...more,
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-reservations-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each(STORES)("the %s store", (_, open) => {
  let now: number;
  let store: Store;
  beforeEach(async () => {
    now = 10 * DAY_MS;
    store = await open(folder, () => now);
  });
  afterEach(() => store.close());

  const usdOf = async (more?: Partial<ReservationRequest>) => {
    const reply = await store.reserve(wish(more));
    return reply.ok ? reply.usd : reply;
  };

  it("gives what is wanted, then what is left, then nothing", async () => {
    expect(await usdOf({ wantedUsd: 2.5 })).toBe(2.5);
    expect(await usdOf({ wantedUsd: Number.POSITIVE_INFINITY })).toBe(1.5);
    expect(await usdOf()).toEqual({ ok: false, spentUsd: 0, reservedUsd: 4 });
    expect(await usdOf({ keyId: "k2" })).toBe(1);
  });

  it("gives nothing where less is left than is of use", async () => {
    await usdOf({ wantedUsd: 3 });
    expect(await usdOf({ wantedUsd: 2, leastUsd: 1.5 })).toMatchObject({ ok: false, reservedUsd: 3 });
    expect(await usdOf({ wantedUsd: 2, leastUsd: 1 })).toBe(1);
  });

  it("takes a reservation back once", async () => {
    const reply = await store.reserve(wish({ wantedUsd: 4 }));
    await usdOf({ keyId: "k2" });
    const { id } = reply as { id: string };
    await store.unreserve(id);
    await store.unreserve(id);
    expect(await store.loadAccount("k1", 0)).toEqual({ spentUsd: 0, reservedUsd: 0 });
    expect(await store.loadAccount("k2", 0)).toEqual({ spentUsd: 0, reservedUsd: 1 });
  });

  it("counts what the key's runs took since then: running, ended, gone on with, deleted, and not nested ones", async () => {
    const spent = async (from = 0) => (await store.loadAccount("k1", from)).spentUsd;
    await store.append([gatewayStart("a", { keyId: "k1" }, 9 * DAY_MS), planEnd("a", "plan", 0.25)]);
    await store.append([stepEnd("a", "r", 0.5)]);
    expect(await spent()).toBe(0.75);
    const inner = runStart("inner", 9 * DAY_MS, "q", "a");
    await store.append([
      { ...inner, origin: { model: "tutti", dialect: "chat", keyId: "k1" } },
      stepEnd("inner", "r", 64),
    ]);
    expect(await spent()).toBe(0.75);
    const end = runEnd("a", "r", 9 * DAY_MS + 1);
    await store.append([{ ...end, spent: { usd: 2, calls: 1, tokens: 0 } } as typeof end]);
    expect(await spent()).toBe(2);
    await store.append([gatewayStart("b", { keyId: "k1" }, 10 * DAY_MS), stepEnd("b", "r", 0.125)]);
    await store.append([gatewayStart("c", { keyId: "k2" }, 10 * DAY_MS), stepEnd("c", "r", 8)]);
    expect(await spent()).toBe(2.125);
    expect(await spent(10 * DAY_MS)).toBe(0.125);
    expect(await store.deleteRun("a")).toBe(true);
    expect(await spent()).toBe(2.125);
    expect(await usdOf({ wantedUsd: Number.POSITIVE_INFINITY })).toBe(1.875);
  });

  it("tells which reservations belong to nobody any more, with what is to be journaled for them", async () => {
    const lostEvents = [gatewayStart("r_lost", { keyId: "k1" })];
    await store.reserve(wish({ runId: "r_lost", owner: dead, lostEvents }));
    await store.reserve(wish({ runId: "r_mine" }));
    const lost = await store.renewReservations(me);
    expect(lost).toMatchObject([{ runId: "r_lost", lostEvents }]);
    // It counts until somebody has settled it.
    expect((await store.loadAccount("k1", 0)).reservedUsd).toBe(2);
    await store.unreserve(lost[0]!.id);
    expect(await store.renewReservations(me)).toEqual([]);
  });

  it("takes nothing from a process that performs the run, though its reservation was not renewed", async () => {
    const far: Owner = { id: "far", pid: 7, host: "elsewhere" };
    await usdOf({ owner: far });
    const performing = { ...far, id: "of its run" };
    await store.claim("r_1", performing);
    now += CLAIM_MS;
    await store.claim("r_1", performing);
    expect(await store.renewReservations(me)).toEqual([]);
    await store.release("r_1", performing);
    expect(await store.renewReservations(me)).toMatchObject([{ runId: "r_1" }]);
    // Somebody else who performs it has reserved anew.
    await store.claim("r_1", me);
    expect(await store.renewReservations(me)).toMatchObject([{ runId: "r_1" }]);
  });

  it("takes an owner of another host for dead when nothing is heard of it", async () => {
    const far: Owner = { id: "far", pid: process.pid, host: "elsewhere" };
    await store.reserve(wish({ owner: far }));
    now += CLAIM_MS - 1;
    expect(await store.renewReservations(me)).toEqual([]);
    expect(await store.renewReservations(far)).toEqual([]);
    now += CLAIM_MS - 1;
    expect(await store.renewReservations(me)).toEqual([]);
    now += 1;
    expect(await store.renewReservations(me)).toHaveLength(1);
  });

  it("can be written", () => store.checkWritable());
});

describe("two processes on one journal", () => {
  it("never promise more than the budget together", async () => {
    const path = join(folder, "journal.db");
    const stores = [await openSqliteStore(path), await openSqliteStore(path)];
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(1), fc.integer({ min: 1, max: 40 }), fc.boolean()), { maxLength: 24 }),
        async (asks) => {
          const keyId = `k${round++}`;
          const replies = await Promise.all(
            asks.map(([which, units, isReleased]) =>
              stores[which]!.reserve(wish({ keyId, wantedUsd: units / 8, leastUsd: 0.125 })).then(
                async (reply) => {
                  if (reply.ok && isReleased) await stores[1 - which]!.unreserve(reply.id);
                  return { reply, isReleased };
                },
              ),
            ),
          );
          const held = replies.map(({ reply, isReleased }) => (reply.ok && !isReleased ? reply.usd : 0));
          const sum = held.reduce((total, usd) => total + usd, 0);
          expect(sum).toBeLessThanOrEqual(4);
          for (const store of stores) expect((await store.loadAccount(keyId, 0)).reservedUsd).toBe(sum);
        },
      ),
      { seed: 3, numRuns: 40 },
    );
    for (const store of stores) await store.close();
  });
});

describe("a journal file", () => {
  it.each(["deleted", "replaced"])("that was %s underneath is noticed", async (how) => {
    const path = join(folder, "journal.db");
    let now = 0;
    const store = await openSqliteStore(path, { now: () => now });
    await store.append([runStart("a")]);
    rmSync(path);
    if (how === "replaced") await (await openSqliteStore(path)).close();
    await expect(store.checkWritable()).rejects.toMatchObject({ code: "journal-failed" });
    now = 1_000;
    const appended = Promise.resolve(store.append([runStart("b")]));
    await expect(appended).rejects.toThrow(/deleted or replaced/);
    await expect(store.reserve(wish())).rejects.toMatchObject({ code: "journal-failed" });
    await store.close();
  });

  it("on a full disk is not writable, and reserves nothing", async () => {
    const store = await openSqliteStore(join(folder, "journal.db"), { maxBytes: 120_000 });
    await store.checkWritable();
    const text = "x".repeat(3_000);
    let isFull = false;
    for (let i = 0; i < 60 && !isFull; i++)
      await Promise.resolve(store.append([stepEnd("a", text)])).catch(() => {
        isFull = true;
      });
    expect(isFull).toBe(true);
    await expect(store.checkWritable()).rejects.toMatchObject({ code: "journal-failed" });
    await store.close();
  });
});
