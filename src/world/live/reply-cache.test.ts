import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { AskBudget, Ledger } from "../../perform/ledger.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../../testing/gateway/chat-server.ts";
import { scriptedWorker } from "../../testing/stage.ts";
import { createFiles } from "../../testing/temporary-files.ts";
import { loadModel } from "../../worker/models.ts";
import { createModelWorker } from "../../worker/provider.ts";
import type { PoolMember, Worker, WorkerEvent, WorkerRequest } from "../../worker/types.ts";
import { createCachingWorker } from "./caching-worker.ts";
import { keyOf, openReplyCache } from "./reply-cache.ts";

const files = createFiles();
let used = 0;
const newFile = () => join(files.folder, String(used++), "replies.jsonl");
const never = new AbortController().signal;
const PRICE = { inputUsd: 1, outputUsd: 10 };

function asking(content: string, rest: Partial<WorkerRequest> = {}): WorkerRequest {
  return { messages: [{ role: "user", content }], maxOutputTokens: 100, ...rest };
}

async function collect(worker: Worker, request: WorkerRequest, signal = never): Promise<WorkerEvent[]> {
  const events: WorkerEvent[] = [];
  for await (const event of worker.ask(request, signal)) events.push(event);
  return events;
}

async function say(worker: Worker, request: WorkerRequest, signal = never): Promise<string> {
  const events = await collect(worker, request, signal);
  expect(events.at(-1)!.type).toBe("finish");
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}

let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(reply: (count: number) => ChatReply): Promise<PoolMember> {
  server = await startChatServer({ reply: ({ count }) => reply(count) });
  const { baseUrl } = server;
  const address = { provider: "test", protocol: "openai-compatible" as const, baseUrl, model: "m" };
  return { worker: createModelWorker("test/m", () => loadModel(address)), price: PRICE };
}

describe("a caching worker", () => {
  test("asks a server once for the same, also at the same time and after a restart", async () => {
    const file = newFile();
    const member = await serve((count) => ({ text: `reply ${count}, in some pieces`, chunks: 5 }));
    const budget = new AskBudget(new Ledger(1));
    const cache = await openReplyCache(file);
    const worker = createCachingWorker(member, cache, budget);
    const together = await Promise.all(Array.from({ length: 8 }, () => say(worker, asking("one"))));
    expect(new Set(together)).toEqual(new Set(["reply 0, in some pieces"]));
    expect(server!.requests).toHaveLength(1);
    const spent = budget.spentUsd;
    expect(spent).toBeGreaterThan(0);

    expect(await say(worker, asking("one", { seed: 9 }))).toBe("reply 0, in some pieces");
    expect(await say(worker, asking("two"))).toBe("reply 1, in some pieces");
    expect(server!.requests).toHaveLength(2);
    cache.close();

    const reopened = await openReplyCache(file);
    const fresh = new AskBudget(new Ledger(1));
    const later = createCachingWorker(member, reopened, fresh);
    expect(await collect(later, asking("two"))).toEqual([
      { type: "text-delta", text: "reply 1, in some pieces" },
      expect.objectContaining({ type: "finish", usage: expect.objectContaining({ inputTokens: 10 }) }),
    ]);
    expect(server!.requests).toHaveLength(2);
    expect(fresh.spentUsd).toBe(0);
    expect(reopened.costUsd).toBeCloseTo(budget.spentUsd, 12);
    reopened.close();
  });

  test("has the reply on disk before it tells its end", async () => {
    const file = newFile();
    const cache = await openReplyCache(file);
    const worker = createCachingWorker(
      { worker: scriptedWorker("w", "hello"), price: PRICE },
      cache,
      new AskBudget(new Ledger(1)),
    );
    let ends = 0;
    for await (const event of worker.ask(asking("x"), never)) {
      if (event.type !== "finish") continue;
      ends++;
      const { events } = JSON.parse(readFileSync(file, "utf8"));
      expect(events).toEqual([{ type: "text-delta", text: "hello" }, event]);
    }
    expect(ends).toBe(1);
    cache.close();
  });

  test("does not keep a failure, but what it may have cost", async () => {
    const file = newFile();
    const cache = await openReplyCache(file);
    const budget = new AskBudget(new Ledger(1));
    const failing = scriptedWorker("w", (_, __, call) =>
      call === 0 ? [{ type: "text-delta", text: "half of" }] : "whole",
    );
    const worker = createCachingWorker({ worker: failing, price: PRICE }, cache, budget);
    await expect(say(worker, asking("x"))).rejects.toMatchObject({ code: "stream-cut", retryable: true });
    const lost = budget.spentUsd;
    expect(lost).toBeGreaterThan(0);
    expect(cache.size).toBe(0);
    expect(await say(worker, asking("x"))).toBe("whole");
    expect(failing.requests).toHaveLength(2);
    cache.close();
    const reopened = await openReplyCache(file);
    expect(reopened.size).toBe(1);
    expect(reopened.costUsd).toBeCloseTo(budget.spentUsd, 12);
    reopened.close();
  });

  test("one that leaves does not take the reply from the others; the last that leaves stops the ask", async () => {
    const cache = await openReplyCache(newFile());
    let release = () => {};
    const signals: AbortSignal[] = [];
    const slow = scriptedWorker("w", async (_, signal) => {
      signals.push(signal);
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        signal.addEventListener("abort", () => reject(new TuttiError("aborted", "stopped")));
      });
      return "at last";
    });
    const worker = createCachingWorker({ worker: slow, price: PRICE }, cache, new AskBudget(new Ledger(1)));
    const [impatient, other] = [new AbortController(), new AbortController()];
    const left = say(worker, asking("x"), impatient.signal);
    const stays = say(worker, asking("x"), other.signal);
    impatient.abort();
    await expect(left).rejects.toMatchObject({ code: "aborted" });
    expect(signals[0]!.aborted).toBe(false);
    release();
    expect(await stays).toBe("at last");
    expect(slow.requests).toHaveLength(1);

    const alone = new AbortController();
    const asked = say(worker, asking("y"), alone.signal);
    await Promise.resolve();
    alone.abort();
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
    const again = say(worker, asking("y"));
    while (signals.length < 3) await Promise.resolve();
    expect(signals[1]!.aborted).toBe(true);
    release();
    expect(await again).toBe("at last");
    cache.close();
  });
});

