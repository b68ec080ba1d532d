import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTuttiError } from "../../../base/errors.ts";
import { refusalOf } from "../../../testing/gateway/refusal.ts";
import type { Message } from "../../../worker/types.ts";
import { parseResponsesRequest, withoutInstructions } from "./request.ts";

const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

const parse = (fields: object, header: Record<string, string> = {}) =>
  parseResponsesRequest({ model: "tutti", input: "6 times 7?", ...fields }, (name) => header[name]);
const messagesOf = (input: unknown, fields: object = {}) => parse({ input, ...fields }).task.messages;

const user = { role: "user", content: "6 times 7?" };
const call = (id: string) => ({ type: "function_call", call_id: id, name: "add", arguments: '{"a":1}' });
const called = (id: string) => ({ id, name: "add", input: '{"a":1}' });
const returned = (id: string, output: unknown) => ({ type: "function_call_output", call_id: id, output });

describe("the input", () => {
  const cases: [string, unknown, Message[]][] = [
    ["a text", "6 times 7?", [{ role: "user", content: "6 times 7?" }]],
    ["a message without a type", [user], [{ role: "user", content: "6 times 7?" }]],
    [
      "a message with an id and a status of the client's own",
      [{ ...user, type: "message", id: "msg-1", status: "completed" }],
      [{ role: "user", content: "6 times 7?" }],
    ],
    [
      "one text part, which is a text",
      [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
      [{ role: "user", content: "hello" }],
    ],
    [
      "an image between texts",
      [
        {
          role: "user",
          content: [
            { type: "input_text", text: "what is this?" },
            { type: "input_image", image_url: PIXEL, detail: "low" },
            { type: "text", text: "be brief" },
          ],
        },
      ],
      [
        {
          role: "user",
          content: [
            { type: "text", text: "what is this?" },
            { type: "image", image: PIXEL, detail: "low" },
            { type: "text", text: "be brief" },
          ],
        },
      ],
    ],
    [
      "system, developer and assistant",
      [
        { role: "system", content: "a" },
        { role: "developer", content: [{ type: "input_text", text: "b" }] },
        user,
        { role: "assistant", content: [{ type: "output_text", text: "42", annotations: [] }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
        { role: "user", content: "sure?" },
      ],
      [
        { role: "system", content: "a" },
        { role: "system", content: "b" },
        { role: "user", content: "6 times 7?" },
        { role: "assistant", content: "42" },
        { role: "assistant", content: "No." },
        { role: "user", content: "sure?" },
      ],
    ],
    [
      "an assistant's words and the calls after them as one turn",
      [
        user,
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
        { type: "message", role: "assistant", content: "let me see" },
        call("c1"),
        { type: "reasoning", id: "rs_2", summary: [] },
        call("c2"),
        returned("c1", "2"),
        returned("c2", [
          { type: "input_text", text: "3" },
          { type: "input_image", image_url: PIXEL },
        ]),
        call("c3"),
        returned("c3", ""),
      ],
      [
        { role: "user", content: "6 times 7?" },
        { role: "assistant", content: "let me see", toolCalls: [called("c1"), called("c2")] },
        { role: "tool", toolCallId: "c1", toolName: "add", content: "2" },
        {
          ...{ role: "tool", toolCallId: "c2", toolName: "add", content: "3" },
          images: [{ type: "image", image: PIXEL }],
        },
        { role: "assistant", content: "", toolCalls: [called("c3")] },
        { role: "tool", toolCallId: "c3", toolName: "add", content: "" },
      ],
    ],
    [
      "words after the calls, which would part them from their results",
      [user, call("c1"), { role: "assistant", content: "wait" }, returned("c1", "2")],
      [
        { role: "user", content: "6 times 7?" },
        { role: "assistant", content: "wait", toolCalls: [called("c1")] },
        { role: "tool", toolCallId: "c1", toolName: "add", content: "2" },
      ],
    ],
    [
      "calls of a custom tool",
      [
        user,
        { type: "custom_tool_call", call_id: "c1", name: "patch", input: '*** "x"' },
        { type: "custom_tool_call_output", call_id: "c1", output: "done" },
      ],
      [
        { role: "user", content: "6 times 7?" },
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "c1", name: "patch", input: '{"input":"*** \\"x\\""}' }],
        },
        { role: "tool", toolCallId: "c1", toolName: "patch", content: "done" },
      ],
    ],
    [
      "items that nobody else can read, left out",
      [
        { type: "item_reference", id: "msg_1" },
        { id: "msg_2" },
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "compaction", encrypted_content: "x" },
        user,
        { role: "assistant", content: "" },
      ],
      [{ role: "user", content: "6 times 7?" }],
    ],
    [
      "a result whose call is in an earlier response",
      [returned("c9", "7")],
      [{ role: "tool", toolCallId: "c9", toolName: "tool", content: "7" }],
    ],
  ];
  it.each(cases)("takes %s", (_, input, messages) => {
    expect(messagesOf(input)).toEqual(messages);
  });

  it("puts the instructions first, and takes them off again for the next response", () => {
    const request = parse({ instructions: "be brief", input: [{ role: "system", content: "a" }, user] });
    expect(request.task.messages[0]).toEqual({ role: "system", content: "be brief" });
    expect(withoutInstructions(request.task.messages, request.echo)).toEqual([
      { role: "system", content: "a" },
      { role: "user", content: "6 times 7?" },
    ]);
    const plain = parse({ input: [{ role: "system", content: "a" }, user] });
    expect(withoutInstructions(plain.task.messages, plain.echo)).toHaveLength(2);
  });

  it("needs no question where an earlier response has it", () => {
    expect(messagesOf(undefined, { previous_response_id: "resp_1" })).toEqual([]);
    expect(messagesOf([], { previous_response_id: "resp_1", instructions: "go on" })).toHaveLength(1);
  });
});

