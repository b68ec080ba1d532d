// The real `openai` client, Responses, against the real gateway over a socket; and the order of events that
// coding agents rely on, read as they read it.

import { createParser } from "eventsource-parser";
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type {
  Response as Reply,
  ResponseInputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ANSWER,
  askWeather,
  countFetches,
  held,
  OTHERS,
  OWN,
  PIXEL,
  sumOf,
  type TeamGateway,
  useTeams,
  WHOLE,
} from "../../testing/team.ts";

const start = useTeams();

const connect = ({ baseURL }: TeamGateway, apiKey = "none", options = {}) =>
  new OpenAI({ baseURL, apiKey, ...options });

const ASKED = { model: "tutti", input: "What is 6 × 7?" };
const USAGE = {
  input_tokens: OWN.input,
  output_tokens: OWN.output,
  total_tokens: WHOLE.total,
  input_tokens_details: {
    cached_tokens: OWN.cached,
    orchestration_input_tokens: OTHERS.input,
    orchestration_input_cached_tokens: OTHERS.cached,
  },
  output_tokens_details: {
    reasoning_tokens: OWN.reasoning,
    orchestration_output_tokens: OTHERS.output,
  },
};
const TOOL = {
  type: "function" as const,
  name: "weather",
  strict: false,
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

interface Extra {
  tutti: { run_id: string; cost_usd: number; calls: number };
}

async function readEvents(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function lastOf(events: ResponseStreamEvent[]): Reply & Extra {
  const last = events.at(-1)!;
  if (!("response" in last)) return expect.fail(`the last event is ${last.type}`);
  return last.response as Reply & Extra;
}

const textOf = (events: ResponseStreamEvent[]) =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");

const callsOf = ({ output }: Reply) =>
  output.flatMap((item) => (item.type === "function_call" ? [item] : []));

const toOutputs = (reply: Reply, content: string): ResponseInputItem[] =>
  callsOf(reply).map(({ call_id }) => ({ type: "function_call_output", call_id, output: content }));

describe("an answer of a team", () => {
  it("is the same whole and streamed: text, usage, cost, items", async () => {
    const client = connect(await start());
    const whole = (await client.responses.create(ASKED)) as Reply & Extra;
    expect(whole).toMatchObject({ status: "completed", output_text: ANSWER, usage: USAGE, error: null });
    expect(whole.tutti.calls).toBe(3);
    expect(whole.tutti.cost_usd).toBeCloseTo(WHOLE.costUsd, 12);
    expect(whole.output.map(({ type }) => type)).toEqual(["reasoning", "message"]);

    const events = await readEvents(await client.responses.create({ ...ASKED, stream: true }));
    const last = lastOf(events);
    expect(last).toMatchObject({ status: "completed", usage: USAGE });
    expect(last.tutti.cost_usd).toBe(whole.tutti.cost_usd);
    expect(textOf(events)).toBe(ANSWER);
    const types = events.map(({ type }) => type);
    expect(types.lastIndexOf("response.reasoning_summary_text.delta")).toBeLessThan(
      types.indexOf("response.output_text.delta"),
    );
    const done = events.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(done).toEqual(last.output);
  });

  it("tells nothing of what the team did where that is not wanted", async () => {
    const client = connect(await start(), "none", { defaultHeaders: { "x-tutti-progress": "off" } });
    expect((await client.responses.create(ASKED)).output.map(({ type }) => type)).toEqual(["message"]);
    const events = await readEvents(await client.responses.create({ ...ASKED, stream: true }));
    expect(events.filter(({ type }) => type.includes("reasoning"))).toEqual([]);
    expect(textOf(events)).toBe(ANSWER);
  });

  it("is read by the client's own stream helper", async () => {
    const client = connect(await start());
    const final = await client.responses.stream(ASKED).finalResponse();
    expect(final.usage).toEqual(USAGE);
    expect(final.output.at(-1)).toMatchObject({ type: "message", content: [{ text: ANSWER }] });
  });

  it.each([
    ["tutti-fast", ["alpha"] as const],
    ["tutti-ultra", ["planner", "beta", "gamma", "alpha", "planner"] as const],
    ["stub/alpha", ["alpha"] as const],
  ])("by %s has the usage of those who were asked", async (model, asked) => {
    const gateway = await start();
    const client = connect(gateway);
    const whole = await client.responses.create({ ...ASKED, model });
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual(asked);
    expect(whole.output_text).toBe(ANSWER);
    expect(whole.usage!.total_tokens).toBe(sumOf(...asked).total);
    const events = await readEvents(await client.responses.create({ ...ASKED, model, stream: true }));
    expect(lastOf(events).usage).toEqual(whole.usage);
  });

  it("that was cut by its limit of tokens is incomplete", async () => {
    const client = connect(await start({ answer: () => ({ text: "Six times", finishReason: "length" }) }));
    const cut = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    expect(await client.responses.create({ ...ASKED, max_output_tokens: 20 })).toMatchObject({
      ...cut,
      output_text: "Six times",
    });
    const stream = await client.responses.create({ ...ASKED, max_output_tokens: 20, stream: true });
    const events = await readEvents(stream);
    expect(events.at(-1)).toMatchObject({ type: "response.incomplete", response: cut });
  });
});

describe("what is asked", () => {
  it("reaches the last step: turns, instructions, images; settings reach nobody else", async () => {
    const gateway = await start();
    const url = `data:image/png;base64,${PIXEL}`;
    await connect(gateway).responses.create({
      model: "tutti",
      instructions: "Speak like a pirate.",
      input: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Ahoy" },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is in this picture?" },
            { type: "input_image", image_url: url, detail: "auto" },
          ],
        },
      ],
      max_output_tokens: 77,
      temperature: 0.25,
    });
    const [last] = gateway.askedOf("alpha");
    expect(last!.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(last!.messages[0]!.content).toBe("Speak like a pirate.");
    const said = JSON.stringify(last!.messages[1]);
    for (const words of ["Hello", "Ahoy", "What is in this picture?"]) expect(said).toContain(words);
    expect(last!.messages[1]!.content).toContainEqual({ type: "image_url", image_url: { url } });
    expect(last!.body).toMatchObject({ max_tokens: 77, temperature: 0.25 });
    const [first] = gateway.askedOf("beta");
    expect(first!.body.temperature).toBeUndefined();
    expect(first!.body.max_tokens).not.toBe(77);
  });

  it("of one model in another dialect reaches it as the conversation it is", async () => {
    const gateway = await start();
    await connect(gateway).responses.create({
      model: "stub/alpha",
      instructions: "Speak like a pirate.",
      input: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Ahoy" },
        { role: "user", content: "What is 6 × 7?" },
      ],
    });
    expect(gateway.askedOf("alpha")[0]!.messages).toEqual([
      { role: "system", content: "Speak like a pirate." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Ahoy" },
      { role: "user", content: "What is 6 × 7?" },
    ]);
  });

  it("goes on from an earlier response, with its question and answer but not its instructions", async () => {
    const gateway = await start();
    const client = connect(gateway);
    const first = await client.responses.create({ ...ASKED, instructions: "Speak like a pirate." });
    const second = await client.responses.create({
      model: "stub/alpha",
      input: "And twice that?",
      previous_response_id: first.id,
    });
    const third = await client.responses.create({
      model: "stub/alpha",
      input: "Thanks.",
      instructions: "Be short.",
      previous_response_id: second.id,
    });
    expect(third.previous_response_id).toBe(second.id);
    expect(gateway.askedOf("alpha").at(-1)!.messages).toEqual([
      { role: "system", content: "Be short." },
      { role: "user", content: ASKED.input },
      { role: "assistant", content: ANSWER },
      { role: "user", content: "And twice that?" },
      { role: "assistant", content: ANSWER },
      { role: "user", content: "Thanks." },
    ]);
  });
});

