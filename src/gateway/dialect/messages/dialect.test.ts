// The dialect as its real clients read it, over a socket: a small server parses what they send and writes what
// the encoder gives. Their stream parsers reject a bad order of events.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAnthropic } from "@ai-sdk/anthropic";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../base/error-codes.ts";
import { isTuttiError, TuttiError } from "../../../base/errors.ts";
import type { GatewayRequest, ReplyHead, ReplyOutcome, StreamEncoder } from "../../types.ts";
import { openStream } from "../open-stream.ts";
import { messagesDialect } from "./dialect.ts";

type Play = (stream: StreamEncoder, outcome: (change?: Partial<ReplyOutcome>) => ReplyOutcome) => string;

const CALL = { id: "call_1_0_0", name: "weather", input: '{"city":"Ulm"}' };
const TOOL = { name: "weather", input_schema: { type: "object" as const } };

let server: Server;
let baseURL: string;
let requests: GatewayRequest[];
/** What the next stream says, and what the next whole reply differs by. */
let play: Play;
let whole: Partial<ReplyOutcome>;

beforeEach(async () => {
  requests = [];
  whole = {};
  play = (stream, outcome) =>
    stream.begin() +
    stream.progress("Planning") +
    stream.progress("Plan: 1 step: a") +
    stream.text("Forty") +
    stream.keepAlive() +
    stream.end(outcome());
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      const header = (name: string) => request.headers[name]?.toString();
      const parsed = messagesDialect.parseRequest(JSON.parse(Buffer.concat(chunks).toString()), header);
      requests.push(parsed);
      const head: ReplyHead = { id: "msg_1", runId: "r_1", createdAt: 0, request: parsed };
      if (parsed.isStream) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(play(openStream(messagesDialect, head), (change) => toOutcome(head, change)));
      } else {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(messagesDialect.toReply(toOutcome(head, whole))));
      }
    } catch (error) {
      const { status, body } = messagesDialect.toError(
        isTuttiError(error) ? error : new TuttiError("internal", "?"),
      );
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function toOutcome(head: ReplyHead, change: Partial<ReplyOutcome> = {}): ReplyOutcome {
  return {
    head,
    text: "Forty-two.",
    toolCalls: [],
    finishReason: "stop",
    stopReason: "done",
    usage: {
      inputTokens: 30,
      cachedInputTokens: 10,
      cacheWriteInputTokens: 0,
      outputTokens: 12,
      reasoningTokens: 5,
      orchestrationInputTokens: 100,
      orchestrationCachedInputTokens: 0,
      orchestrationOutputTokens: 40,
      totalTokens: 182,
    },
    costUsd: 0.01,
    cacheSavedUsd: 0,
    isSimulated: false,
    calls: 2,
    completedAt: 1_000,
    progress: ["Planning"],
    ...change,
  };
}

describe("Anthropic's own client", () => {
  const ask = {
    model: "tutti",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "6 times 7?" }],
  };
  const client = () => new Anthropic({ apiKey: "key-for-tests", baseURL, maxRetries: 0 });

  it("reads a whole reply", async () => {
    const message = await client().messages.create(ask);
    expect(message.content).toEqual([{ type: "text", text: "Forty-two." }]);
    expect(message.usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 10, output_tokens: 12 });
    expect(requests[0]).toMatchObject({ model: "tutti", isStream: false, showsProgress: false });
  });

  it("reads the events of a stream", async () => {
    const types: string[] = [];
    for await (const event of await client().messages.create({ ...ask, stream: true }))
      types.push(event.type);
    expect(types[0]).toBe("message_start");
    expect(types.at(-1)).toBe("message_stop");
  });

  it("puts a stream together, with the usage of the whole reply", async () => {
    const stream = client().messages.stream(ask);
    const thoughts: string[] = [];
    stream.on("thinking", (delta) => thoughts.push(delta));
    const message = await stream.finalMessage();
    expect(thoughts).toEqual(["Planning\n", "Plan: 1 step: a\n"]);
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Planning\nPlan: 1 step: a\n" },
      { type: "text", text: "Forty-two." },
    ]);
    expect(message.stop_reason).toBe("end_turn");
    const { usage } = await client().messages.create(ask);
    const { input_tokens, cache_read_input_tokens, output_tokens, output_tokens_details } = usage;
    expect(message.usage).toMatchObject({
      input_tokens,
      cache_read_input_tokens,
      output_tokens,
      output_tokens_details,
    });
  });

  it("reads tool calls, and what it sends back is understood", async () => {
    const calling = { text: "I look.", toolCalls: [CALL], finishReason: "tool-calls" as const };
    play = (stream, outcome) => stream.begin() + stream.progress("Planning") + stream.end(outcome(calling));
    const message = await client()
      .messages.stream({ ...ask, tools: [TOOL] })
      .finalMessage();
    expect(message.stop_reason).toBe("tool_use");
    expect(message.content.at(-1)).toMatchObject({
      type: "tool_use",
      id: CALL.id,
      name: "weather",
      input: { city: "Ulm" },
    });
    const result = { type: "tool_result" as const, tool_use_id: CALL.id, content: "rain" };
    await client().messages.create({
      ...ask,
      tools: [TOOL],
      messages: [...ask.messages, message, { role: "user", content: [result] }],
    });
    expect(requests[1]!.task.messages).toEqual([
      { role: "user", content: "6 times 7?" },
      { role: "assistant", content: "I look.", toolCalls: [CALL] },
      { role: "tool", toolCallId: CALL.id, toolName: "weather", content: "rain" },
    ]);
  });

  it("throws the error of a stream, after the text before it", async () => {
    play = (stream) =>
      stream.begin() + stream.text("For") + stream.fail(new TuttiError("stream-cut", "It broke off."));
    const stream = client().messages.stream(ask);
    let text = "";
    stream.on("text", (delta) => {
      text += delta;
    });
    const error = await stream.finalMessage().then(
      () => expect.fail("no error"),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ type: "api_error", apiMessage: "It broke off." });
    expect(text).toBe("For");
  });

  it("throws its own kind of error for a bad request", async () => {
    const error = await client()
      .messages.create({ ...ask, max_tokens: 0 })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
  });
});