describe("the settings", () => {
  it("are few where nothing is asked for", () => {
    const request = parse({ temperature: null, tools: null, store: null, text: null, metadata: null });
    expect(request).toMatchObject({ model: "tutti", isStream: false, isStored: true, isBackground: false });
    expect(request.showsProgress).toBe(true);
    expect(request.task).toEqual({ messages: [user] });
    expect(request.echo).toEqual({ store: true, background: false });
  });

  it("become ours, and are kept to be repeated", () => {
    const tools = [
      { type: "function", name: "add", description: "adds", parameters: { type: "object" }, strict: true },
      { type: "custom", name: "patch", format: { type: "grammar", syntax: "lark", definition: "start: X" } },
      { type: "web_search" },
      { type: "namespace", name: "more", tools: [] },
    ];
    const fields = {
      instructions: "be brief",
      max_output_tokens: 90,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      truncation: "auto",
      previous_response_id: "resp_1",
      reasoning: { effort: "xhigh", summary: "auto" },
      metadata: { team: "blue" },
      user: "u1",
      tools,
      tool_choice: { type: "function", name: "add" },
      text: { format: { type: "json_schema", name: "n", schema: { type: "object" }, strict: true } },
      store: false,
    };
    const request = parse({ ...fields, stream: true, seed: 7, include: ["x"], max_tool_calls: 3 });
    const ignored = ["max_tool_calls", "tools: web_search", "truncation", "include: x"];
    expect(request.echo).toEqual({ ...fields, background: false, ignored });
    expect(request).toMatchObject({
      isStream: true,
      seed: 7,
      effort: "xhigh",
      user: "u1",
      metadata: { team: "blue" },
      isStored: false,
      previousReplyId: "resp_1",
    });
    expect(request.task.output).toEqual({
      maxOutputTokens: 90,
      seed: 7,
      temperature: 0.5,
      topP: 0.9,
      parallelToolCalls: false,
      effort: "xhigh",
      responseFormat: { type: "json", schema: { type: "object" }, name: "n" },
      toolChoice: { name: "add" },
      tools: [
        { name: "add", description: "adds", inputSchema: { type: "object" }, strict: true },
        {
          name: "patch",
          description: "The input must follow this grammar (lark):\nstart: X",
          inputSchema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
        },
      ],
    });
  });

  it("switch progress off by a header", () => {
    expect(parse({}, { "x-tutti-progress": "off" }).showsProgress).toBe(false);
  });

  it("offer only the allowed tools", () => {
    const tools = ["a", "b"].map((name) => ({ type: "function", name }));
    const allowed = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] };
    const { output } = parse({ tools, tool_choice: allowed }).task;
    expect(output?.tools?.map(({ name }) => name)).toEqual(["b"]);
    expect(output?.toolChoice).toBe("required");
  });

  it("do not blame a client whose tools were all left out", () => {
    const fields = { tools: [{ type: "web_search" }], tool_choice: "required" };
    expect(parse(fields).task.output).toBeUndefined();
    expect(parse({ ...fields, tool_choice: { type: "web_search" } }).task.output).toBeUndefined();
  });

  it("take JSON without a schema, and plain text as nothing special", () => {
    expect(parse({ text: { format: { type: "json_object" } } }).task.output?.responseFormat).toEqual({
      type: "json",
    });
    expect(parse({ text: { format: { type: "text" } } }).task.output).toBeUndefined();
  });
});

