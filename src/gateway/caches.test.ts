// A conversation that is sent again, longer, must begin with the same bytes, and Anthropic's models must be told how far to
// keep it: a cache that misses costs a coding agent several times as much. Over the socket.

import { expect, it } from "vitest";
import { writeMessage } from "../testing/gateway/anthropic-stream.ts";
import type { ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing, start } from "../testing/gateway/keyed-gateway.ts";
import { type ProviderRequest, startProvider } from "../testing/gateway/provider-server.ts";
import { renderWorkflow } from "../workflow/render.ts";

const MOST_MARKS = 4;

/** Calls `read` at its first two turns, then answers. */
async function startClaude() {
  const provider = await startProvider((response, { body: raw }) => {
    const { messages } = JSON.parse(raw) as Loose;
    const turns = messages.filter(({ role }: Loose) => role === "assistant").length;
    const id = `toolu_${turns}`;
    if (turns < 2) writeMessage(response, [[{ type: "tool_use", id, name: "read", input: {} }]], "tool_use");
    else
      writeMessage(
        response,
        [
          [
            { type: "text", text: "" },
            { type: "text_delta", text: "Done." },
          ],
        ],
        "end_turn",
      );
  });
  const worker = {
    id: "claude",
    model: "anthropic/claude-x",
    baseUrl: `${provider.url}/v1`,
    apiKeyEnv: "KEY",
  };
  const env = { KEY: "sk-test-anthropic-0123456789" };
  const gateway = await startTestGateway({ env, config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  return { gateway, provider };
}

/** The blocks of a request in the order in which Anthropic caches them, and which of them end a cached part. */
function readBlocks({ body: raw }: ProviderRequest): { text: string; isMarked: boolean }[] {
  const { tools = [], system = [], messages } = JSON.parse(raw) as Loose;
  const blocks = [...tools, ...system, ...messages.flatMap(({ content }: Loose) => content)];
  return blocks.map(({ cache_control: mark, ...block }: Loose) => ({
    text: JSON.stringify(block),
    isMarked: mark !== undefined,
  }));
}

it("what a turn has put into the cache is found there by the next, without a word of the client", async () => {
  const { gateway, provider } = await startClaude();
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  const messages: Loose[] = [
    { role: "system", content: "You fix tests." },
    { role: "user", content: "Make it pass." },
  ];
  for (let turn = 0; turn < 3; turn++) {
    const reply = await body(gateway.post("/v1/chat/completions", { model: "tutti-fast", messages, tools }));
    const { message } = reply.choices[0];
    messages.push(message);
    for (const { id } of message.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: id, content: `result ${turn}` });
  }
  expect(messages.at(-1)!.content).toBe("Done.");
  const requests = provider.requests.map(readBlocks);
  expect(requests).toHaveLength(3);
  for (const [turn, blocks] of requests.entries()) {
    const marks = blocks.filter(({ isMarked }) => isMarked).length;
    expect(marks).toBeGreaterThan(0);
    expect(marks).toBeLessThanOrEqual(MOST_MARKS);
    const next = requests[turn + 1];
    if (!next) continue;
    const kept = blocks.findLastIndex(({ isMarked }) => isMarked) + 1;
    expect(kept).toBe(blocks.length);
    expect(next.slice(0, kept).map(({ text }) => text)).toEqual(blocks.map(({ text }) => text));
    // It is looked for where a mark is.
    expect(next[kept - 1]!.isMarked).toBe(true);
  }
});

it("marks of the client stay where they are, and none are added", async () => {
  const { gateway, provider } = await startClaude();
  const mark = { cache_control: { type: "ephemeral" } };
  const asked = {
    model: "tutti-fast",
    max_tokens: 500,
    system: [
      { type: "text", text: "You fix tests.", ...mark },
      { type: "text", text: "It is 9:40." },
    ],
    tools: [{ name: "read", input_schema: { type: "object" }, ...mark }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Make it pass.", ...mark },
          { type: "text", text: "Please." },
        ],
      },
    ],
  };
  expect((await gateway.post("/v1/messages", asked)).status).toBe(200);
  const [blocks] = provider.requests.map(readBlocks);
  const marked = blocks!.filter(({ isMarked }) => isMarked).map(({ text }) => text);
  expect(marked).toHaveLength(3);
  for (const [at, words] of ["read", "You fix tests.", "Make it pass."].entries())
    expect(marked[at]).toContain(words);
});

