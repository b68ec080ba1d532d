// Whom a key may not ask, by whatever name. The property tests make names as an attacker would; the last ones go over
// the socket.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { start } from "../../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";
import { checkKeyNames } from "./key-names.ts";
import { type GatewayKey, isAllowed } from "./keys.ts";
import { isNamedAnyhow, isNamedExactly, isPlainName } from "./model-names.ts";

const key = (settings: Partial<GatewayKey>): GatewayKey => ({
  ...{ id: "key_00000000", name: "k", hash: "", hint: "", createdAt: 0, isAdmin: false },
  ...settings,
});

describe("without openai/gpt-5", () => {
  const without = ["openai/gpt-5"];

  it.each([
    "openai/gpt-5",
    "openai/GPT-5",
    "OpenAI/Gpt-5",
    "openai/gpt-5-2026-01-12",
    "openai/gpt-5-20260112",
    "openai/gpt-5-0112",
    "openai/gpt-5-latest",
    "openai/gpt-5-preview-2026-01",
    "openai/gpt-5-2026-01-12-preview",
    "openai/gpt_5",
    "openai/gpt-5:free",
    "openai/gpt-5:nitro",
    "openai/gpt-5@eu-west",
    "openai/gpt-5@20260112",
    "openai/gpt-5-v1:0",
    "openrouter/openai/gpt-5",
    "openrouter/openai/gpt-5:free",
    "openrouter/openai/gpt-5-2026-01-12:nitro",
    "acme/gpt-5",
    "fireworks/accounts/x/models/gpt-5",
    "bedrock/us.openai.gpt-5-v1:0",
    "openrouter/auto",
    "openrouter/openrouter/auto",
    "ｏｐｅｎａｉ/ｇｐｔ-5",
  ])("%s is kept back", (name) => {
    expect(isNamedAnyhow(without, name)).toBe(true);
    expect(isAllowed(key({ without }), name)).toBe(false);
    expect(isAllowed(key({ without }), "strong", name)).toBe(false);
  });

  it.each([
    "openai/gpt-5-mini",
    "openai/gpt-5-pro",
    "openai/gpt-5-mini-2026-01-12",
    "openai/gpt-5.4",
    "openai/gpt-5-4",
    "openai/gpt-50",
    "openai/gpt-4o",
    "openai/my-gpt-5",
    "anthropic/claude-opus-5",
    "auto",
    "strong",
  ])("%s is not", (name) => {
    expect(isNamedAnyhow(without, name)).toBe(false);
    expect(isAllowed(key({ without }), name)).toBe(true);
  });
});

it("a family is named with a star, and a version's dots and dashes are the same", () => {
  for (const name of ["openai/gpt-5", "openai/gpt-5-mini", "openai/gpt-5.4", "openrouter/openai/gpt-5-pro"])
    expect(isNamedAnyhow(["openai/gpt-5*"], name)).toBe(true);
  for (const name of ["openai/gpt-4o", "anthropic/claude-opus-5"])
    expect(isNamedAnyhow(["openai/gpt-5*"], name)).toBe(false);
  expect(isNamedAnyhow(["openai/*"], "openai/x")).toBe(true);
  expect(isNamedAnyhow(["openai/*"], "acme/x")).toBe(false);
  expect(isNamedAnyhow(["anthropic/claude-opus-5-5"], "openrouter/anthropic/claude-opus-5.5")).toBe(true);
  expect(() => checkKeyNames(["openai/gpt-5*", "openai*"], {})).not.toThrow();
  for (const name of ["openai/*-5", "*", "opeani/gpt*"]) expect(() => checkKeyNames([name], {})).toThrow();
});

describe("property", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abcdefgxyz"), minLength: 2, maxLength: 6 });
  const model = fc
    .tuple(word, fc.integer({ min: 1, max: 99 }))
    .map(([name, version]) => `${name}-${version}x`)
    .filter((name) => name !== "auto");
  const inAnyCase = (text: string) =>
    fc
      .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
      .map((upper) => [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter)).join(""));
  const behind = fc.array(
    fc.constantFrom("-2026-01-12", "-20260112", "-latest", "-preview", "-0112", "-002", "-v2", "-beta"),
    { maxLength: 3 },
  );
  const variant = fc.constantFrom("", ":free", ":nitro", "@eu", "@20260112");
  const before = fc.constantFrom("", "openrouter/", "acme/team/", "groq/");

  it("every other name of a model is kept back with it", () => {
    fc.assert(
      fc.property(
        word.chain((provider) =>
          model.chain((name) =>
            fc.tuple(fc.constant(`${provider}/${name}`), inAnyCase(`${provider}/${name}`)),
          ),
        ),
        before,
        behind,
        variant,
        ([entry, written], prefix, suffixes, tail) => {
          const name = `${prefix}${written}${suffixes.join("")}${tail}`;
          expect(isNamedAnyhow([entry], name)).toBe(true);
          expect(isAllowed(key({ without: [entry] }), "w", name)).toBe(false);
        },
      ),
      { seed: 14, numRuns: 2_000 },
    );
  });

  it("another model is not, and `only` lets nothing in that it does not name", () => {
    fc.assert(
      fc.property(word, model, model, fc.string(), (provider, name, other, rest) => {
        fc.pre(name !== other);
        expect(isNamedAnyhow([`${provider}/${name}`], `${provider}/${other}`)).toBe(false);
        expect(isNamedAnyhow([`${provider}/${name}`], `${provider}/${name}mini`)).toBe(false);
        expect(isNamedExactly([`${provider}/${name}`], `${provider}/${other}`)).toBe(false);
        const odd = `${provider}/${name}${rest}`;
        const isNamed = rest === "" || rest.startsWith("/");
        expect(isNamedExactly([`${provider}/${name}`], odd)).toBe(isNamed);
      }),
      { seed: 14, numRuns: 2_000 },
    );
  });

  it("a plain name has no other way to be written into an address", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."a.%/: ?#\\") })),
        (name) => {
          if (!isPlainName(name)) return;
          const url = new URL(`http://h/v1/${name}/end?q`);
          expect(url.pathname).toBe(`/v1/${name}/end`);
          expect(url.search + url.hash).toBe("?q");
          expect(decodeURIComponent(name).normalize("NFKC")).toBe(name);
        },
      ),
      { seed: 14, numRuns: 5_000 },
    );
  });
});

