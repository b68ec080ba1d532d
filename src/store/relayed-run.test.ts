// A relayed run in a row of its own kind: whoever reads it sees what any store would have kept.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Libsql from "libsql";
import { afterEach, beforeEach, expect, it } from "vitest";
import { registerSecret } from "../base/redact.ts";
import { runEnd, runStart, stepEnd } from "../testing/events.ts";
import { createMemoryStore } from "./memory.ts";
import { type RelayedFacts, toRelayedEvents } from "./relayed-run.ts";
import { openSqliteStore } from "./sqlite/store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tutti-relayed-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, reasoningTokens: 0 };
const whole: RelayedFacts = {
  runId: "whole",
  startedAt: 10,
  endedAt: 25,
  origin: { model: "stub/a", dialect: "chat", keyId: "k1", user: "ann", metadata: { app: "x" } },
  entry: { id: "stub/a", kind: "model", price: { inputUsd: 1, outputUsd: 2 } },
  spending: { usage, costUsd: 0.25, calls: 1 },
  text: "",
  finishReason: "stop",
  firstTokenMs: 4,
  stopReason: "done",
};
const error = { code: "provider-error", message: "Its key sk-abcdefgh12345678 is bad", retryable: false };
const broken: RelayedFacts = {
  ...whole,
  runId: "broken",
  startedAt: 11,
  spending: { usage, calls: 1, estimated: true },
  stopReason: "answer-cut",
  error,
  isDelivered: true,
};
const told = {
  ...whole,
  runId: "told",
  task: { messages: [{ role: "user" as const, content: "Why?" }] },
  text: "Because.",
};

it("reads as in any other store, in lists and bills too, and is small on disk", async () => {
  const path = join(folder, "journal.db");
  const stores = [createMemoryStore(), await openSqliteStore(path)];
  const others = [runStart("other", 5), stepEnd("other", "x", 0.5), runEnd("other", "x", 9)];
  const events = [
    ...toRelayedEvents(whole),
    ...others.slice(0, 2),
    ...toRelayedEvents(broken),
    ...others.slice(2),
  ];
  const [memory, sqlite] = await Promise.all(
    stores.map(async (store) => {
      await store.append([...events, ...toRelayedEvents(told)]);
      const ids = ["whole", "broken", "told", "other"];
      const found = {
        runs: await Promise.all(ids.map((id) => store.loadRun(id))),
        list: await store.listRuns(),
        bill: await store.sumSpending({ groupBy: ["user", "metadata.app"] }),
        account: await store.loadAccount("k1", 0),
        isStripped: await store.stripRun("told"),
        afterwards: await store.loadRun("told"),
      };
      return JSON.parse(JSON.stringify(found));
    }),
  );
  expect(sqlite).toEqual(memory);
  expect(sqlite.runs[0]).toHaveLength(6);
  expect(JSON.stringify(sqlite.runs[1])).not.toContain("sk-abcdefgh");
  const raw = new Libsql(path, { readonly: true } as object);
  const { bytes } = raw.prepare("SELECT length(json) AS bytes FROM events WHERE run = 'whole'").get() as {
    bytes: number;
  };
  raw.close();
  expect(bytes).toBeLessThan(JSON.stringify(toRelayedEvents(whole)).length / 3);
  await Promise.all(stores.map((store) => store.close()));
});

it("has no registered secret in it, whatever a client calls itself", async () => {
  registerSecret("very-secret-value-1");
  const store = await openSqliteStore(join(folder, "journal.db"));
  await store.append(
    toRelayedEvents({ ...whole, origin: { ...whole.origin, user: "I am very-secret-value-1" } }),
  );
  expect(JSON.stringify(await store.loadRun("whole"))).not.toContain("very-secret");
  expect((await store.listRuns())[0]!.origin!.user).not.toContain("very-secret");
  await store.close();
});
