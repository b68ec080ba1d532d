// The bytes of this dialect, over a socket, to the clients that people have.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, type ModelMessage, streamText, tool } from "ai";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { isTuttiError, TuttiError } from "../../../base/errors.ts";
import { makeOutcome } from "../../../testing/gateway/responses-outcome.ts";
import type { GatewayRequest, ReplyHead, ReplyOutcome } from "../../types.ts";
import { openStream } from "../open-stream.ts";
import { responsesDialect } from "./dialect.ts";
import { toOutputItems } from "./object.ts";
import { expandReferences, readReferences } from "./references.ts";

type Reply = Partial<ReplyOutcome> | TuttiError;

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** Answers each request as this dialect would, and keeps what was read of it. */
async function serve(reply: (request: GatewayRequest, turn: number) => Reply) {
  const requests: GatewayRequest[] = [];
  const bodies: Record<string, unknown>[] = [];
  const outcomes: ReplyOutcome[] = [];
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    try {
      const body = JSON.parse(text);
      bodies.push(body);
      const known = outcomes.filter(({ head }) => readReferences(body).includes(head.id));
      const expanded = expandReferences(body, known.flatMap(toOutputItems));
      const request = responsesDialect.parseRequest(expanded, () => undefined);
      requests.push(request);
      const turn = requests.length;
      const head: ReplyHead = {
        id: `resp_run${turn}`,
        runId: `r_run${turn}`,
        createdAt: 1_795_000_000_000,
        request,
      };
      const given = reply(request, turn);
      if (!request.isStream && isTuttiError(given)) throw given;
      const outcome = makeOutcome({ ...(isTuttiError(given) ? {} : given), head });
      outcomes.push(outcome);
      if (!request.isStream) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(responsesDialect.toReply(outcome)));
        return;
      }
      const encoder = openStream(responsesDialect, head);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(encoder.begin());
      for (const line of outcome.progress) response.write(encoder.progress(line));
      response.write(encoder.keepAlive());
      for (const piece of outcome.text.match(/.{1,4}/gsu) ?? []) response.write(encoder.text(piece));
      response.end(isTuttiError(given) ? encoder.fail(given) : encoder.end(outcome));
    } catch (error) {
      const shown = responsesDialect.toError(
        isTuttiError(error) ? error : new TuttiError("internal", String(error)),
      );
      response.writeHead(shown.status, { "content-type": "application/json" });
      response.end(JSON.stringify(shown.body));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    requests,
    bodies,
    client: new OpenAI({ baseURL, apiKey: "key-for-tests", maxRetries: 0 }),
    model: createOpenAI({ baseURL, apiKey: "key-for-tests" }).responses("tutti"),
  };
}

const PROGRESS = ["The Conductor is writing a workflow.", "Asking two workers."];
const lookup = { id: "call_run1_0_0", name: "lookup", input: '{"city":"Bern"}' };
const cityTool = {
  type: "function" as const,
  name: "lookup",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  strict: false,
};

