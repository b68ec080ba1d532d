import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { startEmbeddingServer, toMadeUpVector } from "../../testing/embeddings.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";
import { createEndpointEncoder } from "./encoder.ts";
import { toUnitVector } from "./vectors.ts";

const KEY = "sk-embedding-key-1234567890";
const never = () => new AbortController().signal;

const encoderAt = (url: string) =>
  createEndpointEncoder({ id: "x", baseUrl: `${url}/v1`, model: "small", apiKey: KEY });

const send = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

describe("an encoder over /embeddings", () => {
  it("asks in batches, with its key, and keeps the order of the texts whatever that of the reply", async () => {
    const server = await startEmbeddingServer();
    const texts = Array.from({ length: 70 }, (_, number) => `Question ${number}?`);
    const vectors = await encoderAt(server.url).encode(texts, never());
    expect(vectors).toEqual(texts.map((text) => toUnitVector(toMadeUpVector(text))));
    const bodies = server.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ input }) => input.length)).toEqual([32, 32, 6]);
    expect(bodies[0]).toMatchObject({ model: "small", encoding_format: "float" });
    for (const { path, headers } of server.requests) {
      expect(path).toBe("/v1/embeddings");
      expect(headers.authorization).toBe(`Bearer ${KEY}`);
    }
  });

  it("sends the head and the tail of a long text", async () => {
    const server = await startEmbeddingServer();
    await encoderAt(server.url).encode([`head${"x".repeat(50_000)}tail`], never());
    const [text] = JSON.parse(server.requests[0]!.body).input;
    expect(text.length).toBeLessThan(6_000);
    expect(text).toMatch(/^head.*tail$/s);
  });

  it.each<[string, (response: ServerResponse) => void, string, RegExp]>([
    ["a failure", (r) => send(r, 500, `boom ${KEY}`), "provider-error", /^it answers 500$/],
    ["a refused key", (r) => send(r, 401, { error: { message: KEY } }), "provider-error", /^it answers 401$/],
    ["no JSON", (r) => send(r, 200, `{ ${KEY}`), "bad-response", /not JSON/],
    ["another shape", (r) => send(r, 200, { data: [{ embedding: KEY }] }), "bad-response", /no list of/],
    ["too few", (r) => send(r, 200, { data: [{ embedding: [1] }] }), "bad-response", /1 vectors for 2 texts/],
    [
      "one twice",
      (r) => send(r, 200, { data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
      "bad-response",
      /no vector for text 2 of 2/,
    ],
    [
      "two dimensions",
      (r) => send(r, 200, { data: [{ embedding: [1] }, { embedding: [1, 2] }] }),
      "bad-response",
      /1 numbers, and then 2/,
    ],
    [
      "zeros",
      (r) => send(r, 200, { data: [{ embedding: [0] }, { embedding: [1] }] }),
      "bad-response",
      /without a length/,
    ],
    ["no end", (r) => send(r, 200, " ".repeat(3_000_000)), "bad-response", /far more than was asked for/],
    ["a broken connection", (r) => void r.destroy(), "unreachable", /cannot be reached/],
  ])("%s is a short error without the key", async (_, answer, code, message) => {
    const server = await startProvider(answer);
    const error = await encoderAt(server.url)
      .encode(["a", "b"], never())
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain(KEY);
  });

  it("follows no redirect: the key goes to one host", async () => {
    const thief = await startEmbeddingServer();
    const server = await startProvider((response) =>
      response.writeHead(307, { location: `${thief.url}/v1/embeddings` }).end(),
    );
    await expect(encoderAt(server.url).encode(["a"], never())).rejects.toThrow("redirects are not followed");
    expect(thief.requests).toEqual([]);
  });

  it("gives up when its time is over, and when it is stopped", async () => {
    const server = await startProvider(() => {});
    await expect(encoderAt(server.url).encode(["a"], AbortSignal.timeout(1))).rejects.toMatchObject({
      code: "timeout",
    });
    await expect(encoderAt(server.url).encode(["a"], AbortSignal.abort())).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
