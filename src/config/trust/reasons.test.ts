import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROVIDERS } from "../default-models.ts";
import { toEndpoint } from "../endpoint.ts";
import { parseConfig } from "../problems.ts";
import { findDestinations, findReasons, isProvidersOwn, toReasonText } from "./reasons.ts";

const reasonsOf = (config: object, env: Record<string, string> = {}) =>
  findReasons(parseConfig(config), env).map(toReasonText);
const worker = (fields: object) => ({ workers: [{ id: "w", model: "x/y", ...fields }] });

describe("a key goes without a question only to the provider whose variable it is", () => {
  it.each([
    ["a provider's own host", { model: "openai/x" }],
    ["its variable, named", { model: "openai/x", apiKeyEnv: "OPENAI_API_KEY" }],
    ["its second variable", { model: "google/x", apiKeyEnv: "GOOGLE_API_KEY" }],
    ["its host, named", { baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" }],
    ["its host in capitals", { baseUrl: "HTTPS://API.OpenAI.com:443/v1", apiKeyEnv: "OPENAI_API_KEY" }],
    ["no key, to a stranger", { baseUrl: "https://evil.example" }],
    ["no key, to a local server", { baseUrl: "http://127.0.0.1:8000/v1" }],
    ["a local server that wants none", { model: "ollama/llama" }],
  ])("%s: no question", (_, fields) => {
    expect(reasonsOf(worker(fields))).toEqual([]);
  });

  const openai = "OPENAI_API_KEY";
  it.each([
    ["https://api.openai.com.evil.example/v1", openai, "api.openai.com.evil.example"],
    ["https://api.openai.com@evil.example/v1", openai, "evil.example"],
    ["https://evil.example/api.openai.com", openai, "evil.example"],
    ["https://evil.example#@api.openai.com", openai, "evil.example"],
    ["https://evil.example\\@api.openai.com", openai, "evil.example"],
    ["https://api.openai.com.", openai, "api.openai.com."],
    ["https://api.openai.com:8443/v1", openai, "api.openai.com:8443"],
    ["https://api.оpenai.com/v1", openai, "api.xn--penai-iye.com"], // a Cyrillic о
    ["https://api-openai.com", openai, "api-openai.com"],
    ["https://openai.com", openai, "openai.com"],
    ["http://api.openai.com/v1", openai, "api.openai.com, not encrypted"],
    ["http://127.0.0.1:9/v1", openai, "127.0.0.1:9"],
    ["http://localhost:9/v1", openai, "localhost:9"],
    ["https://[2001:db8::1]/v1", openai, "[2001:db8::1]"],
    ["http://[::1]:8/v1", "LOCAL_KEY", "[::1]:8"],
    ["http://192.0.2.1/v1", "LOCAL_KEY", "192.0.2.1, not encrypted"],
    ["https://api.openai.com/v1", "ANTHROPIC_API_KEY", "api.openai.com"],
    ["https://api.openai.com/v1", "AWS_SECRET_ACCESS_KEY", "api.openai.com"],
    ["https://user@api.openai.com/v1", openai, "api.openai.com"],
  ])("%s with %s asks", (baseUrl, apiKeyEnv, host) => {
    expect(reasonsOf(worker({ baseUrl, apiKeyEnv }))).toEqual([`it sends ${apiKeyEnv} to ${host}`]);
  });

  it("a password in an address is refused before anything else", () => {
    const baseUrl = "https://api.openai.com:443@evil.example";
    expect(() => reasonsOf(worker({ baseUrl, apiKeyEnv: openai }))).toThrow("baseUrl holds a key");
    expect(isProvidersOwn(openai, "https://:word@api.openai.com/v1")).toBe(false);
  });

  it("a provider is told by its host, not by the name before the model", () => {
    const stolen = { model: "anthropic/x", baseUrl: "https://evil.example", apiKeyEnv: "ANTHROPIC_API_KEY" };
    expect(reasonsOf(worker(stolen))).toEqual(["it sends ANTHROPIC_API_KEY to evil.example"]);
    expect(reasonsOf(worker({ model: "groq/x", apiKeyEnv: openai }))).toEqual([
      `it sends ${openai} to api.groq.com`,
    ]);
  });

  it("an address in the environment is the user's own, for that provider's keys alone", () => {
    const env = { OPENAI_BASE_URL: "http://10.0.0.1/v1" };
    expect(reasonsOf({ workers: ["openai/x"] }, env)).toEqual([]);
    expect(reasonsOf(worker({ model: "openai/x", apiKeyEnv: openai }), env)).toEqual([]);
    expect(reasonsOf(worker({ model: "openai/x", apiKeyEnv: "GITHUB_TOKEN" }), env)).toEqual([
      "it sends GITHUB_TOKEN to 10.0.0.1, not encrypted",
    ]);
    // It goes nowhere, and says so when it is wanted: not a matter of trust.
    expect(reasonsOf({ workers: ["openai/x"] }, { OPENAI_BASE_URL: "no address" })).toEqual([]);
    expect(reasonsOf({ workers: ["nobody/x"] })).toEqual([]);
  });
});

it("whatever the address, what is sent without a question is sent to that provider over TLS", () => {
  const piece = fc.constantFrom(
    ...["https:", "http:", "//", "/", "\\", "@", ":", "#", "?", ".", "443", "8443", "v1", "%2e", "\t", " "],
    ...["api.openai.com", "API.OPENAI.COM", "api.anthropic.com", "evil.example", "[::1]", "xn--", "。", "０"],
  );
  const address = fc.oneof(
    fc.array(piece, { maxLength: 9 }).map((pieces) => `https://${pieces.join("")}`),
    fc.webUrl({ validSchemes: ["http", "https"] }),
    fc
      .tuple(fc.constantFrom(...PROVIDERS), fc.string({ unit: "grapheme" }))
      .map(([p, text]) => p.baseUrl + text),
  );
  const variables = [...PROVIDERS.flatMap(({ keys }) => keys), "GITHUB_TOKEN"];
  let silent = 0;
  fc.assert(
    fc.property(address, fc.constantFrom(...variables), (baseUrl, apiKeyEnv) => {
      const given = { baseUrl, apiKeyEnv };
      let config: ReturnType<typeof parseConfig>;
      try {
        config = parseConfig(worker(given));
      } catch {
        return; // No address: nothing is sent.
      }
      const [reason] = findReasons(config, {});
      const result = toEndpoint("x", { [apiKeyEnv]: "a-secret" }, given);
      if (!result.ok || reason !== undefined) return;
      silent++;
      // As a request is really made.
      const url = new URL(`${result.endpoint.baseUrl}/chat/completions`);
      const owner = PROVIDERS.find(({ keys }) => keys.includes(apiKeyEnv))!;
      expect(url.origin).toBe(new URL(owner.baseUrl).origin);
      expect(url.protocol + url.username + url.password).toBe("https:");
    }),
    { seed: 14, numRuns: 3_000, examples: [["https://api.openai.com/v1", "OPENAI_API_KEY"]] },
  );
  expect(silent).toBeGreaterThan(20);
  expect(isProvidersOwn("GITHUB_TOKEN", "https://api.openai.com/v1")).toBe(false);
});

it("a journal of the config's own, and deleting from one, needs trust; memory and the rest do not", () => {
  expect(reasonsOf({ store: "runs.db" })).toEqual([
    'it keeps runs in "runs.db" and goes on with those that are there',
  ]);
  expect(reasonsOf({ retentionDays: 0 })).toEqual(["it deletes runs older than 0 days from the journal"]);
  expect(reasonsOf({ store: "memory", retentionDays: 0, rounds: 3, conductor: "native:f" })).toEqual([]);
});

it("strangers stand first among the hosts, each once", () => {
  const to = (baseUrl: string, more: object = {}) => ({
    model: `x/${new URL(baseUrl).hostname}`,
    baseUrl,
    ...more,
  });
  const workers = [
    ...["openai/a", "openai/b", "groq/c"],
    to("http://127.0.0.1:8000/v1"),
    to("https://stranger.example"),
    to("https://thief.example/v1", { apiKeyEnv: "GITHUB_TOKEN" }),
  ];
  expect(findDestinations(parseConfig({ workers }), {}).map(({ host }) => host)).toEqual([
    ...["thief.example", "stranger.example", "api.openai.com", "api.groq.com", "127.0.0.1:8000"],
  ]);
});

it("embeddings are one more host, and a key that goes there needs trust as a worker's does", () => {
  const embeddings = { model: "x/small", baseUrl: "https://vectors.example/v1" };
  const hosts = (config: object) => findDestinations(parseConfig(config), {}).map(({ host }) => host);
  expect(hosts({ workers: ["openai/a"], embeddings })).toEqual(["vectors.example", "api.openai.com"]);
  expect(reasonsOf({ embeddings })).toEqual([]);
  expect(reasonsOf({ embeddings: { ...embeddings, apiKeyEnv: "OPENAI_API_KEY" } })).toEqual([
    "it sends OPENAI_API_KEY to vectors.example",
  ]);
  expect(reasonsOf({ embeddings: { model: "openai/text-embedding-3-small" } })).toEqual([]);
});
