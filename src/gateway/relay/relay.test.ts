import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createRawServer } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { isTuttiError } from "../../base/errors.ts";
import { startChatServer } from "../../testing/gateway/chat-server.ts";
import { chatRelay } from "../dialect/chat/relay.ts";
import { messagesRelay } from "../dialect/messages/relay.ts";
import { responsesRelay } from "../dialect/responses/relay.ts";
import { boundRequest } from "./bound-request.ts";
import { createRelayPools, type RelayPoolOptions } from "./pools.ts";
import { relay } from "./relay.ts";
import { spliceModel } from "./splice-model.ts";
import type { RelayRequest, RelayResult } from "./types.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

async function listen(handler: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    handler(request, response, Buffer.concat(chunks));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Front {
  url: string;
  /** Of the next request that is over. */
  outcome(): Promise<RelayResult>;
  outgoing: ServerResponse | undefined;
}

/** A server that relays everything to `upstreamUrl`, with a key of its own. */
async function startFront(
  upstreamUrl: string,
  options: Partial<RelayRequest> & { pool?: RelayPoolOptions } = {},
): Promise<Front> {
  const pools = createRelayPools(options.pool);
  const waiting: ((result: Promise<RelayResult>) => void)[] = [];
  const front: Front = {
    url: "",
    outgoing: undefined,
    outcome: () => new Promise((resolve) => waiting.push(resolve)),
  };
  front.url = await listen((incoming, outgoing, body) => {
    front.outgoing = outgoing;
    const result = relay({
      pools,
      upstream: { url: new URL(upstreamUrl), headers: { authorization: "Bearer key-of-ours" } },
      workerId: "p/m",
      reader: chatRelay,
      body: spliceModel(body, "m"),
      bound: boundRequest(body, JSON.parse(body.toString()), 500),
      isBudgeted: false,
      hidesUsage: false,
      clientHeaders: incoming.headers,
      outgoing,
      extraHeaders: () => ({ "x-request-id": "ours" }),
      keepsText: true,
      ...options,
    });
    waiting.shift()?.(result);
    result.catch((error: unknown) => {
      if (!isTuttiError(error)) throw error;
      outgoing.writeHead(error.status, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ code: error.code, message: error.message }));
    });
  });
  closers.push(() => pools.close());
  return front;
}

const post = (url: string, body: string, init: RequestInit = {}) =>
  fetch(url, { method: "POST", body, ...init });
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (content: string) =>
  event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

