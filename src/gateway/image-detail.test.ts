// How closely an image is to be seen, and the name of who speaks: carried where the provider has it, named in `tutti.ignored`
// where it does not. Over the socket.

import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../testing/gateway/provider-server.ts";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const QUESTION = { type: "text", text: "What is it?" };
const chat = (detail: string) => ({
  messages: [{ role: "user", content: [QUESTION, { type: "image_url", image_url: { url: PNG, detail } }] }],
});
const responses = (detail: string) => {
  const content = [
    { type: "input_text", text: "What is it?" },
    { type: "input_image", image_url: PNG, detail },
  ];
  return { input: [{ role: "user", content }] };
};
const DOORS: [path: string, asked: (detail: string) => object][] = [
  ["/v1/chat/completions", chat],
  ["/v1/responses", responses],
];

it.each(DOORS)("%s: the detail of an image reaches a worker behind chat completions", async (path, asked) => {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const fast = { model: "tutti-fast", tutti: { pool: ["stub/alpha"] } };
  const ignored: unknown[] = [];
  for (const detail of ["low", "auto", "of my own"])
    ignored.push((await body(gateway.post(path, { ...fast, ...asked(detail) }))).tutti.ignored);
  const sent = gateway.asked().map(({ messages }) => (messages as Loose[])[0].content[1].image_url);
  expect(sent).toEqual([{ url: PNG, detail: "low" }, { url: PNG }, { url: PNG }]);
  expect(ignored).toEqual([undefined, undefined, [expect.stringMatching(/^(messages|input): detail$/)]]);
});

it.each(DOORS)(
  "%s: to Claude, which has no such thing, it is not sent, and the reply says so",
  async (path, asked) => {
    const text: [object, object] = [
      { type: "text", text: "" },
      { type: "text_delta", text: "A dot." },
    ];
    const { url } = await startProvider((response) => writeMessage(response, [text], "end_turn"));
    const worker = {
      id: "claude",
      model: "anthropic/claude-sonnet-4-5",
      baseUrl: `${url}/v1`,
      apiKeyEnv: "KEY",
    };
    const gateway = await startTestGateway({
      env: { KEY: "sk-test-provider-0123456789" },
      config: { conductor: undefined, workers: [{ ...worker, price: { inputUsd: 3, outputUsd: 15 } }] },
    });
    closing.push(() => gateway.close());
    const ignoredOf = async (detail: string) =>
      (await body(gateway.post(path, { model: "claude", ...asked(detail) }))).tutti.ignored;
    expect(await ignoredOf("high")).toEqual(["detail"]);
    expect(await ignoredOf("auto")).toBeUndefined();
  },
);

it("of an image that a tool returned it is named", async () => {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const messages = [
    { role: "user", content: "Look." },
    {
      role: "assistant",
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    {
      role: "tool",
      tool_call_id: "c1",
      content: [{ type: "image_url", image_url: { url: PNG, detail: "low" } }],
    },
  ];
  const chatted = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages }));
  expect(chatted.tutti.ignored).toEqual(["messages: detail"]);
  const input = [
    { role: "user", content: "Look." },
    { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
    {
      ...{ type: "function_call_output", call_id: "c1" },
      output: [{ type: "input_image", image_url: PNG, detail: "high" }],
    },
  ];
  const responded = await body(gateway.post("/v1/responses", { model: "tutti", input }));
  expect(responded.tutti.ignored).toEqual(["input: detail"]);
});

it("the name of who speaks is named", async () => {
  const gateway = await startTestGateway();
  closing.push(() => gateway.close());
  const messages = [{ role: "user", name: "Ada", content: "Who am I?" }];
  const reply = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages }));
  expect(reply.tutti.ignored).toEqual(["messages: name"]);
});