describe("what is refused", () => {
  const part = (fields: object) => ({ input: [{ role: "user", content: [fields] }] });
  const cases: [string, object, string][] = [
    ["no model", { model: undefined }, "model"],
    ["no input", { input: null }, "input"],
    ["an empty question", { input: "  " }, "input"],
    ["only a system message", { input: [{ role: "system", content: "a" }] }, "input"],
    ["an input of another kind", { input: 7 }, "input"],
    ["an item that is no object", { input: ["hello"] }, "input[0]"],
    ["an item of no type", { input: [user, { name: "x" }] }, "input[1].type"],
    ["an unknown role", { input: [{ role: "tool", content: "x" }] }, "input[0].role"],
    ["a message without content", { input: [{ role: "user" }] }, "input[0].content"],
    ["a call without an id", { input: [user, { ...call("c"), call_id: null }] }, "input[1].call_id"],
    ["a result of another kind", { input: [returned("c", 7)] }, "input[0].output"],
    ["an unknown part", part({ type: "video" }), "input[0].content[0].type"],
    ["a part without its text", part({ type: "input_text" }), "input[0].content[0].text"],
    ["a file", part({ type: "input_file", file_id: "f" }), "input[0].content[0].type"],
    ["an image by file id", part({ type: "input_image", file_id: "f" }), "input[0].content[0].file_id"],
    [
      "an image on our disk",
      part({ type: "input_image", image_url: "file:///etc/passwd" }),
      "input[0].content[0].image_url",
    ],
    [
      "an image of the assistant",
      { input: [user, { role: "assistant", content: [{ type: "input_image", image_url: PIXEL }] }] },
      "input[1].content[0].type",
    ],
    ["a conversation", { conversation: "conv_1" }, "conversation"],
    ["a stored prompt", { prompt: { id: "pmpt_1" } }, "prompt"],
    ["background without store", { background: true, store: false }, "background"],
    ["no tokens", { max_output_tokens: 0 }, "max_output_tokens"],
    ["a temperature in words", { temperature: "hot" }, "temperature"],
    ["an unknown effort", { reasoning: { effort: "heroic" } }, "reasoning.effort"],
    ["an unknown format", { text: { format: { type: "xml" } } }, "text.format.type"],
    ["a schema that is missing", { text: { format: { type: "json_schema" } } }, "text.format.schema"],
    ["a tool without a name", { tools: [{ type: "function" }] }, "tools[0].name"],
    ["a tool that has no such name", { tool_choice: { type: "function", name: "a" } }, "tool_choice.name"],
    ["an unknown tool choice", { tool_choice: "maybe" }, "tool_choice"],
    ["a required tool where there is none", { tool_choice: "required" }, "tool_choice"],
    [
      "two tools of one name",
      { tools: ["x", "x"].map((name) => ({ type: "function", name })) },
      "tools[1].name",
    ],
    ["instructions in a list", { instructions: ["a"] }, "instructions"],
    ["a stream in words", { stream: "yes" }, "stream"],
  ];
  it.each(cases)("%s", (_, fields, param) => {
    expect(refusalOf(() => parse(fields))).toMatchObject({ code: "bad-request", status: 400, param });
  });
});

it("throws nothing but our own error, whatever it is given", () => {
  const word = fc.constantFrom(
    ...["message", "function_call", "function_call_output", "custom_tool_call", "item_reference"],
    ...["input_text", "input_image", "function", "custom", "allowed_tools", "json_schema", "user", "auto"],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom(null, true, 0, -1, 1e308, "", "x"),
      word,
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc.dictionary(
      fc.constantFrom(
        ...["type", "role", "content", "call_id", "output", "name", "arguments", "input", "text", "id"],
        ...["image_url", "format", "schema", "effort", "mode", "tools", "__proto__"],
      ),
      tie("value"),
      { maxKeys: 5 },
    ),
  }));
  const body = fc.dictionary(
    fc.constantFrom(
      ...[
        "input",
        "instructions",
        "tools",
        "tool_choice",
        "text",
        "reasoning",
        "metadata",
        "store",
        "stream",
      ],
      ...["background", "previous_response_id", "temperature", "max_output_tokens", "user", "seed", "tutti"],
    ),
    fc.oneof(value, fc.array(value, { maxLength: 4 }), fc.jsonValue()),
  );
  let taken = 0;
  fc.assert(
    fc.property(body, (fields) => {
      try {
        parse(fields);
        taken++;
      } catch (error) {
        expect(isTuttiError(error) ? error.status : error).toBe(400);
      }
    }),
    { numRuns: 2000, seed: 5 },
  );
  // A generator that never gets past the door would prove nothing.
  expect(taken).toBeGreaterThan(20);
});
