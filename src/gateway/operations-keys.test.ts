// Keys as operators have them: whom they may ask, how often, for how much, and the bill. Over the socket, with keys
// made by the command where a running gateway must hear of them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { runTutti } from "../testing/command.ts";
import { body, closing, held, type Loose, question, start } from "../testing/gateway/keyed-gateway.ts";
import { sendRaw } from "../testing/gateway/raw-http.ts";
import { startGateway } from "./server.ts";

// Commands take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe("keys", () => {
  it("made and revoked by the command are heard of by a running gateway", async () => {
    const gateway = await start();
    expect((await gateway.get("/v1/models")).status).toBe(200);
    const keys = (...args: string[]) =>
      runTutti(["keys", ...args, "--json"], { cwd: gateway.home, env: { TUTTI_HOME: gateway.home } });
    const { secret, id } = JSON.parse((await keys("create", "--name", "ada")).stdout);
    await expect.poll(async () => (await gateway.get("/v1/models")).status, { timeout: 30_000 }).toBe(401);
    expect((await gateway.get("/v1/models", secret)).status).toBe(200);
    const byHeader = await fetch(`${gateway.url}/v1/models`, { headers: { "x-api-key": secret } });
    expect(byHeader.status).toBe(200);
    expect((await gateway.ask(question(), secret)).status).toBe(200);
    // Anybody may ask how it is, nobody without a key how much it does.
    expect((await gateway.get("/health")).status).toBe(200);
    expect((await gateway.get("/ready")).status).toBe(200);
    expect((await gateway.get("/metrics")).status).toBe(401);
    expect((await keys("revoke", id)).code).toBe(0);
    await expect
      .poll(async () => (await gateway.get("/v1/models", secret)).status, { timeout: 30_000 })
      .toBe(401);
    expect((await body(gateway.get("/v1/models", secret))).error.message).toContain("revoked");
  });

  it("that name whom they may ask see and ask nobody else", async () => {
    const gateway = await start(
      { only: { only: ["stub/alpha"] }, without: { without: ["stub/beta", "stub/planner"] }, all: {} },
      { plan: { steps: [{ worker: 0, subtask: "Answer it.", access: [] }] } },
    );
    const listed = async (key: string) =>
      (await body(gateway.get("/v1/models", key))).data
        .map(({ id }: Loose) => id)
        .filter((id: string) => id.includes("/"));
    expect(await listed("only")).toEqual(["stub/alpha"]);
    expect(await listed("without")).toEqual(["stub/alpha", "stub/gamma"]);
    expect(await listed("all")).toHaveLength(4);
    for (const path of ["/v1/chat/completions", "/v1/responses", "/v1/messages"]) {
      const ask = { ...question({ model: "stub/beta" }), input: "Question?", max_tokens: 50 };
      expect((await gateway.ask(ask, "only", path)).status).toBe(403);
      expect((await gateway.ask(ask, "without", path)).status).toBe(403);
      expect((await gateway.ask(ask, "all", path)).status).toBe(200);
    }
    expect((await gateway.get("/v1/models/stub%2fbeta", "only")).status).toBe(403);
    const before = gateway.upstream.requests.length;
    for (const key of ["only", "without"])
      for (const model of ["tutti", "tutti-fast", "tutti-ultra"])
        await gateway.ask(question({ model, tutti: { pool: "stub/alpha" } }), key);
    for (const model of ["tutti", "tutti-fast", "tutti-ultra"]) {
      await gateway.ask(question({ model }), "only");
      const outside = await gateway.ask(question({ model, tutti: { pool: "stub/beta" } }), "only");
      expect(outside.status).toBeGreaterThanOrEqual(400);
    }
    const later = gateway.upstream.requests.slice(before).map(({ model }) => model);
    expect(later.length).toBeGreaterThan(9);
    // The planner reads the question, so it is of the pool too.
    expect([...new Set(later)]).toEqual(["alpha"]);
  });

  it("keep a planner out by its provider, whatever the config calls it", async () => {
    const { upstream } = await start();
    const gateway = await start(
      { careful: { without: ["acme"] } },
      {
        config: {
          workers: [
            {
              id: "stub/alpha",
              model: "stub/alpha",
              baseUrl: upstream.baseUrl,
              price: { inputUsd: 1, outputUsd: 1 },
            },
            {
              id: "boss",
              model: "acme/planner",
              baseUrl: upstream.baseUrl,
              price: { inputUsd: 1, outputUsd: 1 },
            },
          ],
          conductor: "boss",
        },
      },
    );
    expect((await gateway.ask(question(), "careful")).status).toBe(200);
    const models = upstream.requests.map(({ model }) => model);
    expect(models.length).toBeGreaterThan(0);
    expect([...new Set(models)]).toEqual(["alpha"]);
  });

  it("with an end in the past, or of another gateway, are refused", async () => {
    const gateway = await start({ old: { expiresAt: Date.now() - 1_000 }, other: {} });
    const { error } = await body(gateway.get("/v1/models", "old"));
    expect(error.message).toContain("expired");
    expect((await gateway.get("/v1/models", `${gateway.secrets.other}x`)).status).toBe(401);
    const basic = await fetch(`${gateway.url}/v1/models`, {
      headers: { authorization: `Basic ${gateway.secrets.other}` },
    });
    expect(basic.status).toBe(401);
  });
});

