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

/** Four places with one model; who was asked is told by the answer. */
async function startFour() {
  const servers = await Promise.all(["a", "b", "c", "d"].map((name) => startPlace(() => name)));
  const deployments = servers.map(({ baseUrl }) => ({ baseUrl }));
  const worker = { id: "m", model: "stub/m", deployments, price: { inputUsd: 0, outputUsd: 0 } };
  const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  const places = () => servers.map(({ requests }) => requests.length);
  return { gateway, places };
}
const INSTRUCTIONS = "You are a coding agent. ".repeat(200);

it.each(["m", "tutti-fast"])(
  "conversations of one agent, which all begin alike, are shared: %s",
  async (model) => {
    const { gateway, places } = await startFour();
    for (let at = 0; at < 24; at++) {
      const system = { role: "system", content: INSTRUCTIONS };
      const { messages } = asking(model, `Mend bug ${at}.`);
      await body(gateway.post("/v1/chat/completions", { model, messages: [system, ...messages] }));
      await body(
        gateway.post("/v1/responses", { model, instructions: INSTRUCTIONS, input: `Mend bug ${at}.` }),
      );
    }
    expect(places().filter((count) => count > 0)).toHaveLength(4);
    expect(Math.max(...places())).toBeLessThan(36);
  },
);

it("a conversation stays where it is though its marks move and its instructions change", async () => {
  const { gateway, places } = await startFour();
  for (let at = 0; at < 6; at++) {
    const before = places();
    const ask = (turn: number, more: Loose[]) =>
      gateway.post("/v1/messages", {
        ...{ model: "m", max_tokens: 9, system: `It is ${turn} o'clock. ${INSTRUCTIONS}` },
        messages: [
          {
            role: "user",
            content: [
              {
                type: "text",
                text: `Bug ${at}.`,
                ...(turn === 1 && { cache_control: { type: "ephemeral" } }),
              },
            ],
          },
          ...more,
        ],
      });
    const { content } = await body(ask(1, []));
    await body(
      ask(2, [
        { role: "assistant", content },
        { role: "user", content: "Sure?" },
      ]),
    );
    const asked = places().map((count, place) => count - before[place]!);
    expect(asked.filter((count) => count > 0)).toEqual([2]);
  }
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

it("a place that fails in a relayed request is left alone, and the next one answers that very request", async () => {
  let isDown = false;
  const failures: ChatReply[] = [
    LIMITED,
    { status: 503, headers: { "retry-after": "60" }, body: { error: { message: "down" } } },
  ];
  const one = await startPlace(() => (isDown ? failures[0]! : "one"));
  const two = await startPlace(() => "two");
  const places = [{ baseUrl: one.baseUrl }, { baseUrl: two.baseUrl }];
  const worker = { id: "m", model: "stub/m", deployments: places, price: { inputUsd: 1, outputUsd: 1 } };
  for (const stream of [false, true]) {
    const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
    closing.push(() => gateway.close());
    const relayed = async (text: string) => {
      const response = await gateway.post("/v1/chat/completions", { ...asking("m", text), stream });
      expect(response.status).toBe(200);
      const pieces = (await response.text()).matchAll(/"content":"(\w*)"/g);
      return [...pieces].map(([, piece]) => piece).join("");
    };
    isDown = false;
    const texts = Array.from({ length: 12 }, (_, at) => `Question ${at}?`);
    const of = async (place: string) => {
      for (const text of texts) if ((await relayed(text)) === place) return text;
      throw new Error(`none went to ${place}`);
    };
    const text = await of("one");
    isDown = true;
    const before = one.requests.length;
    expect(await relayed(text)).toBe("two");
    expect(one.requests.length - before).toBe(1);
    for (const each of texts) expect(await relayed(each)).toBe("two");
    expect(one.requests.length - before).toBe(1);
    // Where the rest fails too, the last refusal goes to the client as it came.
    failures.reverse();
  }
});

it("a request that fits no other place gets the last refusal as its provider wrote it", async () => {
  const refusal = { status: 429, body: { error: { message: "slow", code: "theirs" } } };
  const one = await startPlace(() => refusal);
  const places = [{ baseUrl: one.baseUrl }, { baseUrl: one.baseUrl }];
  const worker = { id: "m", model: "stub/m", deployments: places, price: { inputUsd: 1, outputUsd: 1 } };
  const gateway = await startTestGateway({ config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  const response = await gateway.post("/v1/chat/completions", asking("m", "Who?"));
  expect(response.status).toBe(429);
  expect((await body(response)).error.code).toBe("theirs");
  expect(one.requests).toHaveLength(2);
});

it("the first of a list is relayed byte for byte, and who takes over is relayed too where it can be", async () => {
  const provider = await startPlace(() => LIMITED);
  const gateway = await startTestGateway({ reply: ({ model }) => `By ${model}.` });
  closing.push(() => gateway.close());
  const price = { inputUsd: 1, outputUsd: 2 };
  const workers = [
    { id: "first", model: "stub/first", baseUrl: provider.baseUrl, fallbacks: ["second"], price },
    { id: "good", model: "stub/good", baseUrl: gateway.upstream.baseUrl, fallbacks: ["second"], price },
    { id: "second", model: "stub/second", baseUrl: gateway.upstream.baseUrl, price },
  ];
  const falling = await startTestGateway({
    config: { workers, conductor: undefined, gateway: { responseCache: {} } },
  });
  closing.push(() => falling.close());
  // A field that no run knows of reaches both: they were relayed.
  const ask = async (model: string) => {
    const response = await falling.post("/v1/chat/completions", {
      ...asking(model, "Who?"),
      temperature: 0,
      odd_field: 7,
    });
    return (await body(response)).choices[0].message.content;
  };
  expect(await ask("good")).toBe("By good.");
  expect(gateway.asked().at(-1)!.body).toMatchObject({ odd_field: 7, model: "good" });
  expect(await ask("first")).toBe("By second.");
  expect(gateway.asked().at(-1)!.body).toMatchObject({ odd_field: 7, model: "second" });
  // Inside a tool loop nobody takes over.
  const call = { id: "c", type: "function", function: { name: "read", arguments: "{}" } };
  const results = [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "rain" },
  ];
  const before = gateway.asked().length;
  const looping = { model: "first", messages: [...asking("first", "Who?").messages, ...results] };
  expect((await falling.post("/v1/chat/completions", looping)).status).toBe(429);
  expect(gateway.asked()).toHaveLength(before);
  // What failed stands in the journal beside what answered.
  const { data } = await body(fetch(`${falling.url}/v1/runs?limit=10`));
  expect(data.map((run: Loose) => run.stopReason).sort()).toEqual(["done", "done", "failed", "failed"]);
  const asked = gateway.asked().length;
  expect(await ask("first")).toBe("By second.");
  expect(gateway.asked()).toHaveLength(asked);
});
