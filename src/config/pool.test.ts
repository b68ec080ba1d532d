import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import type { Worker, WorkerEvent } from "../worker/types.ts";
import { type ResolvePoolOptions, resolveModel, resolvePool } from "./pool.ts";
import { parseConfig } from "./problems.ts";

const KEY = "a-key-only-for-this-test";
const never = new AbortController().signal;

let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** No network, no home folder, no local servers: only what a test gives. */
function optionsWith(
  env: Record<string, string> = {},
  more: Partial<ResolvePoolOptions> = {},
): ResolvePoolOptions {
  const fetch = () => Promise.reject(new TypeError("fetch failed"));
  const home = mkdtempSync(join(tmpdir(), "tutti-home-"));
  return { env: { TUTTI_HOME: home, ...env }, localServers: [], fetch, ...more };
}

const resolve = (config: object, options = optionsWith()) => resolvePool(parseConfig(config), options);

async function messageOf(config: object, options = optionsWith(), code = "usage"): Promise<string> {
  const error = await resolve(config, options).then(
    () => expect.fail("was accepted"),
    (reason) => reason,
  );
  expect(error).toMatchObject({ code });
  return error.message;
}

const idsOf = ({ pool }: Awaited<ReturnType<typeof resolve>>) => pool.members.map(({ worker }) => worker.id);

async function textOf(worker: Worker): Promise<string> {
  const events: WorkerEvent[] = [];
  for await (const event of worker.ask(
    { messages: [{ role: "user", content: "hi" }], maxOutputTokens: 9 },
    never,
  ))
    events.push(event);
  return events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
}

const mine: Worker = { id: "mine", kind: "model", async *ask() {} };
const local = (id: string, baseUrl = "http://127.0.0.1:9/v1") => ({ id, model: `here/${id}`, baseUrl });

describe("the workers of the config", () => {
  it("are the pool, with the vote behind them", async () => {
    const resolved = await resolve({
      workers: [local("a"), mine, { worker: { ...mine, id: "other" }, profile: { success: 0.5 } }],
    });
    expect(resolved).toMatchObject({ kind: "config", warnings: [] });
    expect(resolved.notice).toBeUndefined();
    expect(idsOf(resolved)).toEqual(["a", "mine", "other", "consensus"]);
    expect(resolved.workers.map(({ state }) => state)).toEqual(["ready", "ready", "ready"]);
  });

  it("have the vote only where there is something to compare and nobody switched it off; self only on request", async () => {
    expect(idsOf(await resolve({ workers: [local("a")] }))).toEqual(["a"]);
    expect(idsOf(await resolve({ workers: [local("a"), local("b")], consensus: false, self: true }))).toEqual(
      ["a", "b", "self"],
    );
  });

  it("are asked at their server with their settings", async () => {
    server = await startChatServer({
      reply: ({ body }) => `${body.model} ${body.temperature} ${body.reasoning_effort}`,
    });
    const worker = {
      ...local("a", server.baseUrl),
      apiKeyEnv: "MY_KEY",
      temperature: 0.3,
      options: { reasoningEffort: "low" },
    };
    const { pool } = await resolve(
      { workers: [worker] },
      { ...optionsWith({ MY_KEY: KEY }), fetch: undefined },
    );
    expect(await textOf(pool.members[0]!.worker)).toBe("a 0.3 low");
    expect(pool.members[0]).toMatchObject({ price: { inputUsd: 0, outputUsd: 0 }, source: "MY_KEY" });
    expect(server.requests[0]?.hasAuthorization).toBe(true);
  });

  it("send no key to a server of one's own choice unless its variable is named", async () => {
    server = await startChatServer({ reply: () => "ok" });
    const worker = { model: "openai/gpt-6-sol", baseUrl: server.baseUrl };
    const { pool } = await resolve(
      { workers: [worker] },
      { ...optionsWith({ OPENAI_API_KEY: KEY }), fetch: undefined },
    );
    await textOf(pool.members[0]!.worker);
    expect(server.requests[0]?.hasAuthorization).toBe(false);
  });

  it("take their price from the config, else from the catalogue, else it is unknown", async () => {
    const price = { inputUsd: 7, outputUsd: 8 };
    const workers = [
      { model: "openai/gpt-5" },
      { id: "special", model: "openai/gpt-5", price },
      { model: "openai/gpt-unheard-of" },
      { model: "there/x", baseUrl: "https://llm.example.com/v1" },
    ];
    const { pool } = await resolve({ workers, consensus: false }, optionsWith({ OPENAI_API_KEY: KEY }));
    expect(pool.members.map((member) => member.price?.outputUsd)).toEqual([10, 8, undefined, undefined]);
  });

  it("may be AI SDK model objects, priced by the catalogue", async () => {
    const model = {
      specificationVersion: "v3",
      provider: "openai.chat",
      modelId: "gpt-5",
      supportedUrls: {},
      doStream() {},
    };
    const resolved = await resolve({ workers: [{ model }] });
    expect(idsOf(resolved)).toEqual(["openai.chat/gpt-5"]);
    expect(resolved.pool.members[0]?.price).toMatchObject({ outputUsd: 10 });
  });
});

