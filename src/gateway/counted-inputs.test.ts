// A budget in which a request fits, though its bytes do not: by what the worker has counted before, or by having its provider
// count. The stub bills a token for four bytes, keeps its own bill, and that is never more than the budget. Over the socket.

import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing, start } from "../testing/gateway/keyed-gateway.ts";
import { startProvider } from "../testing/gateway/provider-server.ts";

const PRICE = { inputUsd: 1, outputUsd: 1 };
/** 60 KB: by its bytes six cents, by what it is billed one and a half. */
const LONG = "You read files and answer questions about them. ".repeat(1_250);
const tokensOf = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);
const toQuestion = (text: string): Loose[] => [
  { role: "system", content: LONG },
  { role: "user", content: text },
];
const BUDGET_USD = 0.03;

it("a prompt that a worker has counted in another run counts so much, and no byte more is reserved", async () => {
  let billed = 0;
  const gateway = await startTestGateway({
    price: PRICE,
    reply: (request: ChatRequest) => {
      const input = tokensOf(JSON.stringify(request.body));
      billed = (input + 2) / 1e6;
      return { text: "Yes.", usage: { prompt_tokens: input, completion_tokens: 2 } };
    },
  });
  closing.push(() => gateway.close());
  const ask = (text: string, tutti?: object) =>
    gateway.post("/v1/messages", {
      // In another dialect than the worker's own, so that it is not passed on as it is.
      ...{ model: "stub/alpha", system: LONG, messages: [{ role: "user", content: text }], max_tokens: 300 },
      ...(tutti && { tutti }),
    });
  const little = { budget_usd: BUDGET_USD };
  const before = await ask("Is it there?", little);
  expect(before.status).toBeGreaterThanOrEqual(400);
  expect(gateway.asked()).toHaveLength(0);

  expect((await ask("Is it there?", { budget_usd: 0.5 })).status).toBe(200);
  const after = await ask("And this one?", little);
  expect(after.status).toBe(200);
  expect((await body(after)).content[0].text).toBe("Yes.");
  expect(billed).toBeLessThan(BUDGET_USD);

  // What is new counts by its bytes: it may be as dense as that.
  const dense = await ask("x".repeat(40_000), little);
  expect(dense.status).toBeGreaterThanOrEqual(400);
});

/** Anthropic's protocol. `count` is what its counter answers; undefined: it has none. */
async function startCounting(count: (text: string) => number | undefined) {
  let billed = 0;
  const provider = await startProvider((response, { path, body: text }) => {
    if (path === "/v1/messages/count_tokens") {
      const tokens = count(text);
      response.writeHead(tokens === undefined ? 404 : 200, { "content-type": "application/json" });
      return void response.end(JSON.stringify(tokens === undefined ? {} : { input_tokens: tokens }));
    }
    billed += (tokensOf(text) + 7) / 1e6;
    const caches = { cache_read_input_tokens: tokensOf(text) - 9 };
    const block: [object, object] = [
      { type: "text", text: "" },
      { type: "text_delta", text: "Yes." },
    ];
    writeMessage(response, [block], "end_turn", caches);
  });
  const gateway = await startTestGateway({
    env: { KEY: "sk-test-anthropic-0123456789" },
    config: {
      workers: [
        {
          ...{ id: "claude", model: "anthropic/claude-x", price: PRICE },
          ...{ baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
        },
      ],
      conductor: undefined,
    },
  });
  closing.push(() => gateway.close());
  const ask = (text = "Is it there?", budget_usd = BUDGET_USD) =>
    gateway.post("/v1/chat/completions", {
      ...{ model: "claude", messages: toQuestion(text), max_tokens: 300 },
      tutti: { budget_usd },
    });
  const asked = () => provider.requests.map(({ path }) => path.split("/").at(-1));
  return { ask, asked, provider, billed: () => billed };
}

it("a prompt that nobody has counted is counted by the provider before the budget refuses it", async () => {
  const { ask, asked, provider, billed } = await startCounting(tokensOf);
  const reply = await ask();
  expect(reply.status).toBe(200);
  expect(asked()).toEqual(["count_tokens", "messages"]);
  expect(billed()).toBeLessThan(BUDGET_USD);
  // The counter is asked for the request as it is sent, without what it does not take.
  const [counting, sent] = provider.requests.map(({ body: text }) => JSON.parse(text));
  expect(counting.messages).toEqual(sent.messages);
  expect(counting.system).toEqual(sent.system);
  expect(Object.keys(counting).sort()).toEqual(["messages", "model", "system"]);
  // The second one needs no counter: most of it was there before.
  expect((await ask("And this?")).status).toBe(200);
  expect(asked()).toEqual(["count_tokens", "messages", "messages"]);
});

it("one that the provider counts as too long is refused, and is counted once", async () => {
  const { ask, asked, billed } = await startCounting(() => 60_000);
  expect((await ask()).status).toBeGreaterThanOrEqual(400);
  expect((await ask()).status).toBeGreaterThanOrEqual(400);
  expect(asked()).toEqual(["count_tokens"]);
  expect(billed()).toBe(0);
});

it("where the provider cannot count, bytes decide, it is left alone, and the client is told what it would take", async () => {
  const { ask, asked, billed } = await startCounting(() => undefined);
  const refused = await ask();
  expect(refused.status).toBeGreaterThanOrEqual(400);
  const { message } = (await body(refused)).error;
  expect(message).toContain("No worker was asked");
  const [, limit, needed] = /limit \(\$([\d.]+)\).* \$([\d.]+) that/.exec(message) ?? [];
  expect(Number(limit)).toBe(BUDGET_USD);
  // A token a byte, and a reply. So much is enough.
  expect(Number(needed)).toBeGreaterThan(0.06);
  expect((await ask("And this?")).status).toBeGreaterThanOrEqual(400);
  expect(asked()).toEqual(["count_tokens"]);
  expect(billed()).toBe(0);
  expect((await ask(undefined, Number(needed))).status).toBe(200);
});

it("a request that is passed through for a key with a budget is bounded by what was counted, and the budget holds", async () => {
  const BUDGET = 0.14;
  let billed = 0;
  const reply = (request: ChatRequest) => {
    const input = tokensOf(JSON.stringify(request.body));
    billed += (input + 2) / 1e6;
    return { text: "Yes.", usage: { prompt_tokens: input, completion_tokens: 2 } };
  };
  const gateway = await start(
    { small: { budget: { usd: BUDGET, window: "total" } } },
    { price: PRICE, reply },
  );
  const ask = (text: string) =>
    gateway.ask({ model: "stub/alpha", messages: toQuestion(text), max_tokens: 10 }, "small");
  let answered = 0;
  for (let number = 0; number < 12; number++) {
    const { status } = await ask(`Question ${number}?`);
    if (status !== 200) break;
    answered++;
  }
  // By bytes alone six cents would have to be left before each of them: six would have been answered.
  expect(answered).toBe(9);
  expect(billed).toBeLessThanOrEqual(BUDGET);
});
