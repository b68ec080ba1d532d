// What is passed through to one model beside conversations, with keys and budgets, over the socket. The provider keeps what it
// was asked, and answers as the real ones do.

import { describe, expect, it } from "vitest";
import { body, start } from "../../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";
import type { KeySettings } from "../access/keys.ts";

const SECRET = "sk-test-stub-0123456789";
const SPEECH = Buffer.from([0xff, 0xf3, 0x40, 0xc4, 0, 1, 2, 3]);
const REPLIES: Record<string, object> = {
  "/v1/embeddings": {
    object: "list",
    data: [{ embedding: [0.1] }],
    usage: { prompt_tokens: 8, total_tokens: 8 },
  },
  "/v1/rerank": { results: [{ index: 0, relevance_score: 0.9 }] },
  "/v1/moderations": { results: [{ flagged: false }] },
  "/v1/images/generations": { data: [{ b64_json: "x".repeat(3_000) }] },
  "/v1/completions": {
    choices: [{ index: 0, text: " 42", finish_reason: "stop" }],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  },
  "/v1/audio/transcriptions": { text: "Hello." },
  "/v1/files": { object: "list", data: [] },
  "/v1/batches/b_1/cancel": { id: "b_1", status: "cancelling" },
};
const BODIES: Record<string, object> = {
  "/v1/embeddings": { input: ["a text"] },
  "/v1/rerank": { query: "?", documents: ["a"] },
  "/v1/moderations": { input: "a text" },
  "/v1/images/generations": { prompt: "a cat" },
  "/v1/completions": { prompt: "6 × 7 =", max_tokens: 5 },
};

async function startWith(keys: Record<string, Omit<KeySettings, "name">> = {}) {
  const provider = await startProvider((response, { path }) => {
    if (path === "/v1/audio/speech") {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      return void response.end(SPEECH);
    }
    const reply = REPLIES[path.split("?")[0]!];
    response.writeHead(reply ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(reply ?? { error: { message: "no" } }));
  });
  const worker = (model: string) => ({
    ...{ model: `stub/${model}`, baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
    price: { inputUsd: 1, outputUsd: 2 },
  });
  const config = { workers: [worker("x"), worker("y")], conductor: undefined };
  const gateway = await start(keys, { env: { KEY: SECRET }, config });
  return { provider, gateway };
}

describe("of one model", () => {
  it.each(Object.keys(BODIES))(
    "%s reaches its provider and comes back as it is, with and without the version",
    async (path) => {
      const { gateway, provider } = await startWith();
      for (const written of [path, path.slice(3)]) {
        const response = await gateway.post(written, { model: "stub/x", ...BODIES[path] });
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual(REPLIES[path]);
      }
      const [sent] = provider.requests;
      expect(sent).toMatchObject({ path, headers: { authorization: `Bearer ${SECRET}` } });
      expect(JSON.parse(sent!.body)).toEqual({ model: "x", ...BODIES[path] });
    },
  );

  it("speech comes as sound", async () => {
    const { gateway } = await startWith();
    const response = await gateway.post("/v1/audio/speech", { model: "stub/x", input: "Hello", voice: "a" });
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(SPEECH);
  });

  it("sound is sent as a form, with the provider's name of the model", async () => {
    const { gateway, provider } = await startWith();
    const form = new FormData();
    form.set("file", new Blob([SPEECH]), "hello.mp3");
    form.set("model", "stub/x");
    form.set("language", "en");
    const sent = { method: "POST", body: form };
    const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, sent);
    expect(await response.json()).toEqual({ text: "Hello." });
    const [{ body: raw, headers }] = provider.requests as [(typeof provider.requests)[number]];
    expect(headers["content-type"]).toMatch(/^multipart\/form-data/);
    expect(raw).toMatch(/name="model"\r\n\r\nx\r\n/);
    expect(raw).toContain('name="language"\r\n\r\nen\r\n');
    expect(raw).toContain('filename="hello.mp3"');
  });

  it("a form without a model, or with two, is refused", async () => {
    const { gateway, provider } = await startWith();
    for (const models of [[], ["stub/x", "stub/y"]]) {
      const form = new FormData();
      for (const model of models) form.append("model", model);
      form.set("file", new Blob([SPEECH]), "hello.mp3");
      const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, { method: "POST", body: form });
      expect(response.status).toBe(400);
    }
    expect(provider.requests).toEqual([]);
  });

  it("no team takes its place", async () => {
    const { gateway, provider } = await startWith();
    for (const model of ["tutti", "tutti-fast"]) {
      const response = await gateway.post("/v1/embeddings", { model, input: "a" });
      expect(response.status).toBe(400);
      expect((await body(response)).error).toMatchObject({ param: "model" });
    }
    expect((await gateway.post("/v1/embeddings", { model: "text-embedding-9", input: "a" })).status).toBe(
      404,
    );
    expect(provider.requests).toEqual([]);
  });
});

