// A tool loop that runs out of money, or whose worker fails, ends in an error of the dialect: never with what a helper said at
// the first turn, and never with another model that reads results of calls it did not make. Over the socket.

import { expect, it } from "vitest";
import type { ChatReply, ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway, type TestGatewayOptions } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";

const HELPER = "A helper's guess.";
const plan = {
  steps: [
    { worker: 1, subtask: "Guess.", access: [] },
    { worker: 0, subtask: "Answer.", access: "all" as const },
  ],
};
const TOOLS = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
const calls = { text: "", toolCalls: [{ id: "c", name: "read", arguments: "{}" }] };

async function loop(
  reply: (request: ChatRequest) => ChatReply,
  result: string,
  more: TestGatewayOptions = {},
) {
  const gateway = await startTestGateway({
    ...more,
    plan,
    reply: (request) => (request.model === "beta" ? HELPER : reply(request)),
  });
  closing.push(() => gateway.close());
  const asked = {
    model: "tutti",
    messages: [{ role: "user", content: "What does it say?" }] as Loose[],
    tools: TOOLS,
  };
  const first = await body(gateway.post("/v1/chat/completions", asked));
  const { message } = first.choices[0];
  const results = { role: "tool", tool_call_id: message.tool_calls[0].id, content: result };
  const before = gateway.upstream.requests.length;
  const response = await gateway.post("/v1/chat/completions", {
    ...asked,
    messages: [...asked.messages, message, results],
  });
  const later = gateway.upstream.requests.slice(before).map(({ model }) => model);
  return { status: response.status, text: await response.text(), later };
}

it("that is too long for its budget is an error, not a helper's text", async () => {
  const more = { config: { limits: { usd: 0.05 } } };
  const { status, text, later } = await loop(() => calls, "x".repeat(100_000), more);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(JSON.parse(text).error.message).toContain("limit");
  expect(text).not.toContain(HELPER);
  expect(later).toEqual([]);
});

it("whose worker fails is an error, and nobody takes its place", async () => {
  const hasResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === "tool");
  const down = { status: 500, body: { error: { message: "down" } } };
  const { status, text, later } = await loop((request) => (hasResult(request) ? down : calls), "rain");
  expect(status).toBe(502);
  expect(text).not.toContain(HELPER);
  expect(new Set(later)).toEqual(new Set(["alpha"]));
});

it("that goes well is not changed by any of it", async () => {
  const hasResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === "tool");
  const { status, text } = await loop((request) => (hasResult(request) ? "It rains." : calls), "rain");
  expect(status).toBe(200);
  expect(JSON.parse(text).choices[0].message.content).toBe("It rains.");
});

it("that is long goes on within a budget that counts as its worker does, and the budget holds", async () => {
  // Four bytes a token, as in English: by its bytes alone the conversation would cost four times as much as there is.
  const tokensOf = (request: ChatRequest) => Math.ceil(Buffer.byteLength(JSON.stringify(request.body)) / 4);
  const turnOf = ({ messages }: ChatRequest) => messages.filter(({ role }) => role === "tool").length;
  const gateway = await startTestGateway({
    // Of which one worker of the cheaper half gets half.
    config: { limits: { usd: 0.06 } },
    reply: (request) => ({
      ...(turnOf(request) < 12
        ? {
            ...calls,
            toolCalls: [
              { id: `c${turnOf(request)}`, name: "read", arguments: `{"page":${turnOf(request)}}` },
            ],
          }
        : { text: "Done." }),
      usage: { prompt_tokens: tokensOf(request), completion_tokens: 5 },
    }),
  });
  closing.push(() => gateway.close());
  const messages: Loose[] = [{ role: "user", content: "Read all of it." }];
  let last: Loose;
  for (let turn = 0; turn <= 12; turn++) {
    const reply = await gateway.post("/v1/chat/completions", {
      model: "tutti-fast",
      messages,
      tools: TOOLS,
      max_tokens: 300,
    });
    expect(reply.status).toBe(200);
    last = (await body(reply)).choices[0].message;
    messages.push(last);
    for (const { id } of last.tool_calls ?? [])
      messages.push({ role: "tool", tool_call_id: id, content: `page ${turn} `.repeat(600) });
  }
  expect(last.content).toBe("Done.");
  // At its end a turn costs a dollar a million tokens: by bytes it would not have fitted.
  const bytes = Buffer.byteLength(JSON.stringify(gateway.asked().at(-1)!.body));
  expect(bytes / 1e6).toBeGreaterThan(0.03);
  expect(bytes / 4 / 1e6).toBeLessThan(0.03);
});
