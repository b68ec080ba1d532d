// What a provider may do to a client that is passed through to it: nothing but answer. Over the socket, with a provider
// that echoes our key, sends headers for browsers, points elsewhere and never ends.

import type { ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { body, type Keyed, type Loose, start } from "../../testing/gateway/keyed-gateway.ts";
import {
  chatEvent,
  EVENTS,
  type ProviderServer,
  startProvider,
  writeForEver,
} from "../../testing/gateway/provider-server.ts";
import { MAX_REPLY_MS } from "./reply-guard.ts";

const KEY = "sk-upstream-3f9a/Zq+71=LmNoPqRsTuVwXyZ0123456789";
const JSON_TYPE = { "content-type": "application/json" };

const DOORS = [
  { path: "/v1/chat/completions", model: "acme/m" },
  { path: "/v1/messages", model: "anthropic/claude-x" },
];

type Answer = (response: ServerResponse) => void;

async function startWith(answer: Answer): Promise<{ gateway: Keyed; provider: ProviderServer }> {
  const provider = await startProvider(answer);
  const gateway = await start(
    {},
    {
      env: { ACME_KEY: KEY },
      config: {
        workers: DOORS.map(({ model }) => ({
          id: model,
          model,
          baseUrl: `${provider.url}/v1`,
          apiKeyEnv: "ACME_KEY",
          price: { inputUsd: 1, outputUsd: 2 },
        })),
        conductor: undefined,
      },
    },
  );
  return { gateway, provider };
}

const ask = (model: string, more: object = {}) => ({
  model,
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello?" }],
  ...more,
});

/** As a browser or a client could read it: all headers and the body. */
async function readAll(response: Response): Promise<string> {
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}

describe("our key, echoed by a provider", () => {
  const base64 = Buffer.from(`Bearer ${KEY}`).toString("base64");
  const forms = [KEY, encodeURIComponent(KEY), KEY.replaceAll("/", "\\/"), base64];
  const secrets = [KEY, encodeURIComponent(KEY), KEY.replaceAll("/", "\\/"), base64.slice(12, -4)];
  const echo = JSON.stringify({ error: { message: "bad key" }, seen: "SEEN" }).replace(
    "SEEN",
    forms.join(" "),
  );

  it.each(DOORS)("is in no reply, header, log or journal: $path", async ({ path, model }) => {
    const { gateway, provider } = await startWith((response) => {
      const isFirst = provider.requests.length === 1;
      response.writeHead(isFirst ? 401 : 200, { ...JSON_TYPE, "request-id": `echo ${KEY}` });
      for (const piece of echo.match(/.{1,5}/gs)!) response.write(piece);
      response.end();
    });
    for (const status of [401, 200]) {
      const response = await gateway.post(path, ask(model), { "x-tutti-content": "keep" });
      expect(response.status).toBe(status);
      const all = await readAll(response);
      expect(all).toContain("bad key");
      for (const secret of secrets) expect(all).not.toContain(secret);
    }
    const runs = await (await gateway.get("/v1/runs")).text();
    const kept = JSON.stringify(gateway.log) + runs;
    for (const secret of secrets) expect(kept).not.toContain(secret);
    expect(provider.requests).toHaveLength(2);
  });

  it("is taken out of a stream, wherever it is cut, and the first event does not wait", async () => {
    let goOn = () => {};
    const { gateway } = await startWith((response) => {
      response.writeHead(200, EVENTS);
      response.write(chatEvent({ content: "first" }));
      goOn = () => {
        const text = chatEvent({ content: `echo ${KEY} and ${base64}` }) + chatEvent({ content: "last" });
        for (const piece of text.match(/.{1,7}/gs)!) response.write(piece);
        response.end("data: [DONE]\n\n");
      };
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m", { stream: true }));
    const reader = response.body!.getReader();
    let text = new TextDecoder().decode((await reader.read()).value);
    expect(text).toContain("first");
    goOn();
    for (let part = await reader.read(); !part.done; part = await reader.read())
      text += new TextDecoder().decode(part.value);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain("last");
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });
});

describe("headers of a provider", () => {
  it("are only those that clients of models need", async () => {
    const { gateway } = await startWith((response) => {
      response.writeHead(200, {
        ...JSON_TYPE,
        location: "https://evil.example/",
        refresh: "0; url=https://evil.example/",
        link: "<https://evil.example/>; rel=preload",
        "set-cookie": "session=theirs",
        "clear-site-data": '"*"',
        "content-disposition": "attachment; filename=x.exe",
        "strict-transport-security": "max-age=99999999",
        "www-authenticate": "Basic",
        "access-control-allow-origin": "*",
        "access-control-allow-credentials": "true",
        "content-security-policy": "default-src *",
        "service-worker-allowed": "/",
        "x-accel-redirect": "/etc/passwd",
        "server-timing": "db;dur=1",
        "x-powered-by": "php",
        server: "theirs",
        "x-tutti-cost-usd": "0",
        "x-tutti-run-id": "r_forged",
        "x-ratelimit-remaining-requests": "7",
        "anthropic-ratelimit-tokens-remaining": "8",
        "retry-after": "9",
        "request-id": "theirs",
        "openai-processing-ms": "10",
      });
      response.end("{}");
    });
    const { headers } = await gateway.post(DOORS[0]!.path, ask("acme/m"));
    const own = ["connection", "date", "keep-alive", "x-request-id", "x-tutti-overhead-ms", "x-tutti-run-id"];
    expect([...headers.keys()].filter((name) => !own.includes(name)).sort()).toEqual([
      "anthropic-ratelimit-tokens-remaining",
      "content-length",
      "content-type",
      "openai-processing-ms",
      "request-id",
      "retry-after",
      "x-content-type-options",
      "x-ratelimit-remaining-requests",
    ]);
    expect(headers.get("x-tutti-run-id")).not.toBe("r_forged");
  });

  it.each([
    ["text/html", "application/octet-stream"],
    ["image/svg+xml", "application/octet-stream"],
    ["application/xhtml+xml; x=application/json", "application/octet-stream"],
    ["text/javascript", "application/octet-stream"],
    ["text/plain", "application/octet-stream"],
    ["application/jsonp", "application/octet-stream"],
    ["", "application/octet-stream"],
    ["application/json; charset=utf-8", "application/json; charset=utf-8"],
    ["APPLICATION/JSON", "application/json"],
    ["application/problem+json", "application/json"],
    ["application/json; charset=x,text/html", "application/json"],
    ["text/event-stream; charset=utf-8", "text/event-stream; charset=utf-8"],
  ])("a reply of type %j is answered as %s, and nobody guesses", async (type, answered) => {
    const { gateway } = await startWith((response) => {
      response.writeHead(200, type === "" ? {} : { "content-type": type }).end("<script>alert(1)</script>");
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m"));
    expect(response.headers.get("content-type")).toBe(answered);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toBe("<script>alert(1)</script>");
  });

  it("that point elsewhere are an error in the dialect's shape, and nobody is sent there", async () => {
    const other = await startProvider((response) => response.end("{}"));
    for (const status of [300, 301, 302, 303, 304, 307, 308]) {
      const { gateway } = await startWith((response) => {
        response.writeHead(status, { location: `${other.url}/steal?a=${KEY}` }).end();
      });
      for (const { path, model } of DOORS) {
        const response = await gateway.post(path, ask(model));
        expect(response.status).toBe(502);
        const all = await readAll(response);
        expect(all).toContain(new URL(other.url).host);
        expect(all).not.toContain("steal");
        expect(JSON.parse(all.split("\n")[1]!).error.message).toContain(String(status));
        expect(response.headers.has("location")).toBe(false);
      }
    }
    expect(other.requests).toEqual([]);
  });

  it("in compressed bytes, which nobody can look into, are refused", async () => {
    const { gateway } = await startWith((response) => {
      response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end("?");
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m"));
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("gzip");
  });
});

it("no reply of the gateway may be taken for another type than it says", async () => {
  const { gateway } = await startWith((response) => response.end());
  for (const path of ["/health", "/v1/models", "/v1/nothing", "/metrics"])
    expect((await gateway.get(path)).headers.get("x-content-type-options")).toBe("nosniff");
});

describe("a provider that never ends", () => {
  const kinds: [string, string][] = [
    ["text", chatEvent({ content: "x".repeat(200) })],
    ["empty events", chatEvent({ content: "" })],
    ["comments", ": ping\n\n"],
    ["one line", "x".repeat(1_000)],
  ];
  const spentOf = async (gateway: Keyed) => {
    const { data } = await body(gateway.get("/v1/runs"));
    return data[0];
  };

  it.each(kinds)(
    "with %s in a stream is cut off, with an error and what it may have cost",
    async (_, text) => {
      const { gateway, provider } = await startWith((response) => {
        writeForEver(response.writeHead(200, EVENTS), text);
      });
      const response = await gateway.post(DOORS[0]!.path, ask("acme/m", { stream: true }));
      let bytes = 0;
      let end = "";
      for await (const chunk of response.body!) {
        bytes += chunk.length;
        end = (end + new TextDecoder().decode(chunk)).slice(-1_000);
      }
      expect(bytes).toBeLessThan(80_000_000);
      expect(end).toContain('"code":"endless_reply"');
      await expect.poll(() => provider.cut()).toBe(1);
      await expect.poll(async () => (await spentOf(gateway))?.stopReason).toBe("answer-cut");
      expect((await spentOf(gateway)).costUsd).toBeGreaterThan(0);
    },
    30_000,
  );

  it("with small events is cut off long before it has sent much", async () => {
    const { gateway } = await startWith((response) => {
      writeForEver(response.writeHead(200, EVENTS), chatEvent({ content: "." }));
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m", { stream: true, max_tokens: 100 }));
    const text = await response.text();
    expect(text).toContain('"code":"endless_reply"');
    expect(text.split("\n\n").length).toBeLessThan(12_000);
  });

  it("in a body in one piece is cut off", async () => {
    const { gateway, provider } = await startWith((response) => {
      writeForEver(response.writeHead(200, JSON_TYPE), '{"a":"');
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m"));
    await expect(response.arrayBuffer()).rejects.toThrow();
    await expect.poll(() => provider.cut()).toBe(1);
  }, 120_000);

  it("with a comment now and then is cut off after an hour", async () => {
    let write = () => {};
    const { gateway, provider } = await startWith((response) => {
      response.writeHead(200, EVENTS).write(": ping\n\n");
      write = () => response.write(": ping\n\n");
    });
    const response = await gateway.post(DOORS[0]!.path, ask("acme/m", { stream: true }));
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + MAX_REPLY_MS);
    write();
    expect(await response.text()).toContain('"code":"endless_reply"');
    await expect.poll(() => provider.cut()).toBe(1);
    clock.mockRestore();
  });
});

describe("usage that cannot be true", () => {
  const usages: Record<string, object[]> = {
    "acme/m": [
      { prompt_tokens: -1_000_000, completion_tokens: 1 },
      { prompt_tokens: "10", completion_tokens: 1 },
      { prompt_tokens: 10, completion_tokens: 0.5 },
      { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 11 } },
      { prompt_tokens: 1e300, completion_tokens: 1 },
    ],
    "anthropic/claude-x": [
      { input_tokens: -1_000_000, output_tokens: 1 },
      { input_tokens: 10, output_tokens: "1" },
      { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: -9 },
    ],
  };

  it.each(DOORS)("is counted instead, told once and measured: $path", async ({ path, model }) => {
    const reports = usages[model]!;
    const { gateway, provider } = await startWith((response) => {
      const usage = reports[provider.requests.length - 1]!;
      const content = model === "acme/m" ? {} : { type: "message", stop_reason: "end_turn", content: [] };
      const choices = [{ index: 0, message: { content: "Hi." }, finish_reason: "stop" }];
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ ...content, choices, usage }));
    });
    await gateway.get("/ready");
    for (const _ of reports) {
      const response = await gateway.post(path, ask(model));
      expect(response.status).toBe(200);
      expect(response.headers.has("x-tutti-cost-usd")).toBe(false);
    }
    await expect
      .poll(async () => (await body(gateway.get("/v1/runs"))).data.map((run: Loose) => run.costUsd > 0.0001))
      .toEqual(reports.map(() => true));
    const metrics = await (await gateway.get("/metrics")).text();
    expect(metrics).toContain(`tutti_usage_refused_total{worker="${model}"} ${reports.length}`);
    expect(gateway.log.filter(({ message }) => /report of usage/.test(String(message)))).toHaveLength(1);
  });
});
