// The bytes of this dialect over a socket, read by the clients that people have.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import OpenAI, { APIError } from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { TuttiError } from "../../../base/errors.ts";
import type { ReplyHead, ReplyOutcome, StreamEncoder } from "../../types.ts";
import { openStream } from "../open-stream.ts";
import { chatDialect } from "./dialect.ts";

const head: ReplyHead = {
  id: "chatcmpl-abc",
  runId: "r_abc",
  createdAt: 1_700_000_000_999,
  request: { model: "tutti", showsProgress: true, isBackground: false, echo: {} },
};

const outcome: ReplyOutcome = {
  head,
  text: "Forty-two, I think.",
  toolCalls: [],
  finishReason: "stop",
  stopReason: "done",
  usage: {
    inputTokens: 212,
    cachedInputTokens: 100,
    cacheWriteInputTokens: 0,
    outputTokens: 522,
    reasoningTokens: 20,
    orchestrationInputTokens: 5463,
    orchestrationCachedInputTokens: 4000,
    orchestrationOutputTokens: 1053,
    totalTokens: 7250,
  },
  costUsd: 0.0123,
  cacheSavedUsd: 0,
  isSimulated: false,
  calls: 4,
  completedAt: 1_700_000_009_000,
  progress: ["Planning", "Two workers calculate"],
};

const called: ReplyOutcome = {
  ...outcome,
  text: "",
  finishReason: "tool-calls",
  stopReason: "tool-calls",
  toolCalls: [
    { id: "call_abc_0_0", name: "add", input: '{"a":40,"b":2}' },
    { id: "call_abc_0_1", name: "note", input: '{"input":"line\\none"}' },
  ],
};

const usage = {
  prompt_tokens: 212,
  completion_tokens: 522,
  total_tokens: 7250,
  prompt_tokens_details: {
    cached_tokens: 100,
    orchestration_input_tokens: 5463,
    orchestration_input_cached_tokens: 4000,
  },
  completion_tokens_details: { reasoning_tokens: 20, orchestration_output_tokens: 1053 },
};
const tutti = { run_id: "r_abc", cost_usd: 0.0123, calls: 4, stop_reason: "done" };

/** With these fields in the request's echo. */
const echoing = (echo: ReplyHead["request"]["echo"]): ReplyHead => ({
  ...head,
  request: { ...head.request, echo },
});

// ---- A server that sends what the dialect wrote ----------------------------------------------

let server: Server | undefined;
afterEach(async () => {
  if (!server) return;
  server.closeAllConnections();
  server.close();
  await once(server, "close");
  server = undefined;
});

async function serve(
  respond: (isStream: boolean) => { status?: number; body: string | object },
): Promise<string> {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const { status = 200, body } = respond(JSON.parse(text).stream === true);
    const type = typeof body === "string" ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": type });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const clientAt = (baseURL: string) => new OpenAI({ baseURL, apiKey: "for-tests", maxRetries: 0 });

/** A whole stream, as the gateway would write it: progress, pieces of the answer, the end. */
function write(stream: StreamEncoder, pieces: string[], end: ReplyOutcome | TuttiError): string {
  return [
    stream.begin(),
    stream.progress("Planning"),
    stream.keepAlive(),
    ...pieces.map((piece) => stream.text(piece)),
    end instanceof TuttiError ? stream.fail(end) : stream.end(end),
  ].join("");
}

const ask = { model: "tutti", messages: [{ role: "user" as const, content: "6 times 7?" }] };

async function chunksOf(bytes: string): Promise<OpenAI.ChatCompletionChunk[]> {
  const client = clientAt(await serve(() => ({ body: bytes })));
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ ...ask, stream: true }))
    chunks.push(chunk);
  return chunks;
}

const contentOf = (chunks: OpenAI.ChatCompletionChunk[]) =>
  chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

// ---- Whole replies ---------------------------------------------------------------------------

describe("a whole chat reply", () => {
  it("reaches the openai client with usage, cost and run", async () => {
    const client = clientAt(await serve(() => ({ body: chatDialect.toReply(outcome) })));
    expect(await client.chat.completions.create(ask)).toEqual({
      id: "chatcmpl-abc",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "tutti",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "Forty-two, I think.", refusal: null },
          logprobs: null,
          finish_reason: "stop",
        },
      ],
      usage,
      tutti,
    });
  });

  it("has null for content where there are only tool calls", () => {
    const custom = { ...called, head: echoing({ custom_tools: ["note"] }) };
    expect(chatDialect.toReply(custom)).toMatchObject({
      choices: [
        {
          finish_reason: "tool_calls",
          message: {
            content: null,
            tool_calls: [
              {
                id: "call_abc_0_0",
                type: "function",
                function: { name: "add", arguments: '{"a":40,"b":2}' },
              },
              { id: "call_abc_0_1", type: "custom", custom: { name: "note", input: "line\none" } },
            ],
          },
        },
      ],
    });
  });

  it.each([
    [{ finishReason: "stop" }, "stop"],
    [{ finishReason: "length" }, "length"],
    [{ finishReason: "content-filter" }, "content_filter"],
    [{ finishReason: "other" }, "stop"],
    [{ finishReason: "tool-calls" }, "stop"],
    [{ finishReason: "other", toolCalls: called.toolCalls }, "tool_calls"],
  ] as const)("ends for %j with %s", (how, finish_reason) => {
    const reply = chatDialect.toReply({ ...outcome, ...how } as ReplyOutcome);
    expect(reply).toMatchObject({ choices: [{ finish_reason }] });
  });

  it("says so where the run was simulated", () => {
    expect(chatDialect.toReply({ ...outcome, isSimulated: true })).toMatchObject({
      tutti: { simulated: true },
    });
  });

  it("is an error that the openai client knows where there is none", async () => {
    const { status, body } = chatDialect.toError(
      new TuttiError("unknown-model", 'There is no model "tuti".', { status: 404, param: "model" }),
    );
    const client = clientAt(await serve(() => ({ status, body })));
    const error = await client.chat.completions.create(ask).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({ status: 404, code: "model_not_found", param: "model" });
  });
});