describe("the openai client", () => {
  it("reads the same response whole and streamed", async () => {
    const { client, requests } = await serve(() => ({ progress: PROGRESS }));
    const asked = { model: "tutti", input: "6 times 7?", instructions: "be brief" };
    const whole = await client.responses.create(asked);
    expect(whole.output_text).toBe("It is 42.");
    expect(whole.usage?.total_tokens).toBe(7250);
    expect(requests[0]?.task.messages).toEqual([
      { role: "system", content: "be brief" },
      { role: "user", content: "6 times 7?" },
    ]);

    const deltas: string[] = [];
    const stream = client.responses.stream(asked);
    stream.on("response.output_text.delta", ({ delta, snapshot }) => {
      deltas.push(delta);
      expect(snapshot).toBe(deltas.join(""));
    });
    const streamed = await stream.finalResponse();
    expect(deltas).toEqual(["It i", "s 42", "."]);
    // The client puts `output_text` and `parsed` where it likes; all else is ours.
    const { output_text: _, ...sent } = whole;
    expect(JSON.parse(JSON.stringify(streamed).replaceAll("run2", "run1"))).toMatchObject(sent);
  });

  it("iterates over the events of a stream", async () => {
    const { client } = await serve(() => ({ progress: PROGRESS }));
    const summaries: string[] = [];
    let last = "";
    for await (const event of await client.responses.create({ model: "tutti", input: "?", stream: true })) {
      if (event.type === "response.reasoning_summary_text.done") summaries.push(event.text);
      last = event.type;
    }
    expect(summaries).toEqual(PROGRESS);
    expect(last).toBe("response.completed");
  });

  it("calls tools and sends back what they returned", async () => {
    const { client, requests } = await serve((_, turn) =>
      turn === 1 ? { text: "One moment.", toolCalls: [lookup], finishReason: "tool-calls" } : {},
    );
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "the weather in Bern?" }];
    const stream = client.responses.stream({ model: "tutti", input, tools: [cityTool] });
    const snapshots: string[] = [];
    stream.on("response.function_call_arguments.delta", ({ snapshot }) => void snapshots.push(snapshot));
    const first = await stream.finalResponse();
    expect(snapshots).toEqual(['{"city":"Bern"}']);
    const call = first.output.find((item) => item.type === "function_call");
    expect(call?.call_id).toBe(lookup.id);

    input.push(...first.output, { type: "function_call_output", call_id: lookup.id, output: "rain" });
    await client.responses.create({ model: "tutti", input, tools: [cityTool] });
    expect(requests[1]?.task.messages).toEqual([
      { role: "user", content: "the weather in Bern?" },
      { role: "assistant", content: "One moment.", toolCalls: [lookup] },
      { role: "tool", toolCallId: lookup.id, toolName: "lookup", content: "rain" },
    ]);
  });

  it("parses structured output", async () => {
    const { client, requests } = await serve(() => ({ text: '{"product":42}' }));
    const format = zodTextFormat(z.object({ product: z.number() }), "product");
    const asked = { model: "tutti", input: "6 times 7?", text: { format } };
    expect((await client.responses.parse(asked)).output_parsed).toEqual({ product: 42 });
    expect((await client.responses.stream(asked).finalResponse()).output_parsed).toEqual({ product: 42 });
    expect(requests[0]?.task.output?.responseFormat).toMatchObject({
      type: "json",
      name: "product",
      schema: { properties: { product: { type: "number" } } },
    });
  });

  it("sees that an answer is incomplete", async () => {
    const { client } = await serve(() => ({ finishReason: "length" }));
    const whole = await client.responses.create({ model: "tutti", input: "?" });
    expect(whole.incomplete_details).toEqual({ reason: "max_output_tokens" });
    const types: string[] = [];
    for await (const event of await client.responses.create({ model: "tutti", input: "?", stream: true }))
      types.push(event.type);
    expect(types.at(-1)).toBe("response.incomplete");
  });

  it("gets an error of its own kind, before the stream and in it", async () => {
    const { client } = await serve(() => new TuttiError("budget-spent", "The budget of this key is spent."));
    const refused = client.responses.create({ model: "tutti", input: "?", conversation: "conv_1" });
    await expect(refused).rejects.toThrow(OpenAI.BadRequestError);
    await expect(refused).rejects.toMatchObject({ param: "conversation", type: "invalid_request_error" });
    await expect(client.responses.create({ model: "tutti", input: "?" })).rejects.toMatchObject({
      status: 429,
      code: "insufficient_quota",
    });
    let last: OpenAI.Responses.ResponseStreamEvent | undefined;
    for await (const event of await client.responses.create({ model: "tutti", input: "?", stream: true }))
      last = event;
    expect(last).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "insufficient_quota" } },
    });
  });
});

describe("the AI SDK", () => {
  it("streams progress as reasoning, then the answer, with usage", async () => {
    const { model } = await serve(() => ({ progress: PROGRESS }));
    const result = streamText({ model, prompt: "6 times 7?", maxRetries: 0 });
    expect(await result.text).toBe("It is 42.");
    expect((await result.reasoning).map(({ text }) => text)).toEqual(PROGRESS);
    expect(await result.finishReason).toBe("stop");
    expect(await result.usage).toMatchObject({ inputTokens: 212, outputTokens: 522 });
  });

  it("goes on with a conversation whose answers it names by their ids only", async () => {
    const { model, requests, bodies } = await serve(() => ({ progress: PROGRESS }));
    const messages: ModelMessage[] = [{ role: "user", content: "6 times 7?" }];
    const first = await generateText({ model, messages, maxRetries: 0 });
    messages.push(...first.response.messages, { role: "user", content: "sure?" });
    await generateText({ model, messages, maxRetries: 0 });
    expect(readReferences(bodies[1]!)).toEqual(["resp_run1"]);
    expect(requests[1]?.task.messages).toEqual([
      { role: "user", content: "6 times 7?" },
      { role: "assistant", content: "It is 42." },
      { role: "user", content: "sure?" },
    ]);
  });

  it("calls tools while it streams", async () => {
    const { model } = await serve(() => ({ text: "", toolCalls: [lookup], finishReason: "tool-calls" }));
    const tools = { lookup: tool({ inputSchema: z.object({ city: z.string() }) }) };
    const result = streamText({ model, prompt: "the weather in Bern?", tools, maxRetries: 0 });
    expect(await result.toolCalls).toMatchObject([{ toolCallId: lookup.id, input: { city: "Bern" } }]);
    expect(await result.finishReason).toBe("tool-calls");
  });

  it("sees a failure in the stream", async () => {
    const { model } = await serve(() => new TuttiError("overloaded", "Too much to do."));
    const errors: unknown[] = [];
    const result = streamText({
      model,
      prompt: "?",
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    await result.consumeStream({ onError: (error) => void errors.push(error) });
    expect(JSON.stringify(errors, Object.getOwnPropertyNames(errors[0]))).toContain("Too much to do.");
  });
});