describe("tools of the client", () => {
  it("return by previous_response_id with nothing but their outputs", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const client = connect(gateway);
    const first = await client.responses.create({ ...ASKED, tools: [TOOL] });
    expect(callsOf(first).map((call) => JSON.parse(call.arguments).city)).toEqual(["Paris", "Rome"]);
    const next = { model: "tutti", tools: [TOOL], previous_response_id: first.id };
    const second = await client.responses.create({ ...next, input: toOutputs(first, "rain") });
    expect(second.output_text).toBe("It says: rain, rain.");
    expect(gateway.askedOf("planner")).toHaveLength(1);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
    expect(second.usage!.total_tokens).toBe(OWN.total);
    const third = await client.responses.create({
      model: "stub/alpha",
      input: "Thanks.",
      previous_response_id: second.id,
    });
    expect(third.status).toBe("completed");
    expect(
      gateway
        .askedOf("alpha")
        .at(-1)!
        .messages.map(({ role }) => role),
    ).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"]);
  });

  it("return again and again", async () => {
    const cities = ["Paris", "Rome", "Oslo"];
    const gateway = await start({
      answer: ({ messages }) => {
        const seen = messages.filter(({ role }) => role === "tool").length;
        const city = cities[seen];
        if (city === undefined) return "All seen.";
        const call = { id: `provider-${seen}`, name: "weather", arguments: JSON.stringify({ city }) };
        return { text: `Looking at ${city}.`, toolCalls: [call] };
      },
    });
    const client = connect(gateway);
    let reply = await client.responses.create({ ...ASKED, tools: [TOOL] });
    const replies = [reply];
    while (callsOf(reply).length > 0) {
      const input = toOutputs(reply, "rain");
      reply = await client.responses.create({
        model: "tutti",
        tools: [TOOL],
        previous_response_id: reply.id,
        input,
      });
      replies.push(reply);
    }
    expect(replies.map(({ output_text }) => output_text)).toEqual([
      ...cities.map((city) => `Looking at ${city}.`),
      "All seen.",
    ]);
    expect(replies.map(({ usage }) => usage!.total_tokens)).toEqual([
      WHOLE.total,
      OWN.total,
      OWN.total,
      OWN.total,
    ]);
    // Each of them is still what it was.
    for (const made of replies) expect(await client.responses.retrieve(made.id)).toEqual(made);
  });

  it("return with the whole conversation, streamed", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const client = connect(gateway);
    const input: ResponseInputItem[] = [{ role: "user", content: ASKED.input }];
    const first = await client.responses.stream({ model: "tutti", input, tools: [TOOL] }).finalResponse();
    const items = [...input, ...(first.output as ResponseInputItem[]), ...toOutputs(first, "sun")];
    const events = await readEvents(
      await client.responses.create({ model: "tutti", input: items, tools: [TOOL], stream: true }),
    );
    expect(textOf(events)).toBe("It says: sun, sun.");
    expect(gateway.askedOf("planner")).toHaveLength(1);
  });

  it("are not kept and still return where nothing is stored", async () => {
    const gateway = await start({ answer: askWeather("Paris") });
    const client = connect(gateway);
    const input: ResponseInputItem[] = [{ role: "user", content: ASKED.input }];
    const asked = { model: "tutti", tools: [TOOL], store: false };
    const first = await client.responses.create({ ...asked, input });
    const items = [...input, ...(first.output as ResponseInputItem[]), ...toOutputs(first, "sun")];
    const second = await client.responses.create({ ...asked, input: items });
    expect(second.output_text).toBe("It says: sun.");
    expect(gateway.askedOf("planner")).toHaveLength(1);
    await expect(client.responses.retrieve(second.id)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("structured output", () => {
  const Sum = z.object({ sum: z.number(), steps: z.array(z.string()) });
  const request = { ...ASKED, text: { format: zodTextFormat(Sum, "sum") } };
  const RIGHT = '{"sum": 42, "steps": ["6 × 7"]}';

  it("is taken out of a fence", async () => {
    const gateway = await start({ answer: () => `Here it is:\n\`\`\`json\n${RIGHT}\n\`\`\`` });
    expect((await connect(gateway).responses.parse(request)).output_parsed).toEqual(JSON.parse(RIGHT));
    expect(gateway.askedOf("alpha")).toHaveLength(1);
  });

  it("that is wrong once is asked for again, whole and streamed", async () => {
    const gateway = await start({
      answer: ({ countByModel }) => (countByModel % 2 === 0 ? '{"sum": "many"}' : RIGHT),
    });
    const client = connect(gateway);
    expect((await client.responses.parse(request)).output_parsed).toEqual(JSON.parse(RIGHT));
    const streamed = await client.responses.stream(request).finalResponse();
    expect(streamed.output_parsed).toEqual(JSON.parse(RIGHT));
    expect(gateway.askedOf("alpha")).toHaveLength(4);
  });

  it("that is wrong twice is an error, which the client does not repeat", async () => {
    const gateway = await start({ answer: () => '{"sum": "many"}' });
    const counted = countFetches();
    const client = connect(gateway, "none", { fetch: counted.fetch });
    const error = await client.responses.parse(request).catch((error) => error);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 422, code: "invalid_output" });
    expect(counted.sent).toBe(1);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
    const events = await readEvents(await client.responses.create({ ...request, stream: true }));
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "invalid_prompt" } },
    });
    expect(textOf(events)).toBe("");
  });
});