describe("a request", () => {
  test("reaches the provider byte for byte, but for the model's name", async () => {
    const sent: { body: string; headers: string[] }[] = [];
    const upstream = await listen((request, response, body) => {
      sent.push({ body: body.toString(), headers: request.rawHeaders });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    const front = await startFront(`${upstream}/v1/chat/completions?a=b`);
    const body =
      '{ "model":"p/m","temperature":1.0, "seed":12345678901234567890,\n"unknown":{"model":"x"},"é":"\\u00e9","seed":1 }';
    await (await post(front.url, body)).text();
    expect(sent[0]?.body).toBe(body.replace('"p/m"', '"m"'));
  });

  test("carries our key and none of the client's secrets", async () => {
    let seen: IncomingMessage["headers"] = {};
    const upstream = await listen((request, response) => {
      seen = request.headers;
      response.end("{}");
    });
    const front = await startFront(upstream);
    const headers = {
      authorization: "Bearer key-of-the-client",
      "x-api-key": "key-of-the-client",
      cookie: "session=of-the-client",
      "x-forwarded-for": "10.0.0.7",
      "openai-organization": "org-of-the-client",
      "idempotency-key": "once",
      "openai-beta": "assistants=v2",
      "x-client-request-id": "their-id",
      "content-type": "application/json; charset=utf-8",
    };
    await (await post(front.url, '{"model":"a"}', { headers })).text();
    const { host, connection: _, ...rest } = seen;
    expect(rest).toEqual({
      accept: "*/*",
      "accept-encoding": "identity",
      authorization: "Bearer key-of-ours",
      "content-length": "13",
      "content-type": "application/json; charset=utf-8",
      "openai-beta": "assistants=v2",
      "x-client-request-id": "their-id",
    });
    expect(`http://${host}`).toBe(upstream);
  });
});

describe("a reply", () => {
  test("comes back byte for byte, with its status and headers, without those of the connection", async () => {
    const body =
      '{ "n": 1.0, "big": 12345678901234567890, "usage":{"prompt_tokens":3,"completion_tokens":4} }\n';
    const upstream = await listen((_, response) => {
      response.writeHead(201, {
        "content-type": "application/json; charset=utf-8",
        "set-cookie": "session=upstream",
        "keep-alive": "timeout=99",
        "x-ratelimit-remaining": "7",
        "x-request-id": "theirs",
        "openai-organization": "org-of-ours",
        connection: "keep-alive, x-hop",
        "x-hop": "1",
      });
      response.write(body.slice(0, 20));
      response.end(body.slice(20));
    });
    const usages: unknown[] = [];
    const front = await startFront(upstream, {
      extraHeaders: ({ usage }) => {
        usages.push(usage);
        return { "x-request-id": "ours" };
      },
    });
    const [response, result] = await Promise.all([post(front.url, '{"model":"a"}'), front.outcome()]);
    expect(await response.text()).toBe(body);
    expect(response.status).toBe(201);
    expect(response.headers.get("x-ratelimit-remaining")).toBe("7");
    expect(response.headers.get("x-request-id")).toBe("ours");
    expect(response.headers.get("content-length")).toBe(String(body.length));
    for (const name of ["set-cookie", "openai-organization", "x-hop"])
      expect(response.headers.has(name)).toBe(false);
    const usage = { inputTokens: 3, outputTokens: 4, cachedInputTokens: 0, reasoningTokens: 0 };
    // A reply in one piece is read before its headers leave.
    expect(usages).toEqual([usage]);
    expect(result).toMatchObject({
      status: 201,
      usage,
      bytes: body.length,
      isComplete: true,
      clientLeft: false,
    });
  });

  test("streams, with usage, text and reason read along", async () => {
    const server = await startChatServer({ reply: () => ({ text: "Grüße aus Wien", chunks: 5 }) });
    closers.push(() => server.close());
    const front = await startFront(`${server.baseUrl}/chat/completions`);
    const body = '{"model":"a","stream":true,"stream_options":{"include_usage":true}}';
    const [response, result] = await Promise.all([post(front.url, body), front.outcome()]);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const text = await response.text();
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(result).toMatchObject({
      status: 200,
      usage: { inputTokens: 10, outputTokens: 4 },
      text: "Grüße aus Wien",
      finishReason: "stop",
      bytes: Buffer.byteLength(text),
      isComplete: true,
    });
  });

  test("of a chat stream without usage is bounded by its text", async () => {
    const server = await startChatServer({ reply: () => "four" });
    closers.push(() => server.close());
    const front = await startFront(`${server.baseUrl}/chat/completions`, { keepsText: false });
    const body = '{"model":"a","stream":true}';
    const [response, result] = await Promise.all([post(front.url, body), front.outcome()]);
    await response.text();
    expect(result.usage).toBeUndefined();
    expect(result.bound?.outputTokens).toBe(4);
    expect(result.bound?.inputTokens).toBeGreaterThanOrEqual(body.length);
    expect(result.text).toBeUndefined();
  });

  test("429 with Retry-After is relayed as it is", async () => {
    const error = { error: { message: "slow down", type: "requests" } };
    const server = await startChatServer({
      reply: () => ({ status: 429, headers: { "retry-after": "7" }, body: error }),
    });
    closers.push(() => server.close());
    const front = await startFront(`${server.baseUrl}/chat/completions`);
    const [response, result] = await Promise.all([
      post(front.url, '{"model":"a","stream":true}'),
      front.outcome(),
    ]);
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("7");
    expect(await response.json()).toEqual(error);
    expect(result).toMatchObject({ status: 429, isComplete: true });
    expect(result.bound).toBeUndefined();
  });

  test("larger than what is held back streams on, unread", async () => {
    const body = Buffer.alloc(6_000_000, "x");
    const upstream = await listen((_, response) => response.end(body));
    const front = await startFront(upstream);
    const outcome = front.outcome();
    const response = await post(front.url, '{"model":"a"}');
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
    const result = await outcome;
    expect(result).toMatchObject({ bytes: body.length, bound: { outputTokens: body.length } });
  });

  test("that thinks with blanks keeps the client waiting, and is read all the same", async () => {
    let finish = () => {};
    const upstream = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("\n");
      finish = () => response.end('{"usage":{"prompt_tokens":3,"completion_tokens":4}}');
    });
    const front = await startFront(upstream);
    const outcome = front.outcome();
    // Arrives while the reply is not complete yet.
    const response = await post(front.url, '{"model":"a"}');
    finish();
    expect(await response.text()).toMatch(/^\n\{"usage"/);
    expect(await outcome).toMatchObject({ usage: { inputTokens: 3, outputTokens: 4 }, isComplete: true });
  });

  test("shows its headers before the first event", async () => {
    let finish = () => {};
    const upstream = await listen((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      finish = () => response.end("data: [DONE]\n\n");
    });
    const front = await startFront(upstream);
    const response = await post(front.url, '{"model":"a","stream":true}');
    finish();
    expect(await response.text()).toBe("data: [DONE]\n\n");
  });
});

describe("a client that leaves", () => {
  test("in the middle of a stream: the provider's connection is closed, what was read is told", async () => {
    let closed: Promise<unknown> | undefined;
    const upstream = await listen((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(delta("one ") + delta("two"));
      closed = once(response, "close");
    });
    const front = await startFront(upstream);
    const outcome = front.outcome();
    const leaving = new AbortController();
    const response = await post(front.url, '{"model":"a","stream":true}', { signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    // The provider never ends by itself.
    await closed;
    expect(await outcome).toMatchObject({
      status: 200,
      clientLeft: true,
      isComplete: false,
      text: "one two",
      // All that it may still be billed for, and not only what was seen of it.
      bound: { outputTokens: 500 },
    });
  });

  test("before there is a reply", async () => {
    let closed: Promise<unknown> | undefined;
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const upstream = await listen((_, response) => {
      closed = once(response, "close");
      arrived();
    });
    const front = await startFront(upstream);
    const outcome = front.outcome();
    const leaving = new AbortController();
    const gone = post(front.url, '{"model":"a"}', { signal: leaving.signal }).catch(() => "gone");
    await asked;
    leaving.abort();
    expect(await gone).toBe("gone");
    await closed;
    expect(await outcome).toMatchObject({ status: 499, clientLeft: true, bytes: 0 });
  });
});

describe("a provider that fails", () => {
  const readers = { chat: chatRelay, responses: responsesRelay, messages: messagesRelay };
  const parts = {
    chat: delta("half"),
    responses: event({ type: "response.output_text.delta", delta: "half" }),
    messages: event({ type: "content_block_delta", delta: { text: "half" } }),
  };

  test.each([
    ["chat", /\n\ndata: \{"error":\{"message":"The stream of worker[^\n]*"code":"stream_cut"\}\}\n\n$/],
    [
      "responses",
      /\n\nevent: error\ndata: \{"type":"error","code":"stream_cut"[^\n]*"sequence_number":1\}\n\n$/,
    ],
    ["messages", /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error"[^\n]*\n\n$/],
  ] as const)(
    "in the middle of a stream of %s: an error event, and no half line before it",
    async (dialect, ending) => {
      const upstream = await listen((_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`${parts[dialect]}data: {"half a`, () => response.socket?.end());
      });
      const front = await startFront(upstream, { reader: readers[dialect] });
      const [response, result] = await Promise.all([
        post(front.url, '{"model":"a","stream":true}'),
        front.outcome(),
      ]);
      const text = await response.text();
      expect(text.startsWith(parts[dialect])).toBe(true);
      expect(text).not.toContain("half a");
      expect(text).toMatch(ending);
      expect(result).toMatchObject({
        isComplete: false,
        clientLeft: false,
        text: "half",
        error: { code: "stream-cut" },
      });
    },
  );

  test("in the middle of a body in one piece: an error of ours, and no half body", async () => {
    const upstream = await listen((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"half', () => response.socket?.end());
    });
    const front = await startFront(upstream);
    const response = await post(front.url, '{"model":"a"}');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "stream-cut" });
  });

  test("because it hangs up without a word, which may be billed", async () => {
    const upstream = await listen((_, response) => void response.socket?.destroy());
    const front = await startFront(upstream);
    const response = await post(front.url, '{"model":"a"}');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: "stream-cut" });
  });

  test("because nobody is there", async () => {
    const front = await startFront("http://127.0.0.1:9/v1/chat/completions");
    const response = await post(front.url, '{"model":"a"}');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining('"p/m" cannot be reached'),
    });
  });

  test("because it never answers", async () => {
    const upstream = await listen(() => {});
    const front = await startFront(upstream, { pool: { headersTimeoutMs: 50 } });
    const response = await post(front.url, '{"model":"a"}');
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: "timeout" });
  });

  test("by falling silent in a stream", async () => {
    const upstream = await listen((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(delta("half"));
    });
    const front = await startFront(upstream, { pool: { bodyTimeoutMs: 50 } });
    const [response, result] = await Promise.all([post(front.url, '{"model":"a"}'), front.outcome()]);
    expect(await response.text()).toContain('"code":"timeout"');
    expect(result.error?.code).toBe("timeout");
  });

  test("and says so inside its own stream: relayed as it is, and told", async () => {
    const server = await startChatServer({
      reply: () => ({ errorAfter: "half", error: { message: "overloaded" } }),
    });
    closers.push(() => server.close());
    const front = await startFront(`${server.baseUrl}/chat/completions`);
    const [response, result] = await Promise.all([
      post(front.url, '{"model":"a","stream":true}'),
      front.outcome(),
    ]);
    expect((await response.text()).endsWith('data: {"error":{"message":"overloaded"}}\n\n')).toBe(true);
    expect(result).toMatchObject({ isComplete: true, error: { code: "provider-error" } });
  });

  test("by writing no HTTP at all", async () => {
    const raw = createRawServer((socket) => socket.once("data", () => socket.end("SSH-2.0-nothing\r\n\r\n")));
    raw.listen(0, "127.0.0.1");
    await once(raw, "listening");
    closers.push(async () => raw.close());
    const front = await startFront(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`);
    const response = await post(front.url, '{"model":"a"}');
    expect([502, 503]).toContain(response.status);
  });
});

test("a slow reader slows the provider down: nothing piles up between them", async () => {
  const piece = Buffer.from(delta("x".repeat(65_000)));
  const total = 50_000_000;
  let produced = 0;
  const upstream = await listen((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pump = () => {
      while (produced < total) {
        produced += piece.length;
        if (!response.write(piece)) return;
      }
      response.end();
    };
    response.on("drain", pump);
    pump();
  });
  const front = await startFront(upstream, { keepsText: false });
  const outcome = front.outcome();
  const socket = connect(Number(new URL(front.url).port), "127.0.0.1");
  socket.write('POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 13\r\n\r\n{"model":"a"}');
  let read = 0;
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      const isFirstMegabyte = read < 1_000_000;
      read += chunk.length;
      if (!isFirstMegabyte || read < 1_000_000) return;
      socket.pause();
      resolve();
    });
  });
  let largest = 0;
  // It stands still when the provider could not write for many turns in a row.
  for (let still = 0, last = -1; still < 500; still = produced === last ? still + 1 : 0) {
    last = produced;
    await new Promise((resolve) => setImmediate(resolve));
    largest = Math.max(largest, front.outgoing?.writableLength ?? 0);
  }
  expect(produced).toBeLessThan(total / 2);
  expect(largest).toBeLessThan(1_000_000);
  socket.resume();
  await once(socket, "close");
  expect(read).toBeGreaterThan(total);
  expect(await outcome).toMatchObject({ isComplete: true, bytes: produced });
}, 120_000);