describe("without keys", () => {
  it("another interface is refused, with what to do", async () => {
    const home = mkdtempSync(join(tmpdir(), "tutti-operations-"));
    closing.push(() => rmSync(home, { recursive: true, force: true }));
    for (const host of ["0.0.0.0", "::", "192.0.2.1", "localhost.evil.example"])
      await expect(startGateway({ env: { TUTTI_HOME: home }, host })).rejects.toThrow(/tutti keys create/);
    const { code, stderr } = await runTutti(["serve", "--host", "0.0.0.0", "--port", "0"], {
      env: { TUTTI_HOME: home },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("tutti keys create");
  });

  it("pages of other sites may not ask", async () => {
    const gateway = await start();
    const host = new URL(gateway.url).host;
    const status = async (headers: string) => {
      const { status } = await sendRaw(gateway.url, `GET /v1/runs HTTP/1.1\r\n${headers}\r\n`);
      return status;
    };
    expect(await status(`host: ${host}\r\norigin: https://evil.example\r\n`)).toBe(403);
    expect(await status(`host: ${host}\r\norigin: null\r\n`)).toBe(403);
    expect(await status(`host: ${host}\r\nsec-fetch-site: cross-site\r\n`)).toBe(403);
    expect(await status("host: rebound.example\r\n")).toBe(403);
    expect(await status(`host: ${host}\r\norigin: http://${host}\r\n`)).toBe(200);
    expect(await status(`host: ${host}\r\n`)).toBe(200);
  });
});

describe("limits", () => {
  it("of requests a minute count those of each key, in headers too", async () => {
    const gateway = await start({ slow: { requestsPerMinute: 2 }, other: { requestsPerMinute: 2 } });
    const first = await gateway.ask(question(), "slow");
    expect(first.headers.get("x-ratelimit-limit-requests")).toBe("2");
    expect(first.headers.get("x-ratelimit-remaining-requests")).toBe("1");
    expect((await gateway.ask(question({ model: "stub/alpha" }), "slow")).status).toBe(200);
    const third = await gateway.ask(question(), "slow");
    expect(third.status).toBe(429);
    expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(30);
    expect((await gateway.ask(question(), "other")).status).toBe(200);
    // Looking at things takes no place.
    for (let i = 0; i < 5; i++) expect((await gateway.get("/v1/usage", "slow")).status).toBe(200);
  });

  it("of requests at once are given back, whatever becomes of the request", async () => {
    const { release, reply } = held();
    const gateway = await start({ narrow: { concurrency: 1 } }, { reply });
    const first = gateway.ask(question(), "narrow");
    await expect.poll(() => gateway.asked().length).toBe(1);
    const second = await gateway.ask(question(), "narrow");
    expect(second.status).toBe(429);
    expect(second.headers.get("retry-after")).toBe("1");
    release();
    expect((await first).status).toBe(200);
    const bad = [
      question({ tutti: { workflow: { steps: "none" } } }),
      question({ model: "stub/alpha", temperature: "hot" }),
      question({ tutti: { pool: "nobody" } }),
      question({ tutti: { deadline_ms: 1 } }),
    ];
    for (const each of bad) {
      await (await gateway.ask(each, "narrow")).text();
      await expect.poll(async () => (await gateway.ask(question(), "narrow")).status).toBe(200);
    }
  });

  it("of money end with what the journal says, and tell when they begin anew", async () => {
    const usage = { prompt_tokens: 0, completion_tokens: 100_000 };
    const gateway = await start(
      { poor: { budget: { usd: 0.5, window: "day" } } },
      { reply: () => ({ text: "An answer.", usage }) },
    );
    const quota = async () => (await body(gateway.get("/v1/usage", "poor"))).budget;
    expect(await quota()).toMatchObject({ limit_usd: 0.5, spent_usd: 0, remaining_usd: 0.5, window: "day" });
    const costs: number[] = [];
    for (;;) {
      const response = await gateway.ask(question({ model: "tutti-fast" }), "poor");
      if (response.status !== 200) {
        expect(response.status).toBe(429);
        expect((await body(response)).error.code).toBe("insufficient_quota");
        break;
      }
      costs.push((await body(response)).tutti.cost_usd);
      expect(costs.length).toBeLessThan(10);
    }
    const spent = costs.reduce((sum, cost) => sum + cost, 0);
    expect(spent).toBeGreaterThan(0.3);
    expect(await quota()).toMatchObject({ spent_usd: expect.closeTo(spent, 9), reserved_usd: 0 });
    // The window is what runs of today took: yesterday's do not count.
    const { resets_at } = await quota();
    expect(Date.parse(resets_at)).toBeGreaterThan(Date.now());
    expect(Date.parse(resets_at) - Date.now()).toBeLessThanOrEqual(86_400_000);
  });
});

describe("the bill", () => {
  it("adds up by user, tag, model and day, as JSON and as CSV, each key its own", async () => {
    const gateway = await start({ ada: {}, bob: {}, root: { isAdmin: true } });
    const ask = async (key: string, more: object) => {
      const response = await gateway.ask(question(more), key);
      expect(response.status).toBe(200);
      return response;
    };
    await ask("ada", { user: "u1", metadata: { project: "red" } });
    await ask("ada", { user: "u2", metadata: { project: "blue, dark" } });
    await ask("ada", { user: "u2", metadata: { project: "red" }, model: "stub/alpha" });
    await ask("bob", { user: "=1+1", model: "tutti-fast" });
    const bill = async (key: string, query: string) =>
      (await body(gateway.get(`/v1/usage?${query}`, key))) as Loose;
    const runsBy = (rows: Loose[], name: string) =>
      Object.fromEntries(rows.map((row) => [row[name], row.runs]));
    expect(runsBy((await bill("ada", "group=user")).data, "user")).toEqual({ u1: 1, u2: 2 });
    expect(runsBy((await bill("ada", "group=metadata.project")).data, "metadata.project")).toEqual({
      red: 2,
      "blue, dark": 1,
    });
    expect(runsBy((await bill("root", "group=model")).data, "model")).toEqual({
      tutti: 2,
      "stub/alpha": 1,
      "tutti-fast": 1,
    });
    const today = new Date().toISOString().slice(0, 10);
    const days = await bill("root", `group=day&from=${today}`);
    expect(days.total.runs).toBe(4);
    const byKey = await bill("root", "group=key");
    expect(byKey.data.map(({ runs }: Loose) => runs).sort()).toEqual([1, 3]);
    const sum = byKey.data.reduce((total: number, row: Loose) => total + row.cost_usd, 0);
    expect(byKey.total.cost_usd).toBeCloseTo(sum, 12);
    // Another's bill is not to be had.
    const bobId = (await body(gateway.get("/v1/usage", "bob"))).key.id;
    expect((await gateway.get(`/v1/usage?group=user&key=${bobId}`, "ada")).status).toBe(403);
    expect((await bill("root", `group=user&key=${bobId}`)).data).toHaveLength(1);
    const csv = await gateway.get("/v1/usage?group=metadata.project&format=csv", "ada");
    expect(csv.headers.get("content-type")).toMatch(/^text\/csv/);
    const lines = (await csv.text()).split("\r\n");
    expect(lines[0]).toBe(
      "metadata.project,runs,calls,cost_usd,input_tokens,output_tokens,simulated,estimated_usd,cached_input_tokens,cache_write_tokens,cache_saved_usd",
    );
    expect(
      lines
        .slice(1, -1)
        .map((line) => line.slice(0, 6))
        .sort(),
    ).toEqual(['"blue,', "red,2,"]);
    const formulas = await (await gateway.get("/v1/usage?group=user&format=csv", "bob")).text();
    expect(formulas).toContain("'=1+1");
  });
});
