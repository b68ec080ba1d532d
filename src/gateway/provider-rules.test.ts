// Conversations that one provider takes and another refuses: an agent that was served by one model goes on with another. Over
// the socket, with providers that refuse what the real ones refuse.

import { describe, expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import {
  chatEvent,
  EVENTS,
  type ProviderRequest,
  startProvider,
} from "../testing/gateway/provider-server.ts";

const SECRET = "sk-test-provider-0123456789";
const TOOLS = [
  { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
];

async function startWith(model: string, version: string, answer: Parameters<typeof startProvider>[0]) {
  const provider = await startProvider(answer);
  const worker = { id: "m", model, baseUrl: `${provider.url}/${version}`, apiKeyEnv: "KEY" };
  const gateway = await startTestGateway({
    env: { KEY: SECRET },
    config: { workers: [worker], conductor: undefined, retries: 0 },
  });
  closing.push(() => gateway.close());
  const sent = () => JSON.parse(provider.requests.at(-1)!.body) as Loose;
  return { gateway, sent };
}

const say = (text: string): [object, object] => [
  { type: "text", text: "" },
  { type: "text_delta", text },
];
const startClaude = () =>
  startWith("anthropic/claude-x", "v1", (response, { body: raw }) => {
    const blocks = (JSON.parse(raw) as Loose).messages.flatMap(({ role, content }: Loose) => {
      if (role === "system") return [{ type: role }];
      return content;
    });
    const isWrong = ({ type, id = "a", tool_use_id: of = "a" }: Loose) =>
      type === "system" || !/^[A-Za-z0-9_-]+$/.test(id) || !/^[A-Za-z0-9_-]+$/.test(of);
    if (!blocks.some(isWrong)) return writeMessage(response, [say("Yes.")], "end_turn");
    response.writeHead(400, { "content-type": "application/json" });
    response.end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
  });
const startGemini = () =>
  startWith("google/gemini-3-flash", "v1beta", (response) => {
    response.writeHead(200, EVENTS);
    const candidates = [{ content: { role: "model", parts: [{ text: "Yes." }] }, finishReason: "STOP" }];
    response.end(`data: ${JSON.stringify({ candidates })}\n\n`);
  });

describe.each([
  ["Anthropic", startClaude],
  ["Google", startGemini],
])("instructions in the middle of a conversation reach %s", (_, start) => {
  it("in a turn of the user, in chat and in Responses", async () => {
    const { gateway, sent } = await start();
    const conversation = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "One?" },
      { role: "assistant", content: "Two." },
      { role: "developer", content: "You may write files now." },
      { role: "user", content: "Three?" },
    ];
    for (const [path, asked] of [
      ["/v1/chat/completions", { messages: conversation }],
      ["/v1/responses", { input: conversation }],
    ] as const) {
      const response = await gateway.post(path, { model: "tutti-fast", ...asked });
      expect(await response.text()).toContain("Yes.");
      expect(JSON.stringify(sent().system ?? sent().systemInstruction)).not.toContain("write files");
      expect(JSON.stringify(sent().messages ?? sent().contents)).toContain("You may write files now.");
    }
  });
});

const loopOf = (id: string) => [
  { role: "user", content: "Read it." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: id, content: "It says 42." },
];

it("ids that another model gave its calls are ones that Anthropic takes, on the call and on its result", async () => {
  const { gateway, sent } = await startClaude();
  const asked = { model: "tutti-fast", messages: loopOf("functions.read:0"), tools: TOOLS };
  expect((await gateway.post("/v1/chat/completions", asked)).status).toBe(200);
  const [, call, result] = sent().messages as Loose[];
  expect(result.content[0].tool_use_id).toBe(call.content[0].id);
});

it("Mistral gets ids of nine letters, also in the second question after a loop", async () => {
  const idsOf = ({ body: raw }: ProviderRequest) =>
    (JSON.parse(raw) as Loose).messages.flatMap(({ tool_calls: calls = [], tool_call_id: id }: Loose) => [
      ...calls.map((call: Loose) => call.id),
      ...(id === undefined ? [] : [id]),
    ]);
  const { gateway, sent } = await startWith("mistral/mistral-large-latest", "v1", (response, request) => {
    const ids = idsOf(request);
    if (ids.some((id: string) => !/^[A-Za-z0-9]{9}$/.test(id))) {
      response.writeHead(400, { "content-type": "application/json" });
      return void response.end('{"message":"Tool call id must be a-z, A-Z, 0-9, with a length of 9."}');
    }
    response.writeHead(200, EVENTS);
    const read = { index: 0, id: "a1B2c3D4e", function: { name: "read", arguments: "{}" } };
    response.write(
      ids.length === 0
        ? chatEvent({ tool_calls: [read] }, "tool_calls")
        : chatEvent({ content: "42." }, "stop"),
    );
    response.end("data: [DONE]\n\n");
  });
  const messages: Loose[] = [{ role: "user", content: "What does it say?" }];
  const ask = async () => {
    const reply = await body(
      gateway.post("/v1/chat/completions", { model: "tutti-fast", messages, tools: TOOLS }),
    );
    messages.push(reply.choices[0].message);
    return reply.choices[0].message;
  };
  const { tool_calls: calls } = await ask();
  messages.push({ role: "tool", tool_call_id: calls[0].id, content: "42" });
  expect((await ask()).content).toBe("42.");
  messages.push({ role: "user", content: "Sure?" });
  expect((await ask()).content).toBe("42.");
  const [, call, result] = sent().messages;
  expect(result.tool_call_id).toBe(call.tool_calls[0].id);
});

it("lines of progress that have lost their ids, as Codex sends them back, are not passed on as thoughts", async () => {
  const provider = await startProvider((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "response", status: "completed", output: [] }));
  });
  const worker = {
    id: "gpt",
    model: "stub/gpt",
    baseUrl: `${provider.url}/v1`,
    dialects: ["responses" as const],
  };
  const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  const progress = { summary: [{ type: "summary_text", text: "Plan: 1 step" }], encrypted_content: null };
  const theirs = { type: "reasoning", summary: [], encrypted_content: "gAAA" };
  const question = { role: "user", content: "Two?" };
  await gateway.post("/v1/responses", {
    ...{ model: "gpt", input: [question, { type: "reasoning", ...progress }, theirs, question] },
  });
  expect(JSON.parse(provider.requests[0]!.body).input).toEqual([question, theirs, question]);
});

it("what Claude Code tells its own provider's bill, new with every request, is no instruction", async () => {
  const { gateway, sent } = await startClaude();
  for (const mark of ["00a1f", "77c03"]) {
    const system = [
      { type: "text", text: `x-anthropic-billing-header: cc_version=2.1.197; cch=${mark};` },
      { type: "text", text: "You fix tests.", cache_control: { type: "ephemeral" } },
    ];
    const messages = [{ role: "user", content: `Go, ${mark}.` }];
    await gateway.post("/v1/messages", { model: "tutti-fast", max_tokens: 9, system, messages });
    expect(sent().system.map(({ text }: Loose) => text)).toEqual(["You fix tests."]);
  }
});
