// A real HTTP server on loopback that speaks OpenAI chat completions, streamed and not, with every way
// a provider can fail. Tests script it with a handler and read afterwards what was asked, when the
// requests overlapped and which clients left early. It never keeps the value of a key.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface ChatRequest {
  model: string;
  messages: { role: string; content: unknown }[];
  body: Record<string, unknown>;
  /** How many completions were asked before this one, in all and of this model. */
  count: number;
  countByModel: number;
}

interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  [detail: string]: unknown;
}

interface TextReply {
  text: string;
  reasoning?: string;
  toolCalls?: { id: string; name: string; arguments: string }[];
  /** In how many pieces the text is sent; default 3. */
  chunks?: number;
  /** Before each piece. */
  delayMs?: number;
  /** Before anything is sent, headers included. */
  firstDelayMs?: number;
  usage?: ChatUsage;
  finishReason?: string;
}

export type ChatReply =
  | string
  | TextReply
  | { status: number; headers?: Record<string, string>; body: string | object }
  /** Headers are never sent; the request ends when the client leaves or the server closes. */
  | { hang: true }
  /** Sends this text, then destroys the socket. */
  | { cutAfter: string }
  /** Sends this text, then ends the body as if all were well, without a finish reason or [DONE]. */
  | { endAfter: string }
  /** Sends this text, then an error object inside the stream. */
  | { errorAfter: string; error: object }
  | { html: true }
  | { invalidJson: true };

export interface RecordedRequest {
  path: string;
  model?: string;
  messages: ChatRequest["messages"];
  body: Record<string, unknown>;
  hasAuthorization: boolean;
  startedAt: number;
  endedAt?: number;
  /** The client left before the reply was complete. */
  closedEarly: boolean;
}

export interface ChatServer {
  /** With `/v1`. */
  readonly baseUrl: string;
  /** In the order of arrival; only completions. */
  readonly requests: RecordedRequest[];
  /** How often `/v1/models` was read. */
  readonly modelLists: number;
  /** Resolves when no request is being answered any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export async function startChatServer(options: {
  models?: string[];
  /** Of its list of models, instead of 200. */
  listStatus?: number;
  reply: (request: ChatRequest) => ChatReply | Promise<ChatReply>;
}): Promise<ChatServer> {
  const requests: RecordedRequest[] = [];
  const active = new Set<Promise<unknown>>();
  const closing = new AbortController();
  let modelLists = 0;

  const server = createServer((request, response) => {
    if (request.method === "GET" && request.url?.startsWith("/v1/models")) {
      modelLists += 1;
      if (options.listStatus !== undefined) {
        sendJson(response, options.listStatus, { error: { message: "no" } });
        return;
      }
      const data = (options.models ?? ["model"]).map((id) => ({ id, object: "model" }));
      sendJson(response, 200, { object: "list", data });
    } else if (request.method === "POST" && request.url === "/v1/chat/completions") {
      const answering = answer(request, response).catch(() => response.destroy());
      active.add(answering);
      void answering.finally(() => active.delete(answering));
    } else {
      sendJson(response, 404, { error: { message: `No route ${request.method} ${request.url}` } });
    }
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await readBody(request)) as Record<string, unknown>;
    const model = String(body.model);
    const messages = (body.messages ?? []) as ChatRequest["messages"];
    const count = requests.length;
    const countByModel = requests.filter((earlier) => earlier.model === model).length;
    const record: RecordedRequest = {
      path: request.url ?? "",
      model,
      messages,
      body,
      hasAuthorization: request.headers.authorization !== undefined,
      startedAt: performance.now(),
      closedEarly: false,
    };
    requests.push(record);
    const left = new AbortController();
    const closed = new Promise<void>((resolve) => {
      response.once("close", () => {
        record.endedAt = performance.now();
        record.closedEarly = !response.writableFinished;
        left.abort();
        resolve();
      });
    });
    const signal = AbortSignal.any([left.signal, closing.signal]);
    const reply = await options.reply({ model, messages, body, count, countByModel });
    await send(reply, body, response, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    await closed;
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    get modelLists() {
      return modelLists;
    },
    async idle() {
      while (active.size > 0) await Promise.all(active);
    },
    async close() {
      closing.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function send(
  reply: ChatReply,
  body: Record<string, unknown>,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (typeof reply === "string") return send({ text: reply }, body, response, signal);
  if ("hang" in reply) return;
  if ("status" in reply) {
    if (typeof reply.body === "object") sendJson(response, reply.status, reply.body, reply.headers);
    else response.writeHead(reply.status, reply.headers).end(reply.body);
    return;
  }
  if ("html" in reply) {
    response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");
    return;
  }
  const sse = { "content-type": "text/event-stream" };
  if ("invalidJson" in reply) {
    const type = body.stream ? sse : { "content-type": "application/json" };
    response.writeHead(200, type).end(body.stream ? 'data: {"choices": [oops\n\n' : '{"choices": [oops');
    return;
  }
  const head = { id: "chatcmpl-1", created: 1, model: body.model };
  const event = (data: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...data })}\n\n`);
  const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields, finish_reason: null }] });

  if ("cutAfter" in reply || "endAfter" in reply || "errorAfter" in reply) {
    response.writeHead(200, sse);
    const text =
      "cutAfter" in reply ? reply.cutAfter : "endAfter" in reply ? reply.endAfter : reply.errorAfter;
    delta({ role: "assistant", content: text });
    if ("errorAfter" in reply) response.write(`data: ${JSON.stringify({ error: reply.error })}\n\n`);
    // Destroying at once could overtake the bytes just written.
    if ("cutAfter" in reply) setTimeout(() => response.destroy(), 20);
    else response.end();
    return;
  }

  if (reply.firstDelayMs) await delay(reply.firstDelayMs, undefined, { signal });
  const usage = reply.usage ?? { prompt_tokens: 10, completion_tokens: Math.ceil(reply.text.length / 4) };
  const finishReason = reply.finishReason ?? (reply.toolCalls ? "tool_calls" : "stop");
  const toolCalls = reply.toolCalls?.map(({ id, name, arguments: input }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: input },
  }));
  if (!body.stream) {
    const message = {
      role: "assistant",
      content: reply.text,
      reasoning: reply.reasoning,
      tool_calls: toolCalls,
    };
    const choices = [{ index: 0, message, finish_reason: finishReason }];
    sendJson(response, 200, { ...head, object: "chat.completion", choices, usage });
    return;
  }
  response.writeHead(200, sse);
  if (reply.reasoning) delta({ reasoning_content: reply.reasoning });
  for (const piece of inPieces(reply.text, reply.chunks ?? 3)) {
    if (reply.delayMs) await delay(reply.delayMs, undefined, { signal });
    delta({ role: "assistant", content: piece });
  }
  if (toolCalls) delta({ tool_calls: toolCalls });
  event({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] });
  const { include_usage: includeUsage } = (body.stream_options ?? {}) as { include_usage?: boolean };
  if (includeUsage) event({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

function inPieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
    text.slice(i * size, (i + 1) * size),
  );
}

function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