describe("a response that is kept", () => {
  it("is read again whole, as a stream and by its input, until it is deleted", async () => {
    const client = connect(await start());
    const asked = { ...ASKED, instructions: "Be short.", metadata: { team: "a" } };
    const made = await client.responses.create(asked);
    const again = await client.responses.retrieve(made.id);
    expect(again).toEqual(made);
    const events = await readEvents(await client.responses.retrieve(made.id, { stream: true }));
    expect(events[0]!.type).toBe("response.created");
    expect(textOf(events)).toBe(ANSWER);
    const { id, status, usage, output } = made;
    expect(lastOf(events)).toMatchObject({ id, status, usage, output });
    const items = await client.responses.inputItems.list(made.id);
    expect(items.data).toMatchObject([
      { type: "message", role: "user", content: [{ type: "input_text", text: ASKED.input }] },
    ]);
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    const next = { ...ASKED, previous_response_id: made.id };
    await expect(client.responses.create(next)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("is not there for another key", async () => {
    const gateway = await start({ keys: [{ name: "a" }, { name: "b" }] });
    const [own, other] = gateway.secrets.map((secret) => connect(gateway, secret));
    const made = await own!.responses.create(ASKED);
    await expect(other!.responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other!.responses.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);
    const error = await other!.responses
      .create({ ...ASKED, previous_response_id: made.id })
      .catch((error) => error);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.param).toBe("previous_response_id");
    expect((await own!.responses.retrieve(made.id)).output_text).toBe(ANSWER);
  });
});

describe("in the background", () => {
  it("a response is queued, then running, then completed", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    expect(queued).toMatchObject({ status: "queued", background: true, output: [] });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    expect((await client.responses.retrieve(queued.id)).status).toBe("in_progress");
    release();
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("completed");
    const done = await client.responses.retrieve(queued.id);
    expect(done).toMatchObject({ id: queued.id, output_text: ANSWER, usage: USAGE, background: true });
  });

  it("a running one is followed by a stream that was not there at the beginning", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    const stream = await client.responses.retrieve(queued.id, { stream: true });
    release();
    const events = await readEvents(stream);
    expect(events[0]!.type).toBe("response.created");
    expect(lastOf(events)).toMatchObject({ id: queued.id, status: "completed", usage: USAGE });
    expect(textOf(events)).toBe(ANSWER);
  });

  it("a stream may be left: the run goes on and is read again", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const client = connect(gateway);
    const stream = await client.responses.create({ ...ASKED, background: true, stream: true });
    const { value: created } = await stream[Symbol.asyncIterator]().next();
    expect(created).toMatchObject({ type: "response.created", response: { background: true } });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    stream.controller.abort();
    release();
    const { id } = created.response;
    await expect.poll(async () => (await client.responses.retrieve(id)).status).toBe("completed");
    expect(gateway.askedOf("alpha")).toHaveLength(1);
  });

  it("a response is cancelled, and cancelled it stays", async () => {
    const gateway = await start({ answer: () => ({ hang: true }) });
    const client = connect(gateway);
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    expect((await client.responses.cancel(queued.id)).status).toBe("cancelled");
    expect((await client.responses.retrieve(queued.id)).status).toBe("cancelled");
    expect((await client.responses.cancel(queued.id)).status).toBe("cancelled");
    await expect.poll(() => gateway.askedOf("alpha")[0]!.closedEarly).toBe(true);
  });

  it("a response that fails says so when it is asked for", async () => {
    const fault = { status: 500, body: { error: { message: "out of order" } } };
    const client = connect(await start({ answer: () => fault, others: () => fault }));
    const queued = await client.responses.create({ ...ASKED, background: true });
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe("failed");
    expect((await client.responses.retrieve(queued.id)).error?.code).toBe("server_error");
  });
});

