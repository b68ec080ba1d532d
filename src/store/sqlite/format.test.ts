// Journals of earlier formats: what an earlier Tutti has written is there, and stays there, in this one.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { gatewayStart, planEnd, runEnd, runStart, stepEnd, stepError } from "../../testing/events.ts";
import { toRelayedEvents } from "../relayed-run.ts";
import type { RunEvent } from "../types.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-format-"));
  path = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** As Tutti 0.1 made it. */
const FORMAT_1 = `
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  CREATE TABLE runs (
    id TEXT PRIMARY KEY, parent TEXT, top TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER,
    question TEXT NOT NULL, answer TEXT, folded TEXT, conductor TEXT NOT NULL, simulated INTEGER NOT NULL,
    stop_reason TEXT, cost_usd REAL NOT NULL DEFAULT 0, calls INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_by_start ON runs (started, id);
  CREATE INDEX runs_top_level ON runs (started, id) WHERE parent IS NULL;
  CREATE INDEX runs_open ON runs (started, id) WHERE ended IS NULL;
  CREATE INDEX runs_nested ON runs (parent) WHERE parent IS NOT NULL;
  CREATE TABLE claims (
    run TEXT PRIMARY KEY, owner TEXT NOT NULL, pid INTEGER NOT NULL, host TEXT NOT NULL, heartbeat INTEGER NOT NULL
  );
  CREATE TABLE events (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, json TEXT NOT NULL);
  CREATE INDEX events_of_run ON events (run);
  INSERT INTO runs VALUES ('done', NULL, 'done', 1, 9, 'What is 6 × 7?', '42', NULL, 'fixed', 0, 'done', 0.5, 3);
  INSERT INTO runs VALUES ('open', NULL, 'open', 2, NULL, 'ÉTÉ?', NULL, 'été?', 'fixed', 0, NULL, 0.25, 1);
  INSERT INTO runs VALUES ('torn', NULL, 'torn', 3, NULL, 'torn', NULL, NULL, 'fixed', 0, NULL, 0, 0);
  PRAGMA user_version = 1;
`;
const done: RunEvent[] = [
  runStart("done", 1),
  planEnd("done", "plan", 0.25),
  stepError("done", "broke"),
  stepEnd("done", "42", 0.25),
  runEnd("done", "42", 9),
];
const open = [runStart("open", 2, "ÉTÉ?"), stepEnd("open", "so far", 0.25)];

/** As 0.1 wrote an event: the Conductor by its name, an end that does not say whether there is an answer. */
function toOldJson(event: RunEvent): string {
  if (event.type === "run-end") return JSON.stringify({ ...event, hasAnswer: undefined });
  if (event.type !== "run-start") return JSON.stringify(event);
  return JSON.stringify({ ...event, settings: { ...event.settings, conductor: "fixed" } });
}

function writeFormat1(): void {
  const raw = new Libsql(path);
  raw.exec(FORMAT_1);
  const insert = raw.prepare("INSERT INTO events (run, json) VALUES (?, ?)");
  for (const event of [...done, ...open]) insert.run(event.runId, toOldJson(event));
  insert.run("torn", '{"type":"run-sta');
  raw.close();
}

it("a journal of format 1 is read and written on, with the tokens its events tell", async () => {
  writeFormat1();
  const store = await openSqliteStore(path);
  expect(await store.loadRun("done")).toEqual(done);
  expect(await store.loadRun("open")).toEqual(open);
  const [torn, second, first] = await store.listRuns();
  expect(first).toMatchObject({
    id: "done",
    inputTokens: 3,
    outputTokens: 3,
    costUsd: 0.5,
    isStripped: false,
  });
  expect(first!.origin).toBeUndefined();
  expect(second).toMatchObject({ id: "open", state: "interrupted", inputTokens: 1, question: "ÉTÉ?" });
  expect(torn).toMatchObject({ id: "torn", inputTokens: 0 });

  await store.append([stepEnd("open", "more", 0.25), runEnd("open", "more", 5)]);
  await store.append([
    gatewayStart("new", { keyId: "k1" }, 7),
    stepEnd("new", "r", 0.5),
    runEnd("new", "r", 8),
  ]);
  expect(await store.loadRun("open")).toHaveLength(4);
  expect((await store.listRuns({ text: "été" })).map((run) => run.inputTokens)).toEqual([2]);
  expect(await store.sumSpending({ keyId: "k1" })).toMatchObject([{ runs: 1, costUsd: 0.5 }]);
  expect(await store.stripRun("done")).toBe(true);
  expect(await store.deleteRun("torn")).toBe(true);
  await store.close();
});