describe("over the socket", () => {
  const ODD = [
    "openai/gpt%2d5",
    "openai%2fgpt-5",
    "openai//gpt-5",
    "openai/./gpt-5",
    "openai/x/../gpt-5",
    "openai/gpt-5 ",
    " openai/gpt-5",
    "openai/gpt-5\n",
    "openai/gpt-5\u0000",
    "openai/gpt\u20115",
    "openai/gpt-\uff15",
    "openai/\u0261pt-5",
    "openai/gpt-5?x",
    "openai/gpt-5#x",
    "openai/gpt-5/",
    "openai/gpt-5\\",
    `openai/${"x".repeat(300)}`,
  ];
  const OTHER = [
    "openai/gpt-5",
    "openai/GPT-5",
    "openai/gpt-5-2026-01-12",
    "openai/gpt-5-latest",
    "openai/gpt-5:free",
    "openrouter/openai/gpt-5",
    "openrouter/openai/gpt-5-2026-01-12:nitro",
    "openrouter/auto",
    "second",
  ];

  async function begin(keys: Parameters<typeof start>[0]) {
    const provider = await startProvider((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"choices":[{"index":0,"message":{"content":"Hi."},"finish_reason":"stop"}]}');
    });
    const worker = (id: string, model: string) => ({ id, model, baseUrl: `${provider.url}/v1` });
    const gateway = await start(keys, {
      env: {
        OPENAI_BASE_URL: `${provider.url}/v1`,
        OPENAI_API_KEY: "sk-of-tests-0123456789",
        OPENROUTER_API_KEY: "sk-or-of-tests-0123456789",
      },
      config: {
        workers: [
          worker("first", "openai/gpt-4o"),
          worker("second", "acme/gpt-5"),
          worker("cheap", "acme/small"),
          worker("costly", "acme/small"),
        ],
        conductor: undefined,
      },
    });
    const ask = (model: string, more: object = {}, name = "k") =>
      gateway.ask({ model, messages: [{ role: "user", content: "Hello?" }], max_tokens: 9, ...more }, name);
    const asked = () => provider.requests.map(({ body }) => JSON.parse(body).model as string);
    return { gateway, ask, asked };
  }

  it("a model that is kept back is reached by no other name, in no team, and not as a fallback", async () => {
    const { gateway, ask, asked } = await begin({ k: { without: ["openai/gpt-5"] } });
    for (const model of OTHER) expect([model, (await ask(model)).status]).toEqual([model, 403]);
    for (const model of ODD) expect([400, 404]).toContain((await ask(model)).status);
    for (const model of ["first", "openai/gpt-5-mini"]) expect((await ask(model)).status).toBe(200);
    for (const field of ["models", "fallbacks", "route", "preset"])
      expect((await ask("first", { [field]: ["openai/gpt-5"] })).status).toBe(403);
    for (const pool of [...OTHER, ...ODD]) {
      const response = await ask("tutti-fast", { tutti: { pool: [pool] } });
      expect([400, 403]).toContain(response.status);
    }
    expect(asked()).toEqual(["gpt-4o", "gpt-5-mini"]);
    const listed = await (await gateway.get("/v1/models", "k")).text();
    expect(listed).not.toContain("second");
  });

  it("a worker that is kept back by its name is not reached by its model's", async () => {
    const { ask, asked } = await begin({ k: { without: ["first", "costly"] } });
    for (const model of ["first", "costly", "openai/gpt-4o", "openai/gpt-4o-2024-08-06"])
      expect([model, (await ask(model)).status]).toEqual([model, 403]);
    // The same model under another name of the config is another worker.
    expect((await ask("cheap")).status).toBe(200);
    expect(asked()).toEqual(["small"]);
  });

  it("`only` lets in what it names and nothing else", async () => {
    const { ask, asked } = await begin({
      k: { only: ["openai/gpt-5"] },
      family: { only: ["openai/gpt-5*"] },
    });
    const others = [
      "openai/gpt-5-mini",
      "openai/gpt-5-2026-01-12",
      "openrouter/openai/gpt-5",
      "first",
      "second",
    ];
    for (const model of others) expect([model, (await ask(model)).status]).toEqual([model, 403]);
    for (const model of ODD) expect([400, 404]).toContain((await ask(model)).status);
    expect((await ask("openai/gpt-5")).status).toBe(200);
    expect((await ask("openai/gpt-5-mini", {}, "family")).status).toBe(200);
    expect(asked()).toEqual(["gpt-5", "gpt-5-mini"]);
  });
});
