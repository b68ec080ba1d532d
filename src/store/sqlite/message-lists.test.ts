// What a journal on disk takes for conversations that are sent whole with every turn, and when it lets go of them.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runEnd, runStart, stepEnd } from "../../testing/events.ts";
import type { Exchange, Message } from "../../worker/types.ts";
import type { RunEvent, Store } from "../types.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let path: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tutti-lists-"));
  path = join(folder, "journal.db");
  store = await openSqliteStore(path);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

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

function count(table: string): number {
  const raw = new Libsql(path, { readonly: true } as object);
  const { rows } = raw.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number };
  raw.close();
  return rows;
}

function bytesOfText(): number {
  const raw = new Libsql(path, { readonly: true } as object);
  const sum = (table: string) =>
    (raw.prepare(`SELECT total(length(json)) AS bytes FROM ${table}`).get() as { bytes: number }).bytes;
  const bytes = sum("events") + sum("messages");
  raw.close();
  return bytes;
}

describe("a long conversation", () => {
  it("takes each message once, however many runs it has, and each run has all of it", async () => {
    const size = async (from: number, to: number) => {
      for (let turn = from; turn <= to; turn++) await store.append(toRun(`run-${turn}`, conversation(turn)));
      return bytesOfText();
    };
    const short = await size(1, 20);
    const long = await size(21, 80);
    expect(long / short).toBeLessThan(4.5);
    expect(count("messages")).toBe(160);
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
    expect(count("messages")).toBe(14);
    expect(await store.loadRun("b")).toEqual(toRun("b", other));
    expect(await store.loadRun("c")).toEqual(toRun("c", conversation(5)));
  });

  it("is there after another opening, and for another process", async () => {
    await store.append(toRun("a", conversation(6)));
    const other = await openSqliteStore(path);
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
    expect(count("messages")).toBe(8 + 8);
  });
});

describe("what was said", () => {
  beforeEach(async () => {
    await store.append(toRun("first", conversation(5)));
    await store.append(toRun("second", [...conversation(5), ...say(7, "secretive")]));
  });

  it("is gone with the last run that needs it, and not before", async () => {
    await store.deleteRun("second");
    expect(count("messages")).toBe(10);
    expect(await store.loadRun("first")).toEqual(toRun("first", conversation(5)));
    await store.stripRun("first");
    expect(count("messages")).toBe(0);
    expect(count("message_lists")).toBe(0);
    expect(JSON.stringify(await store.loadRun("first"))).not.toContain("why");
  });

  it("stays where the shorter conversation is deleted first", async () => {
    await store.stripRun("first");
    expect(await store.loadRun("second")).toHaveLength(3);
    expect(count("messages")).toBe(12);
    await store.prune(Number.MAX_SAFE_INTEGER);
    expect(count("messages")).toBe(0);
    await store.close();
    expect(readFileSync(path).includes("secretive")).toBe(false);
  });

  it("is not remembered by a process whose journal another one has stripped", async () => {
    expect(JSON.stringify(await store.loadRun("second"))).toContain("secretive");
    const other = await openSqliteStore(path);
    await other.stripRun("second");
    await other.close();
    expect(JSON.stringify(await store.loadRun("second"))).not.toContain("secretive");
  });
});
