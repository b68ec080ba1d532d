import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { registerSecret } from "../base/redact.ts";
import { type ChatReply, type ChatServer, startChatServer } from "../testing/gateway/chat-server.ts";
import { loadModel } from "./models.ts";
import { createModelWorker, type ModelObject } from "./provider.ts";
import type { Worker, WorkerEvent, WorkerRequest } from "./types.ts";

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let server: ChatServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const never = new AbortController().signal;
const question: WorkerRequest = { messages: [{ role: "user", content: "6 times 7?" }], maxOutputTokens: 100 };

function workerAt(
  baseUrl: string,
  protocol: "openai" | "openai-compatible" = "openai-compatible",
  model = "m",
): Worker {
  const address = { provider: "test", protocol, baseUrl, model, apiKey: "key-for-tests" };
  return createModelWorker("test/m", () => loadModel(address));
}

async function serve(reply: ChatReply): Promise<Worker> {
  server = await startChatServer({ reply: () => reply });
  return workerAt(server.baseUrl);
}

async function collect(events: AsyncIterable<WorkerEvent>): Promise<WorkerEvent[]> {
  const all: WorkerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const textOf = (events: WorkerEvent[]) =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

async function failureOf(worker: Worker, request = question, signal = never): Promise<TuttiError> {
  const error = await collect(worker.ask(request, signal)).then(
    (events) => expect.fail(`no failure but ${JSON.stringify(events)}`),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(TuttiError);
  expect(error.message).toContain("test/m");
  return error;
}

describe("a model behind chat completions", () => {
  it("streams text, then usage with cached and reasoning tokens", async () => {
    const usage = {
      prompt_tokens: 30,
      completion_tokens: 12,
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    const worker = await serve({ text: "Forty-two, I think.", reasoning: "6 × 7", chunks: 4, usage });
    const events = await collect(worker.ask(question, never));
    expect(events[0]).toEqual({ type: "reasoning-delta", text: "6 × 7" });
    expect(textOf(events)).toBe("Forty-two, I think.");
    const counted = { inputTokens: 30, outputTokens: 12, cachedInputTokens: 20, reasoningTokens: 5 };
    expect(events.at(-1)).toEqual({ type: "finish", reason: "stop", usage: counted });
    expect(server?.requests[0]?.hasAuthorization).toBe(true);
  });

  it("sends what the request says", async () => {
    const worker = await serve("ok");
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const settings = {
      temperature: 0.2,
      stop: ["END"],
      seed: 2 ** 31 + 7,
      responseFormat: { type: "json", schema },
    } as const;
    await collect(worker.ask({ ...question, ...settings, stop: ["END"] }, never));
    expect(server?.requests[0]?.body).toMatchObject({
      model: "m",
      max_tokens: 100,
      temperature: 0.2,
      stop: ["END"],
      seed: 7,
      stream_options: { include_usage: true },
      response_format: { type: "json_schema", json_schema: { schema } },
    });
  });

  it("carries images, tools, tool calls and their results", async () => {
    const toolCalls = [{ id: "call-1", name: "add", arguments: '{"a":6,"b":7}' }];
    const worker = await serve({ text: "", toolCalls });
    const events = await collect(
      worker.ask(
        {
          messages: [
            { role: "system", content: "Be brief." },
            {
              role: "user",
              content: [
                { type: "text", text: "What is this?" },
                { type: "image", image: `data:image/png;base64,${PIXEL}` },
                { type: "image", image: "https://example.com/cat.png" },
              ],
            },
            { role: "assistant", content: "", toolCalls: [{ id: "call-0", name: "add", input: '{"a":1}' }] },
            { role: "tool", toolCallId: "call-0", toolName: "add", content: "one" },
          ],
          maxOutputTokens: 100,
          tools: [{ name: "add", description: "Adds.", inputSchema: { type: "object", properties: {} } }],
        },
        never,
      ),
    );
    expect(events).toContainEqual({ type: "tool-call", id: "call-1", name: "add", input: '{"a":6,"b":7}' });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
    const { messages, body } = server!.requests[0]!;
    expect(messages[1]?.content).toEqual([
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
    ]);
    expect(messages[2]).toMatchObject({ tool_calls: [{ id: "call-0", function: { arguments: '{"a":1}' } }] });
    expect(messages[3]).toMatchObject({ role: "tool", tool_call_id: "call-0", content: "one" });
    expect(body.tools).toMatchObject([{ type: "function", function: { name: "add", description: "Adds." } }]);
  });

  it("never shows text beyond a stop sequence, even where the model ignores it", async () => {
    const worker = await serve({ text: "one two ST", chunks: 1 });
    expect(textOf(await collect(worker.ask({ ...question, stop: ["STOP"] }, never)))).toBe("one two ST");
    await server?.close();
    const deaf = await serve({ text: "one two STOP three", chunks: 9 });
    const events = await collect(deaf.ask({ ...question, stop: ["STOP"] }, never));
    expect(textOf(events)).toBe("one two ");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop", usage: { inputTokens: 10 } });
  });

  it("says when the reply was cut by its length", async () => {
    const worker = await serve({ text: "Once upon a", finishReason: "length" });
    expect((await collect(worker.ask(question, never))).at(-1)).toMatchObject({ reason: "length" });
  });
});

describe("failures", () => {
  const cases: {
    name: string;
    reply: ChatReply;
    code: string;
    status?: number;
    retryable: boolean;
    retryAfterMs?: number;
  }[] = [
    { name: "a web page", reply: { html: true }, code: "bad-response", retryable: true },
    { name: "broken JSON", reply: { invalidJson: true }, code: "bad-response", retryable: true },
    {
      name: "JSON where a stream was asked",
      reply: { status: 200, body: {} },
      code: "bad-response",
      retryable: true,
    },
    {
      name: "a refused key",
      reply: { status: 401, body: { error: { message: "bad key" } } },
      code: "auth",
      status: 401,
      retryable: false,
    },
    {
      name: "a forbidden model",
      reply: { status: 403, body: "no" },
      code: "auth",
      status: 403,
      retryable: false,
    },
    {
      name: "a rate limit",
      reply: { status: 429, headers: { "retry-after": "3" }, body: { error: { message: "slow down" } } },
      code: "rate-limited",
      status: 429,
      retryable: true,
      retryAfterMs: 3000,
    },
    {
      name: "an empty account",
      reply: { status: 429, body: { error: { message: "You exceeded", code: "insufficient_quota" } } },
      code: "rate-limited",
      retryable: false,
    },
    {
      name: "a fault of the provider",
      reply: { status: 500, body: "<html>Oops</html>" },
      code: "provider-error",
      status: 500,
      retryable: true,
    },
    {
      name: "an unknown model",
      reply: { status: 404, body: { error: { message: "no such model" } } },
      code: "bad-request",
      status: 404,
      retryable: false,
    },
    {
      name: "a request too large",
      reply: { status: 413, body: "" },
      code: "context-length",
      status: 400,
      retryable: false,
    },
    { name: "a socket that dies", reply: { cutAfter: "The answer is" }, code: "stream-cut", retryable: true },
    {
      name: "a body that just ends",
      reply: { endAfter: "The answer is" },
      code: "stream-cut",
      retryable: true,
    },
    {
      name: "an error inside the stream",
      reply: { errorAfter: "The answer is", error: { message: "overloaded", type: "server_error" } },
      code: "provider-error",
      retryable: true,
    },
    {
      name: "a rate limit inside the stream",
      reply: { errorAfter: "", error: { message: "wait", code: 429 } },
      code: "rate-limited",
      retryable: true,
    },
  ];

  it.each(cases)("$name is $code", async ({ reply, code, status, retryable, retryAfterMs }) => {
    const error = await failureOf(await serve(reply));
    expect(error).toMatchObject({ code, retryable, retryAfterMs });
    if (status) expect(error.status).toBe(status);
    expect(error.message.length).toBeLessThan(320);
  });

  it.each(cases.filter(({ name }) => !name.includes("inside")))(
    "$name is $code with OpenAI's package too",
    async ({ reply, code, retryable }) => {
      server = await startChatServer({ reply: () => reply });
      const error = await failureOf(workerAt(server.baseUrl, "openai", "gpt-4.1"));
      expect(error).toMatchObject({ code, retryable });
    },
  );

  it("shows the text that arrived before a stream broke", async () => {
    const worker = await serve({ cutAfter: "The answer is" });
    const seen: WorkerEvent[] = [];
    const reading = (async () => {
      for await (const event of worker.ask(question, never)) seen.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: "stream-cut" });
    expect(textOf(seen)).toBe("The answer is");
  });

  it("a refused connection is unreachable", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const error = await failureOf(workerAt(`http://127.0.0.1:${port}/v1`));
    expect(error).toMatchObject({ code: "unreachable", retryable: true });
    expect(error.message).toContain("ECONNREFUSED");
  });

  it("a connection that was closed after the question may be billed", async () => {
    const rude = createServer((_, response) => void response.socket?.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => rude.once("listening", resolve));
    const { port } = rude.address() as AddressInfo;
    const error = await failureOf(workerAt(`http://127.0.0.1:${port}/v1`));
    await new Promise((resolve) => rude.close(resolve));
    expect(error).toMatchObject({ code: "stream-cut", retryable: true });
  });

  it("an unknown host is unreachable", async () => {
    const fetch = () =>
      Promise.reject(
        Object.assign(new TypeError("fetch failed"), {
          cause: { code: "ENOTFOUND", message: "getaddrinfo ENOTFOUND nowhere" },
        }),
      );
    const address = {
      provider: "test",
      protocol: "openai-compatible",
      baseUrl: "http://nowhere/v1",
      model: "m",
      fetch,
    } as const;
    const error = await failureOf(createModelWorker("test/m", () => loadModel(address)));
    expect(error).toMatchObject({ code: "unreachable", retryable: true });
  });

  it("keeps keys and long bodies out of the message", async () => {
    const key = "a-secret-of-twenty-chars";
    registerSecret(key);
    const error = await failureOf(
      await serve({ status: 400, body: `${"x".repeat(185)} ${key} ${"y".repeat(500)}` }),
    );
    expect(error.message).not.toContain("a-secret");
    expect(error.message.length).toBeLessThan(300);
  });

  it("an image that the model cannot take by its address is refused before it is asked", async () => {
    const model = {
      specificationVersion: "v3",
      supportedUrls: {},
      doStream: () => expect.fail("asked"),
    } as unknown as ModelObject;
    const content = [{ type: "image" as const, image: "https://example.com/cat.png" }];
    const error = await failureOf(createModelWorker("test/m", model), {
      ...question,
      messages: [{ role: "user", content }],
    });
    expect(error).toMatchObject({ code: "bad-request", retryable: false });
  });

  it("refuses a model object of another generation", () => {
    const model = { specificationVersion: "v1" } as unknown as ModelObject;
    expect(() => createModelWorker("old", model)).toThrow(/"old".*"v3" or "v2".*"v1"/);
  });
});

describe("stopping", () => {
  it("closes the socket of a server that does not answer", async () => {
    const worker = await serve({ hang: true });
    const controller = new AbortController();
    const failing = failureOf(worker, question, controller.signal);
    while (!server?.requests.length) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await failing).toMatchObject({ code: "aborted", retryable: false });
    await server.idle();
    expect(server.requests[0]?.closedEarly).toBe(true);
  });

  it("closes the socket in the middle of a stream, and when the reader just leaves", async () => {
    const worker = await serve({ text: "a b c d e f", chunks: 6, delayMs: 50 });
    const controller = new AbortController();
    const stopping = (async () => {
      for await (const _ of worker.ask(question, controller.signal)) controller.abort();
    })();
    await expect(stopping).rejects.toMatchObject({ code: "aborted" });
    for await (const _ of worker.ask(question, never)) break;
    await server?.idle();
    expect(server?.requests.map((request) => request.closedEarly)).toEqual([true, true]);
  });

  it("does not wait for a model that ignores its signal", async () => {
    const model = {
      specificationVersion: "v3",
      supportedUrls: {},
      doStream: () => new Promise(() => {}),
    } as unknown as ModelObject;
    const controller = new AbortController();
    const failing = failureOf(createModelWorker("test/m", model), question, controller.signal);
    controller.abort();
    expect(await failing).toMatchObject({ code: "aborted" });
  });

  it("asks nobody when it is already stopped", async () => {
    const worker = await serve("never");
    expect(await failureOf(worker, question, AbortSignal.abort())).toMatchObject({ code: "aborted" });
    expect(server?.requests).toHaveLength(0);
  });
});

describe("a model object of the AI SDK 5", () => {
  const withParts = (parts: object[]) =>
    ({
      specificationVersion: "v2",
      supportedUrls: {},
      doStream: async () => ({ stream: ReadableStream.from(parts) }),
    }) as unknown as ModelObject;

  it("works, with its flat usage", async () => {
    const usage = { inputTokens: 3, outputTokens: 4, cachedInputTokens: 1 };
    const parts = [
      { type: "text-delta", id: "0", delta: "hi" },
      { type: "finish", finishReason: "stop", usage },
    ];
    const events = await collect(createModelWorker("old", withParts(parts)).ask(question, never));
    expect(events.at(-1)).toEqual({
      type: "finish",
      reason: "stop",
      usage: { ...usage, reasoningTokens: 0 },
    });
  });

  it("was cut when nobody knows why it finished", async () => {
    const parts = [
      { type: "text-delta", id: "0", delta: "hi" },
      { type: "finish", finishReason: "unknown", usage: {} },
    ];
    expect(await failureOf(createModelWorker("test/m", withParts(parts)))).toMatchObject({
      code: "stream-cut",
    });
  });
});