describe("the AI SDK", () => {
  async function stream(tools: boolean): Promise<LanguageModelV3StreamPart[]> {
    const model = createAnthropic({ apiKey: "key-for-tests", baseURL: `${baseURL}/v1` })("tutti");
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "6 times 7?" }] }],
      ...(tools && { tools: [{ type: "function", name: "weather", inputSchema: { type: "object" } }] }),
    });
    const parts: LanguageModelV3StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  }
  const join = (parts: LanguageModelV3StreamPart[], type: "text-delta" | "reasoning-delta") =>
    parts.map((part) => (part.type === type ? part.delta : "")).join("");

  it("streams progress as reasoning, the answer, and usage", async () => {
    const parts = await stream(false);
    expect(parts.filter(({ type }) => type === "error")).toEqual([]);
    expect(join(parts, "reasoning-delta")).toBe("Planning\nPlan: 1 step: a\n");
    expect(join(parts, "text-delta")).toBe("Forty-two.");
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "stop" },
      usage: { inputTokens: { total: 30, cacheRead: 10, noCache: 20 }, outputTokens: { total: 12 } },
    });
  });

  it("streams tool calls", async () => {
    play = (stream, outcome) =>
      stream.begin() + stream.end(outcome({ text: "", toolCalls: [CALL], finishReason: "tool-calls" }));
    const parts = await stream(true);
    expect(parts.find(({ type }) => type === "tool-call")).toMatchObject({
      toolCallId: CALL.id,
      toolName: "weather",
      input: CALL.input,
    });
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "tool-calls" } });
  });

  it("sees the error of a stream", async () => {
    play = (stream) =>
      stream.begin() + stream.text("For") + stream.fail(new TuttiError("timeout", "Too late."));
    const parts = await stream(false);
    expect(parts.find(({ type }) => type === "error")).toMatchObject({
      error: { type: "timeout_error", message: "Too late." },
    });
  });
});

describe("errors", () => {
  it.each<[code: ErrorCode, status: number, type: string]>([
    ["bad-request", 400, "invalid_request_error"],
    ["usage", 400, "invalid_request_error"],
    ["auth", 401, "authentication_error"],
    ["budget-spent", 402, "billing_error"],
    ["forbidden", 403, "permission_error"],
    ["unknown-model", 404, "not_found_error"],
    ["not-found", 404, "not_found_error"],
    ["conflict", 409, "invalid_request_error"],
    ["too-large", 413, "request_too_large"],
    ["invalid-output", 422, "invalid_request_error"],
    ["limit", 422, "invalid_request_error"],
    ["rate-limited", 429, "rate_limit_error"],
    ["overloaded", 529, "overloaded_error"],
    ["unreachable", 529, "overloaded_error"],
    ["timeout", 504, "timeout_error"],
    ["provider-error", 502, "api_error"],
    ["stream-cut", 502, "api_error"],
    ["worker-fault", 502, "api_error"],
    ["worker-auth", 502, "api_error"],
    ["bad-response", 502, "api_error"],
  ])("%s → %i %s, with its message", (code, status, type) => {
    const error = new TuttiError(code, "why: x-api-key: abcdefghijklmnop");
    expect(messagesDialect.toError(error)).toEqual({
      status,
      body: { type: "error", error: { type, message: "why: x-api-key: [redacted]" } },
    });
  });

  it("shows nothing of what went wrong inside", () => {
    for (const code of ["bad-graph", "constructor", "internal"] as ErrorCode[]) {
      const { status, body } = messagesDialect.toError(new TuttiError(code, "/home/me/weights.bin is cut"));
      expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining("weights")]);
    }
  });
});
