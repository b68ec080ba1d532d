// Shadow runs over the socket: nobody but an admin notices them, and they never take more than their budget.

import { expect, it, vi } from "vitest";
import { createMemoryStore } from "../../store/memory.ts";
import { toShadowId } from "../../store/shadow.ts";
import type { ChatRequest } from "../../testing/gateway/chat-server.ts";
import { PRICE, type TestGatewayOptions } from "../../testing/gateway/gateway.ts";
import { body, held, type Keyed, type Loose, question, start } from "../../testing/gateway/keyed-gateway.ts";
import { isDrawn } from "./shadow-desk.ts";

vi.setConfig({ testTimeout: 60_000 });
const WAIT = { timeout: 30_000, interval: 20 };

const SHADOW = { model: "stub/beta", share: 1, budgetUsd: 1 };
const KEYS = { app: {}, other: {}, admin: { isAdmin: true } };
const toConfig = (shadow: object = {}): TestGatewayOptions["config"] => ({
  gateway: { shadow: { ...SHADOW, ...shadow } },
});
const startWith = (shadow: object = {}, options: TestGatewayOptions = {}, keys: object = KEYS) =>
  start(keys as typeof KEYS, { ...options, config: { ...toConfig(shadow), ...options.config } });

const list = async (gateway: Keyed, query = "key=shadow", key = "admin"): Promise<Loose[]> =>
  (await body(gateway.get(`/v1/runs?limit=500&${query}`, key))).data;
/** Until so many shadow runs are over. */
const shadowsOf = (gateway: Keyed, count: number) =>
  vi.waitFor(async () => {
    const runs = (await list(gateway)).filter(({ state }) => state === "ended");
    expect(runs).toHaveLength(count);
    return runs;
  }, WAIT);
