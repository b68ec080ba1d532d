// A model may think more than once in a turn: before it speaks, and again before it calls. Its thoughts go back where they
// stood. Over the socket, with providers that refuse a turn in any other order, as the real ones do.

import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { toOpenAIWorker } from "../testing/gateway/openai-worker.ts";
import { EVENTS, startProvider } from "../testing/gateway/provider-server.ts";

const TOOLS = ["read", "write"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
}));
const SECRET = "sk-test-provider-0123456789";

/** A turn with all of its calls answered; `tools`: those that the client declares. */
async function loopOnce(config: TestGatewayOptions["config"], tools = TOOLS) {
  const gateway = await startTestGateway({
    env: { KEY: SECRET },
    config: { conductor: undefined, ...config },
  });
  closing.push(() => gateway.close());
  const messages: Loose[] = [{ role: "user", content: "What does the file say?" }];
  const ask = () => body(gateway.post("/v1/chat/completions", { model: "tutti-fast", messages, tools }));
  const first = await ask();
  const { message } = first.choices[0];
  messages.push(message);
  for (const { id } of message.tool_calls)
    messages.push({ role: "tool", tool_call_id: id, content: "It says 42." });
  return { first: message, last: (await ask()).choices[0].message };
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }));
}

it("Anthropic's thoughts between what was said and what was called go back between them", async () => {
  const turn = [
    { type: "thinking", thinking: "I must look.", signature: "c2lnbmVkIDE=" },
    { type: "text", text: "I look." },
    { type: "redacted_thinking", data: "c2VjcmV0" },
    { type: "thinking", thinking: "Into which file?", signature: "c2lnbmVkIDI=" },
    { type: "text", text: " Into this one." },
    { type: "tool_use", id: "toolu_1", name: "read", input: {} },
  ] as Loose[];
  const toBlock = (block: Loose): [object, ...object[]] => {
    if (block.type === "text")
      return [
        { type: "text", text: "" },
        { type: "text_delta", text: block.text },
      ];
    if (block.type !== "thinking") return [block];
    const deltas = [
      { type: "thinking_delta", thinking: block.thinking },
      { type: "signature_delta", signature: block.signature },
    ];
    return [{ type: "thinking", thinking: "", signature: "" }, ...deltas];
  };
  const provider = await startProvider((response, { body: raw }) => {
    const said = (JSON.parse(raw) as Loose).messages.find(({ role }: Loose) => role === "assistant");
    if (!said) return writeMessage(response, turn.map(toBlock), "tool_use");
    // Anthropic's rule: the blocks of the newest turn are those that it gave, in its order.
    if (JSON.stringify(said.content) !== JSON.stringify(turn))
      return refuse(response, "`thinking` blocks in the latest assistant message cannot be modified.");
    writeMessage(response, [toBlock({ type: "text", text: "It says 42." })], "end_turn");
  });
  const worker = { id: "claude", model: "anthropic/claude-x", baseUrl: `${provider.url}/v1` };
  const { first, last } = await loopOnce({ workers: [{ ...worker, apiKeyEnv: "KEY" }] });
  expect(first.content).toBe("I look. Into this one.");
  expect(last.content).toBe("It says 42.");
});

it.each([
  ["each call of OpenAI's Responses comes behind its own reasoning", TOOLS],
  ["also where one of them was not declared, and is left out", TOOLS.slice(1)],
])("%s", async (_, tools) => {
  const about = { id: "resp_1", created_at: 1, model: "gpt-5.4" };
  const usage = { input_tokens: 9, output_tokens: 3 };
  const write = (response: ServerResponse, events: object[]) => {
    response.writeHead(200, EVENTS);
    const all = [
      { type: "response.created", response: about },
      ...events,
      { type: "response.completed", response: { ...about, usage } },
    ];
    for (const event of all) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
  const reasoning = (number: number) => ({
    ...{ type: "reasoning", id: `rs_${number}`, summary: [], encrypted_content: `sealed ${number}` },
  });
  const call = (number: number, name: string) => ({
    ...{ type: "function_call", id: `fc_${number}`, call_id: `call_${number}`, name, status: "completed" },
  });
  const added = "response.output_item.added";
  const done = "response.output_item.done";
  const provider = await startProvider((response, { body: raw }) => {
    const { input } = JSON.parse(raw) as Loose;
    if (!input.some(({ type }: Loose) => type === "function_call")) {
      const items = [reasoning(1), call(1, "read"), reasoning(2), call(2, "write")];
      return write(
        response,
        items.flatMap((item, output_index): object[] => {
          if (item.type === "reasoning")
            return [
              { type: added, output_index, item },
              { type: done, output_index, item },
            ];
          const begun = { ...item, arguments: "" };
          const ended = { ...item, arguments: "{}" };
          return [
            { type: added, output_index, item: begun },
            { type: "response.function_call_arguments.delta", output_index, item_id: item.id, delta: "{}" },
            { type: done, output_index, item: ended },
          ];
        }),
      );
    }
    // OpenAI's rule: reasoning is followed by what it led to, and a call by nobody else's reasoning.
    for (const [at, item] of input.entries()) {
      if (item.type !== "function_call") continue;
      const number = item.call_id.replace("call_", "");
      if (input[at - 1]?.encrypted_content !== `sealed ${number}`)
        return refuse(response, `'fc_${number}' was provided without its required 'reasoning' item.`);
    }
    const message = { type: "message", id: "msg_1", role: "assistant", content: [] };
    write(response, [
      { type: added, output_index: 0, item: message },
      { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", delta: "It says 42." },
      { type: done, output_index: 0, item: message },
    ]);
  });
  const worker = toOpenAIWorker(provider.url);
  const price = { inputUsd: 1, outputUsd: 2 };
  const { first, last } = await loopOnce({ workers: [{ worker, price }] }, tools);
  expect(first.tool_calls).toHaveLength(tools.length);
  expect(last.content).toBe("It says 42.");
});
