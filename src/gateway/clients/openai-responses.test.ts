// The real `openai` client, Responses, against the real gateway over a socket.

import { APIError, NotFoundError } from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import type { Response as Reply, ResponseInputItem } from "openai/resources/responses/responses";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  connectOpenAI as connect,
  type Extra,
  lastOf,
  readEvents,
  textOf,
} from "../../testing/gateway/openai.ts";
import {
  ANSWER,
  askOneByOne,
  askWeather,
  countFetches,
  OTHERS,
  OWN,
  PIXEL,
  sumOf,
  toWhole,
  useTeams,
  WHOLE,
} from "../../testing/team.ts";

const start = useTeams();

const ASKED = { model: "tutti", input: "What is 6 × 7?" };
const USAGE = {
  input_tokens: OWN.input,
  output_tokens: OWN.output,
  total_tokens: OWN.total,
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
    expect(toWhole(whole.usage!)).toBe(sumOf(...asked).total);
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
    expect(last!.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(last!.messages[0]!.content).toBe("Speak like a pirate.");
    const said = JSON.stringify(last!.messages);
    for (const words of ["Hello", "Ahoy", "What is in this picture?"]) expect(said).toContain(words);
    expect(last!.messages[3]!.content).toContainEqual({ type: "image_url", image_url: { url } });
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
    const gateway = await start({ answer: askOneByOne(...cities) });
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
    expect(replies.map(({ usage }) => toWhole(usage!))).toEqual([
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
