// The real `openai` client when something goes wrong: its own classes of errors, and what it repeats by itself.

import {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "openai";
import { describe, expect, it } from "vitest";
import { connectOpenAI as connect, lastOf, readEvents, textOf } from "../../testing/gateway/openai.ts";
import { ANSWER, countFetches, held, OWN, useTeams } from "../../testing/team.ts";

const start = useTeams();

const ASKED = { messages: [{ role: "user" as const, content: "What is 6 × 7?" }] };
const FAULT = { status: 500, body: { error: { message: "out of order" } } };

/** What a stream throws. */
async function readAll<T>(stream: AsyncIterable<T>, onItem: (item: T) => void = () => {}): Promise<unknown> {
  try {
    for await (const item of stream) onItem(item);
  } catch (error) {
    return error;
  }
  return expect.fail("the stream ended as if all were well");
}

describe("errors of chat completions", () => {
  it("of a wrong key, an unknown model and a wrong type are the client's own classes", async () => {
    const gateway = await start({ keys: [{ name: "a" }] });
    const create = (key: string, body: object) =>
      connect(gateway, key)
        .chat.completions.create({ model: "tutti", ...ASKED, ...body })
        .catch((error: unknown) => error);
    const secret = gateway.secrets[0]!;
    expect(await create("sk-tutti-wrong", {})).toBeInstanceOf(AuthenticationError);
    const unknown = await create(secret, { model: "tuti" });
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect((unknown as APIError).message).toContain('"tutti"');
    const wrong = await create(secret, { temperature: "hot" });
    expect(wrong).toBeInstanceOf(BadRequestError);
    expect(wrong).toMatchObject({ param: "temperature", type: "invalid_request_error" });
    expect(gateway.upstream.requests).toHaveLength(0);
    expect(await create(secret, {})).toMatchObject({ object: "chat.completion" });
  });

  it("of too many requests are waited for as long as the gateway says", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply, keys: [{ name: "a", concurrency: 1 }] });
    const client = connect(gateway, gateway.secrets[0]);
    const first = client.chat.completions.create({ model: "tutti", ...ASKED });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    const other = { model: "tutti-fast", ...ASKED };
    const refused = await client.chat.completions
      .create(other, { maxRetries: 0 })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect((refused as APIError).headers!.get("retry-after")).toBe("1");
    const beganAt = performance.now();
    const second = client.chat.completions.create(other);
    // It was sent away before there is a place: a moment earlier it would have been waited for.
    await expect.poll(() => gateway.log.filter(({ status }) => status === 429).length).toBe(2);
    release();
    expect((await first).choices[0]!.message.content).toBe(ANSWER);
    expect((await second).choices[0]!.message.content).toBe(ANSWER);
    expect(performance.now() - beganAt).toBeGreaterThan(900);
    expect(gateway.askedOf("alpha")).toHaveLength(2);
  });

  it("of a rate say how much of it is left, and when there is more", async () => {
    const gateway = await start({ keys: [{ name: "a", requestsPerMinute: 1 }] });
    const { completions } = connect(gateway, gateway.secrets[0], { maxRetries: 0 }).chat;
    const { response } = await completions.create({ model: "tutti", ...ASKED }).withResponse();
    expect(response.headers.get("x-ratelimit-limit-requests")).toBe("1");
    expect(response.headers.get("x-ratelimit-remaining-requests")).toBe("0");
    const error = await completions.create({ model: "tutti", ...ASKED }).catch((error) => error);
    expect(error).toBeInstanceOf(RateLimitError);
    const seconds = Number(error.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it("of a model that the key may not ask are said, and a team does without it", async () => {
    const gateway = await start({ keys: [{ name: "a", without: ["stub/gamma"] }] });
    const client = connect(gateway, gateway.secrets[0]);
    const error = await client.chat.completions
      .create({ model: "stub/gamma", ...ASKED })
      .catch((error) => error);
    expect(error).toBeInstanceOf(PermissionDeniedError);
    const reply = await client.chat.completions.create({ model: "tutti", ...ASKED });
    expect(reply.choices[0]!.message.content).toMatch(/\S/);
    expect(gateway.askedOf("gamma")).toHaveLength(0);
  });

  it("of a spent budget are not repeated", async () => {
    const budget = { usd: 2 * OWN.costUsd, window: "day" as const };
    const gateway = await start({ keys: [{ name: "a", budget }] });
    const counted = countFetches();
    const client = connect(gateway, gateway.secrets[0], { fetch: counted.fetch });
    // What is left then is less than any reply could cost.
    await client.chat.completions.create({ model: "stub/alpha", ...ASKED, max_tokens: 1 });
    for (const model of ["tutti", "stub/alpha"]) {
      counted.sent = 0;
      const error = await client.chat.completions.create({ model, ...ASKED }).catch((error) => error);
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error).toMatchObject({ status: 429, code: "insufficient_quota", type: "insufficient_quota" });
      expect(counted.sent).toBe(1);
    }
    expect(gateway.upstream.requests).toHaveLength(1);
  });

  it("of a budget that is as good as spent are the same, and not a limit that the client could raise", async () => {
    const budget = { usd: 0.00001, window: "day" as const };
    const gateway = await start({ keys: [{ name: "a", budget }] });
    const client = connect(gateway, gateway.secrets[0]);
    for (const stream of [false, true]) {
      const error = await client.chat.completions
        .create({ model: "tutti", ...ASKED, stream }, { headers: { "x-tutti-progress": "off" } })
        .catch((error) => error);
      expect(error).toBeInstanceOf(RateLimitError);
      expect(error.code).toBe("insufficient_quota");
    }
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  it("of workers are 502, and the client does not repeat them", async () => {
    const gateway = await start({ answer: () => FAULT, others: () => FAULT });
    const counted = countFetches();
    const client = connect(gateway, "none", { fetch: counted.fetch });
    for (const stream of [false, true]) {
      counted.sent = 0;
      const error = await client.chat.completions
        .create({ model: "tutti", ...ASKED, stream }, { headers: { "x-tutti-progress": "off" } })
        .catch((error) => error);
      expect(error).toBeInstanceOf(APIError);
      expect(error.status).toBe(502);
      expect(counted.sent).toBe(1);
    }
  });

  it("of workers are thrown by a stream that has begun to tell what they do", async () => {
    const gateway = await start({ answer: () => FAULT, others: () => FAULT });
    const counted = countFetches();
    const client = connect(gateway, "none", { fetch: counted.fetch });
    const stream = await client.chat.completions.create({ model: "tutti", ...ASKED, stream: true });
    const error = await readAll(stream);
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).type).toBe("server_error");
    expect(counted.sent).toBe(1);
  });

  it("of the client's own patience are repeated, and the repeat joins the run", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply });
    const counted = countFetches();
    const client = connect(gateway, "none", { fetch: counted.fetch, timeout: 1_000, maxRetries: 1 });
    const asking = client.chat.completions.create({ model: "tutti", ...ASKED });
    await expect.poll(() => counted.sent, { timeout: 30_000 }).toBe(2);
    release();
    expect((await asking).choices[0]!.message.content).toBe(ANSWER);
    expect(gateway.upstream.requests.map(({ model }) => model)).toEqual([
      "planner",
      "beta",
      "gamma",
      "alpha",
    ]);
  });

  it("are none where the client leaves by itself: then nobody works on", async () => {
    const gateway = await start({ answer: () => ({ text: "one two three", delayMs: 5_000 }) });
    const stream = await connect(gateway).chat.completions.create({ model: "tutti", ...ASKED, stream: true });
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    stream.controller.abort();
    await expect.poll(() => gateway.askedOf("alpha")[0]!.closedEarly, { timeout: 30_000 }).toBe(true);
    expect(gateway.askedOf("planner")).toHaveLength(1);
  });

  it.each(["tutti", "stub/alpha"])("in the midst of a stream of %s throw", async (model) => {
    const gateway = await start({ answer: () => ({ cutAfter: "Six times" }) });
    const stream = await connect(gateway).chat.completions.create({ model, ...ASKED, stream: true });
    let text = "";
    const error = await readAll(stream, ({ choices }) => {
      text += choices[0]?.delta.content ?? "";
    });
    expect(text).toBe("Six times");
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).code).toBe("stream_cut");
  });
});
describe("errors of responses", () => {
  const INPUT = { model: "tutti", input: "What is 6 × 7?" };

  it("of a wrong key, an unknown model and a wrong type are the client's own classes", async () => {
    const gateway = await start({ keys: [{ name: "a" }] });
    const create = (key: string, body: object) =>
      connect(gateway, key)
        .responses.create({ ...INPUT, ...body })
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
    const budget = { usd: 2 * OWN.costUsd, window: "day" as const };
    const gateway = await start({ others: () => FAULT, keys: [{ name: "a", budget }, { name: "b" }] });
    const counted = countFetches();
    const [poor, rich] = gateway.secrets.map((secret) => connect(gateway, secret, { fetch: counted.fetch }));
    await poor!.chat.completions.create({
      model: "stub/alpha",
      ...ASKED,
      max_tokens: 1,
    });
    counted.sent = 0;
    const spent = await poor!.responses.create(INPUT).catch((error) => error);
    expect(spent).toBeInstanceOf(RateLimitError);
    expect(spent.code).toBe("insufficient_quota");
    const broken = await rich!.responses.create({ ...INPUT, model: "stub/beta" }).catch((error) => error);
    expect(broken).toBeInstanceOf(APIError);
    expect(broken.status).toBe(502);
    expect(counted.sent).toBe(2);
  });

  it("in the midst of a stream are response.failed", async () => {
    const gateway = await start({ answer: () => ({ cutAfter: "Six times" }) });
    const client = connect(gateway);
    const events = await readEvents(await client.responses.create({ ...INPUT, stream: true }));
    expect(textOf(events)).toBe("Six times");
    expect(events.at(-1)).toMatchObject({
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error" } },
    });
    const { id } = lastOf(events);
    expect(await client.responses.retrieve(id)).toMatchObject({ status: "failed" });
  });
});
