// Runs behind requests: joined, repeated, gone on with, and nothing paid for twice. Over the socket.

import { afterEach, describe, expect, it } from "vitest";
import type { ChatReply, ChatRequest } from "../../testing/gateway/chat-server.ts";
import {
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../../testing/gateway/gateway.ts";
import { toWhole } from "../../testing/team.ts";

let open: TestGateway[] = [];
afterEach(async () => {
  await Promise.all(open.map((gateway) => gateway.close()));
  open = [];
});
async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(options);
  open.push(gateway);
  return gateway;
}

const QUESTION = { model: "tutti", messages: [{ role: "user", content: "What is 6 × 7?" }] };
const TOOLS = [
  {
    type: "function",
    function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];

/** Calls the tool for each city at first, then says what it was told. */
function toolReply(...cities: string[]) {
  return ({ messages }: ChatRequest): ChatReply => {
    const results = messages.filter(({ role }) => role === "tool");
    if (results.length > 0) return `It says: ${results.map(({ content }) => content).join(", ")}.`;
    const toolCalls = cities.map((city, index) => ({
      id: `provider-${index}`,
      name: "weather",
      arguments: JSON.stringify({ city }),
    }));
    return { text: "", toolCalls };
  };
}

/** A reply that waits until the test lets it go. */
function held() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { release, reply: () => gate.then(() => "An answer.") };
}

/** Replies as tests read them: by their names, whatever their shape. */
type Loose = ReturnType<typeof JSON.parse>;

async function body(response: Response | Promise<Response>): Promise<Loose> {
  return (await response).json();
}

describe("the same request", () => {
  it("joins the first while that is running: one bill, two replies", async () => {
    const { release, reply } = held();
    const gateway = await start({ reply });
    const first = gateway.post("/v1/chat/completions", QUESTION);
    await expect.poll(() => gateway.asked().length).toBe(1);
    const second = gateway.post("/v1/chat/completions", QUESTION);
    const third = gateway.post("/v1/chat/completions", QUESTION, { "x-tutti-join": "off" });
    await expect.poll(() => gateway.asked().length).toBe(2);
    release();
    const [a, b, c] = await Promise.all([body(first), body(second), body(third)]);
    expect(a).toEqual(b);
    expect(c.id).not.toBe(a.id);
    expect(gateway.asked()).toHaveLength(2);
  });

  it("joins a stream from its beginning", async () => {
    const { release, reply } = held();
    const gateway = await start({ reply });
    const streamed = { ...QUESTION, stream: true };
    const first = gateway.post("/v1/chat/completions", streamed);
    await expect.poll(() => gateway.asked().length).toBe(1);
    const second = gateway.post("/v1/chat/completions", streamed);
    await first;
    release();
    const [a, b] = await Promise.all([first.then((r) => r.text()), second.then((r) => r.text())]);
    const said = (text: string) =>
      [...text.matchAll(/"content":"([^"]*)"/g)].map(([, part]) => part).join("");
    expect(said(a)).toBe("An answer.");
    expect(said(b)).toBe("An answer.");
    expect(gateway.asked()).toHaveLength(1);
  });

  it("is a new one when the first is over", async () => {
    const gateway = await start();
    const a = await body(gateway.post("/v1/chat/completions", QUESTION));
    const b = await body(gateway.post("/v1/chat/completions", QUESTION));
    expect(b.id).not.toBe(a.id);
  });

  it("with an idempotency key gets the first reply for ever, after a restart too", async () => {
    const gateway = await start();
    const header = { "idempotency-key": "once" };
    const first = await body(gateway.post("/v1/chat/completions", QUESTION, header));
    expect(await body(gateway.post("/v1/chat/completions", QUESTION, header))).toEqual(first);
    await gateway.gateway.close();
    const again = await start({ home: gateway.home });
    expect(await body(again.post("/v1/chat/completions", QUESTION, header))).toEqual(first);
    expect(again.asked()).toHaveLength(0);
    const other = { ...QUESTION, messages: [{ role: "user", content: "Another one?" }] };
    const refused = await again.post("/v1/chat/completions", other, header);
    expect(refused.status).toBe(409);
  });
});

