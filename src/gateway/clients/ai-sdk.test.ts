// The AI SDK with its three ways to speak to us (OpenAI's Responses, which is its default, Chat Completions, and
// Anthropic's Messages) against the real gateway over a socket.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  APICallError,
  generateObject,
  generateText,
  type LanguageModel,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ANSWER,
  askWeather,
  OWN,
  PIXEL,
  sumOf,
  type TeamGateway,
  toWhole,
  useTeams,
  WHOLE,
} from "../../testing/team.ts";

const start = useTeams();

type Connect = (
  gateway: TeamGateway,
  options?: { apiKey?: string; headers?: Record<string, string> },
) => (model: string) => LanguageModel;

const DOORS: [name: string, connect: Connect][] = [
  [
    "responses",
    ({ baseURL }, { apiKey = "none", headers } = {}) =>
      (model) =>
        createOpenAI({ baseURL, apiKey, headers })(model),
  ],
  [
    "chat",
    ({ baseURL }, { apiKey = "none", headers } = {}) =>
      createOpenAICompatible({
        name: "tutti",
        baseURL,
        apiKey,
        headers,
        includeUsage: true,
        supportsStructuredOutputs: true,
      }),
  ],
  [
    "messages",
    ({ baseURL }, { apiKey = "none", headers } = {}) => createAnthropic({ baseURL, apiKey, headers }),
  ],
];

const ASKED = { prompt: "What is 6 × 7?", maxOutputTokens: 500 };
const WEATHER = (called: string[]) =>
  tool({
    description: "The weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: ({ city }) => {
      called.push(city);
      return `rain in ${city}`;
    },
  });

interface RawUsage {
  total_tokens?: number;
}

/** Errors are looked at by the tests, not by the console. */
const quiet = { onError: () => {} };

async function readStream(model: LanguageModel, options: object = {}) {
  const result = streamText({ model, ...ASKED, ...quiet, ...options });
  const types: string[] = [];
  const thoughts: string[] = [];
  const errors: unknown[] = [];
  let text = "";
  for await (const part of result.fullStream) {
    types.push(part.type);
    if (part.type === "text-delta") text += part.text;
    if (part.type === "reasoning-delta") thoughts.push(part.text);
    if (part.type === "error") errors.push(part.error);
  }
  return { types, text, thoughts, errors, result };
}

