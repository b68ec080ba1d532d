// Models that think before they call a tool want their thoughts back with its result, signed as they gave them. Over the
// socket, with providers that refuse what the real ones refuse.

import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { ChatRequest } from "../testing/gateway/chat-server.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../testing/gateway/provider-server.ts";

const TOOLS = [
  { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
];
const asking = (model: string) => ({
  model,
  messages: [{ role: "user", content: "What does the file say?" }] as object[],
  tools: TOOLS,
});
/** What an agent sends when its tool has returned. */
function withResult(first: { model: string; messages: object[] }, message: { tool_calls: { id: string }[] }) {
  const result = { role: "tool", tool_call_id: message.tool_calls[0]!.id, content: "It says 42." };
  return { ...first, messages: [...first.messages, message, result] };
}

const SIGNATURE = "c2lnbmVk";
const THINKING = { type: "thinking", thinking: "I must look.", signature: SIGNATURE };

it("signed thoughts go back to Anthropic's models with the result of the tool", async () => {
  const provider = await startProvider((response, { body: raw }) => {
    const { messages } = JSON.parse(raw) as { messages: { role: string; content: { type: string }[] }[] };
    const turn = messages.find(({ role }) => role === "assistant");
    if (!turn) {
      writeMessage(
        response,
        [
          [
            { type: "thinking", thinking: "", signature: "" },
            { type: "thinking_delta", thinking: THINKING.thinking },
            { type: "signature_delta", signature: SIGNATURE },
          ],
          [
            { type: "tool_use", id: "toolu_1", name: "read", input: {} },
            { type: "input_json_delta", partial_json: "{}" },
          ],
        ],
        "tool_use",
      );
      return;
    }
    // Anthropic's rule: with thinking on, a turn that uses tools begins with its own thinking, signed.
    if (JSON.stringify(turn.content[0]) !== JSON.stringify(THINKING)) {
      const error = { type: "invalid_request_error", message: "Expected `thinking`, but found `tool_use`." };
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", error }));
      return;
    }
    writeMessage(
      response,
      [
        [
          { type: "text", text: "" },
          { type: "text_delta", text: "It says 42." },
        ],
      ],
      "end_turn",
    );
  });
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-anthropic-0123456789" },
    config: {
      workers: [
        { id: "claude", model: "anthropic/claude-x", baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
      ],
      conductor: undefined,
    },
  });
  closing.push(() => gateway.close());
  const first = asking("tutti-fast");
  const reply = await body(gateway.post("/v1/chat/completions", first));
  const { message } = reply.choices[0];
  expect(message.tool_calls).toHaveLength(1);
  const second = await body(gateway.post("/v1/chat/completions", withResult(first, message)));
  expect(second.choices[0].message.content).toBe("It says 42.");
  // Nobody but the provider is shown its signature.
  expect(JSON.stringify([reply, second])).not.toContain(SIGNATURE);
});

it("reasoning_content goes back to servers of chat completions inside a tool loop", async () => {
  const reply = ({ messages }: ChatRequest) => {
    const turns = messages.filter(({ role }) => role === "assistant") as { reasoning_content?: string }[];
    if (turns.length === 0)
      return {
        text: "",
        reasoning: "I must look.",
        toolCalls: [{ id: "c1", name: "read", arguments: "{}" }],
      };
    // DeepSeek's rule: in a tool loop each turn brings its reasoning along.
    const isRight = turns.every(({ reasoning_content }) => reasoning_content === "I must look.");
    return isRight
      ? "It says 42."
      : { status: 400, body: { error: { message: "Missing reasoning_content" } } };
  };
  const gateway = await startTestGateway({ reply });
  closing.push(() => gateway.close());
  const first = asking("tutti-fast");
  const { choices } = await body(gateway.post("/v1/chat/completions", first));
  const second = await body(gateway.post("/v1/chat/completions", withResult(first, choices[0].message)));
  expect(second.choices[0].message.content).toBe("It says 42.");
});

it("our own progress, which is signed by nobody, is not passed through as a thought", async () => {
  const provider = await startProvider((response, { body: raw }) => {
    const { messages } = JSON.parse(raw) as { messages: { content: object[] }[] };
    const isForged = messages.flatMap(({ content }) => content).some((block) => "thinking" in block);
    response.writeHead(isForged ? 400 : 200, { "content-type": "application/json" });
    const error = { type: "invalid_request_error", message: "Invalid `signature` in `thinking` block" };
    const message = {
      type: "message",
      content: [{ type: "text", text: "Yes." }],
      usage: { output_tokens: 1 },
    };
    response.end(JSON.stringify(isForged ? { type: "error", error } : message));
  });
  const worker = {
    id: "claude",
    model: "anthropic/claude-x",
    baseUrl: `${provider.url}/v1`,
    apiKeyEnv: "KEY",
  };
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-anthropic-0123456789" },
    config: { workers: [worker], conductor: undefined },
  });
  closing.push(() => gateway.close());
  const ours = { type: "thinking", thinking: "Plan: 1 step", signature: "" };
  const messages = [
    { role: "user", content: [{ type: "text", text: "One?" }] },
    { role: "assistant", content: [ours, { type: "text", text: "Two." }] },
    { role: "user", content: [{ type: "text", text: "Three?" }] },
  ];
  const response = await gateway.post("/v1/messages", { model: "claude", max_tokens: 9, messages });
  expect(response.status).toBe(200);
  const [sent] = provider.requests.map(({ body: raw }) => JSON.parse(raw));
  expect(sent.messages[1].content).toEqual([{ type: "text", text: "Two." }]);
});

it("nor are lines of progress in Responses, which its provider would look for and not find", async () => {
  const answer = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Yes." }] };
  const provider = await startProvider((response, { body: raw }) => {
    const { input } = JSON.parse(raw) as {
      input: { type: string; id?: string; encrypted_content?: string }[];
    };
    // OpenAI's rule: what is not encrypted is looked for by its id.
    const unknown = input.find((item) => item.type === "reasoning" && !item.encrypted_content);
    response.writeHead(unknown ? 404 : 200, { "content-type": "application/json" });
    const error = { message: `Item with id '${unknown?.id}' not found.` };
    response.end(
      JSON.stringify(unknown ? { error } : { object: "response", status: "completed", output: [answer] }),
    );
  });
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const asked = { model: "tutti", input: [{ role: "user", content: "One?" }] as object[] };
  const { output } = await body(gateway.post("/v1/responses", asked));
  expect(output.some(({ type }: { type: string }) => type === "reasoning")).toBe(true);
  const worker = {
    id: "gpt",
    model: "stub/gpt",
    baseUrl: `${provider.url}/v1`,
    dialects: ["responses" as const],
  };
  const other = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
  closing.push(() => other.close());
  const kept = { type: "reasoning", id: "rs_theirs", summary: [], encrypted_content: "gAAA" };
  const input = [...asked.input, ...output, kept, { role: "user", content: "Two?" }];
  const response = await other.post("/v1/responses", { model: "gpt", input });
  expect(response.status).toBe(200);
  const sent = JSON.parse(provider.requests[0]!.body).input as { type: string }[];
  expect(sent.filter(({ type }) => type === "reasoning")).toEqual([kept]);
});
