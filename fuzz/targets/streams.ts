// What providers send: event streams that a worker reads, and streams that are passed through and read along the way.
// What comes in pieces must read like what comes at once.

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { chatRelay } from "../../src/gateway/dialect/chat/relay.ts";
import { messagesRelay } from "../../src/gateway/dialect/messages/relay.ts";
import { responsesRelay } from "../../src/gateway/dialect/responses/relay.ts";
import { createLineBuffer } from "../../src/gateway/relay/line-buffer.ts";
import { createUsageReader, readBody } from "../../src/gateway/relay/read-usage.ts";
import { PartQueue } from "../../src/worker/chat/call.ts";
import { createChatStream } from "../../src/worker/chat/stream.ts";
import { type FuzzTarget, must, toPieces, toText } from "../target.ts";

const tokens = [
  ...[
    "data: ",
    "data:",
    "\n\n",
    "\r\n\r\n",
    "event: error\n",
    "[DONE]",
    ": keep-alive\n\n",
    '"usage":',
    '"choices":[{',
  ],
  ...[
    '"delta":{"content":"x"}',
    '"tool_calls":[{"index":0,',
    '"finish_reason":"stop"',
    '"error":{',
    '"output_tokens":',
  ],
];
const event = fc.json({ maxDepth: 3 }).map((text) => `data: ${text}\n\n`);
const inputs = fc.array(event, { maxLength: 6 }).map((events) => events.join(""));

export const chatStream: FuzzTarget = {
  name: "chat-stream",
  tokens,
  inputs,
  async check(input) {
    const text = toText(input);
    // By characters, as its caller has them decoded.
    const pieces = toPieces(Buffer.from(text)).length > 1 ? (text.match(/.{1,7}/gs) ?? []) : [text];
    const [whole, parts] = [await readChat([text]), await readChat(pieces)];
    must(
      isDeepStrictEqual(whole, parts),
      `in pieces it is ${JSON.stringify(parts)}, at once ${JSON.stringify(whole)}`,
    );
  },
};

/** Texts as one each, for they may come in pieces; ids that are made up left out. */
async function readChat(pieces: readonly string[]): Promise<unknown[]> {
  const queue = new PartQueue(() => {});
  const stream = createChatStream(queue);
  for (const piece of pieces) if (!stream.isFinished) stream.push(piece);
  stream.end();
  queue.end();
  const read: Record<string, unknown>[] = [];
  for (;;) {
    const { done, value } = await queue.read();
    if (done) return read;
    const { type } = value;
    const last = read.at(-1);
    if ("delta" in value && last?.type === type) last.delta = `${last.delta}${value.delta}`;
    else if (type === "error") read.push({ type });
    else
      read.push({
        ...value,
        ...("toolCallId" in value && { toolCallId: "" }),
        ...("id" in value && { id: "" }),
      });
  }
}

const READERS = [chatRelay, messagesRelay, responsesRelay];

export const relayUsage: FuzzTarget = {
  name: "relay-usage",
  tokens,
  inputs,
  check(input) {
    for (const reader of READERS)
      for (const keepsText of [false, true]) {
        const [whole, parts] = [
          createUsageReader({ reader, keepsText }),
          createUsageReader({ reader, keepsText }),
        ];
        const [atOnce, buffer] = [createLineBuffer(), createLineBuffer()];
        whole.push(atOnce.push(input));
        whole.push(atOnce.rest());
        for (const piece of toPieces(input)) parts.push(buffer.push(piece));
        parts.push(buffer.rest());
        const [first, second] = [whole.read(), parts.read()];
        must(
          isDeepStrictEqual(first, second),
          `in pieces ${JSON.stringify(second)}, at once ${JSON.stringify(first)}`,
        );
        for (const { usage, writtenTokens } of [first, readBody(input, { reader, keepsText })])
          for (const count of [writtenTokens, ...Object.values(usage ?? {})])
            must(Number.isFinite(count) && count >= 0, `a count of ${count}`);
      }
  },
};

export const lineBuffer: FuzzTarget = {
  name: "line-buffer",
  tokens: ["\n", "\r\n", "data: x\n"],
  check(input) {
    for (const mostBytes of [16, 1_000_000]) {
      const buffer = createLineBuffer(mostBytes);
      const out = toPieces(input).map((piece) => buffer.push(piece));
      must(Buffer.concat([...out, buffer.rest()]).equals(input), "bytes were lost");
      const isSmall = mostBytes > input.length;
      must(
        !isSmall || out.every((piece) => piece.length === 0 || piece.at(-1) === 0x0a),
        "half a line was sent",
      );
    }
  },
};
