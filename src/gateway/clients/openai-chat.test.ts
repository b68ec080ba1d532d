// The real `openai` client, Chat Completions, against the real gateway over a socket.

import { APIError, NotFoundError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { connectOpenAI as connect, type Extra } from "../../testing/gateway/openai.ts";
import {
  ANSWER,
  askOneByOne,
  askWeather,
  OTHERS,
  OWN,
  PIXEL,
  sumOf,
  toWhole,
  useTeams,
  WHOLE,
} from "../../testing/team.ts";

const start = useTeams();

const ASKED = { messages: [{ role: "user" as const, content: "What is 6 × 7?" }] };
const USAGE = {
  prompt_tokens: OWN.input,
  completion_tokens: OWN.output,
  total_tokens: OWN.total,
  prompt_tokens_details: {
    cached_tokens: OWN.cached,
    orchestration_input_tokens: OTHERS.input,
    orchestration_input_cached_tokens: OTHERS.cached,
  },
  completion_tokens_details: {
    reasoning_tokens: OWN.reasoning,
    orchestration_output_tokens: OTHERS.output,
  },
};

interface Thinking {
  reasoning_content?: string;
}

async function readChunks(stream: AsyncIterable<ChatCompletionChunk>) {
  const chunks: (ChatCompletionChunk & Partial<Extra>)[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const deltas = chunks.flatMap(({ choices }) =>
    choices.map(({ delta }) => delta as typeof delta & Thinking),
  );
  return {
    chunks,
    text: deltas.map(({ content }) => content ?? "").join(""),
    progress: deltas.flatMap(({ reasoning_content }) => reasoning_content ?? []),
    /** Positions of chunks. */
    lastThought: deltas.findLastIndex(({ reasoning_content }) => reasoning_content),
    firstWord: deltas.findIndex(({ content }) => content),
    usage: chunks.findLast(({ usage }) => usage)?.usage,
    tutti: chunks.findLast(({ tutti }) => tutti)?.tutti,
    finish: chunks.findLast(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason,
  };
}

describe("an answer of a team", () => {
  it("is the same whole and streamed: text, usage, cost", async () => {
    const gateway = await start();
    const client = connect(gateway);
    const { data, response, request_id } = await client.chat.completions
      .create({ model: "tutti", ...ASKED })
      .withResponse();
    const whole = data as typeof data & Extra;
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: ANSWER } });
    expect(whole.usage).toEqual(USAGE);
    expect(request_id).toMatch(/^req_/);
    expect(whole.tutti).toMatchObject({ calls: 3, stop_reason: "done" });
    expect(whole.tutti!.cost_usd).toBeCloseTo(WHOLE.costUsd, 12);
    expect(Number(response.headers.get("x-tutti-cost-usd"))).toBeCloseTo(WHOLE.costUsd, 9);
    expect(response.headers.get("x-tutti-run-id")).toBe(whole.tutti!.run_id);

    const stream = await client.chat.completions.create({
      model: "tutti",
      ...ASKED,
      stream: true,
      stream_options: { include_usage: true },
    });
    const streamed = await readChunks(stream);
    expect(streamed).toMatchObject({ text: ANSWER, usage: USAGE, finish: "stop" });
    expect(streamed.tutti!.cost_usd).toBe(whole.tutti!.cost_usd);
    expect(streamed.progress.length).toBeGreaterThan(3);
    expect(streamed.progress.join("")).toContain("Think about it.");
    expect(streamed.lastThought).toBeLessThan(streamed.firstWord);
    expect(new Set(streamed.chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("streams without progress where that is not wanted, and without usage unless it is", async () => {
    const client = connect(await start(), "none", { defaultHeaders: { "x-tutti-progress": "off" } });
    const stream = await client.chat.completions.create({ model: "tutti", ...ASKED, stream: true });
    expect(await readChunks(stream)).toMatchObject({ text: ANSWER, progress: [], usage: undefined });
  });

  it("is read by the client's own stream helper", async () => {
    const client = connect(await start());
    const runner = client.chat.completions.stream({ model: "tutti", ...ASKED });
    expect(await runner.finalContent()).toBe(ANSWER);
    expect((await runner.finalChatCompletion()).choices[0]!.finish_reason).toBe("stop");
  });

  it.each([
    ["tutti-fast", ["alpha"] as const],
    ["tutti-ultra", ["planner", "beta", "gamma", "alpha", "planner"] as const],
    ["stub/alpha", ["alpha"] as const],
  ])("by %s has the usage of those who were asked", async (model, asked) => {
    const gateway = await start();
    const client = connect(gateway);
    const whole = await client.chat.completions.create({ model, ...ASKED });
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual(asked);
    expect(whole.choices[0]!.message.content).toBe(ANSWER);
    const total = sumOf(...asked).total;
    const { usage } = whole;
    // Of one model it is passed on as its server says it, here without a total.
    expect(usage!.total_tokens === undefined ? OWN.total : toWhole(usage!)).toBe(total);
    const stream = await client.chat.completions.create({
      model,
      ...ASKED,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(await readChunks(stream)).toMatchObject({ text: ANSWER, usage });
  });

  it("says when it was cut by its limit of tokens", async () => {
    const client = connect(await start({ answer: () => ({ text: "Six times", finishReason: "length" }) }));
    const { choices } = await client.chat.completions.create({ model: "tutti", ...ASKED, max_tokens: 2 });
    expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: "Six times" } });
  });
});

describe("what is asked", () => {
  it("reaches the last step: turns, system prompt, images; settings reach nobody else", async () => {
    const gateway = await start();
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${PIXEL}` } };
    await connect(gateway).chat.completions.create({
      model: "tutti",
      messages: [
        { role: "system", content: "Speak like a pirate." },
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Ahoy" },
        { role: "user", content: [{ type: "text", text: "What is in this picture?" }, image] },
      ],
      stop: ["END"],
      max_completion_tokens: 77,
      temperature: 0.25,
      seed: 7,
    });
    const [last] = gateway.askedOf("alpha");
    // The conversation itself, so that its prefix stays in the provider's cache; the team's work is at its end.
    expect(last!.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(last!.messages[0]!.content).toBe("Speak like a pirate.");
    const said = JSON.stringify(last!.messages);
    for (const words of ["Hello", "Ahoy", "What is in this picture?"]) expect(said).toContain(words);
    expect(last!.messages[3]!.content).toContainEqual(image);
    expect(last!.body).toMatchObject({ stop: ["END"], max_tokens: 77, temperature: 0.25 });
    for (const model of ["beta", "gamma"] as const) {
      const [asked] = gateway.askedOf(model);
      expect(asked!.body.stop).toBeUndefined();
      expect(asked!.body.temperature).toBeUndefined();
      expect(asked!.body.max_tokens).not.toBe(77);
      expect(JSON.stringify(asked!.messages)).toContain(PIXEL);
    }
  });

  it("twice with the same seed asks with the same seeds", async () => {
    const gateway = await start();
    const client = connect(gateway);
    for (const seed of [7, 7, 8]) await client.chat.completions.create({ model: "tutti", ...ASKED, seed });
    const [first, second, third] = gateway.askedOf("alpha").map(({ body }) => body.seed);
    expect(first).toBeTypeOf("number");
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it("of one model goes through with every field as it was", async () => {
    const gateway = await start();
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${PIXEL}` } };
    const messages = [{ role: "user" as const, content: [image] }];
    const fields = { stop: ["END"], seed: 7, logit_bias: { "5": 1 }, top_p: 0.5, n: 1, max_tokens: 9 };
    await connect(gateway).chat.completions.create({ model: "stub/alpha", messages, ...fields });
    expect(gateway.asked()[0]!.body).toEqual({ model: "alpha", messages, ...fields });
  });
});

describe("tools of the client", () => {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools: ChatCompletionTool[] = [{ type: "function", function: { name: "weather", parameters } }];

  it("are called by the client's own helper until there is an answer", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const called: string[] = [];
    const runner = connect(gateway).chat.completions.runTools({
      model: "tutti",
      ...ASKED,
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "The weather of a city.",
            parameters,
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => {
              called.push(city);
              return `rain in ${city}`;
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe("It says: rain in Paris, rain in Rome.");
    expect(called).toEqual(["Paris", "Rome"]);
    // Of both replies together: the last step twice, the team stands beside.
    expect((await runner.totalUsage()).total_tokens).toBe(2 * OWN.total);
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual([
      "planner",
      "beta",
      "gamma",
      "alpha",
      "alpha",
    ]);
    expect(gateway.askedOf("beta")[0]!.body.tools).toBeUndefined();
  });

  it("are called in a stream, with their arguments in pieces", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const client = connect(gateway);
    const runner = client.chat.completions.stream({ model: "tutti", ...ASKED, tools });
    const message = await runner.finalMessage();
    const calls = message.tool_calls!.flatMap((call) => (call.type === "function" ? [call] : []));
    expect(calls.map((call) => JSON.parse(call.function.arguments))).toEqual([
      { city: "Paris" },
      { city: "Rome" },
    ]);
    expect((await runner.finalChatCompletion()).choices[0]!.finish_reason).toBe("tool_calls");
    const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sun" }));
    const next = client.chat.completions.stream({
      model: "tutti",
      messages: [...ASKED.messages, message, ...results],
      tools,
    });
    expect(await next.finalContent()).toBe("It says: sun, sun.");
    expect(gateway.askedOf("planner")).toHaveLength(1);
  });

  it.each(["tutti", "tutti-fast", "tutti-ultra", "stub/alpha"])(
    "are called by %s again and again, with words beside them",
    async (model) => {
      const cities = ["Paris", "Rome", "Oslo"];
      const gateway = await start({ answer: askOneByOne(...cities) });
      const client = connect(gateway);
      const messages: ChatCompletionMessageParam[] = [...ASKED.messages];
      const said: (string | null)[] = [];
      for (;;) {
        const stream = client.chat.completions.stream({ model, messages, tools });
        const message = await stream.finalMessage();
        said.push(message.content);
        messages.push(message);
        if (!message.tool_calls?.length) break;
        for (const { id } of message.tool_calls)
          messages.push({ role: "tool", tool_call_id: id, content: "rain" });
      }
      expect(said).toEqual([...cities.map((city) => `Looking at ${city}.`), "All seen."]);
      expect(gateway.askedOf("alpha")).toHaveLength(4);
      const plans = { tutti: 1, "tutti-ultra": 1 }[model] ?? 0;
      expect(gateway.askedOf("planner")).toHaveLength(plans);
      // Where more may be taken, the answer is verified with what the tools returned in sight.
      const checks = gateway
        .askedOf("beta")
        .filter(({ messages: told }) => JSON.stringify(told).includes("VERDICT"));
      expect(checks).toHaveLength(model === "tutti-ultra" ? 1 : 0);
      for (const { messages: told } of checks) expect(JSON.stringify(told)).toContain("rain");
    },
  );
});

describe("structured output", () => {
  const Sum = z.object({ sum: z.number(), steps: z.array(z.string()) });
  const request = { model: "tutti", ...ASKED, response_format: zodResponseFormat(Sum, "sum") };
  const RIGHT = '{"sum": 42, "steps": ["6 × 7"]}';

  it("is taken out of a fence", async () => {
    const gateway = await start({ answer: () => `Here it is:\n\`\`\`json\n${RIGHT}\n\`\`\`` });
    const { choices } = await connect(gateway).chat.completions.parse(request);
    expect(choices[0]!.message.parsed).toEqual({ sum: 42, steps: ["6 × 7"] });
    expect(gateway.askedOf("alpha")).toHaveLength(1);
    expect(gateway.askedOf("beta")[0]!.body.response_format).toBeUndefined();
  });

  it("that is wrong once is asked for again, whole and streamed", async () => {
    const gateway = await start({
      answer: ({ countByModel }) => (countByModel % 2 === 0 ? '{"sum": "many"}' : RIGHT),
    });
    const client = connect(gateway);
    const whole = await client.chat.completions.parse(request);
    expect(whole.choices[0]!.message.parsed).toEqual({ sum: 42, steps: ["6 × 7"] });
    expect(toWhole(whole.usage!)).toBe(sumOf("planner", "beta", "gamma", "alpha", "alpha").total);
    const again = gateway.askedOf("alpha")[1]!.messages;
    expect(JSON.stringify(again)).toContain("many");
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]!.message.parsed).toEqual({ sum: 42, steps: ["6 × 7"] });
    expect(gateway.askedOf("alpha")).toHaveLength(4);
  });

  it("that is wrong twice is an error, which the client does not repeat", async () => {
    const gateway = await start({ answer: () => '{"sum": "many"}' });
    const error = await connect(gateway)
      .chat.completions.parse(request)
      .catch((error) => error);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 422, code: "invalid_output" });
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual([
      "planner",
      "beta",
      "gamma",
      "alpha",
      "alpha",
    ]);
  });
});

describe("models", () => {
  it("are listed and found", async () => {
    const client = connect(await start());
    const names = (await client.models.list()).data.map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(["tutti", "tutti-fast", "tutti-ultra", "stub/alpha"]));
    expect(await client.models.retrieve("stub/alpha")).toMatchObject({ id: "stub/alpha", owned_by: "stub" });
    await expect(client.models.retrieve("nobody")).rejects.toBeInstanceOf(NotFoundError);
  });
});
