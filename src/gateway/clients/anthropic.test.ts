// The real Anthropic client against the real gateway over a socket. Nobody behind the gateway speaks its dialect,
// so that one model by its name (`stub/alpha`) is translated and not relayed.

import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import type {
  ContentBlock,
  MessageParam,
  RawMessageStreamEvent,
  Tool,
} from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ANSWER,
  askWeather,
  countFetches,
  OTHERS,
  OWN,
  PIXEL,
  sumOf,
  type TeamGateway,
  toWhole,
  useTeams,
  WHOLE,
} from "../../testing/team.ts";

const start = useTeams();

const connect = ({ url }: TeamGateway, apiKey = "none", options = {}) =>
  new Anthropic({ baseURL: url, apiKey, authToken: null, ...options });

const QUESTION: MessageParam = { role: "user", content: "What is 6 × 7?" };
const ASKED = { model: "tutti", max_tokens: 500, messages: [QUESTION] };
const THINKING = { thinking: { type: "enabled" as const, budget_tokens: 1_024 }, max_tokens: 2_000 };
/** As Anthropic counts: what was cached is no part of `input_tokens`. */
const USAGE = {
  input_tokens: OWN.input - OWN.cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: OWN.cached,
  output_tokens: OWN.output,
  output_tokens_details: { thinking_tokens: OWN.reasoning },
};
const ORCHESTRATION = {
  orchestration_input_tokens: OTHERS.input,
  orchestration_input_cached_tokens: OTHERS.cached,
  orchestration_output_tokens: OTHERS.output,
  total_tokens: OWN.total,
};
const TOOL: Tool = {
  name: "weather",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

interface Extra {
  tutti: { run_id: string; cost_usd: number; calls: number };
}

const textOf = (content: ContentBlock[]) =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");
const callsOf = (content: ContentBlock[]) =>
  content.flatMap((block) => (block.type === "tool_use" ? [block] : []));

async function readEvents(stream: AsyncIterable<RawMessageStreamEvent>): Promise<RawMessageStreamEvent[]> {
  const events: RawMessageStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("an answer of a team", () => {
  it("is the same whole and streamed: text, usage, cost", async () => {
    const client = connect(await start());
    const { data, response, request_id } = await client.messages.create(ASKED).withResponse();
    const whole = data as typeof data & Extra;
    expect(whole).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: ANSWER }] });
    expect(whole.usage).toEqual({ ...USAGE, ...ORCHESTRATION });
    expect(request_id).toMatch(/^req_/);
    expect(whole.tutti.calls).toBe(3);
    expect(whole.tutti.cost_usd).toBeCloseTo(WHOLE.costUsd, 12);
    expect(Number(response.headers.get("x-tutti-cost-usd"))).toBeCloseTo(WHOLE.costUsd, 9);

    const events = await readEvents(await client.messages.create({ ...ASKED, stream: true }));
    const end = events.find(({ type }) => type === "message_delta");
    expect(end).toMatchObject({ usage: whole.usage, tutti: { cost_usd: whole.tutti.cost_usd } });
    expect(events.at(-1)!.type).toBe("message_stop");
  });

  it("comes after thoughts of what the team does, by the client's own stream helper", async () => {
    const client = connect(await start());
    const stream = client.messages.stream(ASKED);
    const order: string[] = [];
    stream.on("thinking", () => void order.push("thinking")).on("text", () => void order.push("text"));
    const final = await stream.finalMessage();
    expect(final.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
    expect(textOf(final.content)).toBe(ANSWER);
    expect(final.usage).toMatchObject(USAGE);
    expect(order.lastIndexOf("thinking")).toBeLessThan(order.indexOf("text"));
    expect(JSON.stringify(final.content[0])).toContain("Think about it.");
    // The thought came from no model: it can be sent back and is left out.
    const next = await client.messages.create({
      ...ASKED,
      messages: [QUESTION, { role: "assistant", content: final.content }, { role: "user", content: "And?" }],
    });
    expect(textOf(next.content)).toBe(ANSWER);
  });

  it("comes without them where they are not wanted, and with them in a whole reply where they are", async () => {
    const client = connect(await start());
    const types = ({ content }: { content: ContentBlock[] }) => content.map(({ type }) => type);
    const off = { headers: { "x-tutti-progress": "off" } };
    expect(types(await client.messages.stream(ASKED, off).finalMessage())).toEqual(["text"]);
    expect(types(await client.messages.create({ ...ASKED, ...THINKING }))).toEqual(["thinking", "text"]);
    const disabled = { ...ASKED, thinking: { type: "disabled" as const } };
    expect(types(await client.messages.stream(disabled).finalMessage())).toEqual(["text"]);
  });

  it.each([
    ["tutti-fast", ["alpha"] as const],
    ["tutti-ultra", ["planner", "beta", "gamma", "alpha", "planner"] as const],
    ["stub/alpha", ["alpha"] as const],
  ])("by %s has the usage of those who were asked", async (model, asked) => {
    const gateway = await start();
    const client = connect(gateway);
    const whole = await client.messages.create({ ...ASKED, model });
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual(asked);
    expect(textOf(whole.content)).toBe(ANSWER);
    expect(whole.usage).toMatchObject({ ...USAGE, total_tokens: OWN.total });
    expect(toWhole(whole.usage)).toBe(sumOf(...asked).total);
    const events = await readEvents(await client.messages.create({ ...ASKED, model, stream: true }));
    expect(events.find(({ type }) => type === "message_delta")).toMatchObject({ usage: whole.usage });
  });

  it("says when it was cut by its limit of tokens", async () => {
    const client = connect(await start({ answer: () => ({ text: "Six times", finishReason: "length" }) }));
    const cut = { stop_reason: "max_tokens" };
    expect(await client.messages.create(ASKED)).toMatchObject(cut);
    expect(await client.messages.stream(ASKED).finalMessage()).toMatchObject(cut);
  });
});

