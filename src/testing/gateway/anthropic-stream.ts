// A reply as Anthropic streams it, for providers that tests make up.

import type { ServerResponse } from "node:http";
import { EVENTS } from "./provider-server.ts";

/** A whole reply: each block with its start and its deltas. */
export function writeMessage(
  response: ServerResponse,
  blocks: [start: object, ...deltas: object[]][],
  stop: string,
  caches: {
    cache_creation_input_tokens?: number;
    cache_read_input_tokens?: number;
    cache_creation?: object;
  } = {},
): void {
  const send = (data: { type: string }) =>
    response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  const usage = { input_tokens: 9, output_tokens: 1, ...caches };
  const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], usage };
  response.writeHead(200, EVENTS);
  send({ type: "message_start", message } as { type: string });
  for (const [index, [start, ...deltas]] of blocks.entries()) {
    send({ type: "content_block_start", index, content_block: start } as { type: string });
    for (const delta of deltas) send({ type: "content_block_delta", index, delta } as { type: string });
    send({ type: "content_block_stop", index } as { type: string });
  }
  const delta = { stop_reason: stop, stop_sequence: null };
  send({ type: "message_delta", delta, usage: { output_tokens: 7 } } as { type: string });
  send({ type: "message_stop" });
  response.end();
}
