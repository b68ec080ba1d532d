// An agent prunes, edits and redacts its conversation while its tools run. What a run that goes on sends to its worker is
// what the client sends now, not what the journal has. Over the socket.

import { expect, it } from "vitest";
import type { ChatRequest } from "../testing/gateway/chat-server.ts";
import type { Loose } from "../testing/gateway/doors.ts";
import { startTestGateway } from "../testing/gateway/gateway.ts";
import { body, closing } from "../testing/gateway/keyed-gateway.ts";

const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const SYSTEM = { role: "system", content: "The token is hunter2." };
const QUESTION = { role: "user", content: "Make the test pass." };

/** Calls `read` at each of its first three turns, then answers. */
const agent = ({ messages }: ChatRequest) => {
  const turn = messages.filter(({ role }) => role === "tool").length;
  if (turn > 2) return "Done.";
  return { text: `Turn ${turn}.`, toolCalls: [{ id: `c${turn}`, name: "read", arguments: "{}" }] };
};

async function startLoop() {
  const gateway = await startTestGateway({ reply: agent });
  closing.push(() => gateway.close());
  const ask = async (messages: Loose[], tools = [tool("read")]) => {
    const reply = await body(gateway.post("/v1/chat/completions", { model: "tutti", messages, tools }));
    return reply.choices[0].message as Loose;
  };
  const result = (message: Loose, content: string) => ({
    role: "tool",
    tool_call_id: message.tool_calls[0].id,
    content,
  });
  return { gateway, ask, result, sent: () => gateway.asked().at(-1)! };
}

it("what the client has edited and redacted is what the worker gets", async () => {
  const { gateway, ask, result, sent } = await startLoop();
  const first = await ask([SYSTEM, QUESTION]);
  const second = await ask([SYSTEM, QUESTION, first, result(first, "password: hunter2")]);
  const system = { role: "system", content: "The token is [redacted]." };
  const history = [first, result(first, "password: [redacted]"), second, result(second, "ok")];
  await ask([system, QUESTION, ...history], [tool("read"), tool("write")]);
  expect(JSON.stringify(sent().messages)).not.toContain("hunter2");
  expect(sent().messages.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
    "tool",
  ]);
  expect((sent().body.tools as Loose[]).map(({ function: { name } }) => name)).toEqual(["read", "write"]);
  // It is still the same run: nobody planned again.
  expect(gateway.upstream.requests.filter(({ model }) => model === "planner")).toHaveLength(1);
});

it("turns that the client has dropped are not sent, and tools it has taken away are gone", async () => {
  const { ask, result, sent } = await startLoop();
  const first = await ask([QUESTION]);
  const second = await ask([QUESTION, first, result(first, "a very long file")]);
  const summary = { role: "user", content: "So far: the file was read." };
  await ask([summary, second, result(second, "ok")], []);
  expect(JSON.stringify(sent().messages)).not.toContain("a very long file");
  expect(sent().messages.filter(({ role }) => role === "assistant")).toHaveLength(1);
  expect(JSON.stringify(sent().messages[0])).toContain("So far: the file was read.");
  expect(sent().body.tools).toBeUndefined();
});

it("a call that the client has taken out of a turn is gone with its result", async () => {
  const pair = (turn: number) => ({
    text: `Turn ${turn}.`,
    toolCalls: ["a", "b"].map((path) => ({
      id: `${path}${turn}`,
      name: "read",
      arguments: `{"path":"${path}"}`,
    })),
  });
  const gateway = await startTestGateway({
    reply: ({ messages }) => (messages.length > 4 ? "Done." : pair(messages.length)),
  });
  closing.push(() => gateway.close());
  const ask = async (messages: Loose[]) => {
    const asked = { model: "tutti", messages, tools: [tool("read")] };
    return (await body(gateway.post("/v1/chat/completions", asked))).choices[0].message as Loose;
  };
  const result = ({ tool_calls: calls }: Loose, at: number, content: string) => ({
    role: "tool",
    tool_call_id: calls[at].id,
    content,
  });
  const first = await ask([QUESTION]);
  const second = await ask([QUESTION, first, result(first, 0, "one"), result(first, 1, "a very long file")]);
  const pruned = [{ ...first, tool_calls: [first.tool_calls[0]] }, result(first, 0, "one")];
  await ask([QUESTION, ...pruned, second, result(second, 0, "two"), result(second, 1, "three")]);
  const { messages } = gateway.asked().at(-1)!;
  expect(JSON.stringify(messages)).not.toContain("a very long file");
  const calls = (messages as Loose[]).flatMap(({ tool_calls: all = [] }) => all);
  expect(calls.map((call) => call.function.arguments)).toEqual([
    '{"path":"a"}',
    '{"path":"a"}',
    '{"path":"b"}',
  ]);
});

it("what was not touched is not journaled again", async () => {
  const { gateway, ask, result } = await startLoop();
  const first = await ask([SYSTEM, QUESTION]);
  const second = await ask([SYSTEM, QUESTION, first, result(first, "one")]);
  await ask([SYSTEM, QUESTION, first, result(first, "one"), second, result(second, "two")]);
  const { data } = await body(fetch(`${gateway.url}/v1/runs`));
  const text = await (await fetch(`${gateway.url}/v1/runs/${data[0].id}/events`)).text();
  const resumes = text.split("\n").filter((line) => line.includes('"run-resume"'));
  expect(resumes.length).toBeGreaterThan(0);
  for (const line of resumes) expect(line).not.toMatch(/"messages"|"exchanges"/);
});