describe("a client that leaves", () => {
  it("stops the team soon, and what was said so far is in the journal", async () => {
    const gateway = await start({
      reply: () => ({ text: "one two three four five six", chunks: 6, delayMs: 300 }),
    });
    const leaving = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ ...QUESTION, stream: true }),
      signal: leaving.signal,
    });
    const reader = response.body!.getReader();
    await reader.read();
    await expect.poll(() => gateway.asked().length).toBe(1);
    leaving.abort();
    await expect.poll(() => gateway.asked()[0]!.closedEarly, { timeout: 30_000 }).toBe(true);
    const runId = response.headers.get("x-tutti-run-id")!;
    await expect
      .poll(async () => (await body(fetch(`${gateway.url}/v1/runs/${runId}`))).stopReason)
      .toBe("cancelled");
  });

  it("does not stop a run with an idempotency key", async () => {
    const { release, reply } = held();
    const gateway = await start({ reply });
    const leaving = new AbortController();
    const header = { "idempotency-key": "k" };
    const first = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: header,
      body: JSON.stringify(QUESTION),
      signal: leaving.signal,
    }).catch(() => {});
    await expect.poll(() => gateway.asked().length).toBe(1);
    leaving.abort();
    await first;
    release();
    const again = await body(gateway.post("/v1/chat/completions", JSON.stringify(QUESTION), header));
    expect(again.choices[0].message.content).toBe("An answer.");
    expect(gateway.asked()).toHaveLength(1);
  });
});

describe("tools of the client", () => {
  const asking = { ...QUESTION, tools: TOOLS };

  async function callTools(gateway: TestGateway, request: object = asking) {
    const { choices } = await body(gateway.post("/v1/chat/completions", request));
    expect(choices[0].finish_reason).toBe("tool_calls");
    return choices[0].message;
  }

  function withResults(message: Loose, ...contents: string[]) {
    const results = message.tool_calls.map(({ id }: { id: string }, index: number) => ({
      role: "tool",
      tool_call_id: id,
      content: contents[index],
    }));
    return { ...asking, messages: [...QUESTION.messages, message, ...results] };
  }

  it("go back to the agent that asked, which goes on without a new plan", async () => {
    const plan = {
      steps: [
        { worker: 1, subtask: "Think.", access: [] },
        { worker: 0, subtask: "Answer.", access: "all" as const },
      ],
    };
    const tool = toolReply("Paris", "Rome");
    const gateway = await start({
      plan,
      reply: (request) => (request.model === "beta" ? "a thought" : tool(request)),
    });
    const message = await callTools(gateway);
    expect(message.tool_calls.map((call: Loose) => JSON.parse(call.function.arguments).city)).toEqual([
      "Paris",
      "Rome",
    ]);
    const before = gateway.upstream.requests.length;
    const reply = await body(gateway.post("/v1/chat/completions", withResults(message, "rain", "sun")));
    expect(reply.choices[0].message.content).toBe("It says: rain, sun.");
    const later = gateway.upstream.requests.slice(before);
    expect(later.map(({ model }) => model)).toEqual(["alpha"]);
    expect(later[0]!.messages.slice(-3).map(({ role }) => role)).toEqual(["assistant", "tool", "tool"]);
    // Only the last step may call them; the others do not even know of them.
    const beta = gateway.upstream.requests.find(({ model }) => model === "beta")!;
    expect(beta.body.tools).toBeUndefined();
  });

  it("bill each reply for what it took, not for the whole loop", async () => {
    const gateway = await start({ reply: toolReply("Paris") });
    const first = await body(gateway.post("/v1/chat/completions", asking));
    const reply = await body(
      gateway.post("/v1/chat/completions", withResults(first.choices[0].message, "rain")),
    );
    const run = await body(fetch(`${gateway.url}/v1/runs/${reply.tutti.run_id}`));
    expect(first.tutti.run_id).toBe(reply.tutti.run_id);
    expect(toWhole(first.usage) + toWhole(reply.usage)).toBe(run.usage.inputTokens + run.usage.outputTokens);
    expect(first.tutti.cost_usd + reply.tutti.cost_usd).toBeCloseTo(run.costUsd, 12);
    expect(reply.tutti.calls).toBe(1);
  });

  it("that return twice are paid for once", async () => {
    const gateway = await start({ reply: toolReply("Paris") });
    const next = withResults(await callTools(gateway), "rain");
    const first = await body(gateway.post("/v1/chat/completions", next));
    const count = gateway.asked().length;
    expect(await body(gateway.post("/v1/chat/completions", next))).toEqual(first);
    expect(gateway.asked()).toHaveLength(count);
  });

  it("are found again after a restart", async () => {
    const gateway = await start({ reply: toolReply("Paris") });
    const message = await callTools(gateway);
    await gateway.gateway.close();
    const again = await start({ home: gateway.home, reply: toolReply("Paris") });
    const reply = await body(again.post("/v1/chat/completions", withResults(message, "snow")));
    expect(reply.choices[0].message.content).toBe("It says: snow.");
    expect(again.upstream.requests.filter(({ model }) => model === "planner")).toHaveLength(0);
  });

  it("whose run is gone become a part of the conversation", async () => {
    const gateway = await start({ reply: () => "An answer." });
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_zz_0_0", type: "function", function: { name: "weather", arguments: "{}" } }],
    };
    const reply = await body(gateway.post("/v1/chat/completions", withResults(message, "hail")));
    expect(reply.choices[0].message.content).toBe("An answer.");
    expect(JSON.stringify(gateway.asked()[0]!.messages)).toContain("hail");
  });

  it("with words of the user beside them go on with both", async () => {
    const gateway = await start({ reply: toolReply("Paris") });
    const next = withResults(await callTools(gateway), "rain");
    next.messages.push({ role: "user", content: "Hurry up." } as never);
    await gateway.post("/v1/chat/completions", next);
    const last = gateway.asked().at(-1)!.messages;
    expect(last.at(-1)).toEqual({ role: "user", content: "Hurry up." });
    expect(last.at(-2)).toMatchObject({ role: "tool", content: "rain" });
  });
});

