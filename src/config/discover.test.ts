import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import { PROVIDERS, type ProviderInfo } from "./default-models.ts";
import { type DiscoverOptions, discover } from "./discover.ts";
import { isPrivateHost } from "./endpoint.ts";

const OPENAI = "https://api.openai.com/v1";
const KEY = "a-key-only-for-this-test";

const servers: ChatServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(models: string[]): Promise<ChatServer> {
  const server = await startChatServer({ models, reply: () => "hello" });
  servers.push(server);
  return server;
}

/** Sends what is meant for a provider to a server of ours, over real HTTP; nothing else leaves. */
function redirect(from: string, server: ChatServer): typeof globalThis.fetch {
  return (input, init) => {
    const url = String(input);
    if (!url.startsWith(from)) return Promise.reject(new Error(`${url} must not be asked`));
    return fetch(url.replace(from, server.baseUrl), init);
  };
}

function optionsWith(env: Record<string, string>, more: Partial<DiscoverOptions> = {}): DiscoverOptions {
  const home = mkdtempSync(join(tmpdir(), "tutti-home-"));
  return { env: { TUTTI_HOME: home, ...env }, localServers: [], now: 1_000_000, ...more };
}

describe("keys in the environment", () => {
  it("give a strong and a cheap model that the provider lists, most expensive first", async () => {
    const server = await serve(["gpt-5-mini", "gpt-5.4", "gpt-5-2025-08-07", "gpt-6-luna"]);
    const found = await discover(optionsWith({ OPENAI_API_KEY: KEY }, { fetch: redirect(OPENAI, server) }));
    expect(found.map(({ id, state }) => [id, state])).toEqual([
      ["openai/gpt-5.4", "ready"],
      ["openai/gpt-6-luna", "ready"],
    ]);
    expect(found[0]?.member).toMatchObject({
      price: { inputUsd: 2.5, outputUsd: 15 },
      source: "OPENAI_API_KEY",
    });
  });

  it("know a model by its dated name", async () => {
    const server = await serve(["gpt-5-2025-08-07", "gpt-5-mini-2025-08-07"]);
    const found = await discover(optionsWith({ OPENAI_API_KEY: KEY }, { fetch: redirect(OPENAI, server) }));
    expect(found.map(({ id }) => id)).toEqual(["openai/gpt-5", "openai/gpt-5-mini"]);
  });

  it("say which models an account does not have", async () => {
    const server = await serve(["gpt-5.4", "davinci"]);
    const found = await discover(optionsWith({ OPENAI_API_KEY: KEY }, { fetch: redirect(OPENAI, server) }));
    expect(found[1]).toMatchObject({ id: "openai/gpt-6-luna", state: "not-listed" });
    expect(found[1]?.member).toBeUndefined();
    expect(found[1]?.detail).toContain("gpt-5-mini");
  });

  it("are kept unchecked when the provider does not answer", async () => {
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    const found = await discover(optionsWith({ ANTHROPIC_API_KEY: KEY }, { fetch }));
    expect(found.map(({ state }) => state)).toEqual(["unchecked", "unchecked"]);
    expect(found[0]?.member?.worker.id).toBe(found[0]?.id);
    expect(found[0]?.detail).toBe("its list of models cannot be reached");
  });

  it("ask for the list once a day, and keep no key with it", async () => {
    const server = await serve(["gpt-5"]);
    const options = optionsWith({ OPENAI_API_KEY: KEY }, { fetch: redirect(OPENAI, server) });
    await discover(options);
    await discover({ ...options, now: 1_000_000 + 86_000_000 });
    expect(server.modelLists).toBe(1);
    await discover({ ...options, now: 1_000_000 + 87_000_000 });
    expect(server.modelLists).toBe(2);
    const cache = readFileSync(join(options.env.TUTTI_HOME ?? "", "models-cache.json"), "utf8");
    expect(JSON.parse(cache)).toMatchObject({ [OPENAI]: { models: ["gpt-5"] } });
    expect(cache).not.toContain(KEY);
  });

  it("are sent in the way of each provider", async () => {
    const seen: Record<string, Record<string, string>> = {};
    const fetch = ((input: string, init: RequestInit) => {
      seen[new URL(input).host] = init.headers as Record<string, string>;
      return Promise.resolve(
        Response.json({ models: [{ name: "models/gemini-2.5-pro" }, { name: "models/gemini-2.5-flash" }] }),
      );
    }) as typeof globalThis.fetch;
    const found = await discover(optionsWith({ GEMINI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY }, { fetch }));
    expect(found.filter(({ state }) => state === "ready").map(({ id }) => id)).toEqual([
      "google/gemini-2.5-pro",
      "google/gemini-2.5-flash",
    ]);
    expect(seen["generativelanguage.googleapis.com"]).toHaveProperty("x-goog-api-key");
    expect(seen["api.anthropic.com"]).toHaveProperty("x-api-key");
  });

  it("are none when the variable is empty", async () => {
    expect(await discover(optionsWith({ OPENAI_API_KEY: " " }))).toEqual([]);
  });
});