it("a model that does not chat is never a worker", async () => {
  const workers = [local("a"), { model: "here/nomic-embed-text", baseUrl: "http://127.0.0.1:9/v1" }];
  const resolved = await resolve({ workers });
  expect(idsOf(resolved)).toEqual(["a"]);
  expect(resolved.warnings).toEqual(["here/nomic-embed-text is left out: it is no chat model"]);
});

describe("a missing key", () => {
  const config = {
    workers: [local("a"), { id: "b", model: "openai/gpt-6-sol" }],
    pools: { both: ["a", "b"] },
  };

  it("leaves the worker out and names the variable", async () => {
    for (const selector of [undefined, "both"]) {
      const resolved = await resolve(config, optionsWith({}, { selector }));
      expect(idsOf(resolved)).toEqual(["a"]);
      expect(resolved.warnings).toEqual(["b is left out: its key is missing: set OPENAI_API_KEY"]);
      expect(resolved.workers).toContainEqual({
        id: "b",
        state: "missing-key",
        detail: "its key is missing: set OPENAI_API_KEY",
      });
    }
  });

  it("is an error for a worker that was named, and where nobody is left", async () => {
    expect(await messageOf(config, optionsWith({}, { selector: "b" }))).toBe(
      "b: its key is missing: set OPENAI_API_KEY",
    );
    const google = {
      workers: [{ model: "google/gemini-3.8-flash", apiKeyEnv: "TEAM_KEY" }, "anthropic/claude-sonnet-5"],
    };
    const message = await messageOf(google, optionsWith(), "no-worker");
    expect(message).toMatch(/^No worker can be asked\./);
    expect(message).toContain("google/gemini-3.8-flash: its key is missing: set TEAM_KEY");
    expect(message).toContain("set ANTHROPIC_API_KEY");
  });
});