describe("what is asked", () => {
  const IMAGE = {
    type: "image" as const,
    source: { type: "base64" as const, media_type: "image/png" as const, data: PIXEL },
  };
  const request = {
    max_tokens: 77,
    system: [
      { type: "text" as const, text: "Speak like a pirate.", cache_control: { type: "ephemeral" as const } },
    ],
    messages: [
      { role: "user" as const, content: "Hello" },
      { role: "assistant" as const, content: "Ahoy" },
      {
        role: "user" as const,
        content: [{ type: "text" as const, text: "What is in this picture?" }, IMAGE],
      },
    ],
    stop_sequences: ["END"],
    temperature: 0.25,
  };
  const image = { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } };

  it("reaches the last step: turns, system prompt, images; settings reach nobody else", async () => {
    const gateway = await start();
    await connect(gateway).messages.create({ model: "tutti", ...request });
    const [last] = gateway.askedOf("alpha");
    expect(last!.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(last!.messages[0]!.content).toBe("Speak like a pirate.");
    const said = JSON.stringify(last!.messages);
    for (const words of ["Hello", "Ahoy", "What is in this picture?"]) expect(said).toContain(words);
    expect(last!.messages[3]!.content).toContainEqual(image);
    expect(last!.body).toMatchObject({ stop: ["END"], max_tokens: 77, temperature: 0.25 });
    const [first] = gateway.askedOf("beta");
    expect(first!.body.stop).toBeUndefined();
    expect(first!.body.temperature).toBeUndefined();
    expect(first!.body.max_tokens).not.toBe(77);
  });

  it("of one model is translated into its dialect", async () => {
    const gateway = await start();
    await connect(gateway).messages.create({ model: "stub/alpha", ...request });
    const { messages, body } = gateway.askedOf("alpha")[0]!;
    expect(messages).toEqual([
      { role: "system", content: "Speak like a pirate." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Ahoy" },
      { role: "user", content: [{ type: "text", text: "What is in this picture?" }, image] },
    ]);
    expect(body).toMatchObject({ stop: ["END"], max_tokens: 77, temperature: 0.25 });
  });
});

describe("tools of the client", () => {
  it.each([false, true])(
    "are called by the client's own runner until there is an answer, streamed: %s",
    async (stream) => {
      const gateway = await start({ answer: askWeather("Paris", "Rome") });
      const called: string[] = [];
      const weather = betaZodTool({
        name: "weather",
        description: "The weather of a city.",
        inputSchema: z.object({ city: z.string() }),
        run: ({ city }) => {
          called.push(city);
          return `rain in ${city}`;
        },
      });
      const runner = connect(gateway).beta.messages.toolRunner({ ...ASKED, tools: [weather], stream });
      const final = await runner.runUntilDone();
      expect(textOf(final.content as ContentBlock[])).toBe("It says: rain in Paris, rain in Rome.");
      expect(called).toEqual(["Paris", "Rome"]);
      expect(gateway.upstream.requests.map(({ model }) => model)).toEqual([
        "planner",
        "beta",
        "gamma",
        "alpha",
        "alpha",
      ]);
      expect(gateway.askedOf("beta")[0]!.body.tools).toBeUndefined();
    },
  );

  it("return by hand, with words beside them and one of them an error", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const client = connect(gateway);
    const first = await client.messages.create({ ...ASKED, tools: [TOOL] });
    expect(first.stop_reason).toBe("tool_use");
    const [paris, rome] = callsOf(first.content);
    expect([paris!.input, rome!.input]).toEqual([{ city: "Paris" }, { city: "Rome" }]);
    const second = await client.messages.create({
      ...ASKED,
      tools: [TOOL],
      messages: [
        QUESTION,
        { role: "assistant", content: first.content },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: paris!.id, content: [{ type: "text", text: "rain" }] },
            { type: "tool_result", tool_use_id: rome!.id, is_error: true, content: "no such city" },
            { type: "text", text: "Be quick." },
          ],
        },
      ],
    });
    expect(textOf(second.content)).toBe("It says: rain, error: no such city.");
    expect(gateway.askedOf("planner")).toHaveLength(1);
    expect(gateway.askedOf("alpha")[1]!.messages.at(-1)).toEqual({ role: "user", content: "Be quick." });
    expect(second.usage).toMatchObject({ ...USAGE, total_tokens: OWN.total });
  });

  it("are forced, also of one model that is translated", async () => {
    const gateway = await start({ answer: askWeather("Paris") });
    const forced = { tools: [TOOL], tool_choice: { type: "tool" as const, name: "weather" } };
    const reply = await connect(gateway).messages.create({ ...ASKED, model: "stub/alpha", ...forced });
    expect(callsOf(reply.content)).toHaveLength(1);
    expect(gateway.askedOf("alpha")[0]!.body.tool_choice).toEqual({
      type: "function",
      function: { name: "weather" },
    });
  });
});

