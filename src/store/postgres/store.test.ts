// What the journal in Postgres promises beyond the port: several processes at once, and a server that comes and goes. That it
// behaves as any store is in ../store.test.ts and the suites beside it.

import { randomBytes } from "node:crypto";
import { createServer, connect as openSocket, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { runEnd, runStart, stepDelta, stepEnd } from "../../testing/events.ts";
import { canStartPostgres, startPostgres } from "../../testing/postgres-server.ts";
import { noPostgres, openTestPostgres, POSTGRES, queryTestPostgres } from "../../testing/stores.ts";
import type { Owner, RunEvent, Store } from "../types.ts";
import { openConnection, toPublicName } from "./connection.ts";
import { NEWEST_FORMAT, prepareTables } from "./format.ts";
import { openPostgresStore } from "./store.ts";

const PATIENT = { timeout: 60_000 };
const SOON = { timeout: 30_000, interval: 50 };
const here: Owner = { id: "here", pid: process.pid, host: "one" };
const there: Owner = { id: "there", pid: process.pid, host: "two" };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
async function opened(store: Promise<Store>): Promise<Store> {
  const done = await store;
  closing.push(() => done.close());
  return done;
}
const newSchema = () => `t_${randomBytes(6).toString("hex")}`;
async function twoStores(): Promise<[Store, Store]> {
  const schema = newSchema();
  // Both find no tables, at the same time.
  const both = await Promise.all([openTestPostgres({ schema }), openTestPostgres({ schema })]);
  for (const store of both) closing.push(() => store.close());
  return [both[0], both[1]];
}

describe.skipIf(!POSTGRES)(`the journal in Postgres${noPostgres}`, PATIENT, () => {
  it("gives a run to one of two processes that want it", async () => {
    const [a, b] = await twoStores();
    for (let i = 0; i < 20; i++) {
      const won = await Promise.all([a.claim(`r${i}`, here), b.claim(`r${i}`, there)]);
      expect(won.filter(Boolean)).toHaveLength(1);
    }
  });

  it("gives a run to one of two that want it in the same process, and renews the claims of many at once", async () => {
    const schema = newSchema();
    const store = await opened(openTestPostgres({ schema }));
    const won = await Promise.all([store.claim("r", here), store.claim("r", there)]);
    expect(won).toEqual([true, false]);
    const runs = Array.from({ length: 300 }, (_, i) => `many${i}`);
    const claimAll = () => Promise.all(runs.map((run) => store.claim(run, here)));
    expect(new Set(await claimAll())).toEqual(new Set([true]));
    const other = await opened(openTestPostgres({ schema, now: () => Date.now() + 20_000 }));
    expect(await other.claim("many7", there)).toBe(true);
    const renewed = await claimAll();
    expect(runs.filter((_, i) => !renewed[i])).toEqual(["many7"]);
  });

  it("takes a dead process's run over by the server's clock, and refuses what the loser still writes", async () => {
    let clock = 1_000_000;
    const schema = newSchema();
    const options = { schema, now: () => clock };
    const [a, b] = [await opened(openTestPostgres(options)), await opened(openTestPostgres(options))];
    expect(await a.claim("r", here)).toBe(true);
    await a.append([runStart("r")], here);
    expect(await b.claim("r", there)).toBe(false);
    clock += 16_000;
    expect(await b.claim("r", there)).toBe(true);
    const refused = { code: "run-busy" };
    await expect(a.append([stepDelta("r", "late")], here)).rejects.toMatchObject(refused);
    await b.append([runEnd("r", "done")], there);
    // Also when the other one has nothing more to do with it: a process that was frozen wakes up, and says that it lives.
    await b.release("r", there);
    expect(await a.claim("r", here)).toBe(false);
    await expect(a.append([stepDelta("r", "late")], here)).rejects.toMatchObject(refused);
    // Not even where its own process has taken the run again, for somebody else.
    const again = { ...here, id: "again" };
    expect(await a.claim("r", again)).toBe(true);
    await a.release("r", here);
    await expect(a.append([stepDelta("r", "late")], here)).rejects.toMatchObject(refused);
    await a.append([stepDelta("r", "again")], again);
    await a.release("r", again);
    // Two of one batch, of which the first one is refused: the second is tried alone, and refused too.
    const late = [1, 2].map(() => a.append([stepDelta("r", "late")], here));
    const [first, second] = await Promise.allSettled(late);
    expect([first, second].map((each) => each!.status)).toEqual(["rejected", "rejected"]);
    expect((await b.loadRun("r")).map(({ type }) => type)).toEqual([
      ...["run-start", "run-end", "step-delta"],
    ]);
  });

  it("gives a run that was lost not back to who lost it, also where its own process has had it meanwhile", async () => {
    let clock = 0;
    const store = await opened(openTestPostgres({ schema: newSchema(), now: () => clock }));
    expect(await store.claim("r", here)).toBe(true);
    clock += 16_000;
    const other = { ...here, id: "other" };
    expect(await store.claim("r", other)).toBe(true);
    await store.release("r", other);
    expect(await store.claim("r", here)).toBe(false);
    // Once it has given it up it may begin anew.
    await store.release("r", here);
    expect(await store.claim("r", here)).toBe(true);
  });

  it.each(Array.from({ length: NEWEST_FORMAT - 1 }, (_, i) => i + 1))(
    "upgrades tables of format %i with what is in them, and tells what caches took and saved",
    async (format) => {
      const schema = newSchema();
      const connection = await openConnection(POSTGRES!, { schema, maxConnections: 1, patienceMs: 0 });
      await prepareTables(connection, schema, format);
      const price = { inputUsd: 10, outputUsd: 50, cachedInputUsd: 1 };
      const step = stepEnd("r", "reply", 0.25) as Extract<RunEvent, { type: "step-end" }>;
      const usage = { inputTokens: 2_000, outputTokens: 1, reasoningTokens: 0, cachedInputTokens: 1_000 };
      const events: RunEvent[] = [
        {
          ...runStart("r"),
          pool: [{ id: "w", kind: "model", price }],
          origin: { model: "w", dialect: "chat" },
        },
        { ...step, spending: { ...step.spending, usage } },
        runEnd("r", "reply"),
      ];
      for (const event of events)
        await connection.query("INSERT INTO events (run, json) VALUES ('r', $1)", [JSON.stringify(event)]);
      // The first format knew no caches, and the second has counted them while it wrote.
      const [more, values] =
        format === 1 ? ["", ""] : [", cached_input_tokens, cache_saved_usd", ", 1000, 0.009"];
      await connection.query(
        `INSERT INTO runs (id, top, started, ended, question, folded, conductor, simulated, cost_usd, estimated_usd,
           calls, input_tokens, output_tokens, stripped, model, dialect${more})
         VALUES ('r', 'r', 0, 1, 'q', 'q', 'c', false, 0.25, 0, 1, 2000, 1, false, 'w', 'chat'${values})`,
      );
      await connection.close();
      const store = await opened(openTestPostgres({ schema }));
      expect(await store.loadRun("r")).toEqual(events);
      const [row] = await store.sumSpending();
      expect(row).toMatchObject({ runs: 1, cachedInputTokens: 1_000, cacheWriteTokens: 0 });
      expect(row!.cacheSavedUsd).toBeCloseTo(0.009, 9);
      expect(await queryTestPostgres(schema, "SELECT version FROM format")).toEqual([
        { version: NEWEST_FORMAT },
      ]);
      // All that later formats have brought can be used.
      const said = [1, 2, 3].map(() => ({ role: "user" as const, content: "why ".repeat(200) }));
      const next = { ...runStart("next"), task: { messages: said } };
      await store.append([next as RunEvent]);
      expect(await store.loadRun("next")).toEqual([next]);
    },
  );

  it("refuses tables of a newer format, and leaves them as they are", async () => {
    const schema = newSchema();
    await (await openTestPostgres({ schema })).close();
    await queryTestPostgres(schema, "UPDATE format SET version = 1000");
    await expect(openTestPostgres({ schema })).rejects.toMatchObject({ code: "journal-version" });
    expect(await queryTestPostgres(schema, "SELECT version FROM format")).toEqual([{ version: 1000 }]);
  });

  it("keeps no money of a reservation that it could not tell of", async () => {
    const schema = newSchema();
    const store = await opened(openTestPostgres({ schema }));
    const proxy = await startProxy(POSTGRES!);
    closing.push(() => proxy.close());
    const through = await opened(
      openPostgresStore(proxy.address, { schema, maxConnections: 1, patienceMs: 0 }),
    );
    proxy.cutAfter("COMMIT");
    const asked = {
      runId: "r",
      keyId: "key",
      wantedUsd: 1,
      leastUsd: 1,
      budgetUsd: 10,
      from: 0,
      owner: here,
    };
    await expect(through.reserve(asked)).rejects.toMatchObject({ code: "journal-failed" });
    expect(proxy.cuts()).toBe(1);
    await expect.poll(() => store.loadAccount("key", 0), SOON).toEqual({ spentUsd: 0, reservedUsd: 0 });
  });

  it("never gives away more of a budget than there is, from two processes at once", async () => {
    const [a, b] = await twoStores();
    const request = (store: Store, i: number) =>
      store.reserve({
        ...{ runId: `r${i}`, keyId: "key", wantedUsd: 1, leastUsd: 1, budgetUsd: 10, from: 0 },
        owner: store === a ? here : there,
      });
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => request(i % 2 ? a : b, i)));
    expect(replies.filter(({ ok }) => ok)).toHaveLength(10);
    expect(await a.loadAccount("key", 0)).toEqual({ spentUsd: 0, reservedUsd: 10 });
  });

  it("appends once what was committed without an answer", async () => {
    const proxy = await startProxy(POSTGRES!);
    closing.push(() => proxy.close());
    const schema = newSchema();
    const store = await opened(openPostgresStore(proxy.address, { schema, maxConnections: 1 }));
    await store.append([runStart("r")]);
    proxy.cutAfter("append_events");
    await store.append([stepDelta("r", "once")]);
    expect(proxy.cuts()).toBe(1);
    expect(await store.loadRun("r")).toHaveLength(2);
  });

  it("tells once that a server that has never answered is waited for", async () => {
    const told: string[] = [];
    const options = { patienceMs: 4_000, onWaiting: (text: string) => void told.push(text) };
    await expect(openPostgresStore("postgres://me:a-secret@127.0.0.1:1/db", options)).rejects.toThrow();
    expect(told).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:1\/db does not answer yet .* 4 s at the most\.$/),
    ]);
  });

  it("says what a user lacks who may not use the tables of another one", async () => {
    const schema = newSchema();
    await (await openTestPostgres({ schema })).close();
    await queryTestPostgres(schema, `CREATE ROLE role_${schema} LOGIN PASSWORD 'word'`);
    const address = Object.assign(new URL(POSTGRES!), { username: `role_${schema}`, password: "word" });
    await expect(openPostgresStore(address.href, { schema })).rejects.toThrow(
      /GRANT USAGE, CREATE ON SCHEMA/,
    );
  });

  it("says what is wrong without the password", async () => {
    const address = POSTGRES!.replace("tutti@", "tutti:a-secret@");
    const wrong = address.replace(/\/postgres$/, "/nowhere");
    const refused = openPostgresStore(wrong, { patienceMs: 0 });
    await expect(refused).rejects.toThrow(/nowhere.*createdb/);
    await expect(refused).rejects.not.toThrow(/a-secret/);
    expect(toPublicName("postgres://me:pw@db.example:5433/team")).toBe("db.example:5433/team");
    await expect(openPostgresStore("postgres://[", {})).rejects.toThrow(/is not a URL/);
    const silent = openPostgresStore("postgres://me:a-secret@127.0.0.1:1/db", { patienceMs: 0 });
    await expect(silent).rejects.toMatchObject({ code: "journal-failed" });
    await expect(silent).rejects.not.toThrow(/a-secret/);
  });
});

