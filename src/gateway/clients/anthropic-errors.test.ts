// The real Anthropic client when something goes wrong: its own classes of errors, and what it repeats by itself.

import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
} from "@anthropic-ai/sdk";
import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, it } from "vitest";
import { ANSWER, countFetches, held, OWN, type TeamGateway, useTeams } from "../../testing/team.ts";

const start = useTeams();

const connect = ({ url }: TeamGateway, apiKey = "none", options = {}) =>
  new Anthropic({ baseURL: url, apiKey, authToken: null, ...options });

const QUESTION: MessageParam = { role: "user", content: "What is 6 × 7?" };
const ASKED = { model: "tutti", max_tokens: 500, messages: [QUESTION] };

describe("errors", () => {
  it("of a wrong key, an unknown model and a wrong type are the client's own classes", async () => {
    const gateway = await start({ keys: [{ name: "a" }] });
    const create = (key: string, body: object) =>
      connect(gateway, key)
        .messages.create({ ...ASKED, ...body })
        .catch((error: unknown) => error);
    const secret = gateway.secrets[0]!;
    expect(await create("sk-tutti-wrong", {})).toBeInstanceOf(AuthenticationError);
    const unknown = await create(secret, { model: "tuti" });
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect((unknown as APIError).message).toContain("tutti");
    expect((unknown as APIError).requestID).toMatch(/^req_/);
    const wrong = await create(secret, { temperature: "hot" });
    expect(wrong).toBeInstanceOf(BadRequestError);
    expect((wrong as APIError).message).toContain("temperature");
    expect(gateway.upstream.requests).toHaveLength(0);
  });

  it("of too many requests are waited for as long as the gateway says", async () => {
    const { release, reply } = held();
    const gateway = await start({ answer: reply, keys: [{ name: "a", concurrency: 1 }] });
    const client = connect(gateway, gateway.secrets[0]);
    const first = client.messages.create(ASKED);
    await expect.poll(() => gateway.askedOf("alpha").length).toBe(1);
    const other = { ...ASKED, model: "tutti-fast" };
    const refused = await client.messages.create(other, { maxRetries: 0 }).catch((error) => error);
    expect(refused).toBeInstanceOf(RateLimitError);
    expect(refused).toMatchObject({ status: 429, type: "rate_limit_error" });
    expect(refused.headers.get("retry-after")).toBe("1");
    const beganAt = performance.now();
    const second = client.messages.create(other);
    // It was sent away before there is a place: a moment earlier it would have been waited for.
    await expect.poll(() => gateway.log.filter(({ status }) => status === 429).length).toBe(2);
    release();
    expect((await first).content).toMatchObject([{ text: ANSWER }]);
    expect((await second).content).toMatchObject([{ text: ANSWER }]);
    expect(performance.now() - beganAt).toBeGreaterThan(900);
  });

  it("of a spent budget and of workers are not repeated", async () => {
    const fault = { status: 500, body: { error: { message: "out of order" } } };
    const budget = { usd: 2 * OWN.costUsd, window: "day" as const };
    const gateway = await start({ others: () => fault, keys: [{ name: "a", budget }, { name: "b" }] });
    const counted = countFetches();
    const [poor, rich] = gateway.secrets;
    // What is left then is less than any reply could cost.
    const question = { model: "stub/alpha", messages: [QUESTION], max_tokens: 1 };
    const paid = await gateway.post("/v1/chat/completions", question, { authorization: `Bearer ${poor}` });
    expect(paid.status).toBe(200);
    await paid.text();
    const spent = await connect(gateway, poor, { fetch: counted.fetch })
      .messages.create(ASKED)
      .catch((error) => error);
    expect(spent).toBeInstanceOf(APIError);
    expect(spent).toMatchObject({ status: 402, type: "billing_error" });
    const broken = await connect(gateway, rich, { fetch: counted.fetch })
      .messages.create({ ...ASKED, model: "stub/beta" })
      .catch((error) => error);
    expect(broken).toBeInstanceOf(APIError);
    expect(broken).toMatchObject({ status: 502, type: "api_error" });
    expect(counted.sent).toBe(2);
  });

  it.each(["tutti", "stub/alpha"])("in the midst of a stream of %s throw", async (model) => {
    const gateway = await start({ answer: () => ({ cutAfter: "Six times" }) });
    let text = "";
    const stream = connect(gateway).messages.stream({ ...ASKED, model });
    stream.on("text", (delta) => {
      text += delta;
    });
    const error = await stream.finalMessage().catch((error: unknown) => error);
    expect(text).toBe("Six times");
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).type).toBe("api_error");
  });
});
