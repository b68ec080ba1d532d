// What a gateway holds for all of them when Postgres has done what it was asked and the answer is lost, tried again or not: nothing
// may be held for ever by a gateway that lives, and nobody waits for himself.

import { randomBytes } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { openConnection, type PostgresConnection } from "../../store/postgres/connection.ts";
import { prepareTables } from "../../store/postgres/format.ts";
import { noPostgres, POSTGRES } from "../../testing/stores.ts";
import { createSharedCopies } from "./shared-copies.ts";
import { createSharedSlots } from "./shared-slots.ts";
import { createSharedTurns } from "./shared-turns.ts";
import { createSharedTurnstile } from "./shared-turnstile.ts";

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 30_000, interval: 50 };
const OWNER = { id: "one gateway" };
const never = new AbortController().signal;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open() {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  const connection = await openConnection(POSTGRES!, { schema, maxConnections: 3, patienceMs: 5_000 });
  closing.push(() => connection.close());
  await prepareTables(connection, schema);
  return connection;
}

/** The first statement with this word in it is done, and nobody hears of it: it is tried again, or fails. */
function losing(
  { query }: PostgresConnection,
  word: string,
  { isTriedAgain }: { isTriedAgain: boolean },
): Pick<PostgresConnection, "query"> {
  let isLost = false;
  return {
    async query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]> {
      const rows = await query<Row>(sql, values);
      if (isLost || !sql.includes(word)) return rows;
      isLost = true;
      if (isTriedAgain) return query<Row>(sql, values);
      throw new Error("the answer is lost");
    },
  };
}

const count = async ({ query }: PostgresConnection, table: string) =>
  (await query<{ count: number }>(`SELECT count(*) FROM ${table}`))[0]!.count;

const test = it.skipIf(!POSTGRES);

test(`a turn that is asked for twice is one turn${noPostgres}`, async () => {
  const connection = await open();
  const lost = losing(connection, "INSERT INTO turns", { isTriedAgain: true });
  const leave = await createSharedTurns({ ...OWNER, connection: lost })("a name");
  expect(await count(connection, "turns")).toBe(1);
  await leave();
  expect(await count(connection, "turns")).toBe(0);
});

test("a turn that nobody heard of is given back, and so is one whose end could not be told at first", async () => {
  const connection = await open();
  const lost = losing(connection, "INSERT INTO turns", { isTriedAgain: false });
  await expect(createSharedTurns({ ...OWNER, connection: lost })("a name")).rejects.toThrow("is lost");
  await expect.poll(() => count(connection, "turns"), SOON).toBe(0);
  let isAway = true;
  const away = {
    query: ((sql: string, values?: unknown[]) => {
      if (!isAway || !sql.startsWith("DELETE")) return connection.query(sql, values);
      isAway = false;
      return Promise.reject(new Error("the server is away"));
    }) as PostgresConnection["query"],
  };
  const enter = createSharedTurns({ ...OWNER, connection: away });
  void (await enter("a name"))();
  const leave = await enter("a name");
  // The end of the first one does not end the second.
  expect(await count(connection, "turns")).toBe(1);
  await leave();
});

test("a relayed request that is begun twice is one, and one that nobody heard of keeps no repeat waiting", async () => {
  const connection = await open();
  const asked = { keyId: "key", name: "order 7", hash: "hash" };
  for (const isTriedAgain of [true, false]) {
    const lost = losing(connection, "INSERT INTO relayed_replies", { isTriedAgain });
    const begun = createSharedCopies({ ...OWNER, connection: lost }).begin(asked, never);
    if (!isTriedAgain) await expect(begun).rejects.toThrow("is lost");
    else {
      const reply = await begun;
      if (reply.kind !== "ours") throw new Error(`it is ${reply.kind}`);
      await reply.settle(undefined);
    }
    await expect.poll(() => count(connection, "relayed_replies"), SOON).toBe(0);
  }
});

test("a reply that could not be kept is known to have been given", async () => {
  const connection = await open();
  const lost = losing(connection, "bytes = $5", { isTriedAgain: false });
  const asked = { keyId: "key", name: "order 7", hash: "hash" };
  const first = await createSharedCopies({ ...OWNER, connection: lost }).begin(asked, never);
  const copy = { status: 200, headers: {}, body: Buffer.from("paid for") };
  await expect(first.kind === "ours" && first.settle(copy)).rejects.toThrow("is lost");
  const again = await createSharedCopies({ ...OWNER, connection }).begin(asked, never);
  expect(again).toMatchObject({ kind: "known", copy: { status: 200 } });
});

test("places that were given without an answer are given back: of a key, and of a call that is stopped meanwhile", async () => {
  const connection = await open();
  const key = { id: "key", name: "key", hash: "", hint: "", isAdmin: false, createdAt: 0, concurrency: 1 };
  const turnstile = createSharedTurnstile({
    connection: losing(connection, "enter_gate", { isTriedAgain: false }),
    owner: OWNER.id,
  });
  await expect(turnstile.enter(key)).rejects.toThrow("is lost");
  await expect.poll(() => count(connection, "places"), SOON).toBe(0);

  const stopped = new AbortController();
  const { query } = losing(connection, "enter_gate", { isTriedAgain: false });
  const slots = createSharedSlots({
    ...OWNER,
    connection: {
      query: (async (sql: string, values?: unknown[]) => {
        // As long as the answer is on its way, whoever asked leaves.
        if (sql.includes("enter_gate")) stopped.abort();
        return query(sql, values);
      }) as PostgresConnection["query"],
    },
  });
  await expect(slots.enter("provider", 1, stopped.signal)).rejects.toThrow();
  await expect.poll(() => count(connection, "places"), SOON).toBe(0);
  const leave = await slots.enter("provider", 1, never);
  leave();
});