describe("the key of a reply", () => {
  test("differs by worker, words, length and stops, and not by seed or brief", () => {
    const key = keyOf("w", asking("x"));
    expect(keyOf("w", asking("x", { seed: 3 }))).toBe(key);
    const others = [
      keyOf("v", asking("x")),
      keyOf("w", asking("y")),
      keyOf("w", asking("x", { maxOutputTokens: 99 })),
      keyOf("w", asking("x", { stop: ["."] })),
      keyOf("w", asking("x", { temperature: 0 })),
      keyOf("w", asking("x", { responseFormat: { type: "json" } })),
    ];
    expect(new Set([key, ...others]).size).toBe(7);
  });
});

describe("the file", () => {
  async function withReplies(count: number): Promise<string> {
    const file = newFile();
    const cache = await openReplyCache(file);
    const worker = createCachingWorker(
      { worker: scriptedWorker("w", "rëply ✓") },
      cache,
      new AskBudget(new Ledger(Infinity)),
    );
    for (let i = 0; i < count; i++) await say(worker, asking(`question ${i}`));
    cache.close();
    return file;
  }

  test("survives a kill at any byte of its last line, and goes on", async () => {
    const whole = readFileSync(await withReplies(3));
    const lastLine = whole.lastIndexOf(0x0a, whole.length - 2) + 1;
    for (let end = lastLine; end <= whole.length; end++) {
      const file = files.write(`torn/${end}.jsonl`, whole.subarray(0, end));
      const cache = await openReplyCache(file);
      // Only the line end is missing: then the row is whole.
      expect(cache.size).toBe(end >= whole.length - 1 ? 3 : 2);
      const asked = scriptedWorker("w", "again");
      const worker = createCachingWorker({ worker: asked }, cache, new AskBudget(new Ledger(Infinity)));
      for (let i = 0; i < 4; i++) await say(worker, asking(`question ${i}`));
      expect(asked.requests).toHaveLength(cache.size === 4 && end >= whole.length - 1 ? 1 : 2);
      cache.close();
      const reopened = await openReplyCache(file);
      expect(reopened.size).toBe(4);
      reopened.close();
    }
  });

  test("broken in its middle is refused, with the line", async () => {
    const file = await withReplies(2);
    writeFileSync(file, readFileSync(file, "utf8").replace('{"key"', '{"ke'));
    await expect(openReplyCache(file)).rejects.toThrow(`${file}:1: not JSON`);
    const other = await withReplies(1);
    appendFileSync(other, '{"key":"k","worker":"w","events":[{"type":"text-delta","text":"cut"}]}\n');
    await expect(openReplyCache(other)).rejects.toThrow('must be a list that ends with "finish"');
    // A refusal lets go of the file.
    await expect(openReplyCache(other)).rejects.toMatchObject({ code: "bad-file" });
  });

  test("belongs to one training at a time", async () => {
    const file = newFile();
    const cache = await openReplyCache(file);
    await expect(openReplyCache(file)).rejects.toMatchObject({ code: "cache-active" });
    cache.close();
    (await openReplyCache(file)).close();
  });
});