it("is brought up once, and has then the tables of a new one", async () => {
  writeFormat1();
  for (const file of [path, path, join(folder, "new.db")]) await (await openSqliteStore(file)).close();
  const [old, fresh] = [path, join(folder, "new.db")].map((file) => {
    const raw = new Libsql(file);
    const columns = raw
      .prepare(
        "SELECT m.name, c.name AS part FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'",
      )
      .all();
    const indexes = raw
      .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name")
      .all();
    const version = raw.prepare("PRAGMA user_version").get() as { user_version: number };
    raw.close();
    return { columns, indexes, version: version.user_version };
  });
  expect(old).toEqual(fresh);
  expect(old!.version).toBe(6);
});

const PRICE = { inputUsd: 10, outputUsd: 50, cachedInputUsd: 1, cacheWriteUsd: 12.5 };
const POOL = [{ id: "w", kind: "model" as const, price: PRICE }];

/** As format 5 knew a reply of the worker above. */
function cachedStep(runId: string, cachedInputTokens: number, cacheWriteTokens = 0): RunEvent {
  const usage = { inputTokens: 2_000, outputTokens: 1, reasoningTokens: 0, cachedInputTokens };
  const step = stepEnd(runId, "r") as Extract<RunEvent, { type: "step-end" }>;
  return { ...step, spending: { usage: { ...usage, cacheWriteTokens }, costUsd: 0.25, calls: 1 } };
}

/** Takes out of a new file what came with format 6. */
function toFormat5(): void {
  const raw = new Libsql(path);
  raw.exec("DROP INDEX runs_of_key");
  for (const table of ["runs", "bill"])
    for (const column of ["cached_input_tokens", "cache_write_tokens", "cache_saved_usd"])
      raw.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
  raw.exec(`CREATE INDEX runs_of_key ON runs (
    key_id, started, id, parent, simulated, cost_usd, estimated_usd, calls, input_tokens, output_tokens
  ) WHERE key_id IS NOT NULL; PRAGMA user_version = 5`);
  raw.close();
}

it("a journal of format 5 tells what caches took and saved, from its events of whatever form", async () => {
  const start = (id: string, keyId: string): RunEvent => ({
    ...(gatewayStart(id, { keyId }, 1, "What? ".repeat(400)) as Extract<RunEvent, { type: "run-start" }>),
    pool: POOL,
  });
  const relayed = toRelayedEvents({
    ...{ runId: "relayed", startedAt: 3, endedAt: 4, text: "", stopReason: "done" as const },
    origin: { model: "w", dialect: "chat", keyId: "k2" },
    entry: POOL[0]!,
    spending: (cachedStep("relayed", 1_000) as Extract<RunEvent, { type: "step-end" }>).spending,
  });
  const written = await openSqliteStore(path);
  // Rows of one event, of several, with a long conversation beside them, and compact.
  await written.append([start("pieces", "k1")]);
  await written.append([cachedStep("pieces", 0, 1_000)]);
  await written.append([cachedStep("pieces", 1_000), runEnd("pieces", "r")]);
  await written.append([start("gone", "k1"), cachedStep("gone", 1_000), runEnd("gone", "r")]);
  await written.append(relayed);
  await written.deleteRun("gone");
  await written.close();
  toFormat5();
  const raw = new Libsql(path);
  raw
    .prepare("INSERT INTO events (run, json) VALUES (?, ?)")
    .run("pieces", '{"type":"step-end","x":{"cachedInputTokens":9');
  raw.close();

  const store = await openSqliteStore(path);
  const [first, second] = await store.sumSpending({ groupBy: ["key"] });
  expect(first).toMatchObject({ runs: 2, cachedInputTokens: 1_000, cacheWriteTokens: 1_000 });
  expect(first!.cacheSavedUsd).toBeCloseTo(0.009 - 0.0025, 9);
  expect(second).toMatchObject({ runs: 1, cachedInputTokens: 1_000, cacheWriteTokens: 0 });
  expect(second!.cacheSavedUsd).toBeCloseTo(0.009, 9);
  await store.close();
});

it("of two processes that find the old format one changes it, and both can write", async () => {
  writeFormat1();
  const stores = await Promise.all([openSqliteStore(path), openSqliteStore(path)]);
  await Promise.all(stores.map((store, i) => store.append([runStart(`after-${i}`, 10 + i)])));
  expect((await stores[0]!.listRuns({ limit: 2 })).map((run) => run.id)).toEqual(["after-1", "after-0"]);
  await Promise.all(stores.map((store) => store.close()));
});
