// Our chat completions model: against the AI SDK's package, which it replaces, over requests and replies made
// at random; then over sockets what only a socket can do. src/worker/provider.test.ts has the usual cases.
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { loadModel, type ProviderProtocol } from "../models.ts";
import { createModelWorker, type ModelWorkerOptions } from "../provider.ts";
import type { Message, WorkerEvent, WorkerRequest } from "../types.ts";

const never = new AbortController().signal;
const question: WorkerRequest = { messages: [{ role: "user", content: "6 times 7?" }], maxOutputTokens: 100 };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (response: ServerResponse, count: number) => unknown): Promise<string> {
  let count = 0;
  server = createServer((request, response) => {
    request.resume().once("end", () => answer(response, count++));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

interface Ours {
  fetch?: typeof globalThis.fetch;
  protocol?: ProviderProtocol;
  hasJsonSchema?: boolean;
  apiKey?: string;
}

function ours(baseUrl: string, { protocol = "openai-compatible", ...more }: Ours = {}, options = {}) {
  return createModelWorker(
    "w",
    () => loadModel({ provider: "acme", protocol, baseUrl, model: "m", ...more }),
    options,
  );
}

async function collect(events: AsyncIterable<WorkerEvent>): Promise<WorkerEvent[]> {
  const all: WorkerEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** What a reader of the whole reply knows, or the code of the failure. How it was cut into pieces is not part of it. */
async function outcomeOf(events: AsyncIterable<WorkerEvent>) {
  const outcome = { text: "", reasoning: "", calls: [] as unknown[], finish: {}, code: "" };
  try {
    for await (const event of events) {
      if (event.type === "text-delta") outcome.text += event.text;
      if (event.type === "reasoning-delta") outcome.reasoning += event.text;
      if (event.type === "tool-call") outcome.calls.push([event.id, event.name, event.input]);
      if (event.type === "finish") outcome.finish = event;
    }
  } catch (error) {
    // Whether the calls of a broken reply are told is no matter: nobody may make them.
    outcome.calls = [];
    outcome.code = (error as { code: string }).code;
  }
  return outcome;
}

const toEvents = (...chunks: (object | string)[]) =>
  chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("");
const toDelta = (delta: object, finish_reason: string | null = null) => ({
  id: "1",
  choices: [{ index: 0, delta, finish_reason }],
});
const FINISH = toDelta({}, "stop");

/** A server in memory that remembers what it was sent. */
function answering(body: Uint8Array[] | string, type = "text/event-stream") {
  const sent: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    sent.push(JSON.parse(String(init?.body)));
    const stream = typeof body === "string" ? body : ReadableStream.from(body);
    return new Response(stream, { headers: { "content-type": type } });
  };
  return { sent, fetch };
}

async function replyTo(body: Uint8Array[] | string, type?: string) {
  return outcomeOf(ours("http://acme/v1", { fetch: answering(body, type).fetch }).ask(question, never));
}

describe("the same as the AI SDK's package", () => {
  const theirs = (fetch: typeof globalThis.fetch, options: ModelWorkerOptions = {}) =>
    createModelWorker(
      "w",
      createOpenAICompatible({
        baseURL: "http://acme/v1",
        name: "acme",
        includeUsage: true,
        supportsStructuredOutputs: true,
        supportedUrls: () => ({ "image/*": [/^https:\/\//] }),
        fetch,
      })("m"),
      options,
    );

  const word = fc.string({ maxLength: 12, unit: "grapheme" });
  const message = fc.oneof(
    fc.record({ role: fc.constant("system" as const), content: word }),
    fc.record({ role: fc.constant("user" as const), content: word }),
    fc.record({
      role: fc.constant("user" as const),
      content: fc.array(
        fc.oneof(
          fc.record({ type: fc.constant("text" as const), text: word }),
          fc.record({
            type: fc.constant("image" as const),
            image: fc.constantFrom("data:image/png;base64,AAAA", "data:,hello", "https://example.com/a.png"),
          }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fc.record({
      role: fc.constant("assistant" as const),
      content: word,
      toolCalls: fc.option(
        fc.array(fc.record({ id: word, name: word, input: fc.json() }), { maxLength: 2 }),
        { nil: undefined },
      ),
    }),
    fc.record({ role: fc.constant("tool" as const), toolCallId: word, toolName: word, content: word }),
  );
  const request = fc.record(
    {
      messages: fc.array(message, { minLength: 1, maxLength: 5 }) as fc.Arbitrary<Message[]>,
      maxOutputTokens: fc.nat(),
      temperature: fc.constantFrom(0, 0.7),
      stop: fc.array(word, { maxLength: 2 }),
      seed: fc.nat(),
      responseFormat: fc.record(
        { type: fc.constant("json" as const), schema: fc.constant({ type: "object" }), name: word },
        { requiredKeys: ["type"] },
      ),
      tools: fc.array(
        fc.record(
          { name: word, description: word, inputSchema: fc.constant({ type: "object" }) },
          { requiredKeys: ["name", "inputSchema"] },
        ),
        { maxLength: 2 },
      ),
      toolChoice: fc.constantFrom("auto", "none", "required", { name: "add" }),
    },
    { requiredKeys: ["messages", "maxOutputTokens"] },
  ) as fc.Arbitrary<WorkerRequest>;
  const options = fc.record(
    {
      reasoningEffort: fc.constantFrom("low", "high"),
      textVerbosity: fc.constant("low"),
      user: word,
      strictJsonSchema: fc.boolean(),
      top_p: fc.constant(0.5),
      max_tokens: fc.constant(7),
      extra: fc.constant({ deep: [1, null] }),
    },
    { requiredKeys: [] },
  );

  /** Several texts go as one string, which every server takes; the package sends a list. */
  const withJoinedTexts = (body: unknown) =>
    JSON.parse(JSON.stringify(body), (name, value) =>
      name === "content" && Array.isArray(value) && value.every(({ type }) => type === "text")
        ? value.map(({ text }) => text).join("\n\n")
        : value,
    );

  it("sends the same body, but for texts in parts", async () => {
    await fc.assert(
      fc.asyncProperty(request, options, async (request, settings) => {
        const reply = toEvents(FINISH, "[DONE]");
        const [one, other] = [answering(reply), answering(reply)];
        const providerOptions = { openaiCompatible: { strictJsonSchema: false }, acme: settings };
        await collect(ours("http://acme/v1", { fetch: one.fetch }, { providerOptions }).ask(request, never));
        await collect(theirs(other.fetch, { providerOptions }).ask(request, never));
        expect(one.sent).toEqual(other.sent.map(withJoinedTexts));
      }),
      { seed: 5, numRuns: 150 },
    );
  });

  const usage = fc.record(
    {
      prompt_tokens: fc.nat({ max: 900 }),
      completion_tokens: fc.nat({ max: 900 }),
      prompt_tokens_details: fc.record({ cached_tokens: fc.nat({ max: 90 }) }),
      completion_tokens_details: fc.record({ reasoning_tokens: fc.nat({ max: 90 }) }),
    },
    { requiredKeys: ["prompt_tokens", "completion_tokens"] },
  );
  const chunk = fc.oneof(
    word.map((content) => toDelta({ content })),
    word.map((reasoning_content) => toDelta({ reasoning_content })),
    word.map((reasoning) => toDelta({ reasoning, content: null })),
    word.map((text) => toDelta({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] })),
    usage.map((usage) => ({ ...toDelta({}), usage })),
    fc.constant({ id: "1", choices: [] }),
    fc.constant({ error: { message: "overloaded", type: "server_error" } }),
  );
  const calls = fc.array(
    fc.record({ id: fc.uuid(), name: fc.constant("add"), pieces: fc.array(word, { maxLength: 3 }) }),
    { maxLength: 2 },
  );
  const reply = fc
    .record({
      chunks: fc.array(chunk, { maxLength: 8 }),
      calls,
      reason: fc.constantFrom("stop", "length", "tool_calls", "content_filter", "odd", undefined),
      usage: fc.option(usage, { nil: undefined }),
      isDone: fc.boolean(),
      comment: fc.constantFrom("", ": OPENROUTER PROCESSING\n\n"),
      lineEnd: fc.constantFrom("\n", "\r\n"),
    })
    .map(({ chunks, calls, reason, usage, isDone, comment, lineEnd }) => {
      const toolCalls = calls.flatMap(({ id, name, pieces }, index) => [
        toDelta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
        ...pieces.map((piece) => toDelta({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]);
      const ended = reason === undefined ? [] : [toDelta({}, calls.length > 0 ? "tool_calls" : reason)];
      const last = usage ? [{ id: "1", choices: [], usage }] : [];
      const all = toEvents(...chunks, ...toolCalls, ...ended, ...last, ...(isDone ? ["[DONE]"] : []));
      return (comment + all).replaceAll("\n", lineEnd);
    });

  it("understands the same replies, cut at any byte", async () => {
    await fc.assert(
      fc.asyncProperty(reply, fc.array(fc.nat({ max: 4000 }), { maxLength: 12 }), async (reply, cuts) => {
        const bytes = Buffer.from(reply);
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, i) => new Uint8Array(bytes.subarray(at[i], end)));
        const one = await outcomeOf(
          ours("http://acme/v1", { fetch: answering(pieces).fetch }).ask(question, never),
        );
        const other = await outcomeOf(theirs(answering(pieces).fetch).ask(question, never));
        expect(one).toEqual(other);
      }),
      { seed: 5, numRuns: 400 },
    );
  });
});

describe("what is asked", () => {
  it("asks for some JSON where a schema would be refused, and for strict mode where that is set", async () => {
    const responseFormat = { type: "json", schema: { type: "object" } } as const;
    const { sent, fetch } = answering(toEvents(FINISH));
    const providerOptions = { acme: { strictJsonSchema: true } };
    for (const hasJsonSchema of [false, true]) {
      const worker = ours("http://acme/v1", { fetch, hasJsonSchema }, { providerOptions });
      await collect(worker.ask({ ...question, responseFormat }, never));
    }
    expect(sent).toMatchObject([
      { response_format: { type: "json_object" } },
      { response_format: { type: "json_schema", json_schema: { strict: true } } },
    ]);
    expect(sent[0]).not.toHaveProperty("response_format.json_schema");
  });

  it("keeps settings that are written in the words of the protocol", async () => {
    const { sent, fetch } = answering(toEvents(FINISH));
    const providerOptions = { acme: { reasoning_effort: "low" } };
    await collect(ours("http://acme/v1", { fetch }, { providerOptions }).ask(question, never));
    expect(sent).toMatchObject([{ reasoning_effort: "low" }]);
  });
});

describe("servers with ways of their own", () => {
  const piece = (call: object) => toDelta({ tool_calls: [call] });
  it.each([
    ["without an index", { id: "a" }, { id: "b" }],
    ["all under index 0", { index: 0, id: "a" }, { index: 0, id: "b" }],
  ])("takes whole tool calls %s", async (_, first, second) => {
    const one = piece({ ...first, function: { name: "add", arguments: '{"a":1}' } });
    const two = piece({ ...second, function: { name: "add", arguments: { b: 2 } } });
    const { calls, finish } = await replyTo(toEvents(one, two, FINISH));
    expect(calls).toEqual([
      ["a", "add", '{"a":1}'],
      ["b", "add", '{"b":2}'],
    ]);
    expect(finish).toMatchObject({ reason: "tool-calls" });
  });

  it("gives a tool call an id where it has none, and takes a name that comes late", async () => {
    const parts = [{ arguments: "{" }, { name: "add" }, { arguments: "}" }];
    const pieces = parts.map((details) => piece({ index: 0, function: details }));
    const { calls } = await replyTo(toEvents(...pieces, FINISH));
    expect(calls).toEqual([[expect.stringMatching(/^call_.{8}/), "add", "{}"]]);
  });

  it("a tool call that never gets a name is a reply that was cut", async () => {
    const nameless = piece({ index: 0, id: "a", function: { arguments: "{}" } });
    expect(await replyTo(toEvents(nameless, FINISH))).toMatchObject({ calls: [], code: "stream-cut" });
  });

  it("takes a whole JSON reply where a stream was asked for", async () => {
    const message = {
      role: "assistant",
      content: "It is 42.",
      reasoning_content: "6 × 7",
      tool_calls: [{ id: "a", type: "function", function: { name: "add", arguments: "{}" } }],
    };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    const body = JSON.stringify(
      { object: "chat.completion", choices, usage: { prompt_tokens: 3, completion_tokens: 4 } },
      null,
      2,
    );
    expect(await replyTo(body, "application/json")).toMatchObject({
      text: "It is 42.",
      reasoning: "6 × 7",
      calls: [["a", "add", "{}"]],
      finish: { reason: "tool-calls", usage: { inputTokens: 3, outputTokens: 4 } },
    });
  });

  it.each([
    ["JSON that breaks off", '{"choices":[{"mess', "bad-response"],
    ["another protocol", toEvents({ type: "message_start" }, { type: "message_stop" }), "bad-response"],
    ["an error that is all there is", '{"error":{"message":"wait","code":429}}', "rate-limited"],
    ["an error by the name of its event", `event: error\n${toEvents({ message: "no" })}`, "provider-error"],
    ["an error as vLLM writes it", toEvents({ object: "error", message: "no", code: 400 }), "bad-request"],
    ["nothing at all", "", "stream-cut"],
  ])("%s fails by its name", async (_, body, code) => {
    expect(await replyTo(body)).toMatchObject({ text: "", code });
  });

  it("overlooks signs of life, a byte order mark and a last event without an end", async () => {
    const body = `\uFEFF${toEvents({ type: "ping" }, toDelta({ content: "42" }), FINISH)}`.trimEnd();
    expect(await replyTo(body)).toMatchObject({ text: "42", finish: { reason: "stop" } });
  });

  it("counts output that is only in the total, and cached input as DeepSeek writes it", async () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 25,
      prompt_cache_hit_tokens: 4,
    };
    expect((await replyTo(toEvents({ ...FINISH, usage }))).finish).toMatchObject({
      usage: { inputTokens: 10, outputTokens: 15, cachedInputTokens: 4 },
    });
  });
});

describe("over a socket", () => {
  const EVENT_STREAM = { "content-type": "text/event-stream" };

  it("hands out a delta when it arrives, and those that arrived together as one", async () => {
    let goOn = () => {};
    const baseUrl = await serve((response) => {
      response.writeHead(200, EVENT_STREAM).write(toEvents(toDelta({ content: "a" })));
      goOn = () =>
        response.end(toEvents(toDelta({ content: "b" }), toDelta({ content: "c" }), FINISH, "[DONE]"));
    });
    const texts: string[] = [];
    for await (const event of ours(baseUrl).ask(question, never)) {
      if (event.type !== "text-delta") continue;
      if (texts.length === 0) goOn();
      texts.push(event.text);
    }
    expect(texts).toEqual(["a", "bc"]);
  });

  it("uses connections again, also where the body ends a little later than the reply", async () => {
    const sockets = new Set();
    const baseUrl = await serve((response) => {
      sockets.add(response.socket);
      response.writeHead(200, EVENT_STREAM).write(toEvents(toDelta({ content: "42" }), FINISH, "[DONE]"));
      setImmediate(() => setImmediate(() => response.end()));
    });
    const worker = ours(baseUrl);
    for (let i = 0; i < 6; i++) {
      expect((await collect(worker.ask(question, never))).at(-1)).toMatchObject({ reason: "stop" });
    }
    // A second one where the next question was asked before the body had ended.
    expect(sockets.size).toBeLessThan(6);
  });

  it("does not wait for a server that leaves the body open, and closes the connection then", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const baseUrl = await serve((response) => {
      closed = once(response, "close");
      response.writeHead(200, EVENT_STREAM).write(toEvents(toDelta({ content: "42" }), FINISH, "[DONE]"));
    });
    expect((await collect(ours(baseUrl).ask(question, never))).at(-1)).toMatchObject({ reason: "stop" });
    await closed;
  });

  it("makes a server wait for a slow reader", async () => {
    const line = toEvents(toDelta({ content: "x".repeat(1000) }));
    let sent = 0;
    let full = () => {};
    const isFull = new Promise<void>((resolve) => {
      full = resolve;
    });
    let closed: Promise<unknown> = Promise.resolve();
    const baseUrl = await serve((response) => {
      closed = once(response, "close");
      response.writeHead(200, EVENT_STREAM);
      const write = () => {
        while (sent < 200_000_000 && response.write(line)) sent += line.length;
        // The socket takes no more for a while: whoever should read does not.
        const clock = setTimeout(full, 200);
        response.once("drain", () => {
          clearTimeout(clock);
          write();
        });
      };
      write();
    });
    for await (const _ of ours(baseUrl).ask(question, never)) {
      await isFull;
      break;
    }
    expect(sent).toBeLessThan(50_000_000);
    await closed;
  });

  it.each([
    ["one piece of text", { content: "x".repeat(2_000_000) }],
    [
      "the arguments of a call",
      { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "x".repeat(2_000_000) } }] },
    ],
  ])("does not wait for itself when %s is larger than what may be unread", async (_, delta) => {
    const baseUrl = await serve((response) =>
      response.writeHead(200, EVENT_STREAM).end(toEvents(toDelta(delta), FINISH, "[DONE]")),
    );
    const { text, calls, code } = await outcomeOf(
      ours(baseUrl).ask({ ...question, maxOutputTokens: 200_000 }, AbortSignal.timeout(5_000)),
    );
    expect(code).toBe("");
    expect(text.length + JSON.stringify(calls).length).toBeGreaterThan(2_000_000);
  });

  it("refuses a line that does not end, and calls that do not", async () => {
    const endless = await serve((response) => {
      response.writeHead(200, EVENT_STREAM).write("data: ");
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(64_000)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    expect((await outcomeOf(ours(endless).ask(question, never))).code).toBe("bad-response");
    server?.closeAllConnections();
    server?.close();
    const call = (index: number) =>
      toDelta({ tool_calls: [{ index, id: `c${index}`, function: { name: "f", arguments: "{}" } }] });
    const many = await serve((response) =>
      response
        .writeHead(200, EVENT_STREAM)
        .end(toEvents(...Array.from({ length: 20_000 }, (_, i) => call(i)), FINISH, "[DONE]")),
    );
    const patient = { ...question, maxOutputTokens: 200_000 };
    expect((await outcomeOf(ours(many).ask(patient, never))).code).toBe("bad-response");
  });

  it.each([
    [
      "says where it is sent on",
      (response: ServerResponse) => response.writeHead(308, { location: "https://x.example/v1" }).end(),
      { code: "bad-response", message: expect.stringContaining("x.example (308)") },
    ],
    [
      "refuses what is compressed against its wish",
      (response: ServerResponse) =>
        response.writeHead(200, { ...EVENT_STREAM, "content-encoding": "gzip" }).end("?"),
      { code: "provider-error", message: expect.stringContaining('"gzip"') },
    ],
    [
      "reads no endless error page",
      (response: ServerResponse) => {
        response.writeHead(500);
        const write = () => {
          while (!response.destroyed && response.write("x".repeat(10_000)));
          response.once("drain", write);
        };
        write();
      },
      { code: "provider-error", status: 500 },
    ],
    [
      "keeps the status of an error whose body breaks off",
      (response: ServerResponse) => {
        response.writeHead(429, { "retry-after": "3", "content-length": "100" }).write("slow");
        setImmediate(() => response.destroy());
      },
      { code: "rate-limited", status: 429, retryAfterMs: 3000 },
    ],
  ])("%s", async (_, answer, failure) => {
    await expect(collect(ours(await serve(answer)).ask(question, never))).rejects.toMatchObject(failure);
  });

  it("a key that cannot be sent is no fault of the network, and is not shown", async () => {
    const baseUrl = await serve((response) => response.end());
    const asking = collect(ours(baseUrl, { apiKey: "not a\nkey" }).ask(question, never));
    await expect(asking).rejects.toMatchObject({
      code: "provider-error",
      retryable: false,
      message: expect.not.stringContaining("not a"),
    });
  });
});
