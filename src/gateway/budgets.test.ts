// Budgets against a provider that keeps a bill of its own: whatever a key sends, however it ends, the provider's bill is
// never above the key's budget, and the journal never below the provider's bill. Over the socket.

import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createMemoryStore } from "../store/memory.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import type { Store } from "../store/types.ts";
import type { ChatReply, ChatRequest } from "../testing/gateway/chat-server.ts";
import { PRICE, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { body, closing, held, type Keyed, question, start } from "../testing/gateway/keyed-gateway.ts";
import { startGateway } from "./server.ts";

const BUDGET_USD = 0.05;
const key = (usd = BUDGET_USD) => ({ budget: { usd, window: "total" as const } });
const relayed = (more: object = {}) => question({ model: "stub/alpha", ...more });

/** What each request truly costs there: all that it may write, thoughts that nobody sees included. */
function createProvider(reply: (usage: object, request: ChatRequest) => ChatReply) {
  const state = { billUsd: 0 };
  return {
    state,
    reply(request: ChatRequest): ChatReply {
      const { max_tokens = 4_000, max_completion_tokens = 0, n = 1, messages } = request.body as never;
      const text = JSON.stringify(messages);
      const images = text.split("image_url").length - 1;
      const prompt = Math.ceil(text.length / 4) + 1_500 * images;
      const completion = Math.max(max_tokens, max_completion_tokens) * n;
      state.billUsd += (prompt * PRICE.inputUsd + completion * PRICE.outputUsd) / 1e6;
      return reply({ prompt_tokens: prompt, completion_tokens: completion }, request);
    },
  };
}
const honest = () => createProvider((usage) => ({ text: "An answer.", usage: usage as never }));
const startWith = (provider: ReturnType<typeof createProvider>, options: TestGatewayOptions = {}) =>
  start({ poor: key(), admin: { isAdmin: true } }, { reply: provider.reply, ...options });

const quota = async (gateway: Keyed) => (await body(gateway.get("/v1/usage", "poor"))).budget;

async function checkBills(gateway: Keyed, { state }: ReturnType<typeof createProvider>): Promise<void> {
  const { spent_usd: spent, reserved_usd: reserved } = await quota(gateway);
  expect(state.billUsd).toBeLessThanOrEqual(BUDGET_USD);
  expect(spent + reserved).toBeGreaterThanOrEqual(state.billUsd - 1e-12);
}

describe("a request that is passed through", () => {
  const image = { type: "image_url", image_url: { url: "https://a.example/i.png" } };
  const images = [{ role: "user", content: Array.from({ length: 100 }, () => image) }];

  it.each([
    ["wants 64 replies", { max_tokens: 1_000, n: 64 }],
    ["names two lengths, the smaller one last", { max_completion_tokens: 100_000, max_tokens: 10 }],
    ["names the length of another dialect", { max_output_tokens: 100_000 }],
    ["has a hundred images to fetch", { messages: images, max_tokens: 10 }],
    ["names other models", { models: ["stub/gamma"], max_tokens: 10 }],
    ["wants another tier", { service_tier: "priority", max_tokens: 10 }],
    ["has a tool of the provider's", { tools: [{ type: "web_search" }], max_tokens: 10 }],
    ["writes its length as text", { max_tokens: "100000" }],
    ["writes a length below nothing", { max_tokens: -1 }],
    ["writes a length that is none", { max_tokens: null }],
    ["wants half a reply", { n: 0.5 }],
  ])("and %s never costs more than the budget", async (_, more) => {
    const provider = honest();
    const gateway = await startWith(provider);
    for (let i = 0; i < 5; i++)
      expect((await gateway.ask(relayed(more), "poor")).status).toBeGreaterThan(399);
    expect(gateway.upstream.requests).toHaveLength(0);
    await checkBills(gateway, provider);
  });

  it("and says nothing of its length is told what it can afford", async () => {
    const provider = honest();
    const gateway = await startWith(provider);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await gateway.ask(relayed(), "poor")).status);
    expect(statuses[0]).toBe(200);
    expect(statuses.at(-1)).toBe(429);
    const lengths = gateway.upstream.requests.map((request) => request.body.max_tokens as number);
    expect(lengths[0]).toBe(8_192);
    expect(lengths.at(-1)).toBeLessThan(8_192);
    await checkBills(gateway, provider);
  });

  it("and has a name twice is sent as it was counted", async () => {
    const provider = honest();
    const gateway = await startWith(provider);
    const text =
      '{"model":"stub/alpha","max_tokens":100000,"messages":[{"role":"user","content":"a"}],"max_tokens":9}';
    const reply = await gateway.post("/v1/chat/completions", text, {
      authorization: `Bearer ${gateway.secrets.poor}`,
    });
    expect(reply.status).toBe(200);
    expect(gateway.upstream.requests[0]!.body).toEqual({
      model: "alpha",
      max_tokens: 9,
      messages: [{ role: "user", content: "a" }],
    });
    await checkBills(gateway, provider);
  });

  it("may use what its key is allowed", async () => {
    const gateway = await start({ poor: { ...key(), allowFields: ["service_tier"] } });
    expect((await gateway.ask(relayed({ service_tier: "priority" }), "poor")).status).toBe(200);
    expect((await gateway.ask(relayed({ models: ["x"] }), "poor")).status).toBe(403);
  });

  it("of a key without a budget is sent as it is", async () => {
    const gateway = await start({ rich: {} });
    const asked = relayed({ models: ["x"], n: 64, max_tokens: 1.5 });
    expect((await gateway.ask(asked, "rich")).status).toBe(200);
    expect(gateway.upstream.requests[0]!.body).toEqual({ ...asked, model: "alpha" });
  });

  it("and streams without a word on what it takes is billed for what it took all the same", async () => {
    const provider = honest();
    const gateway = await startWith(provider);
    const reply = await gateway.ask(relayed({ stream: true, max_tokens: 700 }), "poor");
    const text = await reply.text();
    expect(text).toContain("[DONE]");
    expect(text).not.toContain('"choices":[]');
    await expect.poll(async () => (await quota(gateway)).reserved_usd).toBe(0);
    expect((await quota(gateway)).spent_usd).toBeCloseTo(provider.state.billUsd, 12);
    const bill = await body(gateway.get("/v1/usage?group=model", "admin"));
    expect(bill.total).toMatchObject({ estimated_usd: 0 });
  });

  it.each([false, true])(
    "and is left half-way counts with all that it can cost (streamed: %s)",
    async (stream) => {
      const slow = { text: "word ".repeat(40), chunks: 40, delayMs: 20 };
      const provider = createProvider(() => (stream ? slow : { hang: true }));
      const gateway = await startWith(provider);
      const leaving = new AbortController();
      const asked = fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.secrets.poor}` },
        body: JSON.stringify(relayed({ stream, max_tokens: 2_000 })),
        signal: leaving.signal,
      });
      await expect.poll(() => gateway.upstream.requests.length).toBe(1);
      if (stream) await (await asked).body!.getReader().read();
      leaving.abort();
      await asked.catch(() => {});
      await expect.poll(async () => (await quota(gateway)).reserved_usd).toBe(0);
      await checkBills(gateway, provider);
      const bill = await body(gateway.get("/v1/usage?group=model", "admin"));
      expect(bill.total.estimated_usd).toBe(bill.total.cost_usd);
      expect(bill.total.cost_usd).toBeGreaterThan(0.004);
      const runs = await body(gateway.get("/v1/runs", "admin"));
      expect(runs.data[0].estimatedUsd).toBe(runs.data[0].costUsd);
    },
  );
});

describe("a team's step that is stopped", () => {
  it("counts with all that it can cost", async () => {
    const provider = createProvider(() => ({ hang: true }));
    const gateway = await startWith(provider, { config: { maxOutputTokens: 3_000 } });
    const leaving = new AbortController();
    const asked = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.secrets.poor}` },
      body: JSON.stringify(question()),
      signal: leaving.signal,
    }).catch(() => {});
    await expect.poll(() => gateway.asked().length).toBe(1);
    leaving.abort();
    await asked;
    await expect.poll(async () => (await quota(gateway)).reserved_usd, { timeout: 30_000 }).toBe(0);
    await checkBills(gateway, provider);
  });
});