describe.each(DOORS)("through %s", (_, connect) => {
  it("an answer is the same whole and streamed, and comes after what the team does", async () => {
    const gateway = await start();
    const model = connect(gateway)("tutti");
    const whole = await generateText({ model, ...ASKED });
    expect(whole).toMatchObject({ text: ANSWER, finishReason: "stop" });
    expect(whole.usage).toMatchObject({ inputTokens: OWN.input, outputTokens: OWN.output });
    expect(whole.usage.inputTokenDetails.cacheReadTokens).toBe(OWN.cached);
    expect(toWhole(whole.usage.raw as RawUsage)).toBe(WHOLE.total);
    const { text, types, thoughts, errors, result } = await readStream(model);
    expect({ text, errors }).toEqual({ text: ANSWER, errors: [] });
    expect(thoughts.join("")).toContain("Think about it.");
    expect(types.lastIndexOf("reasoning-delta")).toBeLessThan(types.indexOf("text-delta"));
    expect(await result.usage).toMatchObject({ inputTokens: OWN.input, outputTokens: OWN.output });
    expect(await result.finishReason).toBe("stop");
    expect(gateway.askedOf("planner")).toHaveLength(2);
  });

  it("what the team does is not told where that is not wanted", async () => {
    const model = connect(await start(), { headers: { "x-tutti-progress": "off" } })("tutti");
    expect(await readStream(model)).toMatchObject({ text: ANSWER, thoughts: [] });
    expect((await generateText({ model, ...ASKED })).reasoningText).toBeUndefined();
  });

  it.each([
    ["tutti-fast", ["alpha"] as const],
    ["tutti-ultra", ["planner", "beta", "gamma", "alpha", "planner"] as const],
    ["stub/alpha", ["alpha"] as const],
  ])("%s asks those it should", async (id, asked) => {
    const gateway = await start();
    const { text, usage } = await generateText({ model: connect(gateway)(id), ...ASKED });
    expect(text).toBe(ANSWER);
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual(asked);
    const raw = usage.raw as RawUsage;
    expect(raw.total_tokens === undefined ? OWN.total : toWhole(raw)).toBe(sumOf(...asked).total);
  });

  it("turns, a system prompt and an image reach the last step, settings nobody else", async () => {
    const gateway = await start();
    await generateText({
      model: connect(gateway)("tutti"),
      system: "Speak like a pirate.",
      messages: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Ahoy" },
        {
          role: "user",
          content: [
            { type: "text", text: "What is in this picture?" },
            { type: "image", image: Buffer.from(PIXEL, "base64") },
          ],
        },
      ],
      maxOutputTokens: 77,
      temperature: 0.25,
    });
    const [last] = gateway.askedOf("alpha");
    expect(last!.messages[0]).toEqual({ role: "system", content: "Speak like a pirate." });
    const said = JSON.stringify(last!.messages);
    for (const words of ["Hello", "Ahoy", "What is in this picture?"]) expect(said).toContain(words);
    const url = `data:image/png;base64,${PIXEL}`;
    expect(last!.messages[3]!.content).toContainEqual({ type: "image_url", image_url: { url } });
    expect(last!.body).toMatchObject({ max_tokens: 77, temperature: 0.25 });
    expect(gateway.askedOf("beta")[0]!.body.temperature).toBeUndefined();
  });

  it("its own loop calls two tools at once, goes on to the answer, and the conversation goes on after it", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const called: string[] = [];
    const settings = { tools: { weather: WEATHER(called) }, stopWhen: stepCountIs(5), maxOutputTokens: 500 };
    const messages: ModelMessage[] = [{ role: "user", content: "How is the weather?" }];
    const first = await generateText({ model: connect(gateway)("tutti"), messages, ...settings });
    expect(first.text).toBe("It says: rain in Paris, rain in Rome.");
    expect(called).toEqual(["Paris", "Rome"]);
    expect(first.steps).toHaveLength(2);
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual([
      "planner",
      "beta",
      "gamma",
      "alpha",
      "alpha",
    ]);
    const totals = first.steps.map(({ usage }) => toWhole(usage.raw as RawUsage));
    expect(totals).toEqual([WHOLE.total, OWN.total]);

    // With `store` by default, Responses gets mere references to what was said: they must mean it.
    messages.push(...first.response.messages, { role: "user", content: "Thanks. And tomorrow?" });
    await generateText({ model: connect(gateway)("stub/alpha"), messages, ...settings });
    const later = gateway.askedOf("alpha").at(-1)!.messages;
    expect(later.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "user"]);
    expect(later.at(-2)!.content).toBe(first.text);
  });

  it("its own loop streams", async () => {
    const gateway = await start({ answer: askWeather("Paris", "Rome") });
    const called: string[] = [];
    const { text, types, errors } = await readStream(connect(gateway)("tutti"), {
      tools: { weather: WEATHER(called) },
      stopWhen: stepCountIs(5),
    });
    expect({ text, errors, called }).toEqual({
      text: "It says: rain in Paris, rain in Rome.",
      errors: [],
      called: ["Paris", "Rome"],
    });
    expect(types.filter((type) => type === "tool-result")).toHaveLength(2);
    expect(gateway.askedOf("planner")).toHaveLength(1);
  });

  it("errors have a status, and nothing that failed once for good is asked again", async () => {
    const fault = { status: 500, body: { error: { message: "out of order" } } };
    const gateway = await start({ others: () => fault, keys: [{ name: "a" }] });
    const ask = (apiKey: string, id: string) =>
      generateText({ model: connect(gateway, { apiKey })(id), ...ASKED, maxRetries: 0 }).catch(
        (error: unknown) => error,
      );
    const secret = gateway.secrets[0]!;
    expect(await ask("sk-tutti-wrong", "tutti")).toMatchObject({ statusCode: 401, isRetryable: false });
    const unknown = await ask(secret, "tuti");
    expect(unknown).toBeInstanceOf(APICallError);
    expect(unknown).toMatchObject({ statusCode: 404, isRetryable: false });
    expect((unknown as APICallError).message).toContain("tutti");
    expect(gateway.upstream.requests).toHaveLength(0);
    const broken = await ask(secret, "stub/beta");
    expect(broken).toBeInstanceOf(APICallError);
    expect((broken as APICallError).statusCode).toBeGreaterThanOrEqual(500);
  });

  it("a stream that breaks off is an error, not an end", async () => {
    const gateway = await start({ answer: () => ({ cutAfter: "Six times" }) });
    const { text, errors, types } = await readStream(connect(gateway)("tutti"), { maxRetries: 0 });
    expect(text).toBe("Six times");
    expect(errors).toHaveLength(1);
    expect(types).toContain("error");
    expect(JSON.stringify(errors[0], Object.getOwnPropertyNames(errors[0] as object))).toMatch(/broke off/);
  });
});