it("an agent's mark on the newest result is there again where the run goes on with it", async () => {
  const { gateway, provider } = await startClaude();
  const mark = { cache_control: { type: "ephemeral" } };
  const messages: Loose[] = [{ role: "user", content: [{ type: "text", text: "Make it pass." }] }];
  for (let turn = 0; turn < 3; turn++) {
    const last = messages.at(-1)!;
    const marked = { ...last, content: [...last.content.slice(0, -1), { ...last.content.at(-1), ...mark }] };
    const { content } = await body(
      gateway.post("/v1/messages", {
        model: "tutti-fast",
        max_tokens: 500,
        system: [{ type: "text", text: "You fix tests.", ...mark }],
        tools: [{ name: "read", input_schema: { type: "object" } }],
        messages: [...messages.slice(0, -1), marked],
      }),
    );
    const calls = content.filter(({ type }: Loose) => type === "tool_use");
    messages.push({ role: "assistant", content });
    const toResult = ({ id }: Loose) => ({ type: "tool_result", tool_use_id: id, content: `result ${turn}` });
    if (calls.length > 0) messages.push({ role: "user", content: calls.map(toResult) });
  }
  expect(messages.at(-1)!.content).toMatchObject([{ text: "Done." }]);
  const requests = provider.requests.map(readBlocks);
  expect(requests).toHaveLength(3);
  for (const blocks of requests) {
    expect(blocks.at(-1)!.isMarked).toBe(true);
    expect(blocks.filter(({ isMarked }) => isMarked).length).toBeLessThanOrEqual(MOST_MARKS);
  }
});

it("a question that is asked once is not written to the cache, which costs more", async () => {
  const { gateway, provider } = await startClaude();
  await gateway.post("/v1/chat/completions", {
    model: "tutti-fast",
    messages: [{ role: "user", content: "Which colour has the sky?" }],
  });
  expect(readBlocks(provider.requests[0]!).some(({ isMarked }) => isMarked)).toBe(false);
});

/** A provider that caches as OpenAI's do: the longest beginning that an earlier request of the same model had, by bytes. */
function createPrefixCache() {
  const seen = new Map<string, string[]>();
  return ({ model, body: { tools, messages } }: ChatRequest) => {
    const text = JSON.stringify([tools, messages]);
    const known = seen.get(model) ?? [];
    const cached = Math.max(0, ...known.map((other) => commonLength(text, other)));
    seen.set(model, [...known, text]);
    const tokens = (length: number) => Math.floor(length / 4);
    return { prompt_tokens: tokens(text.length), prompt_tokens_details: { cached_tokens: tokens(cached) } };
  };
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

it("a team's last step finds its prefix from turn to turn and from run to run, and the usage says so", async () => {
  const usageOf = createPrefixCache();
  const toolsBefore = ({ messages }: ChatRequest) => messages.filter(({ role }) => role === "tool").length;
  const gateway = await startTestGateway({
    plan: {
      steps: [
        { worker: 1, subtask: "Think about it.", access: [] },
        { worker: 0, subtask: "Answer it.", access: "all" as const },
      ],
    },
    reply: (request) => {
      const usage = { ...usageOf(request), completion_tokens: 5 };
      if (request.model === "beta") return { text: `A thought of ${request.count}.`, usage };
      const page = toolsBefore(request);
      if (page >= 3) return { text: "Done.", usage };
      return {
        text: "",
        usage,
        toolCalls: [{ id: `c${page}`, name: "read", arguments: `{"page":${page}}` }],
      };
    },
  });
  closing.push(() => gateway.close());
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  const messages: Loose[] = [
    { role: "system", content: "You fix tests. ".repeat(200) },
    { role: "user", content: "Make it pass. ".repeat(50) },
  ];
  const shares: number[] = [];
  let cachedTokens = 0;
  const ask = async () => {
    const reply = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages, tools }));
    const { prompt_tokens: input, prompt_tokens_details: details } = reply.usage;
    cachedTokens = details.cached_tokens;
    shares.push(cachedTokens / input);
    messages.push(reply.choices[0].message);
    return reply.choices[0].message;
  };
  for (let message = await ask(); message.tool_calls; message = await ask())
    for (const { id } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: `page ${messages.length}` });
  // Turns of one run: all but what was added since.
  expect(shares).toHaveLength(4);
  for (const share of shares.slice(1)) expect(share).toBeGreaterThan(0.9);
  // Another run of the same conversation: all that stood before the first team's words is found.
  const opening = JSON.stringify(messages.slice(0, 2)).length / 4;
  messages.push({ role: "user", content: "And now?" });
  await ask();
  expect(cachedTokens).toBeGreaterThan(0.95 * opening);
});