describe("a journal that cannot be written", () => {
  /** A store that fails when it is told to. */
  function createFailing() {
    const memory = createMemoryStore();
    const state = { isBroken: false };
    const fail = async () => {
      if (state.isBroken) throw new TuttiError("journal-failed", "no space left on /secret/path");
    };
    const store: Store = {
      ...memory,
      append: (events) => fail().then(() => memory.append(events)),
      reserve: (request) => fail().then(() => memory.reserve(request)),
      unreserve: (id) => fail().then(() => memory.unreserve(id)),
      checkWritable: fail,
    };
    return { state, store };
  }

  it("makes no call free: budgeted keys are told to wait, and what was asked before stays reserved", async () => {
    const { state, store } = createFailing();
    const provider = honest();
    const { release, reply } = held();
    const config = { store: store as never };
    const gateway = await startWith(provider, {
      config,
      reply: async (request) => {
        if (gateway.upstream.requests.length === 1) await reply();
        return provider.reply(request);
      },
    });
    const first = gateway.ask(relayed({ max_tokens: 5_000 }), "poor");
    await expect.poll(() => gateway.upstream.requests.length).toBe(1);
    state.isBroken = true;
    release();
    expect((await first).status).toBe(200);
    expect((await gateway.get("/ready")).status).toBe(503);
    const refused = await Promise.all(Array.from({ length: 300 }, () => gateway.ask(relayed(), "poor")));
    expect([...new Set(refused.map(({ status }) => status))]).toEqual([503]);
    expect(refused[0]!.headers.get("retry-after")).toBe("5");
    expect(await refused[0]!.text()).not.toContain("secret");
    expect(gateway.upstream.requests).toHaveLength(1);
    expect((await quota(gateway)).reserved_usd).toBeGreaterThan(0.0099);
    // Who has no budget has nothing to keep.
    expect((await gateway.ask(relayed(), "admin")).status).toBe(200);
    state.isBroken = false;
    await expect.poll(async () => (await quota(gateway)).reserved_usd, { timeout: 30_000 }).toBe(0);
    await checkBills(gateway, { ...provider, state: { billUsd: (await quota(gateway)).spent_usd } });
    expect((await quota(gateway)).spent_usd).toBeGreaterThan(0.0099);
    expect((await body(gateway.get("/v1/runs", "admin"))).data).toHaveLength(2);
    await expect.poll(async () => (await gateway.get("/ready")).status, { timeout: 30_000 }).toBe(200);
  });
});

