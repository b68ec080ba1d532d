// A model that calls a tool which the request did not give it: an agent would run it. Over the socket, in every dialect,
// streamed and not.

import { describe, expect, it } from "vitest";
import type { ChatReply } from "../testing/gateway/chat-server.ts";
import { DOORS, type Door, type Loose } from "../testing/gateway/doors.ts";
import { body, start } from "../testing/gateway/keyed-gateway.ts";

const SCHEMA = { type: "object", properties: { path: { type: "string" } } };
const TOOLS: Record<string, Loose[]> = {
  chat: [{ type: "function", function: { name: "read", parameters: SCHEMA } }],
  responses: [{ type: "function", name: "read", parameters: SCHEMA }],
  messages: [{ name: "read", input_schema: SCHEMA }],
};
const NO_TOOL: Record<string, Loose> = { chat: "none", responses: "none", messages: { type: "none" } };

const call = (name: string) => ({ id: `call-${name}`, name, arguments: '{"path":"/"}' });
const CASES = DOORS.flatMap((door) => [false, true].map((stream) => ({ door, stream, name: door.name })));

/** What the client could read, as text: a call has the tool's name in it. */
async function ask(
  reply: (model: string) => ChatReply,
  door: Door,
  more: object,
): Promise<{ status: number; text: string; run: Loose; asked: string[] }> {
  const gateway = await start({}, { reply: ({ model }) => reply(model) });
  const response = await gateway.post(door.path, { ...door.valid, ...more }, { "x-tutti-progress": "off" });
  const text = await response.text();
  const { data } = await body(gateway.get("/v1/runs"));
  const run = await body(gateway.get(`/v1/runs/${data[0].id}`));
  return { status: response.status, text, run, asked: gateway.asked().map(({ model }) => model!) };
}

describe.each(CASES)("in $name, streamed: $stream", ({ door, stream }) => {
  const tools = TOOLS[door.name]!;

  it("a call without any tools is left out, and the text counts", async () => {
    const reply = { text: "The answer.", toolCalls: [call("delete_all")] };
    const { status, text, run, asked } = await ask(() => reply, door, { stream });
    expect(status).toBe(200);
    expect(text).toContain("answer");
    expect(text).not.toContain("delete_all");
    expect(text).not.toMatch(/"tool_calls"|"tool_use"|"function_call"/);
    expect(asked).toEqual(["alpha"]);
    expect(run.stopReason).toBe("done");
    expect(JSON.stringify(run)).not.toContain("delete_all");
  });

  it("a call of another tool, and nothing else, is no reply: somebody else is asked", async () => {
    const bad = { text: "", toolCalls: [call("delete_all")] };
    const { status, text, asked } = await ask((model) => (model === "alpha" ? bad : "Mine."), door, {
      stream,
      tools,
    });
    expect(status).toBe(200);
    expect(text).toContain("Mine");
    expect(text).not.toContain("delete_all");
    expect(asked).toEqual(["alpha", "beta"]);
  });

  it("a call where none is allowed is left out too", async () => {
    const reply = { text: "The answer.", toolCalls: [call("read")] };
    const more = { stream, tools, tool_choice: NO_TOOL[door.name] };
    const { status, text, run } = await ask(() => reply, door, more);
    expect(status).toBe(200);
    expect(text).not.toContain("call-read");
    expect(run.stopReason).toBe("done");
  });

  it("of several calls those that were declared are passed on", async () => {
    const reply = {
      text: "",
      toolCalls: [call("delete_all"), call("read"), call("Read"), call("constructor")],
    };
    const { status, text, run } = await ask(() => reply, door, { stream, tools });
    expect(status).toBe(200);
    expect(text).toContain('"read"');
    for (const name of ["delete_all", "Read", "constructor"]) expect(text).not.toContain(`"${name}"`);
    expect(run.stopReason).toBe("tool-calls");
    expect(JSON.stringify(run)).not.toContain("delete_all");
  });

  it("where everybody does so it is an error, and nothing waits", async () => {
    const reply = { text: "", toolCalls: [call("delete_all")] };
    const { status, text, run } = await ask(() => reply, door, {
      model: "tutti-fast",
      stream,
      tutti: { pool: "stub/alpha" },
    });
    expect(status).toBe(502);
    expect(text).not.toContain('"delete_all"');
    expect(text).toContain("error");
    expect(run.stopReason).toBe("failed");
    expect(run.error.code).toBe("undeclared-tool");
  });
});

it("a member that is not the last has no tools at all, whatever the client declared", async () => {
  const gateway = await start(
    {},
    {
      reply: ({ model }) =>
        model === "alpha" ? { text: "A part.", toolCalls: [call("read")] } : "The whole.",
      plan: {
        steps: [
          { worker: 0, subtask: "Begin.", access: [] },
          { worker: 1, subtask: "End.", access: "all" },
        ],
      },
    },
  );
  const door = DOORS[0]!;
  const response = await gateway.post(door.path, { ...door.valid, tools: TOOLS.chat });
  expect(await response.text()).toContain("The whole.");
  expect(gateway.asked().map(({ model }) => model)).toEqual(["alpha", "beta"]);
});
