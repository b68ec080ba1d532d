// The gateway as its operators have it: keys and what they may, limits, money, bills, runs and their events, figures
// and logs. Over the socket, with keys made by the command where a running gateway must hear of them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { runTutti } from "../testing/command.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../testing/gateway.ts";
import { sendRaw } from "../testing/raw-http.ts";
import { renderWorkflow } from "../workflow/render.ts";
import { type KeySettings, openKeyRing } from "./keys.ts";
import { startGateway } from "./server.ts";

// Commands take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

interface Keyed extends TestGateway {
  secrets: Record<string, string>;
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  ask(body: object, key?: string, path?: string): Promise<Response>;
}

/** Keys by their name. */
async function start(
  keys: Record<string, Omit<KeySettings, "name">> = {},
  options: TestGatewayOptions = {},
): Promise<Keyed> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), "tutti-operations-"));
  if (options.home === undefined) closing.push(() => rmSync(home, { recursive: true, force: true }));
  const ring = openKeyRing({ env: { TUTTI_HOME: home } });
  const secrets: Record<string, string> = {};
  for (const [name, settings] of Object.entries(keys))
    secrets[name] = (await ring.create({ name, ...settings })).secret;
  const gateway = await startTestGateway({ ...options, home });
  closing.push(() => gateway.close());
  const auth = (key: string | undefined): Record<string, string> =>
    key === undefined ? {} : { authorization: `Bearer ${secrets[key] ?? key}` };
  return {
    ...gateway,
    secrets,
    get: (path, key, headers = {}) =>
      fetch(`${gateway.url}${path}`, { headers: { ...auth(key), ...headers } }),
    ask: (body, key, path = "/v1/chat/completions") => gateway.post(path, body, auth(key)),
  };
}

/** Replies as tests read them: by their names, whatever their shape. */
type Loose = ReturnType<typeof JSON.parse>;

async function body(response: Response | Promise<Response>): Promise<Loose> {
  return (await response).json();
}

let asked = 0;
/** Never the same twice, so that none joins another. */
const question = (more: object = {}) => ({
  model: "tutti",
  messages: [{ role: "user", content: `Question ${++asked}?` }],
  ...more,
});

/** A reply that waits until the test lets it go. */
function held() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, reply: () => gate.then(() => "An answer.") };
}