describe("choosing", () => {
  const config = {
    workers: [local("alpha"), local("beta"), local("gamma")],
    pools: { greek: ["gamma", "alpha"] },
  };
  const choose = (selector: string | string[], env = {}) => resolve(config, optionsWith(env, { selector }));

  it("by ids, in their order, as a list or with commas", async () => {
    expect(idsOf(await choose("gamma, alpha"))).toEqual(["gamma", "alpha", "consensus"]);
    expect(idsOf(await choose(["beta"]))).toEqual(["beta"]);
    expect(idsOf(await choose(["beta", "consensus", "self"]))).toEqual(["beta", "consensus", "self"]);
  });

  it("by the name of a pool", async () => {
    expect(idsOf(await choose("greek"))).toEqual(["gamma", "alpha", "consensus"]);
  });

  it("by provider/model, also where the config does not have it", async () => {
    const resolved = await choose("alpha,openai/gpt-5", { OPENAI_API_KEY: KEY });
    expect(resolved.kind).toBe("mixed");
    expect(idsOf(resolved)).toEqual(["alpha", "openai/gpt-5", "consensus"]);
  });

  it("by the model's own name, where only one worker has it", async () => {
    const workers = [{ model: "openai/gpt-5" }, { model: "there/x", baseUrl: "https://a.example.com/v1" }];
    const twin = { model: "here/x", baseUrl: "https://b.example.com/v1" };
    const find = (selector: string, more: object[] = []) =>
      resolve({ workers: [...workers, ...more] }, optionsWith({ OPENAI_API_KEY: KEY }, { selector }));
    expect(idsOf(await find("gpt-5"))).toEqual(["openai/gpt-5"]);
    expect(idsOf(await find("x"))).toEqual(["there/x"]);
    await expect(find("x", [twin])).rejects.toThrow('"x" is ambiguous (there are: there/x, here/x).');
  });

  it("fails with the nearest name of a pool, too", async () => {
    expect(await messageOf(config, optionsWith({}, { selector: "greeck" }))).toContain(
      'Did you mean "greek"?',
    );
  });

  it("fails with the names there are", async () => {
    expect(await messageOf(config, optionsWith({}, { selector: "gpt-9" }))).toBe(
      'No worker "gpt-9" (there are: alpha, beta, gamma).',
    );
    expect(await messageOf(config, optionsWith({}, { selector: "alhpa" }))).toBe(
      'No worker "alhpa" (there are: alpha, beta, gamma). Did you mean "alpha"?',
    );
  });
});

describe("without workers in the config", () => {
  it("keys in the environment make the pool", async () => {
    const resolved = await resolve({}, optionsWith({ OPENAI_API_KEY: KEY }));
    expect(resolved.kind).toBe("environment");
    expect(idsOf(resolved)).toEqual(["openai/gpt-6-sol", "openai/gpt-6-luna", "consensus"]);
    expect(resolved.workers[0]).toMatchObject({
      state: "unchecked",
      detail: "its list of models cannot be reached",
    });
  });

  it("and without keys it is the rehearsal pool, which says so", async () => {
    const resolved = await resolve({});
    expect(resolved.kind).toBe("rehearsal");
    expect(resolved.notice).toBe(
      "No provider key or local server found: using the rehearsal pool (simulated workers). " +
        "Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, … or add workers to tutti.config.yaml.",
    );
    expect(resolved.pool.members.length).toBeGreaterThan(2);
  });

  it("the rehearsal pool can be chosen although there are keys, and then asks nobody", async () => {
    const fetch = () => expect.fail("asked the network");
    const resolved = await resolve(
      {},
      optionsWith({ OPENAI_API_KEY: KEY }, { selector: "rehearsal", fetch }),
    );
    expect(resolved.kind).toBe("rehearsal");
    expect(resolved.notice).toBeUndefined();
  });

  it("a wrong TUTTI_REHEARSAL_DELAY is refused", async () => {
    expect(await messageOf({}, optionsWith({ TUTTI_REHEARSAL_DELAY: "fast" }))).toContain(
      "must be a number from 0",
    );
  });
});

describe("a model by its name", () => {
  const env = { OPENAI_API_KEY: KEY };

  it("is a worker with its price", async () => {
    expect(await resolveModel("openai/gpt-5", { env })).toMatchObject({
      worker: { id: "openai/gpt-5" },
      price: { outputUsd: 10 },
    });
    expect(await resolveModel("ollama/llama3.3", { env })).toMatchObject({
      price: { inputUsd: 0, outputUsd: 0 },
    });
  });

  it.each([
    ["gpt-5", /must be "provider\/model"/],
    ["anthropic/claude-sonnet-5", /its key is missing: set ANTHROPIC_API_KEY/],
    ["opnai/gpt-5", /No provider "opnai" \(there are: openai, .*\)\. Did you mean "openai"\?/],
  ])("%s cannot be resolved", async (ref, message) => {
    await expect(resolveModel(ref, { env })).rejects.toThrow(message);
  });

  it("refuses an address that is none", async () => {
    const wrong = { ...env, OPENAI_BASE_URL: "localhost:8000" };
    await expect(resolveModel("openai/x", { env: wrong })).rejects.toThrow(
      /OPENAI_BASE_URL must be an http or https address/,
    );
  });
});
