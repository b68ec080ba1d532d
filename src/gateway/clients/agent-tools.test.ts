// Tools as coding agents declare them, in every dialect: all of them reach the model, a call comes back under the name that
// the client knows, and what cannot be followed is named. Over the socket.

import { expect, it } from "vitest";
import type { ChatRequest } from "../../testing/gateway/chat-server.ts";
import type { Loose } from "../../testing/gateway/doors.ts";
import { startTestGateway } from "../../testing/gateway/gateway.ts";
import { body, closing } from "../../testing/gateway/keyed-gateway.ts";

const SCHEMA = { type: "object", properties: { id: { type: "string" } } };

async function start(reply: (request: ChatRequest) => ReturnType<typeof calling> | string) {
  const gateway = await startTestGateway({ reply });
  closing.push(() => gateway.close());
  const sent = () => gateway.asked().at(-1)!;
  const toolNames = () => (sent().body.tools as Loose[]).map((tool) => tool.function.name);
  return { gateway, sent, toolNames };
}

const calling = (name: string, input = "{}") => ({
  text: "",
  toolCalls: [{ id: "c1", name, arguments: input }],
});
const hasResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === "tool");

const NAMESPACES = [
  { type: "function", name: "shell", parameters: SCHEMA, strict: true },
  {
    type: "namespace",
    name: "mcp__tickets",
    description: "The ticket system.",
    tools: [
      { type: "function", name: "read", description: "Reads one.", parameters: SCHEMA, strict: true },
      { type: "custom", name: "note", description: "Notes a text." },
    ],
  },
  { type: "namespace", name: "mcp__wiki__", tools: [{ type: "function", name: "read", parameters: SCHEMA }] },
  { type: "web_search" },
];

it.each(["tutti", "tutti-fast", "stub/alpha"])(
  "Codex' namespaces reach %s, and calls go back into them",
  async (model) => {
    const { gateway, sent, toolNames } = await start((request) =>
      hasResult(request) ? "It is open." : calling("mcp__tickets__read", '{"id":"7"}'),
    );
    const asked = { model, input: [{ role: "user", content: "Is 7 open?" }] as Loose[], tools: NAMESPACES };
    const first = await body(gateway.post("/v1/responses", asked));
    expect(toolNames()).toEqual(["shell", "mcp__tickets__read", "mcp__tickets__note", "mcp__wiki__read"]);
    const declared = (sent().body.tools as Loose[])[1].function;
    expect(declared).toMatchObject({ strict: true, description: "The ticket system.\n\nReads one." });
    expect(first.tutti.ignored).toEqual(["tools: web_search"]);
    const call = first.output.find(({ type }: Loose) => type === "function_call");
    expect(call).toMatchObject({ namespace: "mcp__tickets", name: "read", arguments: '{"id":"7"}' });
    const result = { type: "function_call_output", call_id: call.call_id, output: "open" };
    const next = await body(
      gateway.post("/v1/responses", { ...asked, input: [...asked.input, call, result] }),
    );
    expect(next.output.at(-1).content[0].text).toBe("It is open.");
    const turn = sent().messages.find(({ role }) => role === "assistant") as Loose;
    expect(turn.tool_calls[0].function.name).toBe("mcp__tickets__read");
  },
);

it("a streamed call of a custom tool in a namespace has both of its names", async () => {
  const { gateway } = await start(() => calling("mcp__tickets__note", '{"input":"Done."}'));
  const asked = { model: "tutti", stream: true, input: "Note it.", tools: NAMESPACES };
  const text = await (await gateway.post("/v1/responses", asked)).text();
  const done = text.split("\n").find((line) => line.includes("output_item.done") && line.includes("custom"));
  expect(JSON.parse(done!.replace("data: ", "")).item).toMatchObject({
    ...{ type: "custom_tool_call", namespace: "mcp__tickets", name: "note", input: "Done." },
  });
});

it("a tool in a namespace can be the one that must be called", async () => {
  const { gateway, sent } = await start(() => calling("mcp__wiki__read"));
  const choice = { type: "function", namespace: "mcp__wiki__", name: "read" };
  await gateway.post("/v1/responses", { model: "tutti", input: "?", tools: NAMESPACES, tool_choice: choice });
  expect(sent().body.tool_choice).toEqual({ type: "function", function: { name: "mcp__wiki__read" } });
});

const TYPED = [
  { type: "bash_20250124", name: "bash" },
  { type: "text_editor_20250728", name: "str_replace_based_edit_tool" },
  { type: "memory_20250818", name: "memory" },
  { type: "computer_20250124", name: "computer", display_width_px: 1024, display_height_px: 768 },
  { name: "read", input_schema: SCHEMA, strict: true },
  { type: "web_search_20250305", name: "web_search" },
];