describe("errors", () => {
  it("of a wrong key, an unknown model and a wrong type are the client's own classes", async () => {
    const gateway = await start({ keys: [{ name: "a" }] });
    const create = (key: string, body: object) =>
      connect(gateway, key)
        .responses.create({ ...ASKED, ...body })
        .catch((error: unknown) => error);
    const secret = gateway.secrets[0]!;
    expect(await create("sk-tutti-wrong", {})).toBeInstanceOf(AuthenticationError);
    const unknown = await create(secret, { model: "tuti-ultra" });
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect((unknown as APIError).message).toContain('"tutti-ultra"');
    const wrong = await create(secret, { max_output_tokens: "many" });
    expect(wrong).toBeInstanceOf(BadRequestError);
    expect(wrong).toMatchObject({ param: "max_output_tokens" });
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  it("of a spent budget and of workers are not repeated", async () => {
    const fault = { status: 500, body: { error: { message: "out of order" } } };
    const budget = { usd: OWN.costUsd, window: "day" as const };
    const gateway = await start({ others: () => fault, keys: [{ name: "a", budget }, { name: "b" }] });
    const counted = countFetches();
    const [poor, rich] = gateway.secrets.map((secret) => connect(gateway, secret, { fetch: counted.fetch }));
    await poor!.chat.completions.create({
      model: "stub/alpha",
      messages: [{ role: "user", content: ASKED.input }],
    });
    counted.sent = 0;
    const spent = await poor!.responses.create(ASKED).catch((error) => error);
    expect(spent).toBeInstanceOf(RateLimitError);
    expect(spent.code).toBe("insufficient_quota");
    const broken = await rich!.responses.create({ ...ASKED, model: "stub/beta" }).catch((error) => error);
    expect(broken).toBeInstanceOf(APIError);
    expect(broken.status).toBe(502);
    expect(counted.sent).toBe(2);
  });

  it("in the midst of a stream are response.failed", async () => {
    const gateway = await start({ answer: () => ({ cutAfter: "Six times" }) });
    const client = connect(gateway);
    const events = await readEvents(await client.responses.create({ ...ASKED, stream: true }));
    expect(textOf(events)).toBe("Six times");
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" } },
    });
    const { id } = lastOf(events);
    expect(await client.responses.retrieve(id)).toMatchObject({ status: "failed" });
  });
});

