// The other dialects, over real HTTP: each package's way to stream, to finish and to break off.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { loadModel, type ProviderProtocol } from "./models.ts";
import { createModelWorker } from "./provider.ts";
import type { WorkerEvent, WorkerRequest } from "./types.ts";

const never = new AbortController().signal;
const question: WorkerRequest = { messages: [{ role: "user", content: "6 times 7?" }], maxOutputTokens: 100 };
const tools = [{ name: "add", inputSchema: { type: "object", properties: {} } }];

let server: Server | undefined;
let asked: { path: string; body: Record<string, unknown> }[] = [];
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  asked = [];
});

/** Answers every request with these events; `die` destroys the socket after them. */
async function serve(events: object[], die = false): Promise<string> {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    asked.push({ path: request.url ?? "", body: JSON.parse(text) });
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) {
      const name = "type" in event ? `event: ${event.type}\n` : "";
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    if (die) setTimeout(() => response.destroy(), 20);
    else response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function ask(
  protocol: ProviderProtocol,
  model: string,
  baseUrl: string,
  request = question,
): Promise<WorkerEvent[]> {
  const worker = createModelWorker("w", () =>
    loadModel({ provider: protocol, protocol, model, baseUrl, apiKey: "key" }),
  );
  const events: WorkerEvent[] = [];
  for await (const event of worker.ask(request, never)) events.push(event);
  return events;
}

const joined = (events: WorkerEvent[], type: "text-delta" | "reasoning-delta") =>
  events.map((event) => (event.type === type ? event.text : "")).join("");

const anthropic = [
  {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        output_tokens: 1,
        cache_read_input_tokens: 20,
        cache_creation_input_tokens: 4,
      },
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "6 × 7" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "It is 42." } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "t1", name: "add", input: {} },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"a":6}' } },
  { type: "content_block_stop", index: 2 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 9 },
  },
  { type: "message_stop" },
];

describe("anthropic", () => {
  it("streams thinking, text, tool calls and usage with its cache", async () => {
    const events = await ask("anthropic", "claude-sonnet-5", await serve(anthropic), {
      ...question,
      tools,
      stop: ["x"],
    });
    expect(joined(events, "reasoning-delta")).toBe("6 × 7");
    expect(joined(events, "text-delta")).toBe("It is 42.");
    expect(events).toContainEqual({ type: "tool-call", id: "t1", name: "add", input: '{"a":6}' });
    expect(events.at(-1)).toEqual({
      type: "finish",
      reason: "tool-calls",
      usage: {
        inputTokens: 34,
        outputTokens: 9,
        cachedInputTokens: 20,
        reasoningTokens: 0,
        cacheWriteTokens: 4,
      },
    });
    expect(asked[0]?.body).toMatchObject({
      max_tokens: 100,
      stop_sequences: ["x"],
      tools: [{ name: "add" }],
    });
  });

  it.each([false, true])("was cut when message_stop is missing (socket dies: %s)", async (die) => {
    const baseUrl = await serve(anthropic.slice(0, 6), die);
    await expect(ask("anthropic", "claude-sonnet-5", baseUrl)).rejects.toMatchObject({
      code: "stream-cut",
      retryable: true,
    });
  });

  it("an error event is an error", async () => {
    const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    for (const events of [[overloaded], [...anthropic.slice(0, 6), overloaded]]) {
      const asking = ask("anthropic", "claude-sonnet-5", await serve(events));
      await expect(asking).rejects.toMatchObject({ code: "provider-error", retryable: true });
      server?.close();
    }
  });
});