it.each(["tutti", "stub/alpha"])("Anthropic's tools with a type reach %s with a schema", async (model) => {
  const { gateway, sent, toolNames } = await start((request) =>
    hasResult(request) ? "One file." : calling("bash", '{"command":"ls"}'),
  );
  const asked = {
    model,
    max_tokens: 500,
    messages: [{ role: "user", content: "List." }] as Loose[],
    tools: TYPED,
  };
  const first = await body(gateway.post("/v1/messages", asked));
  expect(toolNames()).toEqual(["bash", "str_replace_based_edit_tool", "memory", "computer", "read"]);
  const tools = (sent().body.tools as Loose[]).map((tool) => tool.function);
  expect(Object.keys(tools[0].parameters.properties)).toEqual(["command", "restart"]);
  expect(tools[3].description).toContain("1024 by 768");
  expect(tools[4].strict).toBe(true);
  expect(first.tutti.ignored).toEqual(["tools: web_search_20250305"]);
  const call = first.content.find(({ type }: Loose) => type === "tool_use");
  expect(call).toMatchObject({ name: "bash", input: { command: "ls" } });
  const result = { type: "tool_result", tool_use_id: call.id, content: "a.ts" };
  const messages = [
    ...asked.messages,
    { role: "assistant", content: first.content },
    { role: "user", content: [result] },
  ];
  const next = await body(gateway.post("/v1/messages", { ...asked, messages }));
  expect(next.content.at(-1).text).toBe("One file.");
});

it("what is not followed is named in every dialect, and nothing is where all is followed", async () => {
  const { gateway } = await start(() => "Yes.");
  const messages = [{ role: "user", content: "Is it?" }];
  const bodies = [
    [
      "/v1/chat/completions",
      { messages, logit_bias: { 5: 1 }, service_tier: "priority" },
      ["logit_bias", "service_tier"],
    ],
    ["/v1/responses", { input: "Is it?", max_tool_calls: 3 }, ["max_tool_calls"]],
    [
      "/v1/responses",
      {
        input: "Is it?",
        truncation: "auto",
        include: ["reasoning.encrypted_content", "file_search_call.results"],
      },
      ["truncation", "include: file_search_call.results"],
    ],
    ["/v1/messages", { messages, max_tokens: 9, container: "c" }, ["container"]],
    ["/v1/chat/completions", { messages, top_p: 0.5, seed: 3, user: "me" }, undefined],
  ] as const;
  for (const [path, asked, ignored] of bodies) {
    const reply = await body(gateway.post(path, { model: "tutti", ...asked }));
    expect(reply.tutti.ignored).toEqual(ignored);
  }
});

it("what of a tool is not followed is named", async () => {
  const { gateway } = await start(() => "Yes.");
  const ignoredOf = async (path: string, asked: object) =>
    (await body(gateway.post(path, { model: "tutti", ...asked }))).tutti.ignored;
  const messages = [{ role: "user", content: "Is it?" }];
  const tools = [
    { name: "read", input_schema: SCHEMA, defer_loading: true, allowed_callers: ["code_execution_20250825"] },
    { type: "text_editor_20250728", name: "edit", max_characters: 1_000 },
    { name: "write", input_schema: SCHEMA, eager_input_streaming: true, defer_loading: false },
  ];
  const asked = { max_tokens: 9, messages, tools, service_tier: "standard_only" };
  const names = ["tools: defer_loading", "tools: allowed_callers", "tools: max_characters", "service_tier"];
  expect(await ignoredOf("/v1/messages", asked)).toEqual(names);
  const deferred = { type: "function", name: "read", parameters: SCHEMA, defer_loading: true };
  expect(await ignoredOf("/v1/responses", { input: "Is it?", tools: [deferred] })).toEqual(names.slice(0, 1));
});

