// Who lives and who has died, by the rows that processes leave: what a dead one has left is given back also where it died a moment
// after it had been taken for dead, and nobody else forgets it.

import { randomBytes } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { openConnection } from "../store/postgres/connection.ts";
import { noPostgres, POSTGRES } from "../testing/stores.ts";
import { createAskRows, prepareAsks } from "./ask-rows.ts";
import { joinExecutors } from "./executors.ts";

vi.setConfig({ testTimeout: 60_000 });
const SOON = { timeout: 30_000, interval: 50 };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function join(options: { scope?: string; watched?: string } = {}) {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  const connection = await openConnection(POSTGRES!, { schema, maxConnections: 2, patienceMs: 5_000 });
  closing.push(() => connection.close());
  await connection.query(`CREATE SCHEMA ${schema}`);
  const found: string[] = [];
  const executors = await joinExecutors({
    ...{ connection, id: "here", scope: "tutti", onError: () => {} },
    async recover(dead) {
      found.push(...dead.map(({ id, scope }) => `${id} of ${scope}`));
    },
    ...options,
  });
  closing.push(() => executors.leave());
  const add = (id: string, scope: string, heartbeat: number) =>
    connection.query("INSERT INTO executors VALUES ($1, 1, 'elsewhere', $3, $2)", [id, scope, heartbeat]);
  const ids = async () =>
    (await connection.query<{ id: string }>("SELECT id FROM executors ORDER BY id")).map(({ id }) => id);
  return { connection, schema, found, add, ids };
}

const test = it.skipIf(!POSTGRES);

test(`what a dead process has left is looked for more than once, and then no more${noPostgres}`, async () => {
  const { connection, found, add, ids } = await join();
  await add("silent", "tutti", 1);
  await expect.poll(() => found.length, SOON).toBeGreaterThan(1);
  expect(new Set(found)).toEqual(new Set(["silent of tutti"]));
  expect(await ids()).toEqual(["here", "silent"]);
  // It was found long ago.
  await connection.query("UPDATE executors SET heartbeat = -1 WHERE id = 'silent'");
  await expect.poll(ids, SOON).toEqual(["here"]);
});

test("one that has said that it lives is not dead, and none of another scope is looked for unless it is watched", async () => {
  const asks = await join({ scope: "asks one", watched: "asks " });
  await asks.add("gateway", "tutti", 0);
  await asks.add("other", "asks other", 0);
  await asks.connection.query(
    "INSERT INTO executors SELECT 'living', 1, 'elsewhere', heartbeat + 3600000, 'asks one' FROM executors WHERE id = 'here'",
  );
  await expect.poll(() => asks.found.length, SOON).toBeGreaterThan(1);
  expect(new Set(asks.found)).toEqual(new Set(["other of asks other"]));
});

test("a gateway that has left is not forgotten by those who sweep asks: its runs wait for the next one", async () => {
  const { connection, schema, add, ids } = await join({ scope: "asks one", watched: "asks " });
  await prepareAsks(connection, schema);
  await add("gateway", "tutti", 0);
  await createAskRows({ connection, executor: "here", queueIn: async () => {} }).sweep();
  expect(await ids()).toEqual(["gateway", "here"]);
});