describe("OPENAI_BASE_URL", () => {
  it("gives the chat models of that server, free on a private host, with or without a key", async () => {
    const server = await serve(["qwen3", "nomic-embed-text", "whisper-1", "llama3.3"]);
    const found = await discover(optionsWith({ OPENAI_BASE_URL: server.baseUrl }));
    expect(found.map(({ id }) => id)).toEqual(["openai/qwen3", "openai/llama3.3"]);
    expect(found[0]?.member).toMatchObject({
      price: { inputUsd: 0, outputUsd: 0 },
      source: "OPENAI_BASE_URL",
    });
    for await (const _ of found[0]!.member!.worker.ask(
      { messages: [], maxOutputTokens: 9 },
      new AbortController().signal,
    ));
    expect(server.requests[0]).toMatchObject({ model: "qwen3", hasAuthorization: false });
  });

  it("takes the models that OPENAI_MODEL names", async () => {
    const server = await serve(["a", "b", "c"]);
    const found = await discover(optionsWith({ OPENAI_BASE_URL: server.baseUrl, OPENAI_MODEL: "b, c" }));
    expect(found.map(({ id }) => id)).toEqual(["openai/b", "openai/c"]);
    expect(server.modelLists).toBe(0);
  });

  it("says what to do when that server does not list its models", async () => {
    const fetch = async () => new Response("<html>", { status: 200 });
    const found = await discover(optionsWith({ OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }, { fetch }));
    expect(found).toMatchObject([{ state: "unchecked" }]);
    expect(found[0]?.member).toBeUndefined();
    expect(found[0]?.detail).toContain("Name its models in OPENAI_MODEL");
  });

  it("takes the price of a host that the catalogue knows, and leaves others unknown", async () => {
    const env = {
      OPENAI_BASE_URL: "https://api.groq.com/openai/v1",
      OPENAI_API_KEY: KEY,
      OPENAI_MODEL: "openai/gpt-oss-120b",
    };
    expect((await discover(optionsWith(env)))[0]?.member?.price).toMatchObject({ outputUsd: 0.6 });
    const elsewhere = { ...env, OPENAI_BASE_URL: "https://llm.example.com/v1" };
    expect((await discover(optionsWith(elsewhere)))[0]?.member?.price).toBeUndefined();
  });
});

describe("local servers", () => {
  const localAt = (baseUrl: string): ProviderInfo => ({
    id: "ollama",
    protocol: "openai-compatible",
    baseUrl,
    keys: [],
    models: [],
  });

  it("that answer give their chat models for free, eight at the most, and the others are named", async () => {
    const server = await serve(["all-minilm-embed", ...Array.from({ length: 12 }, (_, i) => `model-${i}`)]);
    const found = await discover(optionsWith({}, { localServers: [localAt(server.baseUrl)] }));
    expect(found.filter(({ member }) => member)).toHaveLength(8);
    expect(found.filter(({ state }) => state === "over-limit").map(({ id }) => id)).toEqual(
      [8, 9, 10, 11].map((i) => `ollama/model-${i}`),
    );
    expect(found[0]).toMatchObject({
      id: "ollama/model-0",
      state: "ready",
      member: { price: { inputUsd: 0, outputUsd: 0 } },
    });
  });

  it("put the larger models first, where their names tell it", async () => {
    const server = await serve(["small:3b", "large:70b", "middle:8b"]);
    const found = await discover(optionsWith({}, { localServers: [localAt(server.baseUrl)] }));
    expect(found.map(({ id }) => id)).toEqual(["ollama/large:70b", "ollama/middle:8b", "ollama/small:3b"]);
  });

  it("that have a model which is there already count it once, and say so", async () => {
    const server = await serve(["qwen3:latest", "other"]);
    const env = { OPENAI_BASE_URL: "https://llm.example.com/v1", OPENAI_MODEL: "qwen3" };
    const found = await discover(optionsWith(env, { localServers: [localAt(server.baseUrl)] }));
    expect(found.filter(({ member }) => member).map(({ id }) => id)).toEqual([
      "openai/qwen3",
      "ollama/other",
    ]);
    expect(found.find(({ id }) => id === "ollama/qwen3:latest")).toMatchObject({
      state: "same-model",
      detail: expect.stringContaining("the same model as openai/qwen3"),
    });
  });

  it("that are silent, absent or something else give nothing, and are not waited for", async () => {
    const web = await serve([]);
    const silent = ((_: string, init: RequestInit) =>
      new Promise((_, reject) =>
        init.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
      )) as typeof fetch;
    expect(
      await discover(optionsWith({}, { localServers: [localAt("http://127.0.0.1:9/v1")], fetch: silent })),
    ).toEqual([]);
    const notModels = localAt(`${web.baseUrl}/elsewhere`);
    expect(await discover(optionsWith({}, { localServers: [notModels] }))).toEqual([]);
  });

  it("are not counted twice when OPENAI_BASE_URL is one of them", async () => {
    const server = await serve(["qwen3"]);
    const env = { OPENAI_BASE_URL: server.baseUrl.replace("127.0.0.1", "localhost") };
    const fetch = redirect(env.OPENAI_BASE_URL, server);
    const found = await discover(optionsWith(env, { localServers: [localAt(server.baseUrl)], fetch }));
    expect(found.map(({ id }) => id)).toEqual(["openai/qwen3"]);
  });
});

it.each([
  ["http://localhost:1/v1", true],
  ["http://127.0.0.1/v1", true],
  ["http://[::1]:8/v1", true],
  ["http://192.168.1.7/v1", true],
  ["http://172.20.0.1/v1", true],
  ["http://gpu-box:8000/v1", true],
  ["http://gpu.local/v1", true],
  ["http://172.40.0.1/v1", false],
  ["https://api.openai.com/v1", false],
  ["https://10.example.com/v1", false],
])("%s is private: %s", (url, expected) => {
  expect(isPrivateHost(url)).toBe(expected);
});

it("every default model has a price", async () => {
  const { priceOf } = await import("../worker/price.ts");
  for (const { id, models } of PROVIDERS) {
    for (const model of models.flat()) expect(await priceOf(id, model), `${id}/${model}`).toBeDefined();
  }
});
