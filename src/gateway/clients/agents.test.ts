// What coding agents send and rely on, over a socket and read as they read it: events in their order, and no
// helper of a client that would put it right.

import { createParser } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { ANSWER, type TeamGateway, useTeams } from "../../testing/team.ts";

const start = useTeams();

const ASKED = { model: "tutti", input: "What is 6 × 7?" };

describe("coding agents", () => {
  interface Event {
    type: string;
    sequence_number: number;
    output_index?: number;
    item?: { type: string; call_id?: string; content?: { text: string }[] };
    response?: { status: string };
  }

  async function read(gateway: TeamGateway, body: object): Promise<Event[]> {
    const response = await gateway.post("/v1/responses", { ...ASKED, stream: true, ...body });
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events: Event[] = [];
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const parsed = JSON.parse(data) as Event;
        expect(event).toBe(parsed.type);
        events.push(parsed);
      },
    });
    parser.feed(await response.text());
    return events;
  }

  /** As a coding agent sends it with every request. */
  const AGENT = {
    instructions: "You are a coding agent.",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Obey." }] },
      { role: "user", content: [{ type: "input_text", text: "List the files." }] },
    ],
    tools: [
      { type: "function", name: "shell", strict: false, parameters: { type: "object", properties: {} } },
      {
        type: "custom",
        name: "apply_patch",
        format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
      },
      { type: "web_search" },
      { type: "namespace", name: "mcp", tools: [] },
      { type: "tool_search" },
      { type: "local_shell" },
    ],
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { effort: "medium", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "0193",
    store: false,
  };

  it("find the text in output_item.done, between created and completed", async () => {
    const events = await read(await start(), AGENT);
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe("response.created");
    expect(types.at(-1)).toBe("response.completed");
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    const done = events.filter(({ type }) => type === "response.output_item.done");
    expect(done.at(-1)!.item).toMatchObject({ type: "message", content: [{ text: ANSWER }] });
    const opened = events.filter(({ type }) => type === "response.output_item.added");
    expect(opened.map(({ output_index }) => output_index)).toEqual(
      done.map(({ output_index }) => output_index),
    );
  });

  it("get calls of functions and custom tools with the id by which they return", async () => {
    const gateway = await start({
      answer: ({ messages }) =>
        messages.some(({ role }) => role === "tool")
          ? "Done."
          : {
              text: "",
              toolCalls: [
                { id: "a", name: "shell", arguments: "{}" },
                { id: "b", name: "apply_patch", arguments: '{"input":"*** Begin Patch"}' },
              ],
            },
    });
    const events = await read(gateway, AGENT);
    const items = events.flatMap(({ type, item }) => (type === "response.output_item.done" ? [item!] : []));
    const calls = items.filter(({ type }) => type.endsWith("_call"));
    expect(calls).toMatchObject([
      { type: "function_call", name: "shell", arguments: "{}" },
      { type: "custom_tool_call", name: "apply_patch", input: "*** Begin Patch" },
    ]);
    const [shell, patch] = calls.map(({ call_id }) => call_id);
    expect(shell).toMatch(/^call_/);
    const results = [
      { type: "function_call_output", call_id: shell, output: "a.ts" },
      { type: "custom_tool_call_output", call_id: patch, output: [{ type: "input_text", text: "ok" }] },
    ];
    const next = await read(gateway, { ...AGENT, input: [...AGENT.input, ...items, ...results] });
    expect(next.findLast(({ type }) => type === "response.output_item.done")!.item).toMatchObject({
      content: [{ text: "Done." }],
    });
    expect(gateway.askedOf("planner")).toHaveLength(1);
    const tools = gateway.askedOf("alpha")[0]!.body.tools as { function: { name: string } }[];
    expect(tools.map((tool) => tool.function.name)).toEqual(["shell", "apply_patch", "local_shell"]);
  });
});
