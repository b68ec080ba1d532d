// Names and addresses as clients write them: models that agents ask for by themselves, addresses with and without the version,
// pages of other origins, compressed bodies, equal requests at once. Over the socket.

import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { TuttiConfigInput } from "../../config/schema.ts";
import { DOORS, type Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../../testing/gateway/gateway.ts";
import { body, closing, start as startKeyed } from "../../testing/gateway/keyed-gateway.ts";

async function start(options: TestGatewayOptions = {}) {
  const gateway = await startTestGateway(options);
  closing.push(() => gateway.close());
  return gateway;
}

const chat = DOORS[0]!;

describe("a model that an agent asks for by itself", () => {
  it.each([
    ["claude-3-5-haiku-20241022", "tutti-fast"],
    ["claude-haiku-4-5-20251001", "tutti-fast"],
    ["claude-sonnet-4-5-20250929", "tutti"],
    ["claude-opus-5-5", "tutti"],
    ["gpt-5.4-codex", "tutti"],
    ["gpt-5-codex-mini", "tutti-fast"],
    ["codex-mini-latest", "tutti-fast"],
    ["gpt-5-nano", "tutti-fast"],
    ["o3", "tutti"],
    ["gemini-3-flash", "tutti-fast"],
  ])("%s means %s where nobody is it, in every dialect", async (model, alias) => {
    const gateway = await start();
    for (const door of DOORS) {
      const response = await gateway.post(door.path, { ...door.valid, model });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-tutti-alias")).toBe(alias);
      expect((await body(response)).model).toBe(model);
    }
    const shown = await fetch(`${gateway.url}/v1/models/${model}`);
    expect((await body(shown)).id).toBe(model);
  });

  it("is the worker that is this model, under whatever date it is asked for", async () => {
    const gateway = await start();
    const worker = { model: "stub/claude-sonnet-4-5", baseUrl: gateway.upstream.baseUrl };
    const known = await start({ config: { workers: [worker], conductor: undefined } });
    const response = await known.post(chat.path, { ...chat.valid, model: "claude-sonnet-4-5-20250929" });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-tutti-alias")).toBe("stub/claude-sonnet-4-5");
  });

  it("is what the config says, exactly or by how it begins", async () => {
    const aliases = { "claude-*": "stub/beta", "claude-haiku-*": "stub/gamma", smart: "tutti" };
    const gateway = await start({ config: { gateway: { aliases } } });
    const aliasOf = async (model: string) =>
      (await gateway.post(chat.path, { ...chat.valid, model })).headers.get("x-tutti-alias");
    expect(await aliasOf("claude-haiku-4-5")).toBe("stub/gamma");
    expect(await aliasOf("claude-opus-4-5")).toBe("stub/beta");
    expect(await aliasOf("smart")).toBe("tutti");
    const { data } = await body(fetch(`${gateway.url}/v1/models`));
    const ids = data.map(({ id }: Loose) => id);
    expect(ids).toContain("smart");
    expect(ids).not.toContain("claude-*");
  });

  it("says what it stands for, where that is not there", async () => {
    const gateway = await start({ config: { gateway: { aliases: { smart: "nobody/knows-it" } } } });
    const response = await gateway.post(chat.path, { ...chat.valid, model: "smart" });
    expect(response.status).toBe(404);
    expect((await body(response)).error.message).toContain('"smart" stands for "nobody/knows-it"');
  });

  it("asks nobody whom the key may not ask", async () => {
    const gateway = await startKeyed(
      { one: { only: ["stub/beta"] } },
      { config: { gateway: { aliases: { a: "stub/alpha" } } } },
    );
    expect((await gateway.ask({ ...chat.valid, model: "a" }, "one")).status).toBe(403);
    expect((await gateway.ask({ ...chat.valid, model: "claude-haiku-4-5" }, "one")).status).toBe(200);
    expect(new Set(gateway.upstream.requests.map(({ model }) => model))).toEqual(new Set(["beta"]));
  });

  it("is a 404 where the name means nothing", async () => {
    const gateway = await start();
    for (const model of ["tuti", "claud-haiku", "stub/claude-haiku", "my-model"])
      expect((await gateway.post(chat.path, { ...chat.valid, model })).status).toBe(404);
  });
});

describe("an address", () => {
  it("has the version or not, slashes at its end and two in a row", async () => {
    const gateway = await start();
    for (const { path, valid } of DOORS)
      for (const written of [path, path.slice(3), `${path}/`, `/${path}`, `//v1/${path.slice(3)}//`])
        expect((await gateway.post(written, valid)).status).toBe(200);
    for (const path of [
      "/v1/models",
      "/models",
      "/models/",
      "//v1/models",
      "/models/tutti",
      "/usage",
      "/runs",
    ])
      expect((await fetch(`${gateway.url}${path}`)).status).toBe(200);
  });
});

describe("pages of other origins", () => {
  const origin = "https://app.example.org";
  const preflight = (url: string, from = origin) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "OPTIONS",
      headers: {
        origin: from,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization, content-type",
      },
    });
  const startWith = (cors: NonNullable<TuttiConfigInput["gateway"]>["cors"]) =>
    startKeyed({ page: {} }, { config: { gateway: { cors } } });

  it("may ask where the operator has named them, and read what they get", async () => {
    const gateway = await startWith([origin]);
    const asked = await preflight(gateway.url);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    expect(asked.headers.get("access-control-allow-headers")).toBe("authorization, content-type");
    const authorization = `Bearer ${gateway.secrets.page}`;
    for (const model of ["tutti", "stub/alpha"]) {
      const reply = await gateway.post(chat.path, { ...chat.valid, model }, { origin, authorization });
      expect(reply.status).toBe(200);
      expect(reply.headers.get("access-control-allow-origin")).toBe(origin);
      expect(reply.headers.get("access-control-expose-headers")).toContain("x-tutti-run-id");
    }
    const refused = await gateway.post(chat.path, chat.valid, { origin });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  });

  it("are told nothing where they are not named", async () => {
    for (const cors of [undefined, ["https://other.example.org"]]) {
      const gateway = await startWith(cors);
      expect((await preflight(gateway.url)).headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("are kept out of a gateway without keys, unless they are named", async () => {
    const gateway = await start({ config: { gateway: { cors: ["*", origin] } } });
    expect((await gateway.post(chat.path, chat.valid, { origin: "https://evil.example" })).status).toBe(403);
    expect((await gateway.post(chat.path, chat.valid, { origin })).status).toBe(200);
  });
});

describe("a compressed body", () => {
  const packers = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync };

  it.each(Object.entries(packers))("in %s is read, by a team and by one model", async (encoding, pack) => {
    const gateway = await start();
    for (const model of ["tutti", "stub/alpha"]) {
      const response = await fetch(`${gateway.url}${chat.path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "content-encoding": encoding },
        body: new Uint8Array(pack(JSON.stringify({ ...chat.valid, model }))),
      });
      expect(response.status).toBe(200);
    }
    expect(gateway.asked()).toHaveLength(2);
  });

  it("that is a bomb, a lie or unknown is refused", async () => {
    const gateway = await start({ config: { gateway: { maxBodyBytes: 100_000 } } });
    const send = async (encoding: string, bytes: Buffer) => {
      const headers = { "content-type": "application/json", "content-encoding": encoding };
      const sent = { method: "POST", headers, body: new Uint8Array(bytes) };
      return (await fetch(`${gateway.url}${chat.path}`, sent)).status;
    };
    const bomb = JSON.stringify({ ...chat.valid, padding: " ".repeat(5_000_000) });
    expect(await send("gzip", gzipSync(bomb))).toBe(413);
    expect(await send("br", brotliCompressSync(bomb))).toBe(413);
    expect(await send("gzip", Buffer.from(JSON.stringify(chat.valid)))).toBe(400);
    expect(await send("compress", Buffer.from("x"))).toBe(400);
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });
});

describe("equal requests at once", () => {
  it("at a temperature above 0 are two, unless an idempotency key or a repeat says otherwise", async () => {
    const waiting: (() => void)[] = [];
    const gateway = await start({
      reply: () => new Promise((resolve) => waiting.push(() => resolve("Heads."))),
    });
    const ask = (temperature: number | undefined, headers: Record<string, string> = {}) =>
      gateway.post(chat.path, { ...chat.valid, model: "tutti-fast", temperature }, headers);
    const joined = async () => {
      const text = await (await fetch(`${gateway.url}/metrics`)).text();
      return Number(/^tutti_joined_requests\S* (\d+)/m.exec(text)?.[1] ?? 0);
    };
    /** As many asks as come of two equal requests. */
    const countOf = async (send: () => Promise<Response>, expected: number) => {
      const before = gateway.asked().length;
      const joinedBefore = await joined();
      const both = [send(), send()];
      // Both are there: each was asked, or has joined the other.
      while (waiting.length + (await joined()) - joinedBefore < 2)
        await new Promise((resolve) => setImmediate(resolve));
      for (const release of waiting.splice(0)) release();
      const ids = (await Promise.all(both.map(body))).map(({ id }) => id);
      expect(new Set(ids).size).toBe(expected);
      expect(gateway.asked().length - before).toBe(expected);
    };
    await countOf(() => ask(0.7), 2);
    await countOf(() => ask(0), 1);
    await countOf(() => ask(undefined), 1);
    await countOf(() => ask(0.7, { "idempotency-key": "k" }), 1);
    await countOf(() => ask(0.8, { "x-stainless-retry-count": "1" }), 1);
  });
});
