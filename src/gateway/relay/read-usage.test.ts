import { describe, expect, test } from "vitest";
import { chatRelay } from "../dialect/chat/relay.ts";
import { messagesRelay } from "../dialect/messages/relay.ts";
import { responsesRelay } from "../dialect/responses/relay.ts";
import { createLineBuffer } from "./line-buffer.ts";
import { createUsageReader, readBody } from "./read-usage.ts";

function sse(...events: (object | string)[]): string {
  return events
    .map((event) => {
      if (typeof event === "string") return `data: ${event}\n\n`;
      const { type } = event as { type?: string };
      return `${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
    })
    .join("");
}

const chunk = (delta: object, finish: string | null = null, usage: object | null = null) => ({
  id: "chatcmpl-1",
  choices: [{ index: 0, delta, finish_reason: finish }],
  usage,
});

const READERS = { chat: chatRelay, responses: responsesRelay, messages: messagesRelay };
type DialectName = keyof typeof READERS;

const STREAMS: Record<DialectName, string> = {
  chat: sse(
    chunk({ role: "assistant", content: "" }),
    chunk({ content: 'Geige 🎻 "usage":{' }),
    chunk({ content: "!" }),
    chunk({}, "length"),
    {
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 7 },
      },
    },
    "[DONE]",
  ),
  responses: sse(
    { type: "response.created", response: { status: "in_progress", error: null, usage: null } },
    { type: "response.output_text.delta", delta: 'Geige 🎻 "usage":{' },
    { type: "response.output_text.delta", delta: "!" },
    {
      type: "response.incomplete",
      response: {
        status: "incomplete",
        error: null,
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ type: "message", content: [{ type: "output_text", text: 'Geige 🎻 "usage":{!' }] }],
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 64 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 7 },
        },
      },
    },
  ),
  messages: sse(
    {
      type: "message_start",
      message: {
        usage: {
          input_tokens: 30,
          cache_read_input_tokens: 64,
          cache_creation_input_tokens: 6,
          output_tokens: 1,
        },
      },
    },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 'Geige 🎻 "usage":{' } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "!" } },
    { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 20 } },
    { type: "message_stop" },
  ),
};
const READ = {
  chat: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 7 },
  responses: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 64, reasoningTokens: 7 },
  messages: {
    inputTokens: 100,
    outputTokens: 20,
    cachedInputTokens: 64,
    reasoningTokens: 0,
    cacheWriteTokens: 6,
  },
};
const DIALECTS: DialectName[] = ["chat", "responses", "messages"];

function readStream(dialect: DialectName, pieces: Buffer[], keepsText: boolean, countsText = false) {
  const buffer = createLineBuffer();
  const reader = createUsageReader({ reader: READERS[dialect], keepsText, countsText });
  const sent = pieces.map((piece) => buffer.push(piece)).concat(buffer.rest());
  for (const lines of sent) reader.push(lines);
  return { ...reader.read(), sent: Buffer.concat(sent) };
}

describe.each(DIALECTS)("a stream of %s", (dialect) => {
  const bytes = Buffer.from(STREAMS[dialect]);

  test.each([true, false])("split at any byte: usage, reason, every byte (text is kept: %s)", (keepsText) => {
    for (let at = 0; at <= bytes.length; at++) {
      const read = readStream(dialect, [bytes.subarray(0, at), bytes.subarray(at)], keepsText);
      expect(read).toMatchObject({ usage: READ[dialect], finishReason: "length", hasError: false });
      expect(read.text).toBe(keepsText ? 'Geige 🎻 "usage":{!' : undefined);
      expect(read.sent.equals(bytes)).toBe(true);
    }
  });

  test("byte by byte, with carriage returns", () => {
    const pieces = [...Buffer.from(STREAMS[dialect].replaceAll("\n", "\r\n"))].map((byte) =>
      Buffer.from([byte]),
    );
    expect(readStream(dialect, pieces, true)).toMatchObject({
      usage: READ[dialect],
      text: 'Geige 🎻 "usage":{!',
    });
  });

  test("an event with blanks between its names and values", () => {
    const spaced = STREAMS[dialect]
      .replace(/"usage":\{"/g, '"usage": {"')
      .replaceAll('"finish_reason":', '"finish_reason": ');
    expect(readStream(dialect, [Buffer.from(spaced)], false)).toMatchObject({
      usage: READ[dialect],
      finishReason: "length",
    });
  });

  test("a line beyond a megabyte passes and is not read; what it held back stays small", () => {
    const huge = sse({
      type: "response.completed",
      response: { usage: READ.chat, filler: "x".repeat(3_000_000) },
    });
    const buffer = createLineBuffer();
    const reader = createUsageReader({ reader: READERS[dialect], keepsText: false });
    const bytesOfHuge = Buffer.from(huge);
    const pieces = Array.from({ length: 47 }, (_, i) => bytesOfHuge.subarray(i * 65_536, (i + 1) * 65_536));
    let given = 0;
    let sent = 0;
    for (const piece of pieces) {
      given += piece.length;
      const lines = buffer.push(piece);
      sent += lines.length;
      reader.push(lines);
      expect(given - sent).toBeLessThanOrEqual(1_048_576);
    }
    expect(sent).toBe(huge.length);
    expect(reader.read().usage).toBeUndefined();
  });
});

describe("a stream without figures", () => {
  test("is counted from its text, in bytes", () => {
    const text = sse(
      chunk({ reasoning_content: "Hm." }),
      chunk({ content: "Grüße" }),
      chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: '{"a":1}' } }] }),
    );
    const read = readStream("chat", [Buffer.from(text)], false, true);
    expect(read).toMatchObject({ writtenTokens: 3 + 7 + 7 });
    expect(read.usage).toBeUndefined();
  });

  test("of Anthropic that was cut knows the input, and bounds the output by its events", () => {
    const start = STREAMS.messages.slice(0, STREAMS.messages.indexOf("event: ping"));
    const read = readStream("messages", [Buffer.from(start)], false);
    expect(read.usage).toBeUndefined();
    expect(read.usageSoFar).toMatchObject({ inputTokens: 100, cachedInputTokens: 64, cacheWriteTokens: 6 });
    expect(read.writtenTokens).toBeGreaterThanOrEqual(2);
  });
});

test.each<[DialectName, object]>([
  ["chat", { error: { message: "overloaded" } }],
  ["responses", { type: "error", message: "overloaded" }],
  ["responses", { type: "response.failed", response: { status: "failed", error: { code: "server_error" } } }],
  ["messages", { type: "error", error: { type: "overloaded_error" } }],
])("an error inside a stream of %s is noticed: %j", (dialect, event) => {
  expect(readStream(dialect, [Buffer.from(sse(event))], false).hasError).toBe(true);
});

describe("a body in one piece", () => {
  const read = (dialect: DialectName, body: unknown) =>
    readBody(Buffer.from(JSON.stringify(body)), { reader: READERS[dialect], keepsText: true });

  test("of chat", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 17 };
    const choices = [{ index: 0, message: { content: "four" }, finish_reason: "tool_calls" }];
    expect(read("chat", { choices, usage })).toMatchObject({
      // Five tokens of reasoning are in the total alone.
      usage: { inputTokens: 10, outputTokens: 7 },
      text: "four",
      finishReason: "tool-calls",
    });
  });

  test("of responses", () => {
    const output = [
      { type: "reasoning", summary: [] },
      { type: "message", content: [{ type: "output_text", text: "four" }] },
      { type: "function_call", name: "f", arguments: "{}" },
    ];
    const body = {
      object: "response",
      status: "completed",
      error: null,
      output,
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    expect(read("responses", body)).toMatchObject({
      usage: { inputTokens: 3, outputTokens: 4 },
      text: "four",
      finishReason: "tool-calls",
      hasError: false,
    });
  });

  test("of messages", () => {
    const content = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "four" },
    ];
    const usage = { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5 };
    expect(read("messages", { type: "message", content, stop_reason: "refusal", usage })).toMatchObject({
      usage: { inputTokens: 8, outputTokens: 4, cachedInputTokens: 5 },
      text: "four",
      finishReason: "content-filter",
    });
  });

  test.each(DIALECTS)("that is not what %s looks like has no figures, and does no harm", (dialect) => {
    for (const body of [
      null,
      1,
      "text",
      [],
      [null],
      { choices: 7, usage: "none", output: [null], content: {} },
    ]) {
      expect(read(dialect, body).usage).toBeUndefined();
    }
    expect(readBody(Buffer.from("<html>"), { reader: READERS[dialect], keepsText: false })).toMatchObject({
      writtenTokens: 6,
    });
  });
});