it("what stands in the conversation and nobody can read is named, and the model is told of what its tool returned", async () => {
  const { gateway, sent } = await start(() => "Yes.");
  const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERg==" };
  const returned = [
    { type: "document", source: pdf },
    { type: "tool_reference", tool_name: "grep" },
    { type: "image", source: { type: "file", file_id: "file_1" } },
  ];
  const messages = [
    {
      role: "user",
      content: [
        { type: "text", text: "Is it?" },
        { type: "container_upload", file_id: "file_2" },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "c2ln" },
        { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
        { type: "tool_use", id: "t1", name: "read", input: {} },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: returned }] },
  ];
  const asked = { max_tokens: 9, messages, tools: [{ name: "read", input_schema: SCHEMA }] };
  const read = await body(gateway.post("/v1/messages", { model: "tutti-fast", ...asked }));
  expect(read.tutti.ignored).toEqual([
    "messages: container_upload",
    "messages: server_tool_use",
    "messages: web_search_tool_result",
    "messages: document",
    "messages: image",
  ]);
  const told = sent().messages.find(({ role }) => role === "tool") as Loose;
  for (const words of ["[a document]", "the tool grep", "[an image]"]) expect(told.content).toContain(words);

  const call = { type: "function_call", call_id: "c1", name: "read", arguments: "{}" };
  const file = { type: "input_file", file_id: "file_1" };
  const input = [
    { role: "user", content: "Is it?" },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
    { type: "web_search_call", id: "ws_1", status: "completed" },
    call,
    { type: "function_call_output", call_id: "c1", output: [file] },
  ];
  const tools = [{ type: "function", name: "read", parameters: SCHEMA }];
  const responded = await body(gateway.post("/v1/responses", { model: "tutti-fast", input, tools }));
  expect(responded.tutti.ignored).toEqual(["input: web_search_call", "input: input_file"]);
});

it.each([
  {
    tool: { type: "local_shell" },
    input: { command: ["ls", "-l"], timeout_ms: 500 },
    item: {
      type: "local_shell_call",
      action: { type: "exec", command: ["ls", "-l"], timeout_ms: 500, env: {} },
    },
    result: { type: "local_shell_call_output", output: "a.ts" },
    read: "a.ts",
  },
  {
    tool: { type: "shell", environment: { type: "local" } },
    input: { commands: ["ls", "pwd"] },
    item: { type: "shell_call", action: { commands: ["ls", "pwd"] } },
    result: {
      type: "shell_call_output",
      output: [{ stdout: "a.ts", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    },
    read: '"stdout":"a.ts"',
  },
  {
    tool: { type: "apply_patch" },
    input: { type: "update_file", path: "a.ts", diff: "@@\n-1\n+2" },
    item: {
      type: "apply_patch_call",
      operation: { type: "update_file", path: "a.ts", diff: "@@\n-1\n+2" },
    },
    result: { type: "apply_patch_call_output", status: "failed", output: "no such line" },
    read: "error: no such line",
  },
])(
  "$tool.type reaches every model as a function, and comes back as its own item",
  async ({ tool, input, item, result, read }) => {
    for (const model of ["tutti", "stub/alpha"]) {
      const { gateway, sent, toolNames } = await start((request) =>
        hasResult(request) ? "Done." : calling(tool.type, JSON.stringify(input)),
      );
      const asked = { model, input: [{ role: "user", content: "Do it." }] as Loose[], tools: [tool] };
      const first = await body(gateway.post("/v1/responses", { ...asked, tool_choice: { type: tool.type } }));
      expect(toolNames()).toEqual([tool.type]);
      expect(sent().body.tool_choice).toMatchObject({ function: { name: tool.type } });
      expect(first.tutti.ignored).toBeUndefined();
      expect(first.tools).toEqual([tool]);
      const call = first.output.find(({ type }: Loose) => type === item.type);
      expect(call).toMatchObject({ ...item, status: "completed" });
      const output = { ...result, call_id: call.call_id };
      const next = await body(
        gateway.post("/v1/responses", { ...asked, input: [...asked.input, call, output] }),
      );
      expect(next.output.at(-1).content[0].text).toBe("Done.");
      const { tool_calls: calls } = sent().messages.find(({ role }) => role === "assistant") as Loose;
      expect(JSON.parse(calls[0].function.arguments)).toEqual(input);
      expect(sent().messages.find(({ role }) => role === "tool")).toMatchObject({
        content: expect.stringContaining(read),
      });
      const streamed = await (await gateway.post("/v1/responses", { ...asked, stream: true })).text();
      const events = [...streamed.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!) as Loose);
      const done = events.find(
        (event) => event.type === "response.output_item.done" && event.item.type === item.type,
      );
      expect(done.item).toMatchObject(item);
    }
  },
);

it("a shell of the provider's own machines is named as left out", async () => {
  const { gateway } = await start(() => "Done.");
  const tools = [{ type: "shell", environment: { type: "container_auto" } }];
  const asked = { model: "tutti-fast", input: "Do it.", tools };
  expect((await body(gateway.post("/v1/responses", asked))).tutti.ignored).toEqual(["tools: shell"]);
});