describe("one worker, passed through", () => {
  const one = { ...QUESTION, model: "stub/alpha" };

  it("with an idempotency key is asked once, and a repeat gets the same bytes", async () => {
    const { release, reply } = held();
    const gateway = await start({ reply });
    const header = { "idempotency-key": "k" };
    const first = gateway.post("/v1/chat/completions", one, header);
    await expect.poll(() => gateway.asked().length).toBe(1);
    const second = gateway.post("/v1/chat/completions", one, header);
    release();
    const texts = await Promise.all([first, second].map(async (response) => (await response).text()));
    expect(texts[1]).toBe(texts[0]);
    expect(await (await gateway.post("/v1/chat/completions", one, header)).text()).toBe(texts[0]);
    expect(gateway.asked()).toHaveLength(1);
    const other = await gateway.post("/v1/chat/completions", { ...one, temperature: 1 }, header);
    expect(other.status).toBe(409);
  });

  it("with an idempotency key goes on when its client leaves", async () => {
    const { release, reply } = held();
    const gateway = await start({ reply });
    const leaving = new AbortController();
    const headers = { "idempotency-key": "k" };
    const streamed = JSON.stringify({ ...one, stream: true });
    const request = { method: "POST", headers, body: streamed, signal: leaving.signal };
    const first = fetch(`${gateway.url}/v1/chat/completions`, request).catch(() => {});
    await expect.poll(() => gateway.asked().length).toBe(1);
    leaving.abort();
    await first;
    release();
    const again = await gateway.post("/v1/chat/completions", streamed, headers);
    expect(await again.text()).toContain("[DONE]");
    expect(gateway.asked()).toHaveLength(1);
    expect(gateway.asked()[0]!.closedEarly).toBe(false);
  });

  it("without one is asked every time", async () => {
    const gateway = await start();
    await Promise.all([1, 2, 3].map(() => gateway.post("/v1/chat/completions", one)));
    expect(gateway.asked()).toHaveLength(3);
  });
});

describe("privacy", () => {
  it("store: false leaves the metrics and nothing that was said", async () => {
    const gateway = await start({ reply: () => "A secret answer." });
    const reply = await body(
      gateway.post("/v1/chat/completions", { ...QUESTION, store: false, user: "ada" }),
    );
    expect(reply.choices[0].message.content).toBe("A secret answer.");
    const url = `${gateway.url}/v1/runs/${reply.tutti.run_id}`;
    await expect.poll(async () => (await body(fetch(url))).answer).toBe("");
    const kept = await fetch(url).then((response) => response.text());
    expect(kept).not.toMatch(/secret|6 × 7/);
    expect(JSON.parse(kept)).toMatchObject({ calls: 1, stopReason: "done", origin: { user: "ada" } });
    const bill = await body(fetch(`${gateway.url}/v1/usage?group=user`));
    expect(JSON.stringify(bill)).toContain("ada");
  });
});
