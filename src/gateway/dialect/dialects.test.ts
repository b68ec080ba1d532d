// The seam for dialects: one that nobody else has heard of, registered here only, is served like the others.

import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway, type TestGateway } from "../../testing/gateway/gateway.ts";
import { ObjectReader } from "../http/object-reader.ts";
import { parseReplyId } from "../runs/turns.ts";
import type { Dialect, ReplyOutcome } from "../types.ts";
import { KEEP_ALIVE, readCommon, sse, toAskedTask } from "./common.ts";
import { DIALECTS } from "./dialects.ts";

/** OpenAI's completions of before there were chats. */
const legacyDialect: Dialect = {
  name: "legacy",
  path: "/completions",
  replyIdPrefix: "cmpl-",
  routes: [
    {
      method: "GET",
      path: "/v1/completions/:id",
      async serve(context, { connection, dialect, id }) {
        const { runId = "" } = parseReplyId(dialect, id) ?? {};
        connection.json(200, { events: (await (await context.tutti.store()).loadRun(runId)).length });
      },
    },
  ],
  parseRequest(fields, header) {
    const body = new ObjectReader(fields);
    const messages = [{ role: "user" as const, content: body.text("prompt") }];
    return { ...readCommon(body, header), task: toAskedTask({ messages }, "prompt"), echo: {} };
  },
  toReply: ({ head, text }) => toCompletion(head, text, "stop"),
  createStream: (head) => ({
    begin: () => "",
    progress: () => "",
    text: (delta) => sse(toCompletion(head, delta, null)),
    end: () => `${sse(toCompletion(head, "", "stop"))}data: [DONE]\n\n`,
    fail: (error) => sse({ failed: error.code }),
    keepAlive: () => KEEP_ALIVE,
  }),
  toError: (error) => ({ status: error.status, body: { failed: error.code, field: error.param } }),
};

function toCompletion({ id, request }: ReplyOutcome["head"], text: string, finish_reason: string | null) {
  const choices = [{ index: 0, text, logprobs: null, finish_reason }];
  return { id, object: "text_completion", created: 0, model: request.model, choices };
}

describe("a fourth dialect", () => {
  let gateway: TestGateway;
  let client: OpenAI;
  beforeAll(async () => {
    gateway = await startTestGateway({ dialects: [...DIALECTS, legacyDialect], reply: () => "It is 42." });
    client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "none", maxRetries: 0 });
  });
  afterAll(() => gateway.close());
  const request = { model: "tutti", prompt: "What is 6 × 7?" };

  it("answers a real client, and its id is found again", async () => {
    const { id, choices } = await client.completions.create(request);
    expect(choices[0]?.text).toBe("It is 42.");
    expect(parseReplyId(legacyDialect, id)).toMatchObject({ runId: expect.stringMatching(/^r_/), turn: 0 });
    const again = (await (await fetch(`${gateway.url}/v1/completions/${id}`)).json()) as Loose;
    expect(again.events).toBeGreaterThan(4);
  });

  it("answers in a stream, with and without the version in its address", async () => {
    for (const baseURL of [`${gateway.url}/v1`, gateway.url]) {
      const stream = await client.withOptions({ baseURL }).completions.create({ ...request, stream: true });
      const texts: string[] = [];
      for await (const chunk of stream) texts.push(chunk.choices[0]!.text);
      expect(texts.join("")).toBe("It is 42.");
    }
  });

  it("has one worker that speaks no such dialect perform a run", async () => {
    const { choices } = await client.completions.create({ ...request, model: "stub/beta" });
    expect(choices[0]?.text).toBe("It is 42.");
    expect(gateway.asked().at(-1)).toMatchObject({ model: "beta" });
  });

  it("has errors of its own shape, also where nothing is served", async () => {
    const shapes = await Promise.all([
      gateway.post("/v1/completions", { model: "tutti" }),
      gateway.post("/v1/completions", { ...request, model: "nobody" }),
      gateway.post("/completions/nothing/here", {}),
      fetch(`${gateway.url}/v1/completions`),
    ]);
    expect(await Promise.all(shapes.map(async (each) => [each.status, await each.json()]))).toEqual([
      [400, { failed: "bad-request", field: "prompt" }],
      [404, { failed: "unknown-model", field: "model" }],
      [404, { failed: "not-found" }],
      [405, { failed: "method-not-allowed" }],
    ]);
    expect(shapes[3]?.headers.get("allow")).toBe("POST");
  });

  it("is named where a program asks what there is, and in the journal", async () => {
    const { endpoints } = (await (await fetch(gateway.url)).json()) as Loose;
    expect(endpoints).toContain("/v1/completions");
    const { data } = (await (await fetch(`${gateway.url}/v1/runs`)).json()) as Loose;
    expect(data[0].origin.dialect).toBe("legacy");
  });
});

it("no two dialects share a name, an address or a form of ids", () => {
  for (const field of ["name", "path", "replyIdPrefix"] as const)
    expect(new Set(DIALECTS.map((dialect) => dialect[field])).size).toBe(DIALECTS.length);
});