describe.skipIf(!canStartPostgres())(`a Postgres that comes and goes${noPostgres}`, PATIENT, () => {
  it("loses nothing when it is stopped and started again under load", async () => {
    const server = await startPostgres();
    closing.push(() => server.remove());
    const store = await opened(openPostgresStore(server.address, { patienceMs: 30_000 }));
    await store.append([runStart("r")]);
    const sent: Promise<void>[] = [];
    const send = (count: number) => {
      for (let i = 0; i < count; i++)
        sent.push(Promise.resolve(store.append([stepDelta("r", `${sent.length}`)])));
    };
    send(20);
    await server.stop();
    send(20);
    await server.start();
    send(20);
    await Promise.all(sent);
    const texts = (await store.loadRun("r")).flatMap((event) =>
      event.type === "step-delta" ? [event.text] : [],
    );
    expect(texts).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`));
  });
});

/** A network between store and server that can be cut just after the server was sent a word. */
async function startProxy(address: string) {
  const { port: targetPort, hostname } = new URL(address);
  let word: string | undefined;
  let cuts = 0;
  const open = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = openSocket(Number(targetPort), hostname);
    let isCut = false;
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => {}).on("close", () => open.delete(socket));
    }
    client.on("data", (chunk) => {
      server.write(chunk);
      if (word === undefined || !chunk.includes(word)) return;
      word = undefined;
      isCut = true;
      cuts++;
    });
    // The server has answered, so it is done there; the answer is lost.
    server.on("data", (chunk) => (isCut ? client.destroy() : client.write(chunk)));
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  return {
    address: address.replace(`:${targetPort}/`, `:${port}/`),
    cutAfter: (text: string) => {
      word = text;
    },
    cuts: () => cuts,
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