// ---- Streams ---------------------------------------------------------------------------------

describe("a streamed chat reply", () => {
  it("begins with the role, shows progress, gives the answer and says how it ended", async () => {
    const chunks = await chunksOf(write(openStream(chatDialect, head), ["Forty", "-two"], outcome));
    const choices = chunks.map((chunk) => chunk.choices[0]);
    expect(choices.map((choice) => choice?.delta)).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: "Planning\n" },
      { content: "Forty" },
      { content: "-two" },
      { content: ", I think." },
      {},
    ]);
    expect(choices.map((choice) => choice?.finish_reason)).toEqual([null, null, null, null, null, "stop"]);
    expect(chunks.at(-1)).toMatchObject({ tutti });
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`))).toEqual(
      new Set(["chatcmpl-abc 1700000000 tutti"]),
    );
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
  });

  it("has the usage of the whole reply in a last chunk, where that was asked for", async () => {
    const asking = echoing({ include_usage: true });
    const chunks = await chunksOf(write(openStream(chatDialect, asking), [], outcome));
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(chatDialect.toReply(outcome)).toMatchObject({ usage });
  });

  it("never repeats or garbles what was already read", async () => {
    const streamed = (pieces: string[]) => chunksOf(write(openStream(chatDialect, head), pieces, outcome));
    expect(contentOf(await streamed([outcome.text]))).toBe(outcome.text);
    expect(contentOf(await streamed(["Something else."]))).toBe("Something else.");
  });

  it("is whole again in the client's helper, tool calls included", async () => {
    const asking = echoing({ include_usage: true });
    const bytes = write(openStream(chatDialect, asking), [], { ...called, text: "I add." });
    const client = clientAt(await serve(() => ({ body: bytes })));
    const final = await client.chat.completions.stream(ask).finalChatCompletion();
    expect(final).toMatchObject({ id: "chatcmpl-abc", model: "tutti", usage });
    expect(final.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: "I add.",
        tool_calls: [
          { id: "call_abc_0_0", type: "function", function: { name: "add", arguments: '{"a":40,"b":2}' } },
          { id: "call_abc_0_1", type: "function", function: { name: "note" } },
        ],
      },
    });
  });

  it("gives a custom tool its plain text", async () => {
    const bytes = write(openStream(chatDialect, echoing({ custom_tools: ["note"] })), [], {
      ...called,
      head: echoing({ custom_tools: ["note"] }),
    });
    const calls = (await chunksOf(bytes)).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(calls.filter(({ index }) => index === 1)).toEqual([
      { index: 1, id: "call_abc_0_1", type: "custom", custom: { name: "note", input: "" } },
      { index: 1, custom: { input: "line\none" } },
    ]);
  });

  it("that fails is an error of the client, after what was already written", async () => {
    const failure = new TuttiError("stream-cut", 'The stream of worker "a/b" broke off.', { status: 401 });
    const bytes = write(openStream(chatDialect, head), ["Forty"], failure);
    expect(bytes).not.toContain("[DONE]");
    const client = clientAt(await serve(() => ({ body: bytes })));
    let text = "";
    const error = await (async () => {
      for await (const chunk of await client.chat.completions.create({ ...ask, stream: true })) {
        text += chunk.choices[0]?.delta.content ?? "";
      }
    })().catch((reason: unknown) => reason);
    expect(text).toBe("Forty");
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: "stream_cut", type: "server_error" });
    expect(String(error)).toContain('worker "a/b" broke off');
    const helped = client.chat.completions.stream(ask).finalChatCompletion();
    await expect(helped).rejects.toBeInstanceOf(APIError);
  });
});

describe("the AI SDK's provider for compatible servers", () => {
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "6 times 7?" }] }];

  async function partsOf(bytes: string) {
    const baseURL = await serve(() => ({ body: bytes }));
    const provider = createOpenAICompatible({ name: "tutti", baseURL, includeUsage: true });
    const { stream } = await provider("tutti").doStream({ prompt });
    const parts: LanguageModelV3StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    return parts;
  }

  it("reads progress as reasoning, then text, tool calls and usage", async () => {
    const asking = echoing({ include_usage: true });
    const parts = await partsOf(
      write(openStream(chatDialect, asking), ["I "], { ...called, text: "I add." }),
    );
    const deltas = (type: string) =>
      parts.map((part) => (part.type === type && "delta" in part ? part.delta : "")).join("");
    expect(deltas("reasoning-delta")).toBe("Planning\n");
    expect(deltas("text-delta")).toBe("I add.");
    expect(parts.filter((part) => part.type === "tool-call")).toMatchObject([
      { toolCallId: "call_abc_0_0", toolName: "add", input: '{"a":40,"b":2}' },
      { toolCallId: "call_abc_0_1", toolName: "note" },
    ]);
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      finishReason: { unified: "tool-calls" },
      usage: { inputTokens: { total: 212, cacheRead: 100 }, outputTokens: { total: 522, reasoning: 20 } },
    });
    expect(parts.some((part) => part.type === "error")).toBe(false);
  });

  it("reads a failure as an error", async () => {
    const failure = new TuttiError("timeout", "Nobody replied in time.");
    const parts = await partsOf(write(openStream(chatDialect, head), [], failure));
    expect(parts.find((part) => part.type === "error")).toMatchObject({
      error: { message: "Nobody replied in time.", code: "timeout" },
    });
  });
});
