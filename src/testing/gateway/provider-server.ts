// A provider on loopback that does whatever a test wants, down to the byte: redirects, odd headers, streams without an
// end, its own idea of usage. It keeps what it was asked and with which key.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { closing } from "./keyed-gateway.ts";

export interface ProviderRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ProviderServer {
  /** Without a path. */
  url: string;
  requests: ProviderRequest[];
  /** Responses that the other side has cut off. */
  cut(): number;
}

/** Closed after the test. */
export async function startProvider(
  answer: (response: ServerResponse, request: ProviderRequest) => void,
): Promise<ProviderServer> {
  const requests: ProviderRequest[] = [];
  let cut = 0;
  const server = createServer(async (incoming, response) => {
    response.on("error", () => {});
    response.once("close", () => {
      if (!response.writableFinished) cut += 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = {
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(request);
    answer(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    cut: () => cut,
  };
}

export const EVENTS = { "content-type": "text/event-stream" };

/** One event of a chat stream. */
export function chatEvent(delta: object, finishReason: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices, ...more })}\n\n`;
}

/** Writes again and again, as fast as the other side reads, until it is cut off. */
export function writeForEver(response: ServerResponse, text: string): void {
  const block = text.repeat(Math.ceil(65_536 / text.length));
  const more = () => {
    while (!response.destroyed && response.write(block)) {}
  };
  response.on("drain", more);
  more();
}
