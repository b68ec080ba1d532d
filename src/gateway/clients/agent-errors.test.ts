// Errors that coding agents act upon: they compact when told that a prompt is too long, wait when told for how long, and try
// again. Over the socket, in every dialect.

import { describe, expect, it } from "vitest";
import { writeMessage } from "../../testing/gateway/anthropic-stream.ts";
import type { ChatRequest } from "../../testing/gateway/chat-server.ts";
import { DOORS, type Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../../testing/gateway/gateway.ts";
import { body, closing } from "../../testing/gateway/keyed-gateway.ts";
import { toOpenAIWorker } from "../../testing/gateway/openai-worker.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";

async function start(options: TestGatewayOptions) {
  const gateway = await startTestGateway(options);
  closing.push(() => gateway.close());
  return gateway;
}

const REFUSALS = [
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
  "prompt is too long: 210000 tokens > 200000 maximum",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "the request exceeds the available context size, try increasing it",
];

describe.each(DOORS.map((door) => ({ door, name: door.name })))("in $name", ({ door, name }) => {
  it.each(REFUSALS)("a prompt that is too long is said to be: %s", async (message) => {
    // All of them refuse, the planner too: it is a member of the pool.
    const refuse = () => ({ status: 400, body: { error: { message } } });
    const gateway = await start({ reply: refuse, plan: refuse });
    for (const model of ["tutti", "tutti-fast"]) {
      const response = await gateway.post(door.path, { ...door.valid, model });
      const { error } = await body(response);
      expect(response.status).toBe(400);
      if (name === "messages") {
        expect(error.type).toBe("invalid_request_error");
        expect(error.message).toMatch(/^prompt is too long/);
      } else expect(error).toMatchObject({ type: "invalid_request_error", code: "context_length_exceeded" });
    }
  });

  it("a limit of a rate is told at once, with when to come back", async () => {
    const limited = { status: 429, headers: { "retry-after": "3000" }, body: { error: { message: "slow" } } };
    const gateway = await start({ reply: () => limited, plan: () => limited });
    const translated = name === "chat" ? "tutti-fast" : "stub/alpha";
    const response = await gateway.post(door.path, { ...door.valid, model: translated });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(2_900);
    const { error } = await body(response);
    if (name === "messages") expect(error.type).toBe("rate_limit_error");
    else expect(error.code).toBe("rate_limit_exceeded");
    // Nobody has begun, so an SDK may wait and come again by itself.
    expect(response.headers.get("x-should-retry")).toBe("true");
    if (translated === "stub/alpha") expect(gateway.asked()).toHaveLength(1);
  });
});

it.each(DOORS)(
  "an ask that failed before the answer is no part of how long the conversation is, in $name",
  async (door) => {
    const gateway = await start({
      config: { retries: 2 },
      reply: ({ count }) =>
        count % 2 === 0
          ? { errorAfter: "Half", error: { message: "overloaded", type: "server_error" } }
          : { text: "All of it.", usage: { prompt_tokens: 1_000, completion_tokens: 5 } },
    });
    const text = await (await gateway.post(door.path, { ...door.valid, model: "tutti-fast" })).text();
    expect(gateway.asked()).toHaveLength(2);
    expect(text).toContain('"total_tokens":1005');
    const [, orchestration] = /"orchestration_input_tokens":(\d+)/.exec(text) ?? [];
    expect(Number(orchestration)).toBeGreaterThan(0);
  },
);

it.each([false, true])(
  "nor does a team wait for it, where nobody has begun (streamed: %s)",
  async (stream) => {
    // Short enough to be waited for by whoever has the time.
    const limited = { status: 429, headers: { "retry-after": "15" }, body: { error: { message: "slow" } } };
    const gateway = await start({ reply: () => limited, plan: () => limited, config: { retries: 2 } });
    const messages = [{ role: "user", content: "Why is it so?" }];
    const response = await gateway.post("/v1/chat/completions", { model: "tutti", messages, stream });
    const text = await response.text();
    expect(text).toContain("rate_limit_exceeded");
    // A stream has sent its headers: there the words say when.
    expect(text).toMatch(/try again in 15 s/);
    if (!stream) expect([response.status, response.headers.get("retry-after")]).toEqual([429, "15"]);
  },
  10_000,
);

it("a turn of a tool loop that failed is done when the client tries again, by the same worker and without a new plan", async () => {
  const failures = [
    { status: 429, headers: { "retry-after": "3000" }, body: { error: { message: "slow" } } },
    { status: 500, body: { error: { message: "down" } } },
  ];
  const gateway = await start({
    reply: ({ messages }: ChatRequest) =>
      messages.some(({ role }) => role === "tool")
        ? (failures.shift() ?? "It says 42.")
        : { text: "", reasoning: "I look.", toolCalls: [{ id: "c", name: "read", arguments: "{}" }] },
  });
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  const messages: Loose[] = [{ role: "user", content: "What does it say?" }];
  const first = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages, tools }));
  const { message } = first.choices[0];
  messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "42" });
  const again = () => gateway.post("/v1/chat/completions", { model: "tutti", messages, tools });
  const limited = await again();
  expect(limited.status).toBe(429);
  expect(limited.headers.get("x-should-retry")).toBe("true");
  expect((await again()).status).toBe(502);
  const reply = await body(again());
  expect(reply.choices[0].message.content).toBe("It says 42.");
  expect(gateway.upstream.requests.filter(({ model }) => model === "planner")).toHaveLength(1);
  const last = gateway.asked().at(-1)!.messages as Loose[];
  expect(last.find(({ role }) => role === "assistant").reasoning_content).toBe("I look.");
  // Once it has gone well, a repeat is the same reply and is not asked again.
  const asked = gateway.asked().length;
  expect((await body(again())).id).toBe(reply.id);
  expect(gateway.asked()).toHaveLength(asked);
});