describe("several processes", () => {
  it("on one journal keep one budget", async () => {
    const provider = honest();
    const gateway = await startWith(provider);
    const { baseUrl } = gateway.upstream;
    const other = await startGateway({
      config: { workers: [{ id: "stub/alpha", model: "stub/alpha", baseUrl, price: PRICE }] },
      env: gateway.env,
    });
    closing.push(() => other.close());
    const ask = (url: string) =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.secrets.poor}` },
        body: JSON.stringify(relayed({ max_tokens: 4_000 })),
      });
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) => ask(i % 2 === 0 ? gateway.url : other.url)),
    );
    const done = replies.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(2);
    expect(done.length).toBeLessThan(7);
    await checkBills(gateway, provider);
  });

  it("of which one was killed leave what it had reserved as spent", async () => {
    const gateway = await startWith(honest());
    const dead = { id: "dead", pid: 2 ** 30, host: hostname() };
    const store = await openSqliteStore(join(gateway.home, "journal.db"));
    const [poor] = (await body(gateway.get("/v1/keys", "admin"))).data;
    const runId = "r_killed";
    await store.reserve({
      ...{ runId, keyId: poor.id, wantedUsd: 0.02, leastUsd: 0, budgetUsd: BUDGET_USD, from: 0, owner: dead },
      lostEvents: [
        {
          ...{ type: "run-start", runId, at: Date.now(), task: { messages: [] }, pool: [], isStripped: true },
          settings: { conductor: { kind: "relay" } } as never,
          origin: { model: "stub/alpha", dialect: "chat", keyId: poor.id },
        },
        {
          ...{ type: "run-end", runId, at: Date.now(), answer: "", hasAnswer: false, stopReason: "failed" },
          ...{ spent: { usd: 0.02, calls: 1, tokens: 0 }, unpricedCalls: 0 },
        },
      ],
    });
    expect(await quota(gateway)).toMatchObject({ reserved_usd: 0.02, spent_usd: 0 });
    await store.close();
    const again = await startGateway({ config: {}, env: gateway.env });
    closing.push(() => again.close());
    expect(await quota(gateway)).toMatchObject({ reserved_usd: 0, spent_usd: 0.02 });
  });
});

it("a fault of our own gives the place back, and counts what may have been asked", async () => {
  const gateway = await start({ poor: { ...key(), concurrency: 1 } });
  const original = JSON.stringify;
  // The body that is written anew for the provider, and nothing else.
  const isOurs = (value: { model?: string; max_tokens?: number } | undefined) =>
    value?.model === "alpha" && value.max_tokens === 77;
  const stringify = vi.spyOn(JSON, "stringify").mockImplementation((value, ...rest) => {
    if (isOurs(value)) throw new RangeError("Invalid string length");
    return original(value, ...(rest as []));
  });
  try {
    expect((await gateway.ask(relayed({ max_tokens: 77 }), "poor")).status).toBe(500);
  } finally {
    stringify.mockRestore();
  }
  expect((await gateway.ask(relayed({ max_tokens: 9 }), "poor")).status).toBe(200);
  const { spent_usd, reserved_usd } = await quota(gateway);
  expect(reserved_usd).toBe(0);
  expect(spent_usd).toBeGreaterThan((77 * PRICE.outputUsd) / 1e6);
});