describe("keys", () => {
  it("made and revoked by the command are heard of by a running gateway", async () => {
    const gateway = await start();
    expect((await gateway.get("/v1/models")).status).toBe(200);
    const keys = (...args: string[]) =>
      runTutti(["keys", ...args, "--json"], { cwd: gateway.home, env: { TUTTI_HOME: gateway.home } });
    const { secret, id } = JSON.parse((await keys("create", "--name", "ada")).stdout);
    await expect.poll(async () => (await gateway.get("/v1/models")).status, { timeout: 2_000 }).toBe(401);
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
      .poll(async () => (await gateway.get("/v1/models", secret)).status, { timeout: 2_000 })
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

  it("of money end with what the journal says, and are counted anew in a new window", async () => {
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
    expect(lines[0]).toBe("metadata.project,runs,calls,cost_usd,input_tokens,output_tokens,simulated");
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

describe("runs", () => {
  it("are seen by their own key and by an admin's", async () => {
    const gateway = await start({ ada: {}, bob: {}, root: { isAdmin: true } });
    const { tutti } = await body(gateway.ask(question(), "ada"));
    const stored = await body(gateway.ask({ model: "tutti", input: "Question?" }, "ada", "/v1/responses"));
    const paths = [
      `/v1/runs/${tutti.run_id}`,
      `/v1/runs/${tutti.run_id}/events`,
      `/v1/responses/${stored.id}`,
      `/v1/responses/${stored.id}/input_items`,
    ];
    for (const path of paths) {
      expect((await gateway.get(path, "ada")).status).toBe(200);
      expect((await gateway.get(path, "root")).status).toBe(200);
      expect((await gateway.get(path, "bob")).status).toBe(404);
    }
    const listed = async (key: string, query = "") =>
      (await body(gateway.get(`/v1/runs${query}`, key))).data.map(({ id }: Loose) => id);
    expect(await listed("ada")).toHaveLength(2);
    expect(await listed("bob")).toEqual([]);
    expect(await listed("root")).toHaveLength(2);
    const adaId = (await body(gateway.get("/v1/usage", "ada"))).key.id;
    expect(await listed("bob", `?key=${adaId}`)).toEqual([]);
    expect(await listed("root", `?key=${adaId}`)).toHaveLength(2);
    const auth = { authorization: `Bearer ${gateway.secrets.bob}` };
    for (const [method, path] of [
      ["POST", `/v1/runs/${tutti.run_id}/cancel`],
      ["POST", `/v1/responses/${stored.id}/cancel`],
      ["DELETE", `/v1/responses/${stored.id}`],
    ] as const)
      expect((await fetch(`${gateway.url}${path}`, { method, headers: auth })).status).toBe(404);
    const next = { model: "tutti", input: "And?", previous_response_id: stored.id };
    expect((await gateway.ask(next, "bob", "/v1/responses")).status).toBe(404);
    expect((await gateway.ask(next, "ada", "/v1/responses")).status).toBe(200);
  });

  it("are listed in pages, none lost or doubled, and by what they are", async () => {
    const gateway = await start();
    for (let i = 0; i < 7; i++) await gateway.ask(question({ model: i % 2 ? "tutti-fast" : "tutti" }));
    await gateway.ask({ ...question(), messages: [{ role: "user", content: "Where is Zanzibar?" }] });
    const seen: string[] = [];
    for (let query = "limit=3"; ; ) {
      const page = await body(gateway.get(`/v1/runs?${query}`));
      seen.push(...page.data.map(({ id }: Loose) => id));
      if (!page.has_more) break;
      query = `limit=3&${page.next}`;
      expect(seen.length).toBeLessThan(20);
    }
    const all = (await body(gateway.get("/v1/runs"))).data;
    expect(seen).toEqual(all.map(({ id }: Loose) => id));
    expect(new Set(seen).size).toBe(8);
    const count = async (query: string) => (await body(gateway.get(`/v1/runs?${query}`))).data.length;
    expect(await count("model=tutti-fast")).toBe(3);
    expect(await count("search=zanzibar")).toBe(1);
    expect(await count("state=ended")).toBe(8);
    expect(await count("state=running")).toBe(0);
    expect(await count("stop_reason=done")).toBe(8);
    expect(await count(`id=${seen[0]}`)).toBe(1);
  });
});

describe("the events of a run", () => {
  interface Event {
    id: string;
    type: string;
  }
  /** Reads events until there are `most`, or no more. */
  async function readEvents(response: Response, most = Number.POSITIVE_INFINITY): Promise<Event[]> {
    const events: Event[] = [];
    let rest = "";
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      rest += chunk;
      const whole = rest.split("\n\n");
      rest = whole.pop()!;
      for (const each of whole) {
        const found = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(each);
        if (found) events.push({ id: found[1]!, type: found[2]! });
        if (events.length >= most) return events;
      }
    }
    return events;
  }
  const journaled = (events: Event[]) => events.filter(({ type }) => !type.endsWith("-delta"));

  const NESTED = {
    steps: [
      { worker: 0, subtask: "Think.", access: [] },
      { worker: 5, subtask: "Do it again.", access: "all" as const },
    ],
  };

  it.each([
    ["a run of two steps", { ...NESTED, steps: [NESTED.steps[0]!, { ...NESTED.steps[1]!, worker: 1 }] }],
    ["a run within a run", NESTED],
  ])("of %s are told live, and go on behind any of them: none lost, none doubled", async (_what, plan) => {
    const gateway = await start(
      {},
      {
        plan: ({ countByModel }) =>
          countByModel === 0
            ? renderWorkflow(plan)
            : renderWorkflow({ steps: [{ worker: 1, subtask: "Answer it.", access: [] }] }),
        reply: () => ({ text: "one two three four", chunks: 4, delayMs: 40 }),
        config: { self: true },
      },
    );
    const asking = gateway.ask(question({ stream: true }));
    await expect.poll(async () => (await body(gateway.get("/v1/runs?state=running"))).data.length).toBe(1);
    const [{ id }] = (await body(gateway.get("/v1/runs"))).data;
    const path = `/v1/runs/${id}/events`;
    const whole = gateway.get(path).then((response) => readEvents(response));
    // Cut off after every few events, and back with the last id.
    const pieces: Event[] = [];
    for (;;) {
      const last: Record<string, string> = pieces.length > 0 ? { "last-event-id": pieces.at(-1)!.id } : {};
      const part = await readEvents(await gateway.get(path, undefined, last), 3);
      pieces.push(...part);
      if (part.length < 3) break;
    }
    await (await asking).text();
    const live = await whole;
    expect(live[0]!.type).toBe("run-start");
    expect(live.at(-1)!.type).toBe("run-end");
    expect(new Set(live.map(({ id: each }) => each)).size).toBe(live.length);
    expect(live.filter(({ type }) => type === "step-delta").length).toBeGreaterThanOrEqual(4);
    expect(journaled(pieces)).toEqual(journaled(live));
    expect(new Set(pieces.map(({ id: each }) => each)).size).toBe(pieces.length);
    // From the journal, when it is over, behind each of the events that were seen live.
    const after = await readEvents(await gateway.get(path));
    const own = (events: Event[]) => events.filter(({ id: each }) => each.endsWith(".0"));
    expect(after).toEqual(own(journaled(live)));
    for (const event of live) {
      const rest = await readEvents(await gateway.get(path, undefined, { "last-event-id": event.id }));
      expect(rest).toEqual(own(journaled(live.slice(live.indexOf(event) + 1))));
    }
  });

  it("with a last id that means nothing are told from the beginning", async () => {
    const gateway = await start();
    const { tutti } = await body(gateway.ask(question()));
    const path = `/v1/runs/${tutti.run_id}/events`;
    const all = await readEvents(await gateway.get(path));
    for (const last of ["", "x", "-1.0", "1", "99999999999.0", "1.0; DROP"])
      expect(await readEvents(await gateway.get(path, undefined, { "last-event-id": last }))).toEqual(all);
  });
});

describe("figures and logs", () => {
  it("of Prometheus count requests, tokens, money and workers", async () => {
    const gateway = await start();
    await gateway.ask(question());
    await gateway.ask(question({ model: "stub/alpha" }));
    await gateway.ask(question({ model: "nobody" }));
    await gateway.get("/v1/runs/r_none");
    await gateway.get("/ready");
    await gateway.ask(question());
    const response = await gateway.get("/metrics");
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    const values = new Map<string, number>();
    for (const line of (await response.text()).split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      const found = /^([a-z_:][a-z0-9_:]*(?:\{[^}]*\})?) (\S+)$/i.exec(line);
      expect(found, line).not.toBeNull();
      values.set(found![1]!, Number(found![2]));
    }
    const route = 'route="/v1/chat/completions"';
    expect(values.get(`tutti_requests_total{${route},status="200",model_kind="team"}`)).toBe(2);
    expect(values.get(`tutti_requests_total{${route},status="200",model_kind="relay"}`)).toBe(1);
    expect(values.get(`tutti_requests_total{${route},status="404",model_kind="none"}`)).toBe(1);
    expect(values.get('tutti_requests_total{route="/v1/runs/:id",status="404",model_kind="none"}')).toBe(1);
    expect(values.get(`tutti_request_seconds_count{${route}}`)).toBe(4);
    // The one that asks for them.
    expect(values.get("tutti_running_requests")).toBe(1);
    expect(values.get('tutti_worker_calls_total{worker="stub/alpha",outcome="ok"}')).toBeGreaterThanOrEqual(
      1,
    );
    expect(values.get('tutti_cost_usd_total{simulated="false"}')).toBeGreaterThan(0);
    expect(values.get('tutti_tokens_total{direction="output"}')).toBeGreaterThan(0);
    expect(values.get("process_resident_memory_bytes")).toBeGreaterThan(1e7);
  });

  it("of requests have ids and times, and neither keys nor what was said", async () => {
    const secret = "my-grandmothers-cake-recipe";
    const gateway = await start({ ada: {} }, { reply: () => `The answer is ${secret}.` });
    const messages = [{ role: "user", content: secret }];
    const sent: unknown[] = [
      { model: "tutti", messages },
      { model: "tutti", messages, stream: true },
      { model: "stub/alpha", messages },
      { model: "tutti", messages: [{ role: secret, content: secret }] },
      { model: "tutti", messages, temperature: secret },
      { model: "tutti", messages: secret },
      `{"model": "tutti", "messages": ${secret}`,
      `{"model": "tutti", "messages": ["${secret}", }`,
    ];
    for (const each of sent) {
      const auth = { authorization: `Bearer ${gateway.secrets.ada}` };
      await (await gateway.post("/v1/chat/completions", each, auth)).text();
    }
    await gateway.get("/v1/models", "sk-tutti-not-a-key-of-ours");
    await gateway.get(`/v1/usage?key=${secret}`, "ada");
    await expect.poll(() => gateway.log.length).toBeGreaterThanOrEqual(sent.length + 2);
    const text = gateway.log.map((line) => JSON.stringify(line)).join("\n");
    expect(text).not.toContain("grandmother");
    expect(text).not.toContain("cake");
    expect(text).not.toContain(gateway.secrets.ada);
    expect(text).not.toContain("not-a-key-of-ours");
    for (const line of gateway.log) expect(Date.parse(String(line.time))).toBeGreaterThan(0);
    const requests = gateway.log.filter(({ message }) => message === "request");
    expect(requests[0]).toMatchObject({
      level: "info",
      route: "/v1/chat/completions",
      status: 200,
      model: "tutti",
    });
    expect(requests[0]!.key).toMatch(/^key_/);
    expect(requests[0]!.run).toMatch(/^r_/);
    expect(new Set(requests.map(({ request }) => request)).size).toBe(requests.length);
  });
});