it("what a provider wrote into its cache and read from it is told in tokens and dollars, whoever asks", async () => {
  let asks = 0;
  const provider = await startProvider((response) => {
    // What the first has written the next one reads.
    const caches = asks++ === 0 ? { cache_creation_input_tokens: 1_000 } : { cache_read_input_tokens: 1_000 };
    const text = [
      { type: "text", text: "" },
      { type: "text_delta", text: "Done." },
    ] as [object, object];
    writeMessage(response, [text], "end_turn", caches);
  });
  const price = { inputUsd: 10, outputUsd: 50, cachedInputUsd: 1, cacheWriteUsd: 12.5 };
  const worker = {
    ...{ id: "claude", model: "anthropic/claude-x", price },
    ...{ baseUrl: `${provider.url}/v1`, apiKeyEnv: "KEY" },
  };
  const env = { KEY: "sk-test-anthropic-0123456789" };
  const gateway = await startTestGateway({ env, config: { workers: [worker], conductor: undefined } });
  closing.push(() => gateway.close());
  const messages = [{ role: "user", content: "Go." }];
  const ask = () => body(gateway.post("/v1/messages", { model: "tutti-fast", max_tokens: 100, messages }));
  const first = await ask();
  expect(first.usage).toMatchObject({
    ...{ input_tokens: 9, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 0 },
  });
  // Writing took a quarter more than reading it plainly would have.
  expect(first.tutti.cache_saved_usd).toBeCloseTo(-0.0025, 9);
  const second = await ask();
  expect(second.usage).toMatchObject({
    ...{ input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 1_000 },
  });
  expect(second.tutti.cache_saved_usd).toBeCloseTo(0.009, 9);
  const { cost_usd: paid, cache_saved_usd: saved } = second.tutti;
  expect(paid + saved).toBeCloseTo((1_009 * 10 + 7 * 50) / 1e6, 9);
  const run = await body(fetch(`${gateway.url}/v1/runs/${second.tutti.run_id}`));
  expect(JSON.stringify(run)).toContain('"cacheSavedUsd":0.009');
});