describe("in messages", () => {
  const question = { role: "user", content: "Count to ten." };

  it.each([true, false])("the stop sequence that ended it is named (streamed: %s)", async (stream) => {
    // Its provider writes on: what is behind the sequence is cut off here.
    const gateway = await start({ reply: () => "one two STOP three" });
    const asked = {
      model: "stub/alpha",
      max_tokens: 99,
      messages: [question],
      stop_sequences: ["NO", "STOP"],
      stream,
    };
    const text = await (await gateway.post("/v1/messages", asked)).text();
    expect(text).toContain('"stop_reason":"stop_sequence","stop_sequence":"STOP"');
    expect(text).not.toContain("three");
  });

  it("tokens are counted by the provider where it counts, and estimated elsewhere", async () => {
    const provider = await startProvider((response, { path, body: raw }) => {
      if (path !== "/v1/messages/count_tokens") return writeMessage(response, [], "end_turn");
      const { model } = JSON.parse(raw);
      const status = model === "claude-x" ? 200 : 404;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(status === 200 ? { input_tokens: 4_711 } : { error: {} }));
    });
    const worker = (model: string) => ({
      ...{ id: model, model: `anthropic/${model}`, baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
    });
    const gateway = await start({
      env: { KEY: "sk-test-anthropic-0123456789" },
      config: { workers: [worker("claude-x"), worker("claude-y")], conductor: undefined },
    });
    const count = (model: string) =>
      body(gateway.post("/v1/messages/count_tokens", { model, max_tokens: 1, messages: [question] }));
    expect(await count("claude-x")).toEqual({ input_tokens: 4_711 });
    expect(provider.requests.at(-1)!.headers["x-api-key"]).toBe("sk-test-anthropic-0123456789");
    const estimated = await count("claude-y");
    expect(estimated.estimated).toBe(true);
    expect(estimated.input_tokens).toBeGreaterThan(0);
    // Who of a team will speak is not known yet.
    for (const model of ["tutti", "tutti-fast"])
      expect(await count(model)).toEqual({ input_tokens: 4_711, estimated: true });
  });

  it("tokens of a model that speaks another protocol are counted by its own provider", async () => {
    const provider = await startProvider((response, { path }) => {
      response.writeHead(path === "/v1/responses/input_tokens" ? 200 : 404, {
        "content-type": "application/json",
      });
      response.end(JSON.stringify({ input_tokens: 815 }));
    });
    const workers = [
      { worker: toOpenAIWorker(provider.url, { countsInput: true }), price: { inputUsd: 1, outputUsd: 1 } },
    ];
    const gateway = await start({ config: { workers, conductor: undefined } });
    const asked = { model: "gpt", system: "Be brief.", messages: [question] };
    const counted = await body(gateway.post("/v1/messages/count_tokens", asked));
    expect(counted).toEqual({ input_tokens: 815 });
    expect(JSON.parse(provider.requests[0]!.body)).toMatchObject({ model: "gpt-5.4" });
    expect(provider.requests[0]!.body).toContain("Be brief.");
  });
});
