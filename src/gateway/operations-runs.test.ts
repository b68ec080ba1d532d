// Runs, their events, figures and logs, as operators see them. Over the socket.

import { describe, expect, it, vi } from "vitest";
import { body, type Loose, question, start } from "../testing/gateway/keyed-gateway.ts";
import { renderWorkflow } from "../workflow/render.ts";

// Commands take seconds to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

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
    expect(values.get("tutti_running_runs")).toBe(0);
    expect(values.get("tutti_waiting_runs")).toBe(0);
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
