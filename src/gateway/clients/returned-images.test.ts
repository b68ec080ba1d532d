// Screenshots, searches and files that tools of the client return, in every dialect and to every kind of worker. The stubs
// refuse what the real providers refuse. Over the socket.

import { describe, expect, it } from "vitest";
import { writeMessage } from "../../testing/gateway/anthropic-stream.ts";
import type { ChatRequest } from "../../testing/gateway/chat-server.ts";
import type { Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway } from "../../testing/gateway/gateway.ts";
import { body, closing } from "../../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../../testing/gateway/provider-server.ts";

const BYTES = "iVBORw0KGgo=";
const PIXEL = `data:image/png;base64,${BYTES}`;
const PARAMETERS = { type: "object", properties: {} };

interface Loop {
  first: (model: string) => Loose;
  /** What the client sends when its tool has returned a text and an image. */
  next: (asked: Loose, reply: Loose) => Loose;
  textOf: (reply: Loose) => string;
}

const LOOPS: Record<string, Loop> = {
  "/v1/chat/completions": {
    first: (model) => ({
      ...{ model, messages: [{ role: "user", content: "What is on the screen?" }] },
      tools: [{ type: "function", function: { name: "look", parameters: PARAMETERS } }],
    }),
    next: (asked, { choices: [{ message }] }) => {
      const content = [
        { type: "text", text: "640 × 480" },
        { type: "image_url", image_url: { url: PIXEL } },
      ];
      const result = { role: "tool", tool_call_id: message.tool_calls[0].id, content };
      return { ...asked, messages: [...asked.messages, message, result] };
    },
    textOf: (reply) => reply.choices[0].message.content,
  },
  "/v1/responses": {
    first: (model) => ({
      ...{ model, input: [{ role: "user", content: "What is on the screen?" }] },
      tools: [{ type: "function", name: "look", parameters: PARAMETERS }],
    }),
    next: (asked, reply) => {
      const call = reply.output.find(({ type }: Loose) => type === "function_call");
      const output = [
        { type: "input_text", text: "640 × 480" },
        { type: "input_image", image_url: PIXEL },
      ];
      const result = { type: "function_call_output", call_id: call.call_id, output };
      return { ...asked, input: [...asked.input, call, result] };
    },
    textOf: (reply) => reply.output.at(-1).content[0].text,
  },
  "/v1/messages": {
    first: (model) => ({
      ...{ model, max_tokens: 500, messages: [{ role: "user", content: "What is on the screen?" }] },
      tools: [{ name: "look", input_schema: PARAMETERS }],
    }),
    next: (asked, { content: said }) => {
      const call = said.find(({ type }: Loose) => type === "tool_use");
      const content = [
        { type: "text", text: "640 × 480" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: BYTES } },
      ];
      const result = { type: "tool_result", tool_use_id: call.id, content };
      const turns = [
        { role: "assistant", content: said },
        { role: "user", content: [result] },
      ];
      return { ...asked, messages: [...asked.messages, ...turns] };
    },
    textOf: (reply) => reply.content.at(-1).text,
  },
};

/** Chat completions: text alone from tools, results right behind their calls, images in turns of the user. */
function strictChat({ messages }: ChatRequest) {
  const at = messages.findIndex(({ role }) => role === "tool");
  if (at < 0) return { text: "", toolCalls: [{ id: "c1", name: "look", arguments: "{}" }] };
  const refused = (message: string) => ({ status: 400, body: { error: { message } } });
  if (typeof messages[at]!.content !== "string") return refused("tool content must be a text");
  if (messages[at - 1]!.role !== "assistant") return refused("a result must follow its call");
  const seen = JSON.stringify(messages.slice(at)).includes(BYTES);
  return seen ? "A window." : refused("nobody has shown me anything");
}

/** Anthropic: the image inside the result. */
async function startClaude() {
  const provider = await startProvider((response, { body: raw }) => {
    const { messages } = JSON.parse(raw) as Loose;
    const results = messages
      .flatMap(({ content }: Loose) => content)
      .filter(({ type }: Loose) => type === "tool_result");
    const say = (text: string): [object, ...object[]] => [
      { type: "text", text: "" },
      { type: "text_delta", text },
    ];
    const call: [object] = [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }];
    if (results.length === 0) return writeMessage(response, [call], "tool_use");
    const image = results[0].content.find(({ type }: Loose) => type === "image");
    writeMessage(response, [say(image?.source.data === BYTES ? "A window." : "Nothing.")], "end_turn");
  });
  return {
    id: "claude",
    model: "anthropic/claude-sonnet-5",
    baseUrl: `${provider.url}/v1`,
    apiKeyEnv: "KEY",
  };
}

describe.each(Object.keys(LOOPS))("a screenshot through %s", (path) => {
  const { first, next, textOf } = LOOPS[path]!;

  // One model in its own dialect is passed on as it is: there the client's own form is what its provider gets.
  const translated = path === "/v1/chat/completions" ? [] : ["stub/alpha"];
  it.each(["tutti", "tutti-fast", ...translated])("reaches %s over chat completions", async (model) => {
    const gateway = await startTestGateway({ reply: strictChat });
    closing.push(() => gateway.close());
    const asked = first(model);
    const reply = await body(gateway.post(path, asked));
    const second = await body(gateway.post(path, next(asked, reply)));
    expect(textOf(second)).toBe("A window.");
  });

  it("reaches an Anthropic model inside the result", async () => {
    const worker = await startClaude();
    const env = { KEY: "sk-test-anthropic-0123456789" };
    const gateway = await startTestGateway({ env, config: { workers: [worker], conductor: undefined } });
    closing.push(() => gateway.close());
    const asked = first("tutti-fast");
    const reply = await body(gateway.post(path, asked));
    expect(textOf(await body(gateway.post(path, next(asked, reply))))).toBe("A window.");
  });
});

it("what a search has found, and documents as text, are read", async () => {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const found = {
    ...{ type: "search_result", title: "Rivers", source: "https://example.org/rivers" },
    content: [{ type: "text", text: "The Ilm is 129 km long." }],
  };
  const document = {
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "It flows north." },
  };
  const result = { type: "tool_result", tool_use_id: "t1", content: [found, document] };
  const messages = [
    { role: "user", content: [found, { type: "text", text: "How long is it?" }] },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "search", input: {} }] },
    { role: "user", content: [result] },
  ];
  const asked = {
    model: "tutti-fast",
    max_tokens: 99,
    messages,
    tools: [{ name: "search", input_schema: PARAMETERS }],
  };
  expect((await gateway.post("/v1/messages", asked)).status).toBe(200);
  const [user, , tool] = gateway.asked().at(-1)!.messages as Loose[];
  expect(user.content).toContain("The Ilm is 129 km long.");
  for (const words of ["Rivers", "https://example.org/rivers", "The Ilm is 129 km long.", "It flows north."])
    expect(tool.content).toContain(words);
});