const response = { id: "resp_1", created_at: 1, model: "gpt-6-sol" };
const responsesEvents = [
  { type: "response.created", response },
  { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1" } },
  { type: "response.output_text.delta", item_id: "msg_1", delta: "It is 42." },
  { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_1" } },
  {
    type: "response.output_item.added",
    output_index: 1,
    item: { type: "function_call", id: "fc_1", call_id: "t1", name: "add", arguments: "" },
  },
  {
    type: "response.output_item.done",
    output_index: 1,
    item: {
      type: "function_call",
      id: "fc_1",
      call_id: "t1",
      name: "add",
      arguments: '{"a":6}',
      status: "completed",
    },
  },
  {
    type: "response.completed",
    response: {
      ...response,
      usage: {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 20 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 5 },
      },
    },
  },
];

describe("openai", () => {
  it("asks a reasoning model with tools through Responses, without storing anything there", async () => {
    const events = await ask("openai", "gpt-6-sol", await serve(responsesEvents), { ...question, tools });
    expect(joined(events, "text-delta")).toBe("It is 42.");
    expect(events).toContainEqual({
      ...{ type: "tool-call", id: "t1", name: "add", input: '{"a":6}' },
      metadata: { openai: { itemId: "fc_1" } },
    });
    expect(events.at(-1)).toEqual({
      type: "finish",
      reason: "tool-calls",
      usage: { inputTokens: 30, outputTokens: 9, cachedInputTokens: 20, reasoningTokens: 5 },
    });
    expect(asked[0]).toMatchObject({ path: "/v1/responses", body: { max_output_tokens: 100, store: false } });
  });

  it.each([false, true])("was cut when response.completed is missing (socket dies: %s)", async (die) => {
    const asking = ask("openai", "gpt-6-sol", await serve(responsesEvents.slice(0, 3), die), {
      ...question,
      tools,
    });
    await expect(asking).rejects.toMatchObject({ code: "stream-cut", retryable: true });
  });

  it("a failed response is an error", async () => {
    const failed = {
      type: "response.failed",
      sequence_number: 4,
      response: { ...response, error: { code: "server_error", message: "Sorry" } },
    };
    const asking = ask("openai", "gpt-6-sol", await serve([...responsesEvents.slice(0, 3), failed]), {
      ...question,
      tools,
    });
    await expect(asking).rejects.toMatchObject({ code: "provider-error", retryable: true });
  });

  const chat = [
    { id: "1", choices: [{ index: 0, delta: { content: "It is 42. STOP. Not." } }] },
    { id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
  ];

  it("asks without tools through chat completions; reasoning models get the length in their own field and no stop", async () => {
    const request = { ...question, stop: ["STOP"], seed: 5, temperature: 0.3 };
    expect(joined(await ask("openai", "gpt-6-sol", await serve(chat), request), "text-delta")).toBe(
      "It is 42. ",
    );
    expect(asked[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: { max_completion_tokens: 100, seed: 5 },
    });
    expect(asked[0]?.body).not.toHaveProperty("stop");
  });

  it("asks older models with tools and stop through chat completions", async () => {
    await ask("openai", "gpt-4.1", await serve(chat), { ...question, stop: ["STOP"], tools });
    expect(asked[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: { max_tokens: 100, stop: ["STOP"] },
    });
  });
});

const google = [
  { candidates: [{ content: { role: "model", parts: [{ text: "6 × 7", thought: true }] } }] },
  { candidates: [{ content: { role: "model", parts: [{ text: "It is 42." }] } }] },
  {
    candidates: [
      {
        content: { role: "model", parts: [{ functionCall: { name: "add", args: { a: 6 } } }] },
        finishReason: "STOP",
      },
    ],
    usageMetadata: {
      promptTokenCount: 30,
      candidatesTokenCount: 9,
      thoughtsTokenCount: 5,
      cachedContentTokenCount: 20,
      totalTokenCount: 44,
    },
  },
];

describe("google", () => {
  it("streams thoughts, text, tool calls and usage", async () => {
    const events = await ask("google", "gemini-3.8-flash", await serve(google), {
      ...question,
      tools,
      seed: 3,
    });
    expect(joined(events, "reasoning-delta")).toBe("6 × 7");
    expect(joined(events, "text-delta")).toBe("It is 42.");
    expect(events).toContainEqual(
      expect.objectContaining({ type: "tool-call", name: "add", input: '{"a":6}' }),
    );
    expect(events.at(-1)).toEqual({
      type: "finish",
      reason: "tool-calls",
      usage: { inputTokens: 30, outputTokens: 14, cachedInputTokens: 20, reasoningTokens: 5 },
    });
    expect(asked[0]?.body).toMatchObject({ generationConfig: { maxOutputTokens: 100, seed: 3 } });
  });

  it.each([false, true])("was cut when there is no finish reason (socket dies: %s)", async (die) => {
    const asking = ask("google", "gemini-3.8-flash", await serve(google.slice(0, 2), die));
    await expect(asking).rejects.toMatchObject({ code: "stream-cut", retryable: true });
  });
});

describe("mistral", () => {
  it("gets its own name for the seed and no field it would refuse", async () => {
    const events = [
      {
        id: "1",
        choices: [{ index: 0, delta: { content: "42" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 3, completion_tokens: 1 },
      },
    ];
    const reply = await ask("mistral", "mistral-large-latest", await serve(events), { ...question, seed: 5 });
    expect(reply.at(-1)).toMatchObject({ usage: { inputTokens: 3, outputTokens: 1 } });
    expect(asked[0]?.body).toMatchObject({ random_seed: 5 });
    expect(asked[0]?.body).not.toHaveProperty("seed");
    expect(asked[0]?.body).not.toHaveProperty("stream_options");
  });
});
