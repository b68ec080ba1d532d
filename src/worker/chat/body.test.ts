// Long conversations on their way to a server: in pieces that are one body, the same from turn to turn, and refused as usual.

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { loadModel } from "../models.ts";
import { createModelWorker } from "../provider.ts";
import type { Message, Worker } from "../types.ts";

const never = new AbortController().signal;
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Worker> {
  server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return createModelWorker("w", () =>
    loadModel({ provider: "acme", protocol: "openai-compatible", baseUrl, model: "m" }),
  );
}

async function ask(worker: Worker, messages: Message[]): Promise<string> {
  let text = "";
  for await (const event of worker.ask({ messages, maxOutputTokens: 100 }, never))
    if (event.type === "text-delta") text += event.text;
  return text;
}

/** A call and its result, of so many characters, some of which have several bytes. */
const toTurn = (number: number, size: number): Message[] => [
  { role: "assistant", content: "", toolCalls: [{ id: `c${number}`, name: "read", input: "{}" }] },
  { role: "tool", toolCallId: `c${number}`, toolName: "read", content: `${number} é漢😀 `.repeat(size / 8) },
];

it("a conversation that grows arrives whole at every turn, also where turns were dropped", async () => {
  const received: { length: string | undefined; bytes: number; messages: { content: string }[] }[] = [];
  const worker = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const { messages } = JSON.parse(raw.toString());
    received.push({ length: request.headers["content-length"], bytes: raw.length, messages });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n`);
  });
  const question: Message = { role: "user", content: "Read all of it." };
  // Small ones, one that is larger than a block, and many that make several.
  const sizes = [16, 8, 200_000, ...Array.from({ length: 20 }, (_, at) => 800 * (at + 1))];
  const turns = sizes.map((size, at) => toTurn(at, size));
  const conversations = turns.map((_, count) => turns.slice(0, count + 1));
  conversations.push(turns.toSpliced(4, 3), turns.toSpliced(0, 1), turns);
  for (const conversation of conversations) {
    const messages = [question, ...conversation.flat()];
    expect(await ask(worker, messages)).toBe("Yes.");
    const { length, bytes, messages: sent } = received.at(-1)!;
    expect(Number(length)).toBe(bytes);
    expect(sent).toHaveLength(messages.length);
    for (const [at, message] of messages.entries()) expect(sent[at]!.content ?? "").toBe(message.content);
  }
  expect(received.at(-1)!.bytes).toBeGreaterThan(300_000);
});

it("one that a server refuses before it has read it is refused with the server's words", async () => {
  const worker = await serve((_, response) => {
    response.writeHead(429, { "content-type": "application/json", "retry-after": "7" });
    response.end(JSON.stringify({ error: { message: "slow down" } }));
  });
  const messages = [{ role: "user", content: "?" } as Message, ...toTurn(0, 400_000), ...toTurn(1, 400_000)];
  await expect(ask(worker, messages)).rejects.toMatchObject({ code: "rate-limited", retryAfterMs: 7_000 });
});
