// What a client says of how words and calls are chosen reaches one worker and the last step of a team, and nobody else.
// Over the socket, in every dialect.

import { describe, expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import { DOORS, type Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { closing } from "../testing/gateway/keyed-gateway.ts";
import { toOpenAIWorker } from "../testing/gateway/openai-worker.ts";
import { startProvider } from "../testing/gateway/provider-server.ts";

const SCHEMA = { type: "object", properties: {} };
const ASKED: Record<string, { body: Loose; sent: Loose }> = {
  chat: {
    body: {
      ...{ top_p: 0.5, presence_penalty: 0.25, frequency_penalty: -0.5, parallel_tool_calls: false, seed: 7 },
      tools: [{ type: "function", function: { name: "read", parameters: SCHEMA, strict: true } }],
    },
    sent: {
      top_p: 0.5,
      presence_penalty: 0.25,
      frequency_penalty: -0.5,
      parallel_tool_calls: false,
      seed: 7,
    },
  },
  responses: {
    body: {
      ...{ top_p: 0.5, parallel_tool_calls: false },
      tools: [{ type: "function", name: "read", parameters: SCHEMA, strict: true }],
    },
    sent: { top_p: 0.5, parallel_tool_calls: false },
  },
  messages: {
    body: {
      top_p: 0.5,
      tools: [{ name: "read", input_schema: SCHEMA }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
    },
    sent: { top_p: 0.5, parallel_tool_calls: false },
  },
};
const plan = {
  steps: [
    { worker: 1, subtask: "Think.", access: [] },
    { worker: 0, subtask: "Answer.", access: "all" as const },
  ],
};

describe.each(DOORS.map((door) => ({ door, name: door.name })))("in $name", ({ door, name }) => {
  it("it reaches the last step and no other; of several calls the first is passed on", async () => {
    const call = (path: string) => ({ id: path, name: "read", arguments: JSON.stringify({ path }) });
    const gateway = await startTestGateway({
      plan,
      reply: ({ model }) =>
        model === "beta" ? "ok" : { text: "", toolCalls: [call("first"), call("second")] },
    });
    closing.push(() => gateway.close());
    const { body, sent } = ASKED[name]!;
    const response = await gateway.post(door.path, { ...door.valid, model: "tutti", ...body });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain("first");
    expect(text).not.toContain("second");
    const asked = (model: string) =>
      gateway.upstream.requests.find((request) => request.model === model)!.body;
    expect(asked("alpha")).toMatchObject(sent);
    if (name !== "messages") expect((asked("alpha").tools as Loose[])[0].function.strict).toBe(true);
    // Helpers have seeds of their own.
    for (const [field, value] of Object.entries(sent)) expect(asked("beta")[field]).not.toEqual(value);
  });
});

it("thinking, effort and top_k reach an Anthropic worker, and thoughts are a part of max_tokens", async () => {
  const provider = await startProvider((response) =>
    writeMessage(
      response,
      [
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "Yes." },
        ],
      ],
      "end_turn",
    ),
  );
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-anthropic-0123456789" },
    config: {
      workers: [
        { id: "claude", model: "anthropic/claude-opus-4-5", baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
      ],
      conductor: undefined,
    },
  });
  closing.push(() => gateway.close());
  const asked = {
    ...{ model: "tutti-fast", max_tokens: 4_000, messages: [{ role: "user", content: "Is it?" }] },
    ...{ thinking: { type: "enabled", budget_tokens: 2_000 }, output_config: { effort: "low" } },
  };
  expect((await gateway.post("/v1/messages", asked)).status).toBe(200);
  const [sent] = provider.requests.map(({ body }) => JSON.parse(body));
  expect(sent).toMatchObject({
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 2_000 },
    output_config: { effort: "low" },
  });
});

it("effort, verbosity and tier reach a model that is known to take them, and no other", async () => {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const worker = (model: string) => ({ model: `stub/${model}`, baseUrl: gateway.upstream.baseUrl });
  const known = await startTestGateway({
    config: { workers: [worker("gpt-oss-20b"), worker("alpha")], conductor: undefined },
  });
  closing.push(() => known.close());
  const asked = { input: "Is it?", reasoning: { effort: "high" }, service_tier: "flex" };
  for (const model of ["stub/gpt-oss-20b", "stub/alpha"])
    await known.post("/v1/responses", { ...asked, model });
  const [thinking, other] = gateway.upstream.requests.map((request) => request.body);
  expect(thinking).toMatchObject({ reasoning_effort: "high", service_tier: "flex" });
  expect(other).toHaveProperty("service_tier", "flex");
  expect(other).not.toHaveProperty("reasoning_effort");
});

it("the name that a client gives its conversation reaches OpenAI's own models, which find its cache by it", async () => {
  const provider = await startProvider((response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "What was asked is all that counts here." } }));
  });
  const worker = toOpenAIWorker(provider.url);
  const workers = [{ worker, price: { inputUsd: 1, outputUsd: 2 } }];
  const gateway = await startTestGateway({ config: { workers, conductor: undefined } });
  closing.push(() => gateway.close());
  const asked = { model: "tutti-fast", prompt_cache_key: "night-42" };
  await gateway.post("/v1/responses", { ...asked, input: "Is it?" });
  await gateway.post("/v1/chat/completions", { ...asked, messages: [{ role: "user", content: "Is it?" }] });
  const sent = provider.requests.map(({ body }) => JSON.parse(body).prompt_cache_key);
  expect(sent).toEqual(["night-42", "night-42"]);
});