describe("with keys", () => {
  const poor = { budget: { usd: 0.001, window: "day" as const } };

  it("is on the bill of the key, at the price of what the provider has counted", async () => {
    const { gateway } = await startWith({ me: {} });
    await gateway.ask({ model: "stub/x", ...BODIES["/v1/embeddings"] }, "me", "/v1/embeddings");
    await gateway.ask(
      { model: "stub/x", ...BODIES["/v1/images/generations"] },
      "me",
      "/v1/images/generations",
    );
    const { data } = await body(gateway.get("/v1/usage?group=key", "me"));
    // Pictures cost nothing that is known here: they are calls without a price.
    expect(data[0]).toMatchObject({ calls: 2, cost_usd: 8e-6, input_tokens: expect.any(Number) });
  });

  it("a budget is kept where there is a price, and the rest is refused unless it was allowed by name", async () => {
    const { gateway, provider } = await startWith({
      poor: poor,
      trusted: { ...poor, allowFields: ["images"] },
    });
    const ask = (path: string, key: string, more: object = {}) =>
      gateway.ask({ model: "stub/x", ...BODIES[path], ...more }, key, path);
    expect((await ask("/v1/embeddings", "poor")).status).toBe(200);
    expect((await ask("/v1/completions", "poor")).status).toBe(200);
    // A token is at least a byte: so much may cost more than there is.
    const long = await ask("/v1/embeddings", "poor", { input: "x".repeat(5_000) });
    expect(long.status).toBe(429);
    expect((await ask("/v1/completions", "poor", { best_of: 9 })).status).toBe(403);
    for (const path of ["/v1/images/generations", "/v1/rerank", "/v1/audio/speech"]) {
      const refused = await ask(path, "poor");
      expect(refused.status).toBe(403);
      expect((await body(refused)).error.message).toContain("--allow-fields");
    }
    expect((await ask("/v1/images/generations", "trusted")).status).toBe(200);
    expect(provider.requests.map(({ path }) => path)).toEqual([
      "/v1/embeddings",
      "/v1/completions",
      "/v1/images/generations",
    ]);
    // Nothing was added to a request that has no such field.
    expect(JSON.parse(provider.requests[0]!.body)).toEqual({ model: "x", ...BODIES["/v1/embeddings"] });
  });

  it("a model that the key may not ask is not asked", async () => {
    const { gateway, provider } = await startWith({ one: { only: ["stub/y"] } });
    const response = await gateway.ask({ model: "stub/x", input: "a" }, "one", "/v1/embeddings");
    expect(response.status).toBe(403);
    expect(provider.requests).toEqual([]);
  });
});

describe("files and batches", () => {
  it("go to the provider that is named, with what stands in the address", async () => {
    const { gateway, provider } = await startWith();
    const headers = { "x-tutti-provider": "stub" };
    const list = await fetch(`${gateway.url}/v1/files?purpose=batch&evil=1`, { headers });
    expect(await list.json()).toEqual(REPLIES["/v1/files"]);
    const cancelled = await gateway.post("/v1/batches/b_1/cancel", "", headers);
    expect((await body(cancelled)).status).toBe("cancelling");
    expect(provider.requests.map(({ path }) => path)).toEqual([
      "/v1/files?purpose=batch",
      "/v1/batches/b_1/cancel",
    ]);
    const strange = await fetch(`${gateway.url}/v1/files/..%2f..%2fsecrets`, { headers });
    expect(strange.status).toBe(404);
    expect(provider.requests.at(-1)!.path).toBe("/v1/files/..%2F..%2Fsecrets");
    expect((await fetch(`${gateway.url}/v1/files`)).status).toBe(404);
  });

  it("belong to all keys, so only admins and keys that were allowed see them", async () => {
    const { gateway, provider } = await startWith({
      me: {},
      admin: { isAdmin: true },
      batcher: { allowFields: ["batches"] },
    });
    const headers = { "x-tutti-provider": "stub" };
    expect((await gateway.get("/v1/files", "me", headers)).status).toBe(403);
    expect((await gateway.get("/v1/files", "batcher", headers)).status).toBe(403);
    expect(provider.requests).toEqual([]);
    expect((await gateway.get("/v1/files", "admin", headers)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/files`, { headers })).status).toBe(401);
  });
});
