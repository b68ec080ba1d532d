// What a journal takes for conversations that are sent whole with every turn, and when it lets go of them: of both that keep text.

import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runEnd, runStart, stepEnd } from "../testing/events.ts";
import { noPostgres, openTestPostgres, POSTGRES, queryTestPostgres } from "../testing/stores.ts";
import type { Exchange, Message } from "../worker/types.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import type { RunEvent, Store } from "./types.ts";

interface Journal {
  /** A new one, or once more the one that is there. */
  open(): Promise<Store>;
  /** One number out of its tables. */
  ask(sql: string): Promise<number>;
  remove(): void;
}

function createFile(): Journal & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), "tutti-lists-"));
  const path = join(folder, "journal.db");
  return {
    path,
    open: () => openSqliteStore(path),
    async ask(sql) {
      const raw = new Libsql(path, { readonly: true } as object);
      const row = raw.prepare(sql).get() as Record<string, number>;
      raw.close();
      return Object.values(row)[0]!;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function createSchema(): Journal {
  const schema = `t_${randomBytes(6).toString("hex")}`;
  return {
    open: () => openTestPostgres({ schema }),
    ask: async (sql) => Number(Object.values((await queryTestPostgres(schema, sql))[0]!)[0]),
    remove: () => {},
  };
}

const say = (turn: number, by = "A"): Message[] => [
  { role: "user", content: `${by} asks ${turn}: ${"why ".repeat(200)}` },
  { role: "assistant", content: `reply ${turn}: ${"because ".repeat(100)}` },
];
const conversation = (turns: number, by?: string) =>
  Array.from({ length: turns }, (_, turn) => say(turn, by)).flat();

/** One run of a conversation, with all that was said before it. */
function toRun(id: string, messages: Message[]): RunEvent[] {
  const start = runStart(id) as Extract<RunEvent, { type: "run-start" }>;
  return [{ ...start, task: { ...start.task, messages } }, stepEnd(id, "ok", 0.1), runEnd(id, "ok")];
}

let journal: Journal;
let store: Store;
const count = (table: string) => journal.ask(`SELECT count(*) AS rows FROM ${table}`);
const bytesOfText = async () =>
  (await journal.ask("SELECT sum(length(json)) AS bytes FROM events")) +
  (await journal.ask("SELECT sum(length(json)) AS bytes FROM messages"));

function open(create: () => Journal): void {
  beforeEach(async () => {
    journal = create();
    store = await journal.open();
  });
  afterEach(async () => {
    await store.close();
    journal.remove();
  });
}

const JOURNALS: [name: string, create: () => Journal][] = [
  ["a file", createFile],
  ...(POSTGRES ? [["Postgres", createSchema] as [string, () => Journal]] : []),
];
if (!POSTGRES) describe.skip(`conversations in Postgres${noPostgres}`, () => {});

describe.each(JOURNALS)("a long conversation in %s", (_, create) => {
  open(create);

  it("takes each message once, however many runs it has, and each run has all of it", async () => {
    const size = async (from: number, to: number) => {
      for (let turn = from; turn <= to; turn++) await store.append(toRun(`run-${turn}`, conversation(turn)));
      return await bytesOfText();
    };
    const short = await size(1, 20);
    const long = await size(21, 80);
    expect(long / short).toBeLessThan(4.5);
    expect(await count("messages")).toBe(160);
    for (const turn of [1, 2, 20, 80])
      expect(await store.loadRun(`run-${turn}`)).toEqual(toRun(`run-${turn}`, conversation(turn)));
  });

  it("that branches shares what its branches have in common", async () => {
    const other = [...conversation(5), ...say(9, "B")];
    await store.append([
      ...toRun("a", conversation(6)),
      ...toRun("b", other),
      ...toRun("c", conversation(5)),
    ]);
    expect(await count("messages")).toBe(14);
    expect(await store.loadRun("b")).toEqual(toRun("b", other));
    expect(await store.loadRun("c")).toEqual(toRun("c", conversation(5)));
  });

  it("is there after another opening, and for another process", async () => {
    await store.append(toRun("a", conversation(6)));
    const other = await journal.open();
    expect(await other.loadRun("a")).toEqual(toRun("a", conversation(6)));
    await other.close();
  });

  it("is shared by what a client has changed of a run that goes on", async () => {
    const exchanges = Array.from({ length: 8 }, (_, turn): Exchange => {
      const toolCalls = [{ id: `call-${turn}`, name: "read", input: "{}" }];
      return {
        reply: { text: "I read on.", toolCalls },
        results: [{ toolCallId: `call-${turn}`, content: "line ".repeat(100) }],
      };
    });
    const resume = (some: Exchange[]): RunEvent => ({
      ...{ type: "run-resume", runId: "a", at: 5 },
      ...{
        toolResults: [{ toolCallId: "call-9", content: "ok" }],
        messages: conversation(4),
        exchanges: some,
      },
    });
    const events = [...toRun("a", conversation(4)), resume(exchanges.slice(0, 6)), resume(exchanges)];
    await store.append(events.slice(0, -1));
    expect(await store.loadRun("a")).toEqual(events.slice(0, -1));
    await store.append(events.slice(-1));
    expect(await store.loadRun("a")).toEqual(events);
    expect(await count("messages")).toBe(8 + 8);
  });
});

describe.each(JOURNALS)("what was said in %s", (_, create) => {
  open(create);

  beforeEach(async () => {
    await store.append(toRun("first", conversation(5)));
    await store.append(toRun("second", [...conversation(5), ...say(7, "secretive")]));
  });

  it("is gone with the last run that needs it, and not before", async () => {
    await store.deleteRun("second");
    expect(await count("messages")).toBe(10);
    expect(await store.loadRun("first")).toEqual(toRun("first", conversation(5)));
    await store.stripRun("first");
    expect(await count("messages")).toBe(0);
    expect(await count("message_lists")).toBe(0);
    expect(JSON.stringify(await store.loadRun("first"))).not.toContain("why");
  });

  it("stays where the shorter conversation is deleted first", async () => {
    await store.stripRun("first");
    expect(await store.loadRun("second")).toHaveLength(3);
    expect(await count("messages")).toBe(12);
    await store.prune(Number.MAX_SAFE_INTEGER);
    expect(await count("messages")).toBe(0);
    await store.close();
    // The server overwrites it when it next cleans the table.
    if ("path" in journal) expect(readFileSync(journal.path as string).includes("secretive")).toBe(false);
  });

  it("is not remembered by a process whose journal another one has stripped", async () => {
    expect(JSON.stringify(await store.loadRun("second"))).toContain("secretive");
    const other = await journal.open();
    await other.stripRun("second");
    await other.close();
    expect(JSON.stringify(await store.loadRun("second"))).not.toContain("secretive");
  });
});

describe.skipIf(!POSTGRES)(`several gateways that keep one conversation${noPostgres}`, () => {
  open(createSchema);

  it("add to it and delete it at once, and never lose what a run needs nor keep what none does", async () => {
    const stores = [store, await journal.open(), await journal.open()];
    const added = (round: number, at: number) => `${round}-${at}`;
    for (let round = 0; round < 8; round++) {
      const turns = [conversation(4), [...conversation(3), ...say(round, "B")], conversation(6)];
      await Promise.all(
        stores.flatMap((each, at) => [
          each.append(toRun(added(round, at), turns[at]!)),
          round > 0 ? each.deleteRun(added(round - 1, at)) : undefined,
        ]),
      );
      for (const at of stores.keys())
        expect(await store.loadRun(added(round, at))).toEqual(toRun(added(round, at), turns[at]!));
    }
    await Promise.all(stores.map((each, at) => each.deleteRun(added(7, at))));
    expect([await count("messages"), await count("message_lists"), await count("events")]).toEqual([0, 0, 0]);
    await Promise.all(stores.slice(1).map((each) => each.close()));
  });

  it("delete the last runs that need a message at the same moment, and it is gone", async () => {
    const stores = [store, await journal.open(), await journal.open()];
    for (let round = 0; round < 10; round++) {
      await store.append(stores.flatMap((_, at) => toRun(`${round}-${at}`, conversation(5))));
      await Promise.all(stores.map((each, at) => each.deleteRun(`${round}-${at}`)));
      expect(await count("messages")).toBe(0);
    }
    await Promise.all(stores.slice(1).map((each) => each.close()));
  });
});
