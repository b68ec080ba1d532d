// One model in several places, and who answers where a model cannot: over the socket.

import { expect, it } from "vitest";
import type { ChatReply } from "../../testing/gateway/chat-server.ts";
import { startChatServer } from "../../testing/gateway/chat-server.ts";
import type { Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway } from "../../testing/gateway/gateway.ts";
import { body, closing } from "../../testing/gateway/keyed-gateway.ts";

async function startPlace(reply: () => ChatReply) {
  const server = await startChatServer({ reply });
  closing.push(() => server.close());
  return server;
}

const LIMITED = { status: 429, headers: { "retry-after": "60" }, body: { error: { message: "slow" } } };
const asking = (model: string, content: string) => ({ model, messages: [{ role: "user", content }] });

it("conversations are shared by weight, each stays where it was, and one that fails is left alone", async () => {
  let isDown = false;
  const small = await startPlace(() => "small");
  const large = await startPlace(() => (isDown ? LIMITED : "large"));
  const places = [
    { baseUrl: small.baseUrl, weight: 1 },
    { baseUrl: large.baseUrl, weight: 3 },
  ];
  const worker = { id: "m", model: "stub/m", deployments: places, price: { inputUsd: 0, outputUsd: 0 } };
  const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined, retries: 0 } });
  closing.push(() => gateway.close());
  // In its own dialect the model is relayed, in the other one it is asked in a run.
  const relayed = async (text: string) =>
    (await body(gateway.post("/v1/chat/completions", asking("m", text)))).choices[0].message.content;
  const translated = async (input: string) =>
    (await body(gateway.post("/v1/responses", { model: "m", input }))).output.at(-1).content[0].text;
  const first: string[] = [];
  for (let at = 0; at < 24; at++) first.push(await relayed(`Question ${at}?`));
  const share = first.filter((place) => place === "large").length / first.length;
  expect(share).toBeGreaterThan(0.5);
  expect(share).toBeLessThan(1);
  for (const at of [3, 9, 15]) expect(await relayed(`Question ${at}?`)).toBe(first[at]);
  // The same of a longer conversation.
  const longer = asking("m", "Question 3?");
  longer.messages.push({ role: "assistant", content: "Yes." }, { role: "user", content: "Sure?" });
  const reply = await body(gateway.post("/v1/chat/completions", longer));
  expect(reply.choices[0].message.content).toBe(first[3]);
  isDown = true;
  const before = large.requests.length;
  for (let at = 0; at < 6; at++) expect(await translated(`Again ${at}?`)).toBe("small");
  // Whoever was sent there first learned of it; nobody else was.
  expect(large.requests.length - before).toBe(1);
  for (let at = 0; at < 6; at++) expect(await relayed(`More ${at}?`)).toBe("small");
});

it.each([
  [
    "is too long for it",
    { status: 400, body: { error: { message: "maximum context length is 10 tokens" } } },
  ],
  ["comes while it is limited", LIMITED],
  ["finds it broken", { status: 500, body: { error: { message: "down" } } }],
])("a request that %s is answered by the next of its list", async (_, failure) => {
  const gateway = await startTestGateway({
    reply: ({ model }) => (model === "alpha" ? failure : `By ${model}.`),
  });
  closing.push(() => gateway.close());
  const worker = (model: string, more: object = {}) => ({
    ...{ id: model, model: `stub/${model}`, baseUrl: gateway.upstream.baseUrl, ...more },
    price: { inputUsd: 1, outputUsd: 2 },
  });
  const workers = [worker("alpha", { fallbacks: ["gamma", "beta"] }), worker("beta"), worker("gamma")];
  const falling = await startTestGateway({ config: { workers, conductor: undefined, retries: 0 } });
  closing.push(() => falling.close());
  const response = await falling.post("/v1/chat/completions", asking("alpha", "Who?"));
  expect(response.status).toBe(200);
  expect((await body(response)).choices[0].message.content).toBe("By gamma.");
  // One without a list of its own is asked alone.
  expect((await falling.post("/v1/chat/completions", asking("beta", "Who?"))).status).toBe(200);
});

it("a server that speaks another dialect, as the config says, is relayed in it", async () => {
  const { startProvider } = await import("../../testing/gateway/provider-server.ts");
  const message = { type: "message", role: "assistant", content: [{ type: "text", text: "As it is." }] };
  const provider = await startProvider((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ ...message, usage: { input_tokens: 1, output_tokens: 1 } }));
  });
  const worker = {
    id: "local",
    model: "stub/local",
    baseUrl: `${provider.url}/v1`,
    dialects: ["messages" as const],
  };
  const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  const reply: Loose = await body(gateway.post("/v1/messages", { ...asking("local", "?"), max_tokens: 9 }));
  expect(reply.content).toEqual(message.content);
  expect(provider.requests.map(({ path }) => path)).toEqual(["/v1/messages"]);
});