describe("a response by its id", () => {
  it("is what the next one goes on from", async () => {
    const gateway = await start();
    const { responses } = createOpenAI({ baseURL: gateway.baseURL, apiKey: "none" });
    const first = await generateText({ model: responses("tutti"), ...ASKED });
    const previousResponseId = first.providerMetadata!.openai!.responseId!;
    await generateText({
      model: responses("stub/alpha"),
      prompt: "And twice that?",
      providerOptions: { openai: { previousResponseId } },
    });
    expect(gateway.askedOf("alpha").at(-1)!.messages).toEqual([
      { role: "user", content: ASKED.prompt },
      { role: "assistant", content: ANSWER },
      { role: "user", content: "And twice that?" },
    ]);
  });
});

describe("structured output", () => {
  const schema = z.object({ sum: z.number(), steps: z.array(z.string()) });
  const RIGHT = { sum: 42, steps: ["6 × 7"] };
  const doors = DOORS.filter(([name]) => name !== "messages");

  it.each(doors)("through %s is taken out of a fence", async (_, connect) => {
    const gateway = await start({ answer: () => `\`\`\`json\n${JSON.stringify(RIGHT)}\n\`\`\`` });
    const model = connect(gateway)("tutti");
    expect((await generateObject({ model, schema, ...ASKED })).object).toEqual(RIGHT);
    const { output } = await generateText({ model, ...ASKED, output: Output.object({ schema }) });
    expect(output).toEqual(RIGHT);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
  });

  it.each(doors)("through %s is asked for again, once", async (_, connect) => {
    const gateway = await start({
      answer: ({ countByModel }) => (countByModel === 1 ? JSON.stringify(RIGHT) : '{"sum": "many"}'),
    });
    const model = connect(gateway)("tutti");
    expect((await generateObject({ model, schema, ...ASKED })).object).toEqual(RIGHT);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
    // The SDK repeats what may get better by itself: this does not.
    const error = await generateObject({ model, schema, ...ASKED }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(APICallError);
    expect(error).toMatchObject({ statusCode: 422, isRetryable: false });
    expect(gateway.askedOf("alpha")).toHaveLength(4);
  });

  it.each(doors)("through %s comes after calls of tools too", async (_, connect) => {
    const weather = askWeather("Paris", "Rome");
    const gateway = await start({
      answer: (request) => {
        const reply = weather(request);
        return typeof reply === "string" ? JSON.stringify(RIGHT) : reply;
      },
    });
    const called: string[] = [];
    const { output, steps } = await generateText({
      model: connect(gateway)("tutti"),
      ...ASKED,
      tools: { weather: WEATHER(called) },
      stopWhen: stepCountIs(5),
      output: Output.object({ schema }),
    });
    expect(output).toEqual(RIGHT);
    expect(called).toEqual(["Paris", "Rome"]);
    expect(steps).toHaveLength(2);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
  });

  it("through messages is a tool that must be called", async () => {
    const gateway = await start({
      answer: ({ body }) => {
        const [first] = body.tools as { function: { name: string } }[];
        return {
          text: "",
          toolCalls: [{ id: "a", name: first!.function.name, arguments: JSON.stringify(RIGHT) }],
        };
      },
    });
    const model = createAnthropic({ baseURL: gateway.baseURL, apiKey: "none" })("tutti");
    expect((await generateObject({ model, schema, ...ASKED })).object).toEqual(RIGHT);
  });
});
