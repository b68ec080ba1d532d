// The exact-match cache over the socket: who gets an answer again, who does not, and what is said of it.

import { describe, expect, it } from "vitest";
import { DOORS, type Loose } from "../testing/gateway/doors.ts";
import { type TeamOptions, useTeams } from "../testing/team.ts";

const start = useTeams();
const CACHE = { gateway: { responseCache: {} } };

/** Each answer says how many there were before it. */
function counted(options: TeamOptions = {}) {
  let answers = 0;
  return start({ config: CACHE, answer: () => `Answer ${++answers}.`, ...options });
}

const asking = (content: string, more: Loose = {}) => ({
  model: "tutti",
  messages: [{ role: "user", content }],
  ...more,
});
const CHAT = "/v1/chat/completions";

async function read(asked: Promise<Response>) {
  const response = await asked;
  const { status, headers } = response;
  return { status, text: await response.text(), hit: headers.get("x-tutti-cache"), headers };
}

describe.each(DOORS.map((door) => ({ door, name: door.name })))("in $name", ({ door }) => {
  it("an equal request gets the answer of the first, whole or as a stream, and costs nothing", async () => {
    const gateway = await counted();
    const asked = { ...door.valid, model: "tutti" };
    const first = await read(gateway.post(door.path, asked));
    expect(first.hit).toBe("miss");
    const calls = gateway.upstream.requests.length;
    const again = await read(gateway.post(door.path, { ...asked, metadata: { team: "b" } }));
    const streamed = await read(gateway.post(door.path, { ...asked, stream: true }));
    expect(gateway.upstream.requests).toHaveLength(calls);
    for (const reply of [again, streamed]) {
      expect(reply).toMatchObject({ status: 200, hit: "hit" });
      expect(reply.text).toContain("Answer 1.");
      expect(reply.text).toContain('"cached_response":true');
      expect(reply.headers.get("x-tutti-run-id")).toBe(first.headers.get("x-tutti-run-id"));
      expect(reply.headers.get("x-tutti-cost-usd")).toBe("0");
    }
    const [before, after] = [first, again].map(({ text }) => JSON.parse(text));
    expect(after.tutti).toMatchObject({ run_id: before.tutti.run_id, cost_usd: 0, calls: 0 });
    expect(after.usage).toEqual(before.usage);
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
  });

  it("one model is answered from it too, where its own dialect is relayed and where it is not", async () => {
    const gateway = await counted();
    const asked = { ...door.valid, model: "alpha" };
    await read(gateway.post(door.path, asked));
    const again = await read(gateway.post(door.path, asked));
    expect(again.text).toContain("Answer 1.");
    expect(again.text).toContain('"cached_response":true');
    expect(gateway.askedOf("alpha")).toHaveLength(1);
  });
});

it("is off unless the config says otherwise", async () => {
  const gateway = await counted({ config: {} });
  for (const _ of [1, 2]) expect((await read(gateway.post(CHAT, asking("One?")))).hit).toBeNull();
  expect(gateway.askedOf("alpha")).toHaveLength(2);
});

it.each([
  ["another question", asking("Two?"), {}],
  ["another field", asking("One?", { max_tokens: 100 }), {}],
  ["a temperature", asking("One?", { temperature: 0.7 }), {}],
  ["an answer that is not to be stored", asking("One?", { store: false }), {}],
  ["the header off", asking("One?"), { "x-tutti-cache": "off" }],
  ["no-store", asking("One?"), { "cache-control": "no-store" }],
  ["no-cache", asking("One?"), { "cache-control": "no-cache" }],
  ["an idempotency key", asking("One?"), { "idempotency-key": "k" }],
])("%s is asked anew", async (_name, body, headers) => {
  const gateway = await counted();
  await read(gateway.post(CHAT, asking("One?")));
  const other = await read(gateway.post(CHAT, body, headers as Record<string, string>));
  expect(other.text).toContain("Answer 2.");
  expect(other.hit).not.toBe("hit");
});

it("fields in another order are the same, and with the header on a temperature is too", async () => {
  const gateway = await counted();
  const { messages, model } = asking("One?");
  const warm = { "x-tutti-cache": "on" };
  await read(gateway.post(CHAT, { model, messages, temperature: 0.7 }, warm));
  expect((await read(gateway.post(CHAT, { temperature: 0.7, messages, model }, warm))).hit).toBe("hit");
  const wrong = await read(gateway.post(CHAT, { model, messages }, { "x-tutti-cache": "perhaps" }));
  expect(wrong.status).toBe(400);
});

it("keys never share an answer, and what was private is nobody's", async () => {
  const gateway = await counted({ keys: [{ name: "a" }, { name: "b" }] });
  const [a, b] = gateway.secrets.map((secret) => ({ authorization: `Bearer ${secret}` }));
  const hidden = asking("One?", { store: false });
  expect((await read(gateway.post(CHAT, hidden, a))).text).toContain("Answer 1.");
  expect((await read(gateway.post(CHAT, asking("One?"), a))).text).toContain("Answer 2.");
  expect((await read(gateway.post(CHAT, asking("One?"), b))).text).toContain("Answer 3.");
  expect((await read(gateway.post(CHAT, asking("One?"), a))).text).toContain("Answer 2.");
});

it("what was cut, failed or calls a tool of the client is not kept", async () => {
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
  const replies = [
    { text: "Half", finishReason: "length" },
    { status: 400, body: { error: { message: "no" } } },
    { text: "", toolCalls: [{ id: "c", name: "read", arguments: "{}" }] },
    "Whole.",
  ];
  const gateway = await start({ config: { ...CACHE, retries: 0 }, answer: () => replies.shift()! });
  const asked = asking("One?", { model: "alpha", tools });
  for (const _ of [1, 2, 3]) expect((await read(gateway.post(CHAT, asked))).hit).not.toBe("hit");
  expect((await read(gateway.post(CHAT, asked))).text).toContain("Whole.");
  expect((await read(gateway.post(CHAT, asked))).hit).toBe("hit");
});

it("who asks for a fresh answer gets one, and it takes the place of the old", async () => {
  const gateway = await counted();
  await read(gateway.post(CHAT, asking("One?")));
  await read(gateway.post(CHAT, asking("One?"), { "cache-control": "no-cache" }));
  expect((await read(gateway.post(CHAT, asking("One?")))).text).toContain("Answer 2.");
});

it("hits are in the metrics, and a response that is deleted is forgotten", async () => {
  const gateway = await counted();
  const asked = { model: "tutti", input: "One?" };
  const { id } = JSON.parse((await read(gateway.post("/v1/responses", asked))).text);
  expect((await read(gateway.post("/v1/responses", asked))).hit).toBe("hit");
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toMatch(/^tutti_cached_responses_total 1$/m);
  expect(
    Number(/^tutti_cached_saved_usd_total\{simulated="false"\} (\S+)$/m.exec(metrics)?.[1]),
  ).toBeGreaterThan(0);
  await fetch(`${gateway.url}/v1/responses/${id}`, { method: "DELETE" });
  expect((await read(gateway.post("/v1/responses", asked))).text).toContain("Answer 2.");
});