const counted = async (gateway: Keyed, outcome: string) => {
  const text = await (await gateway.get("/metrics", "admin")).text();
  return Number(new RegExp(`tutti_shadow_runs_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};
const bySide = ({ model }: ChatRequest) => (model === "beta" ? "Answer: 8" : "Answer: 7");

it("the client's reply, quota and bill are the same with a shadow and without", async () => {
  const seen = async (share: number) => {
    const gateway = await startWith({ share }, { reply: bySide });
    const asked = { model: "tutti", messages: [{ role: "user", content: "3 + 4?" }] };
    const reply = await gateway.ask(asked, "app");
    const { id: _, created: __, tutti, ...said } = await body(reply);
    await (share > 0 ? shadowsOf(gateway, 1) : undefined);
    const headers = [...reply.headers.keys()].sort();
    const { key: ___, ...quota } = await body(gateway.get("/v1/usage", "app"));
    const { data, total, shadow_total } = await body(gateway.get("/v1/usage?group=model", "app"));
    expect(shadow_total).toBeUndefined();
    return {
      said,
      cost: tutti.cost_usd,
      headers,
      quota,
      data,
      total,
      runs: (await list(gateway, "", "app")).length,
    };
  };
  expect(await seen(1)).toEqual(await seen(0));
});

it("an admin sees it apart: in lists that ask for it, in the bill and in the metrics", async () => {
  const gateway = await startWith({}, { reply: bySide });
  const { tutti } = await body(gateway.ask(question(), "app"));
  const [shadow] = await shadowsOf(gateway, 1);
  expect(shadow).toMatchObject({
    id: toShadowId(tutti.run_id),
    origin: { model: "shadow:stub/beta", keyId: "shadow" },
    stopReason: "done",
  });
  expect((await body(gateway.get(`/v1/runs/${shadow.id}`, "admin"))).origin.shadowOf).toBe(tutti.run_id);
  expect(await list(gateway, "")).toHaveLength(1);
  expect(await list(gateway, "shadows=true")).toHaveLength(2);
  const bill = await body(gateway.get("/v1/usage?group=key", "admin"));
  expect(bill.data.map(({ key, runs }: Loose) => [key === "shadow", runs]).sort()).toEqual([
    [false, 1],
    [true, 1],
  ]);
  expect(bill.shadow_total).toMatchObject({ runs: 1, cost_usd: shadow.costUsd });
  await vi.waitFor(async () => expect(await counted(gateway, "answered")).toBe(1), WAIT);
  const metrics = await (await gateway.get("/metrics", "admin")).text();
  expect(metrics).toMatch(/tutti_shadow_cost_usd_total\{simulated="false"\} 0\.0/);
  const usual = Number(/tutti_cost_usd_total\{simulated="false"\} (\S+)/.exec(metrics)![1]);
  expect(usual).toBeCloseTo(tutti.cost_usd, 12);
});

it("no key but an admin's finds it, by any route", async () => {
  const gateway = await startWith({}, { reply: bySide });
  const reply = await body(gateway.ask(question(), "app"));
  const [{ id }] = (await shadowsOf(gateway, 1)) as [Loose];
  const responseId = `resp_${id.slice(2)}`;
  for (const key of ["app", "other"]) {
    const own = key === "app" ? 1 : 0;
    for (const query of ["", "shadows=true", "key=shadow", "key=shadow&shadows=true"])
      expect(await list(gateway, query, key), query).toHaveLength(own);
    expect(await list(gateway, `shadows=true&id=${id}`, key)).toHaveLength(0);
    for (const path of ["", "/events", "/messages"])
      expect((await gateway.get(`/v1/runs/${id}${path}`, key)).status, path).toBe(404);
    for (const path of ["/cancel", "/feedback"])
      expect((await gateway.ask({ score: 1 }, key, `/v1/runs/${id}${path}`)).status, path).toBe(404);
    expect((await gateway.get(`/v1/responses/${responseId}`, key)).status).toBe(404);
    const goesOn = { model: "tutti", input: "And then?", previous_response_id: responseId };
    expect((await gateway.ask(goesOn, key, "/v1/responses")).status).toBe(404);
    expect((await gateway.get("/v1/shadow", key)).status).toBe(403);
    expect((await gateway.get("/v1/usage?group=key&key=shadow", key)).status).toBe(403);
  }
  expect(JSON.stringify(reply)).not.toContain("shadow");
});

it("what fails or hangs is unseen, holds nobody up, and ends with the gateway", async () => {
  const slow = held();
  const gateway = await startWith(
    {},
    {
      reply: (request) =>
        request.model !== "beta"
          ? "Answer: 7"
          : request.countByModel > 1
            ? slow.reply()
            : ({ status: 500, body: "no" } as never),
    },
  );
  expect((await gateway.ask(question(), "app")).status).toBe(200);
  await shadowsOf(gateway, 1);
  for (let i = 0; i < 8; i++) expect((await gateway.ask(question(), "app")).status).toBe(200);
  await vi.waitFor(async () => expect(await counted(gateway, "busy")).toBeGreaterThan(0), WAIT);
  await gateway.gateway.close();
  slow.release();
});

it.each<[string, object, object?, object?]>([
  [
    "has tools of the client",
    { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] },
  ],
  ["names who may be asked", { model: "tutti-fast", tutti: { pool: ["stub/alpha"] } }],
  ["is not drawn", {}, { share: 0 }],
  ["is of a key that is not named", {}, { keys: ["other"] }],
  [
    "is of a key that may not ask the shadow",
    {},
    {},
    { app: { without: ["stub/beta"] }, admin: { isAdmin: true } },
  ],
])("a request that %s is not asked again", async (_, more, shadow = {}, keys = KEYS) => {
  const gateway = await startWith(shadow, { reply: bySide }, keys);
  expect((await gateway.ask(question(more), "app")).status).toBe(200);
  await gateway.gateway.close();
  expect(gateway.upstream.requests.filter(({ model }) => model === "beta")).toEqual([]);
});

it("a private request and one in the background are not asked again, nor is a copy of one that was", async () => {
  const gateway = await startWith({}, { reply: bySide });
  const ask = (more: object) =>
    gateway.ask({ model: "tutti", input: "3 + 4?", ...more }, "app", "/v1/responses");
  expect((await ask({ store: false })).status).toBe(200);
  const { id } = await body(ask({ background: true }));
  await vi.waitFor(
    async () => expect((await body(gateway.get(`/v1/responses/${id}`, "app"))).status).toBe("completed"),
    WAIT,
  );
  const headers = { authorization: `Bearer ${gateway.secrets.app}`, "idempotency-key": "once" };
  for (let i = 0; i < 3; i++)
    expect(
      (
        await gateway.post(
          "/v1/chat/completions",
          { model: "tutti", messages: [{ role: "user", content: "5 + 2?" }] },
          headers,
        )
      ).status,
    ).toBe(200);
  await shadowsOf(gateway, 1);
  await gateway.gateway.close();
  expect(gateway.upstream.requests.filter(({ model }) => model === "beta")).toHaveLength(1);
});

it("is deleted with its original", async () => {
  const gateway = await startWith({}, { reply: bySide });
  const { id } = await body(gateway.ask({ model: "tutti", input: "3 + 4?" }, "app", "/v1/responses"));
  const [shadow] = (await shadowsOf(gateway, 1)) as [Loose];
  await fetch(`${gateway.url}/v1/responses/${id}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${gateway.secrets.app}` },
  });
  expect((await gateway.get(`/v1/runs/${shadow.id}`, "admin")).status).toBe(404);
  expect(await list(gateway)).toEqual([]);
});

it("64 at once on two gateways never take more than the day's budget, nor do more after a restart", async () => {
  const budgetUsd = 0.02;
  const store = createMemoryStore();
  let billUsd = 0;
  const reply = (request: ChatRequest) => {
    if (request.model !== "beta") return "Answer: 7";
    const usage = { prompt_tokens: 50, completion_tokens: 256 };
    billUsd += (usage.prompt_tokens * PRICE.inputUsd + usage.completion_tokens * PRICE.outputUsd) / 1e6;
    return { text: "Answer: 8", usage };
  };
  const options: TestGatewayOptions = { reply, config: { store } as never };
  const pair = [await startWith({ budgetUsd }, options), await startWith({ budgetUsd }, options)];
  const askAll = async (gateways: Keyed[]) => {
    const asked = Array.from({ length: 64 }, (_, i) =>
      gateways[i % gateways.length]!.ask(question({ model: "tutti-fast", max_tokens: 256 }), "app"),
    );
    for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
    for (const gateway of gateways)
      await vi.waitFor(async () => {
        const { today } = await body(gateway.get("/v1/shadow", "admin"));
        expect(today.reservedUsd).toBe(0);
      }, WAIT);
  };
  const isSpent = async () => (await counted(pair[0]!, "budget")) + (await counted(pair[1]!, "budget")) > 0;
  for (let i = 0; i < 20 && !(await isSpent()); i++) await askAll(pair);
  expect(await isSpent()).toBe(true);
  expect(billUsd).toBeGreaterThan(0);
  expect(billUsd).toBeLessThanOrEqual(budgetUsd);
  for (const gateway of pair) await gateway.gateway.close();
  const again = await startWith({ budgetUsd }, options);
  await askAll([again]);
  await vi.waitFor(async () => {
    const { today } = await body(again.get("/v1/shadow", "admin"));
    expect(today.spentUsd).toBeCloseTo(billUsd, 12);
  }, WAIT);
  expect(billUsd).toBeLessThanOrEqual(budgetUsd);
});

it("is compared with its original: agreement, ratings, cost and calls, the same after a restart", async () => {
  const store = createMemoryStore();
  const gateway = await startWith(
    {},
    {
      config: { store } as never,
      reply: ({ model, countByModel }) => (model === "beta" && countByModel >= 2 ? "Answer: 8" : "Answer: 7"),
    },
  );
  for (let i = 1; i <= 3; i++) {
    const { tutti } = await body(gateway.ask(question(), "app"));
    await shadowsOf(gateway, i);
    if (i === 3) await gateway.ask({ score: 0 }, "app", `/v1/runs/${tutti.run_id}/feedback`);
  }
  const report = await body(gateway.get("/v1/shadow", "admin"));
  expect(report).toMatchObject({ object: "shadow", settings: SHADOW, runs: 3, isCut: false });
  const [comparison] = report.comparisons;
  expect(comparison).toMatchObject({
    model: "shadow:stub/beta",
    pairs: 3,
    isSimulated: false,
    agreement: { compared: 3 },
    // The planner is asked for the original alone.
    calls: { original: 2, shadow: 1, difference: null },
    ratings: { rated: 1, agreedWithGood: null, agreedWithBad: 0 },
    leftOut: { running: 0, cut: 0, failed: 0, alone: 0 },
  });
  expect(comparison.agreement.mean).toBeCloseTo(2 / 3, 12);
  expect(comparison.agreement.low).toBeGreaterThan(0);
  expect(comparison.agreement.high).toBeLessThan(1);
  expect(comparison.costUsd.original).toBeGreaterThan(comparison.costUsd.shadow);
  await gateway.gateway.close();
  const again = await startWith({}, { config: { store } as never });
  expect((await body(again.get("/v1/shadow", "admin"))).comparisons).toEqual(report.comparisons);
});

it("a Conductor may be the shadow of a streamed reply", async () => {
  const gateway = await startWith({ model: "scripted-planner" }, { reply: bySide });
  const reply = await gateway.ask(question({ model: "tutti-fast", stream: true }), "app");
  expect(await reply.text()).toContain("[DONE]");
  const runs = await vi.waitFor(async () => {
    const found = await list(gateway);
    expect(found).toHaveLength(1);
    return found;
  }, WAIT);
  expect(runs[0].origin.model).toBe("shadow:scripted-planner");
});

it("draws the share it is given, the same requests every time", () => {
  const ids = Array.from({ length: 4_000 }, (_, i) => `r_${i}`);
  const drawn = ids.filter((id) => isDrawn(id, 0.25));
  expect(drawn.length).toBeGreaterThan(900);
  expect(drawn.length).toBeLessThan(1_100);
  expect(ids.filter((id) => isDrawn(id, 0.5))).toEqual(expect.arrayContaining(drawn));
  expect(ids.filter((id) => isDrawn(id, 0))).toEqual([]);
  expect(ids.filter((id) => isDrawn(id, 1))).toEqual(ids);
});

it("a relayed request is asked again too, from its bytes; its content is kept of neither where it is not of the first", async () => {
  for (const keepRelayed of [true, false]) {
    const gateway = await start(KEYS, {
      reply: bySide,
      config: { gateway: { shadow: SHADOW, keepRelayed } },
    });
    const asked = { model: "stub/alpha", messages: [{ role: "user", content: "3 + 4?" }] };
    for (const stream of [false, true]) {
      const reply = await gateway.ask({ ...asked, stream }, "app");
      expect(await reply.text()).toContain("alpha");
      // Relayed, and not performed.
      expect(reply.headers.get("x-tutti-run-id")).toBeTruthy();
    }
    const shadows = await shadowsOf(gateway, 2);
    const again = gateway.asked().filter(({ model }) => model === "beta");
    expect(again).toHaveLength(2);
    expect(JSON.stringify(again[0]!.body)).toContain("3 + 4?");
    const [first] = (await body(gateway.get("/v1/shadow", "admin"))).comparisons;
    expect(first.pairs).toBe(2);
    expect(first.agreement?.compared ?? 0).toBe(keepRelayed ? 2 : 0);
    expect(first.costUsd.original).toBeGreaterThan(0);
    const run = await (await gateway.get(`/v1/runs/${shadows[0].id}`, "admin")).text();
    expect(run.includes("Answer: 8")).toBe(keepRelayed);
    // Who wants nothing kept is not asked again, nor is one with tools or of a key that is left out.
    await (await gateway.ask({ ...asked, store: false }, "app")).text();
    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    await (await gateway.ask({ ...asked, tools }, "app")).text();
    expect(gateway.asked().filter(({ model }) => model === "beta")).toHaveLength(2);
  }
});
