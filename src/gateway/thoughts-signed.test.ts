// Thoughts that only their provider can read: Gemini's signatures on calls, and the encrypted reasoning of OpenAI's
// Responses. Over the socket, with providers that refuse a tool's result without them, as the real ones do.

import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { toOpenAIWorker } from "../testing/gateway/openai-worker.ts";
import { EVENTS, startProvider } from "../testing/gateway/provider-server.ts";

const SEALED = "c2VhbGVkLWJ5LXRoZS1wcm92aWRlcg==";
const QUESTION = { role: "user", content: "What does the file say?" };
const TOOL = { name: "read", parameters: { type: "object", properties: {} } };

function writeEvents(response: ServerResponse, events: object[]): void {
  response.writeHead(200, EVENTS);
  for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { code: 400, status: "INVALID_ARGUMENT", message } }));
}

/** One call of a tool and its result, in chat; what the client was shown of it all. */
async function loopOnce(config: TestGatewayOptions["config"]) {
  const env = { KEY: "sk-test-provider-0123456789" };
  const gateway = await startTestGateway({ env, config: { conductor: undefined, ...config } });
  closing.push(() => gateway.close());
  const asked = { model: "tutti-fast", messages: [QUESTION] as Loose[] };
  const ask = (messages: Loose[]) =>
    body(
      gateway.post("/v1/chat/completions", {
        ...asked,
        messages,
        tools: [{ type: "function", function: TOOL }],
      }),
    );
  const first = await ask(asked.messages);
  const { message } = first.choices[0];
  const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content: "It says 42." };
  const second = await ask([...asked.messages, message, result]);
  return { first, second };
}

it("Gemini's signature goes back on the call that it was given with", async () => {
  const say = (parts: object[]) => ({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
  });
  const provider = await startProvider((response, { body: raw }) => {
    const turns = (JSON.parse(raw) as Loose).contents.filter(({ role }: Loose) => role === "model");
    const thought = { text: "I must look.", thought: true };
    const call = { functionCall: { name: "read", args: {} }, thoughtSignature: SEALED };
    if (turns.length === 0) return writeEvents(response, [say([thought, call])]);
    const calls = turns.flatMap(({ parts }: Loose) => parts).filter((part: Loose) => part.functionCall);
    // Google's rule since Gemini 3: the first call of each step brings the signature of its thought along.
    if (calls.length !== 1 || calls[0].thoughtSignature !== SEALED)
      return refuse(response, "Function call is missing a thought_signature in functionCall parts.");
    writeEvents(response, [say([{ text: "It says 42." }])]);
  });
  const address = { baseUrl: `${provider.url}/v1beta`, apiKeyEnv: "KEY" };
  const { first, second } = await loopOnce({
    workers: [{ id: "gemini", model: "google/gemini-3-flash", ...address }],
  });
  expect(second.choices[0].message.content).toBe("It says 42.");
  expect(provider.requests).toHaveLength(2);
  expect(JSON.stringify([first, second])).not.toContain(SEALED);
});

it("encrypted reasoning goes back to OpenAI's Responses, before the call that it led to", async () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read" };
  const usage = { input_tokens: 9, output_tokens: 3 };
  const about = { id: "resp_1", created_at: 1, model: "gpt-5.4" };
  const events = (items: [added: object, ...between: object[]][]) => [
    { type: "response.created", response: about },
    ...items.flatMap(([item, ...between], output_index) =>
      between.map((each) => ({ output_index, item, ...each })),
    ),
    { type: "response.completed", response: { ...about, usage } },
  ];
  const provider = await startProvider((response, { body: raw }) => {
    const { input, store, include = [] } = JSON.parse(raw) as Loose;
    const at = input.findIndex(({ type }: Loose) => type === "function_call");
    if (at < 0) {
      const isAsked = store === false && include.includes("reasoning.encrypted_content");
      const sealed = { ...reasoning, encrypted_content: isAsked ? SEALED : null };
      return writeEvents(
        response,
        events([
          [sealed, { type: "response.output_item.added" }, { type: "response.output_item.done" }],
          [
            { ...call, arguments: "" },
            { type: "response.output_item.added" },
            { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: "{}" },
            { type: "response.output_item.done", item: { ...call, arguments: "{}", status: "completed" } },
          ],
        ]),
      );
    }
    // OpenAI's rule: where nothing is stored, a call comes with the reasoning that it followed, encrypted.
    const before = input[at - 1];
    if (before?.type !== "reasoning" || before.encrypted_content !== SEALED)
      return refuse(
        response,
        "Item 'fc_1' of type 'function_call' was provided without its 'reasoning' item.",
      );
    const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
    writeEvents(
      response,
      events([
        [
          message,
          { type: "response.output_item.added" },
          { type: "response.output_text.delta", item_id: "msg_1", delta: "It says 42." },
          { type: "response.output_item.done" },
        ],
      ]),
    );
  });
  const worker = toOpenAIWorker(provider.url);
  const price = { inputUsd: 1, outputUsd: 2 };
  const { first, second } = await loopOnce({ workers: [{ worker, price }] });
  expect(second.choices[0].message.content).toBe("It says 42.");
  expect(provider.requests.map(({ path }) => path)).toEqual(["/v1/responses", "/v1/responses"]);
  expect(JSON.stringify([first, second])).not.toContain(SEALED);
});
