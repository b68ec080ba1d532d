import { expect, test } from "vitest";
import { writeMessage } from "../../testing/gateway/anthropic-stream.ts";
import { startTestGateway } from "../../testing/gateway/gateway.ts";
import { closing } from "../../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";
import { nameModelInBody, nameModelInStream } from "./name-model.ts";

const sse = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const named = (text: string) => nameModelInStream(Buffer.from(text), "anthropic/a").toString();

test("a stream begins with the name that was asked for, and nothing else of it is changed", () => {
  const begin = (model: string) =>
    sse({ type: "message_start", message: { id: "m", model, usage: { input_tokens: 3 } } } as {
      type: string;
    });
  const text = sse({
    type: "content_block_delta",
    delta: { type: "text_delta", text: '{"type":"message_start","message":{"model":"x"}}' },
  } as { type: string });
  expect(named(begin("a-20260101") + text)).toBe(begin("anthropic/a") + text);
  expect(named(text)).toBe(text);
  expect(named('data: {"type":"message_start", broken\n\n')).toBe(
    'data: {"type":"message_start", broken\n\n',
  );
});

test("so does a reply in one piece, and what is no JSON stays as it is", () => {
  const reply =
    '{"type":"message","model":"a","content":[{"type":"tool_use","input":{"model":"a"}}],"n":1.0}';
  expect(nameModelInBody(Buffer.from(reply), "anthropic/a").toString()).toBe(
    '{"type":"message","model":"anthropic/a","content":[{"type":"tool_use","input":{"model":"a"}}],"n":1.0}',
  );
  expect(nameModelInBody(Buffer.from("<html>"), "anthropic/a").toString()).toBe("<html>");
});

test("through the gateway, streamed or not", async () => {
  const provider = await startProvider((response, { body: raw }) => {
    const { model, stream } = JSON.parse(raw) as { model: string; stream?: boolean };
    expect(model).toBe("claude-x");
    const block: [object, ...object[]] = [
      { type: "text", text: "" },
      { type: "text_delta", text: "Yes." },
    ];
    if (stream) return writeMessage(response, [block], "end_turn");
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"type":"message","model":"claude-x-20260101","content":[],"usage":{"input_tokens":1}}');
  });
  const workers = [{ model: "anthropic/claude-x", baseUrl: `${provider.url}/v1` }];
  const gateway = await startTestGateway({ config: { workers, conductor: undefined } });
  closing.push(() => gateway.close());
  const asked = { model: "anthropic/claude-x", max_tokens: 9, messages: [{ role: "user", content: "Yes?" }] };
  const whole = await gateway.post("/v1/messages", asked);
  expect(await whole.json()).toMatchObject({ model: "anthropic/claude-x", usage: { input_tokens: 1 } });
  const streamed = await (await gateway.post("/v1/messages", { ...asked, stream: true })).text();
  expect(streamed).toContain('"model":"anthropic/claude-x"');
  expect(streamed).toContain("Yes.");
});