describe("structured output", () => {
  const Sum = z.object({ sum: z.number(), steps: z.array(z.string()) });
  const request = { ...ASKED, output_config: { format: zodOutputFormat(Sum) } };
  const RIGHT = '{"sum": 42, "steps": ["6 × 7"]}';

  it("is taken out of a fence", async () => {
    const gateway = await start({ answer: () => `Here it is:\n\`\`\`json\n${RIGHT}\n\`\`\`` });
    expect((await connect(gateway).messages.parse(request)).parsed_output).toEqual(JSON.parse(RIGHT));
    expect(gateway.askedOf("alpha")).toHaveLength(1);
  });

  it("that is wrong once is asked for again", async () => {
    const gateway = await start({
      answer: ({ countByModel }) => (countByModel % 2 === 0 ? '{"sum": "many"}' : RIGHT),
    });
    expect((await connect(gateway).messages.parse(request)).parsed_output).toEqual(JSON.parse(RIGHT));
    const streamed = await connect(gateway).messages.stream(request).finalMessage();
    expect(streamed.parsed_output).toEqual(JSON.parse(RIGHT));
    expect(gateway.askedOf("alpha")).toHaveLength(4);
  });

  it("that is wrong twice is an error, which the client does not repeat", async () => {
    const gateway = await start({ answer: () => '{"sum": "many"}' });
    const counted = countFetches();
    const client = connect(gateway, "none", { fetch: counted.fetch });
    const error = await client.messages.parse(request).catch((error) => error);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 422, type: "invalid_request_error" });
    expect(counted.sent).toBe(1);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
  });
});

describe("what else its clients ask for", () => {
  it("models, and about how many tokens a request has", async () => {
    const client = connect(await start());
    const names: string[] = [];
    for await (const { id, type } of client.models.list()) names.push(`${type} ${id}`);
    expect(names).toEqual(expect.arrayContaining(["model tutti", "model tutti-fast", "model stub/alpha"]));
    expect(await client.models.retrieve("stub/alpha")).toMatchObject({ type: "model", id: "stub/alpha" });
    const { input_tokens } = await client.messages.countTokens({ model: "tutti", messages: [QUESTION] });
    expect(input_tokens).toBeGreaterThan(0);
  });

  it("HEAD /, and fields and a query that only Anthropic knows", async () => {
    const gateway = await start();
    const head = await fetch(gateway.url, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const reply = await gateway.post("/v1/messages?beta=true", {
      ...ASKED,
      thinking: { type: "adaptive" },
      context_management: { edits: [{ type: "clear_thinking_20251015" }] },
      output_config: { effort: "medium" },
      metadata: { user_id: "ada" },
      tools: [
        { type: "web_search_20250305", name: "web_search" },
        { ...TOOL, defer_loading: true },
      ],
    });
    expect(reply.status).toBe(200);
  });

  it("either kind of key, and both at once", async () => {
    const gateway = await start({ keys: [{ name: "a" }] });
    const [secret] = gateway.secrets;
    const { messages } = connect(gateway, secret);
    const bearer = new Anthropic({ baseURL: gateway.url, apiKey: null, authToken: secret! });
    expect(textOf((await messages.create(ASKED)).content)).toBe(ANSWER);
    expect(textOf((await bearer.messages.create(ASKED)).content)).toBe(ANSWER);
    const both = { "x-api-key": secret!, authorization: `Bearer ${secret}` };
    expect((await gateway.post("/v1/messages", ASKED, both)).status).toBe(200);
  });
});
