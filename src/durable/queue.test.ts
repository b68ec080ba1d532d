// The queue of asks in one process that asks and takes; several processes are in src/cli/work/.

import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createTestDatabase, noPostgres, POSTGRES, readTables } from "../testing/stores.ts";
import type { Pool, Worker, WorkerEvent, WorkerRequest } from "../worker/types.ts";
import { type AskQueue, openQueue, type QueueOptions, toQueue } from "./queue.ts";
import { spreadPool } from "./queued-worker.ts";

const USAGE = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 };
const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

let opened: AskQueue | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

function toPool(ask: Worker["ask"]): Pool {
  return { members: [{ worker: { id: "acme/echo", kind: "model", ask } }] };
}

async function open(address: string, ask: Worker["ask"], more: Partial<QueueOptions> = {}): Promise<Worker> {
  const pool = toPool(ask);
  const spread = spreadPool(pool, () => toQueue("acme"));
  opened = await openQueue(address, {
    pool,
    digests: { "acme/echo": "1" },
    digest: "one",
    providerOf: () => "acme",
    limits: { perProcess: 4, perProvider: {} },
    asking: { title: "a test", owner: "test", spread },
    onWarning: () => {},
    drainMs: 5_000,
    ...more,
  });
  return spread.pool.members[0]!.worker;
}

async function* echo({ messages }: WorkerRequest): AsyncIterable<WorkerEvent> {
  const text = String(messages[0]!.content);
  yield { type: "text-delta", text: text.slice(0, 2) };
  yield { type: "text-delta", text: text.slice(2) };
  yield { type: "finish", usage: USAGE, reason: "stop" };
}

function toRequest(content: string, name?: string): WorkerRequest {
  const ask = name === undefined ? undefined : { run: "run", name };
  return { messages: [{ role: "user", content }], maxOutputTokens: 10, ask };
}

async function collect(events: AsyncIterable<WorkerEvent>): Promise<WorkerEvent[]> {
  const all: WorkerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe.skipIf(!POSTGRES)(`a queue of asks${noPostgres}`, () => {
  it("brings a reply whole, and keeps nothing of it once that was kept elsewhere", async () => {
    const address = await createTestDatabase();
    const worker = await open(address, echo);
    const secret = randomBytes(8).toString("hex");
    const events = await collect(worker.ask(toRequest(`hello ${secret}`, "0.0.0"), NEVER));
    expect(events).toEqual([
      { type: "text-delta", text: `hello ${secret}` },
      { type: "finish", usage: USAGE, reason: "stop", tookMs: expect.any(Number) },
    ]);
    // The question is gone as soon as it is answered; the answer is there for whoever was killed meanwhile.
    const { asks } = await readTables(address, "tutti");
    expect(asks).toMatchObject([{ request: null, ended: true }]);
    expect(asks![0]!.events).toContain(secret);
    worker.forget!("run");
    await expect.poll(async () => (await readTables(address, "tutti")).asks).toEqual([]);
    expect(JSON.stringify(await readTables(address, "dbos"))).not.toContain(secret);
  });

  it("does not ask again what was answered before it was killed", async () => {
    const address = await createTestDatabase();
    let asks = 0;
    const counted: Worker["ask"] = (request) => {
      asks++;
      return echo(request);
    };
    const before = await open(address, counted);
    await collect(before.ask(toRequest("once", "0.0.0"), NEVER));
    await opened!.close();
    const after = await open(address, counted);
    const [first] = await collect(after.ask(toRequest("once", "0.0.0"), NEVER));
    expect(first).toEqual({ type: "text-delta", text: "once" });
    expect(asks).toBe(1);
    // Another attempt is another ask.
    await collect(after.ask(toRequest("once", "0.0.1"), NEVER));
    expect(asks).toBe(2);
  });

  it("passes a failure on as it was, with what had arrived", async () => {
    const worker = await open(await createTestDatabase(), async function* () {
      yield { type: "text-delta", text: "half" };
      throw new TuttiError("rate-limited", "slowly", { status: 429, retryable: true, retryAfterMs: 7 });
    });
    const seen: WorkerEvent[] = [];
    const asking = (async () => {
      for await (const event of worker.ask(toRequest("x"), NEVER)) seen.push(event);
    })();
    await expect(asking).rejects.toMatchObject({
      ...{ code: "rate-limited", status: 429, retryable: true, retryAfterMs: 7, message: "slowly" },
    });
    expect(seen).toEqual([{ type: "text-delta", text: "half" }]);
  });

  it("stops an ask that nobody wants any more, and takes one that waits out of the queue", async () => {
    const address = await createTestDatabase();
    const started: string[] = [];
    const stopped: string[] = [];
    const hang: Worker["ask"] = async function* ({ messages }, signal) {
      const text = String(messages[0]!.content);
      started.push(text);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      stopped.push(text);
    };
    const worker = await open(address, hang, { limits: { perProcess: 1, perProvider: {} } });
    const controller = new AbortController();
    const asking = [collect(worker.ask(toRequest("first"), controller.signal))];
    await expect.poll(() => started).toEqual(["first"]);
    asking.push(collect(worker.ask(toRequest("second"), controller.signal)));
    await expect.poll(async () => (await readTables(address, "tutti")).asks!.length).toBe(2);
    controller.abort();
    for (const each of asking) await expect(each).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => stopped).toEqual(["first"]);
    await expect.poll(async () => (await readTables(address, "tutti")).asks).toEqual([]);
    await opened!.close();
    opened = undefined;
    expect(started).toEqual(["first"]);
  });

  it("gives a worker the time-outs of the ask, and lets it wait for its turn as long as it takes", async () => {
    const worker = await open(await createTestDatabase(), async function* (_, signal) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    });
    expect(worker.keepsTime).toBe(true);
    const timeouts = { stepMs: Number.POSITIVE_INFINITY, firstTokenMs: 20, idleMs: 1_000 };
    const asking = collect(worker.ask({ ...toRequest("x"), timeouts }, NEVER));
    await expect(asking).rejects.toMatchObject({ code: "timeout", retryable: true });
  });

  it("never has more asks at one provider than its limit", async () => {
    let running = 0;
    let most = 0;
    const worker = await open(
      await createTestDatabase(),
      async function* (request) {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        yield* echo(request);
        running--;
      },
      { limits: { perProcess: 8, perProvider: { acme: 2 }, perOwner: 2 } },
    );
    await Promise.all(Array.from({ length: 12 }, (_, i) => collect(worker.ask(toRequest(`${i}`), NEVER))));
    expect(most).toBe(2);
  });
});
