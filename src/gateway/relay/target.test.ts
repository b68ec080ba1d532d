import { describe, expect, test } from "vitest";
import { relayTargetOf, toEndpoint, toMember } from "../../config/endpoint.ts";
import type { ProviderProtocol as Protocol } from "../../worker/models.ts";
import { DIALECTS } from "../dialect/dialects.ts";
import { toUpstream } from "./target.ts";

const named = (name: string) => DIALECTS.find((dialect) => dialect.name === name)!;
const target = (protocol: Protocol, apiKey?: string) => ({
  provider: "p",
  protocol,
  baseUrl: "https://models.example/v1",
  model: "m",
  ...(apiKey && { apiKey }),
});

test.each<[string, Protocol, string | undefined]>([
  ["chat", "openai", "/v1/chat/completions"],
  ["chat", "openai-compatible", "/v1/chat/completions"],
  ["chat", "mistral", "/v1/chat/completions"],
  ["chat", "anthropic", undefined],
  ["chat", "google", undefined],
  ["responses", "openai", "/v1/responses"],
  ["responses", "openai-compatible", undefined],
  ["responses", "mistral", undefined],
  ["responses", "anthropic", undefined],
  ["messages", "anthropic", "/v1/messages"],
  ["messages", "openai", undefined],
  ["messages", "google", undefined],
])("%s to an endpoint of %s", (dialect, speaks, path) => {
  expect(toUpstream(target(speaks), named(dialect))?.url.href).toBe(path && `https://models.example${path}`);
});

describe("the key goes where the provider looks for it", () => {
  test("as a bearer token", () => {
    expect(toUpstream(target("openai", "sk-own-key"), named("chat"))?.headers).toEqual({
      authorization: "Bearer sk-own-key",
    });
  });
  test("as x-api-key, with a version, to Anthropic", () => {
    expect(toUpstream(target("anthropic", "sk-own-key"), named("messages"))?.headers).toEqual({
      "anthropic-version": "2023-06-01",
      "x-api-key": "sk-own-key",
    });
  });
  test("not at all to a server that wants none", () => {
    expect(toUpstream(target("openai-compatible"), named("chat"))?.headers).toEqual({});
  });
});

test("a worker of the config knows where its model stands, and shows its key to nobody", async () => {
  const found = toEndpoint("openai", { OPENAI_API_KEY: "sk-secret-of-ours" });
  if (!found.ok) throw new Error("no endpoint");
  const member = await toMember(found.endpoint, "gpt-6-sol", { price: { inputUsd: 1, outputUsd: 2 } });
  expect(relayTargetOf(member.worker)).toEqual({
    provider: "openai",
    protocol: "openai",
    baseUrl: "https://api.openai.com/v1",
    model: "gpt-6-sol",
    apiKey: "sk-secret-of-ours",
    price: { inputUsd: 1, outputUsd: 2 },
  });
  expect(JSON.stringify(member)).not.toContain("sk-secret");
});
