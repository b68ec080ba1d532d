import { describe, expect, it } from "vitest";
import { startEmbeddingServer } from "../testing/embeddings.ts";
import { toEncoder } from "./encoder.ts";
import { parseConfig } from "./problems.ts";

const toResult = (embeddings: object | undefined, env: Record<string, string> = {}) =>
  toEncoder(parseConfig({ embeddings }), env);

describe("embeddings of the config", () => {
  it("are none where none are configured", () => {
    expect(toResult(undefined, { OPENAI_API_KEY: "a-key-of-a-test" })).toBeUndefined();
  });

  it("are named by model and host", () => {
    const found = toResult({ model: "openai/text-embedding-3-small" }, { OPENAI_API_KEY: "a-key-of-a-test" });
    expect(found).toMatchObject({
      ok: true,
      encoder: { id: "openai/text-embedding-3-small at api.openai.com" },
    });
  });

  it.each([
    [{ model: "openai/small" }, "their key is missing: set OPENAI_API_KEY"],
    [{ model: "x/small", baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "MINE" }, "set MINE"],
    [{ model: "opnai/small" }, 'No provider "opnai"'],
    [{ model: "google/gemini-embedding" }, "google has no embeddings in OpenAI's protocol"],
  ])("that cannot be had say why, and throw nothing: %j", (embeddings, problem) => {
    expect(toResult(embeddings, { GEMINI_API_KEY: "a-key-of-a-test" })).toMatchObject({
      ok: false,
      problem: expect.stringContaining(problem),
    });
  });

  it.each([
    [{ model: "small" }, /embeddings\.model must be "provider\/model"/],
    [{}, /embeddings\.model is missing/],
    [{ model: "x/y", baseUrl: "ftp://x" }, /embeddings\.baseUrl must be an http or https address/],
    [{ model: "x/y", apiKey: "a" }, /embeddings\.apiKey holds a key/],
    [{ model: "x/y", baseURL: "http://x" }, /unknown field "embeddings\.baseURL".*"baseUrl"/],
  ])("that are wrong are refused when the config is read: %j", (embeddings, message) => {
    expect(() => parseConfig({ embeddings })).toThrow(message);
  });

  it("get a key at an address of one's own only where its variable is named", async () => {
    const server = await startEmbeddingServer();
    const embeddings = { model: "openai/small", baseUrl: `${server.url}/v1` };
    const env = { OPENAI_API_KEY: "a-key-of-a-test", MINE: "another-key-of-a-test" };
    for (const each of [embeddings, { ...embeddings, apiKeyEnv: "MINE" }]) {
      const found = toResult(each, env);
      if (found?.ok) await found.encoder.encode(["a"], new AbortController().signal);
    }
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer another-key-of-a-test",
    ]);
  });
});