describe("coding agents", () => {
  interface Event {
    type: string;
    sequence_number: number;
    output_index?: number;
    item?: { type: string; call_id?: string; content?: { text: string }[] };
    response?: { status: string };
  }

  async function read(gateway: TeamGateway, body: object): Promise<Event[]> {
    const response = await gateway.post("/v1/responses", { ...ASKED, stream: true, ...body });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events: Event[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const parsed = JSON.parse(data) as Event;
        expect(event).toBe(parsed.type);
        events.push(parsed);
      },
    });
    parser.feed(await response.text());
    return events;
  }

  /** As a coding agent sends it with every request. */
  const AGENT = {
    instructions: "You are a coding agent.",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Obey." }] },
      { role: "user", content: [{ type: "input_text", text: "List the files." }] },
    ],
    tools: [
      { type: "function", name: "shell", strict: false, parameters: { type: "object", properties: {} } },
      {
        type: "custom",
        name: "apply_patch",
        format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
      },
      { type: "web_search" },
      { type: "namespace", name: "mcp", tools: [] },
      { type: "tool_search" },
      { type: "local_shell" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    reasoning: { effort: "medium", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "0193",
    store: false,
  };

  it("find the text in output_item.done, between created and completed", async () => {
    const events = await read(await start(), AGENT);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done.at(-1)!.item).toMatchObject({ type: "message", content: [{ text: ANSWER }] });
    const opened = events.filter(({ type }) => type === "response.output_item.added");
    expect(opened.map(({ output_index }) => output_index)).toEqual(
      done.map(({ output_index }) => output_index),
    );
  });

  it("get calls of functions and custom tools with the id by which they return", async () => {
    const gateway = await start({
      answer: ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? "Done."
          : {
              text: "",
              toolCalls: [
                { id: "a", name: "shell", arguments: "{}" },
                { id: "b", name: "apply_patch", arguments: '{"input":"*** Begin Patch"}' },
              ],
            },
    });
    const events = await read(gateway, AGENT);
    const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item!] : []));
    const calls = items.filter(({ type }) => type.endsWith("_call"));
    expect(calls).toMatchObject([
      { type: "function_call", name: "shell", arguments: "{}" },
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" },
    ]);
    const [shell, patch] = calls.map(({ call_id }) => call_id);
    expect(shell).toMatch(/^call_/);
    const results = [
      { type: "function_call_output", call_id: shell, output: "a.ts" },
      { type: "custom_tool_call_output", call_id: patch, output: [{ type: "input_text", text: "ok" }] },
    ];
    const next = await read(gateway, { ...AGENT, input: [...AGENT.input, ...items, ...results] });
    expect(next.findLast(({ type }) => type === "response.output_item.done")!.item).toMatchObject({
      content: [{ text: "Done." }],
    });
    expect(gateway.askedOf("planner")).toHaveLength(1);
    const tools = gateway.askedOf("alpha")[0]!.body.tools as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name)).toEqual(["shell", "apply_patch"]);
  });
});
