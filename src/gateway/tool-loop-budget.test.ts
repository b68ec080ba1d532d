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