it("what caches saved stands on the bill: of a team, of its Conductor's calls, and of what is passed through", async () => {
  const usage = {
    prompt_tokens: 1_000,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 800 },
  };
  const price = { inputUsd: 10, outputUsd: 50, cachedInputUsd: 1 };
  const gateway = await startTestGateway({
    plan: () => ({
      text: renderWorkflow({ steps: [{ worker: 0, subtask: "Answer it.", access: [] }] }),
      usage,
    }),
    reply: () => ({ text: "Done.", usage }),
    price,
  });
  closing.push(() => gateway.close());
  const messages = [{ role: "user", content: "Go." }];
  const team = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages }));
  expect(team.tutti.calls).toBe(1);
  // The step and the plan.
  expect(team.tutti.cache_saved_usd).toBeCloseTo(2 * 0.0072, 9);
  await (await gateway.post("/v1/chat/completions", { model: "stub/alpha", messages })).text();
  const readBill = () => body(fetch(`${gateway.url}/v1/usage?group=model,day`));
  // What is passed through is written behind its reply.
  await expect.poll(async () => (await readBill()).data.length, { timeout: 30_000 }).toBe(2);
  const bill = await readBill();
  expect(bill.data).toMatchObject([
    { model: "stub/alpha", input_tokens: 1_000, cached_input_tokens: 800, cache_write_tokens: 0 },
    { model: "tutti", input_tokens: 2_000, cached_input_tokens: 1_600 },
  ]);
  expect(bill.data[0].cache_saved_usd).toBeCloseTo(0.0072, 9);
  expect(bill.total.cache_saved_usd).toBeCloseTo(3 * 0.0072, 9);
  expect(bill.total.cached_input_tokens).toBe(2_400);
});

it("what a client has kept for an hour is kept for an hour, at the price of an hour, and its budget holds", async () => {
  const written = { cache_creation_input_tokens: 1_000 };
  const provider = await startProvider((response) => {
    const block: [object, object] = [
      { type: "text", text: "" },
      { type: "text_delta", text: "Done." },
    ];
    const cache_creation = { ephemeral_1h_input_tokens: 600, ephemeral_5m_input_tokens: 400 };
    writeMessage(response, [block], "end_turn", { ...written, cache_creation });
  });
  const price = { inputUsd: 10, cachedInputUsd: 1, cacheWriteUsd: 12.5, outputUsd: 10 };
  const claude = { id: "claude", model: "anthropic/claude-x", baseUrl: `${provider.url}/v1`, price };
  const gateway = await start(
    { small: { budget: { usd: 0.3, window: "total" } } },
    {
      env: { KEY: "sk-test-anthropic-0123456789" },
      config: { workers: [{ ...claude, apiKeyEnv: "KEY" }], conductor: undefined },
    },
  );
  const hour = { type: "ephemeral", ttl: "1h" };
  const asked = {
    max_tokens: 20,
    tools: [{ name: "read", input_schema: { type: "object" }, cache_control: hour }],
    system: [{ type: "text", text: "You fix tests.", cache_control: hour }],
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi.", cache_control: { type: "ephemeral" } }] },
    ],
  };
  const marksOf = ({ body: raw }: ProviderRequest) => {
    const { tools, system, messages } = JSON.parse(raw) as Loose;
    return [tools[0], system[0], messages[0].content[0]].map(({ cache_control: mark }) => mark?.ttl ?? "5m");
  };
  // 9 at the price of input, 600 for an hour, 400 for five minutes, and 7 that are written.
  const costUsd = (9 * 10 + 600 * 20 + 400 * 12.5 + 7 * 10) / 1e6;
  for (const model of ["tutti-fast", "claude"]) {
    const reply = await gateway.ask({ ...asked, model }, "small", "/v1/messages");
    expect(reply.status).toBe(200);
    await reply.text();
    expect(marksOf(provider.requests.at(-1)!)).toEqual(["1h", "1h", "5m"]);
  }
  const { data } = await body(gateway.get("/v1/usage?group=model", "small"));
  expect(data.map(({ cost_usd }: Loose) => cost_usd)).toEqual([
    expect.closeTo(costUsd, 9),
    expect.closeTo(costUsd, 9),
  ]);
  // All of what is sent could be written for an hour: twice its price is reserved, and no more is asked than fits.
  const before = provider.requests.length;
  const long = [{ role: "user", content: "x".repeat(19_000) }];
  expect(
    (await gateway.ask({ ...asked, model: "claude", messages: long }, "small", "/v1/messages")).status,
  ).toBe(402);
  expect(provider.requests).toHaveLength(before);
});
