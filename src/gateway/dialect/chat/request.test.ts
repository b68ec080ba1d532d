import { assert, constantFrom, jsonValue, oneof, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../../../base/errors.ts";
import { refusalOf } from "../../../testing/gateway/refusal.ts";
import type { HeaderReader } from "../../types.ts";
import { parseChatRequest } from "./request.ts";

const noHeader: HeaderReader = () => undefined;
const user = { role: "user", content: "6 times 7?" };
const PIXEL = "data:image/png;base64,iVBORw0KGgo=";

const parse = (fields: object, header = noHeader) =>
  parseChatRequest({ model: "tutti", messages: [user], ...fields }, header);
const parseMessages = (...messages: unknown[]) => parse({ messages }).task.messages;
const outputOf = (fields: object) => parse(fields).task.output;

const addTool = {
  type: "function",
  function: { name: "add", description: "Adds.", parameters: { type: "object", properties: { a: {} } } },
};
const noteTool = { type: "custom", custom: { name: "note", description: "Keeps a note." } };

describe("a chat request", () => {
  it("needs no more than a model and a question", () => {
    expect(parse({})).toEqual({
      model: "tutti",
      task: { messages: [user] },
      isStream: false,
      isStored: true,
      isBackground: false,
      showsProgress: true,
      echo: {},
    });
  });

  it("takes null for absent in every field", () => {
    const names =
      "stream store seed reasoning_effort user safety_identifier metadata tools tool_choice response_format stop temperature max_tokens max_completion_tokens n logprobs stream_options functions modalities tutti";
    const nothing = Object.fromEntries(names.split(" ").map((name) => [name, null]));
    expect(parse(nothing)).toEqual(parse({}));
  });

  it("ignores what it does not know, and keeps its names", () => {
    const unknown = {
      prediction: { type: "content" },
      service_tier: "priority",
      made_up: [1],
      n: 1,
      logit_bias: null,
    };
    const { echo, ...request } = parse(unknown);
    expect({ ...request, echo: {} }).toEqual(parse({}));
    expect(echo).toEqual({ ignored: ["prediction", "made_up", "service_tier"] });
  });

  it("reads what is asked for beside the answer", () => {
    const fields = {
      stream: true,
      stream_options: { include_usage: true },
      store: false,
      seed: -7,
      reasoning_effort: "xhigh",
      user: "anna",
      safety_identifier: "ignored",
      metadata: { job: "nightly", try: 2, dry: false, none: null },
    };
    expect(parse(fields)).toMatchObject({
      isStream: true,
      isStored: false,
      seed: 7,
      effort: "xhigh",
      user: "anna",
      metadata: { job: "nightly", try: "2", dry: "false" },
      echo: { include_usage: true },
    });
    expect(parse({ safety_identifier: "b" }).user).toBe("b");
    expect(Number.isSafeInteger(parse({ seed: -(2 ** 63) }).seed)).toBe(true);
  });

  it("switches progress off by header or by body", () => {
    const withHeader = (value: string) =>
      parse({}, (name) => (name === "x-tutti-progress" ? value : undefined)).showsProgress;
    expect(["off", "False", " 0 "].map(withHeader)).toEqual([false, false, false]);
    expect(["on", "", "1"].map(withHeader)).toEqual([true, true, true]);
    expect(parse({ tutti: { progress: false } }).showsProgress).toBe(false);
  });
});

describe("messages of a chat", () => {
  it("keep their order, with developer and function under our names", () => {
    const read = parseMessages(
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "system", content: "In English." },
      user,
      { role: "assistant", content: null, function_call: { name: "add", arguments: "{}" } },
      { role: "function", name: "add", content: "42" },
      { role: "assistant", content: [{ type: "refusal", refusal: "No." }] },
      { role: "user", content: "Why?", name: "anna" },
    );
    expect(read).toEqual([
      { role: "system", content: "Be brief." },
      { role: "system", content: "In English." },
      user,
      {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "function-add", name: "add", input: "{}" }],
      },
      { role: "tool", toolCallId: "function-add", toolName: "add", content: "42" },
      { role: "assistant", content: "No." },
      { role: "user", content: "Why?" },
    ]);
  });

  it("hold images by data: and https: URL", () => {
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: PIXEL, detail: "low" } },
      { type: "image_url", image_url: { url: "https://example.com/cat.png" } },
      { type: "image_url", image_url: PIXEL },
    ];
    expect(parseMessages({ role: "user", content })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is it?" },
          { type: "image", image: PIXEL, detail: "low" },
          { type: "image", image: "https://example.com/cat.png" },
          { type: "image", image: PIXEL },
        ],
      },
    ]);
  });

  it("give a tool's result the name of the tool that was called", () => {
    const tool_calls = [
      { id: "call_1", type: "function", function: { name: "add", arguments: '{"a":1}' } },
      { id: "call_2", type: "custom", custom: { name: "note", input: "line\none" } },
    ];
    const read = parseMessages(
      user,
      { role: "assistant", content: null, tool_calls },
      { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "kept" }] },
      { role: "tool", tool_call_id: "call_1", content: "42" },
      { role: "tool", tool_call_id: "call_9", content: "?" },
    );
    expect(read.slice(1)).toEqual([
      {
        role: "assistant",
        content: "",
        toolCalls: [
          { id: "call_1", name: "add", input: '{"a":1}' },
          { id: "call_2", name: "note", input: '{"input":"line\\none"}' },
        ],
      },
      { role: "tool", toolCallId: "call_2", toolName: "note", content: "kept" },
      { role: "tool", toolCallId: "call_1", toolName: "add", content: "42" },
      { role: "tool", toolCallId: "call_9", toolName: "tool", content: "?" },
    ]);
  });

  it("lose a turn in which the assistant said nothing", () => {
    expect(parseMessages(user, { role: "assistant", content: "" }, user)).toEqual([user, user]);
  });
});

describe("what a chat wants of the answer", () => {
  it.each<[object, object | undefined]>([
    [{ max_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 9 }, { maxOutputTokens: 9 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ stop: "END" }, { stop: ["END"] }],
    [{ stop: ["a", "", "b"] }, { stop: ["a", "b"] }],
    [{ stop: "" }, undefined],
    [{ response_format: { type: "text" } }, undefined],
    [{ response_format: { type: "json_object" } }, { responseFormat: { type: "json" } }],
    [
      {
        response_format: {
          type: "json_schema",
          json_schema: { name: "n", schema: { type: "object" }, strict: true },
        },
      },
      { responseFormat: { type: "json", name: "n", schema: { type: "object" } } },
    ],
    [{ tool_choice: "auto" }, undefined],
    [{ tools: [{ type: "web_search" }], tool_choice: "none" }, undefined],
  ])("%j", (fields, output) => expect(outputOf(fields)).toEqual(output));

  it("takes functions and custom tools, and leaves tools of other types out", () => {
    const request = parse({ tools: [addTool, { type: "namespace", name: "x" }, noteTool] });
    expect(request.task.output?.tools).toEqual([
      { name: "add", description: "Adds.", inputSchema: addTool.function.parameters },
      {
        name: "note",
        description: "Keeps a note.",
        inputSchema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
      },
    ]);
    expect(request.echo).toEqual({ custom_tools: ["note"], ignored: ["tools: namespace"] });
  });

  it.each<[unknown, unknown]>([
    ["required", "required"],
    [{ type: "function", function: { name: "add" } }, { name: "add" }],
    [{ type: "custom", custom: { name: "note" } }, { name: "note" }],
  ])("reads the tool choice %j", (tool_choice, toolChoice) => {
    expect(outputOf({ tools: [addTool, noteTool], tool_choice })?.toolChoice).toEqual(toolChoice);
  });

  it("offers only the allowed tools", () => {
    const allowed_tools = { mode: "required", tools: [{ type: "custom", custom: { name: "note" } }] };
    const output = outputOf({
      tools: [addTool, noteTool],
      tool_choice: { type: "allowed_tools", allowed_tools },
    });
    expect(output?.tools?.map(({ name }) => name)).toEqual(["note"]);
    expect(output?.toolChoice).toBe("required");
  });
});

describe("a chat request is refused, with the field to blame", () => {
  const withContent = (content: unknown, role = "user") => ({ messages: [user, { role, content }] });
  const withCall = (call: unknown) => ({ messages: [user, { role: "assistant", tool_calls: [call] }] });

  it.each<[object, string, RegExp]>([
    [{ model: undefined }, "model", /missing/],
    [{ model: "" }, "model", /empty/],
    [{ model: 4 }, "model", /a text, not 4/],
    [{ messages: undefined }, "messages", /at least one/],
    [{ messages: [] }, "messages", /at least one/],
    [{ messages: "hi" }, "messages", /a list, not "hi"/],
    [{ messages: ["hi"] }, "messages[0]", /an object/],
    [{ messages: [{ role: "system", content: "Be brief." }] }, "messages", /question is empty/],
    [{ messages: [{ role: "user", content: " " }] }, "messages", /question is empty/],
    [{ messages: [{ role: "robot", content: "hi" }] }, "messages[0].role", /"robot"/],
    [{ messages: [{ content: "hi" }] }, "messages[0].role", /missing/],
    [withContent(null), "messages[1].content", /not nothing/],
    [withContent(7), "messages[1].content", /not 7/],
    [withContent(["hi"]), "messages[1].content[0]", /an object/],
    [withContent([{ type: "text", text: 5 }]), "messages[1].content[0].text", /a text, not 5/],
    [withContent([{ type: "input_audio" }]), "messages[1].content[0].type", /provider\/model/],
    [withContent([{ type: "file" }]), "messages[1].content[0].type", /not supported by a team/],
    [withContent([{ type: "video" }]), "messages[1].content[0].type", /text and image_url/],
    [withContent([{ type: "image_url" }]), "messages[1].content[0].image_url", /missing/],
    [
      withContent([{ type: "image_url", image_url: { url: "file:///etc/passwd" } }]),
      "messages[1].content[0].image_url.url",
      /data: URL/,
    ],
    [withContent([{ type: "image_url" }], "system"), "messages[1].content[0].type", /text/],
    [withContent("42", "tool"), "messages[1].tool_call_id", /missing/],
    [withCall({ id: "c" }), "messages[1].tool_calls[0].function", /missing/],
    [withCall({ function: { name: "f" } }), "messages[1].tool_calls[0].id", /missing/],
    [
      withCall({ id: "c", function: { name: "f", arguments: {} } }),
      "messages[1].tool_calls[0].function.arguments",
      /a text/,
    ],
    [{ stream: "yes" }, "stream", /true or false, not "yes"/],
    [{ stream_options: { include_usage: 1 } }, "stream_options.include_usage", /true or false/],
    [{ n: 2 }, "n", /one answer/],
    [{ n: "1" }, "n", /one answer/],
    [{ logprobs: true }, "logprobs", /not supported/],
    [{ modalities: ["text", "audio"] }, "modalities", /Audio/],
    [{ functions: [{ name: "f" }] }, "functions", /"tools"/],
    [{ temperature: 2.1 }, "temperature", /from 0 to 2, not 2.1/],
    [{ temperature: Infinity }, "temperature", /from 0 to 2/],
    [{ max_tokens: 0 }, "max_tokens", /1 or more, not 0/],
    [{ max_completion_tokens: 1.5 }, "max_completion_tokens", /whole number/],
    [{ seed: 1.5 }, "seed", /whole number, not 1.5/],
    [{ reasoning_effort: "hard" }, "reasoning_effort", /"none", "minimal", .* not "hard"/],
    [{ stop: ["a", "b", "c", "d", "e"] }, "stop", /at most 4/],
    [{ stop: [1] }, "stop", /texts/],
    [{ user: "x".repeat(513) }, "user", /longer than 512/],
    [{ metadata: { a: {} } }, "metadata.a", /a text/],
    [{ metadata: { a: "x".repeat(513) } }, "metadata.a", /longer than 512/],
    [
      { metadata: Object.fromEntries([..."abcdefghijklmnopq"].map((key) => [key, key])) },
      "metadata",
      /17 pairs/,
    ],
    [{ response_format: { type: "xml" } }, "response_format.type", /"json_schema", not "xml"/],
    [{ response_format: { type: "json_schema" } }, "response_format.json_schema", /missing/],
    [{ tools: [{ type: "function" }] }, "tools[0].function", /missing/],
    [{ tools: [addTool, addTool] }, "tools[1].function.name", /two tools/],
    [{ tools: [addTool], tool_choice: "any" }, "tool_choice", /"any"/],
    [{ tool_choice: "required" }, "tool_choice", /no tool/],
    [
      { tools: [addTool], tool_choice: { type: "function", function: { name: "subtract" } } },
      "tool_choice.function.name",
      /no tool "subtract" \(there are: add\)/,
    ],
  ])("%j", (fields, param, message) => {
    const refusal = refusalOf(() => parse(fields));
    expect(refusal.param).toBe(param);
    expect(refusal.message).toMatch(message);
  });
});

describe("any JSON at all", () => {
  const full = {
    model: "tutti",
    messages: [
      { role: "system", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: [{ type: "image_url", image_url: { url: PIXEL } }] },
      user,
      {
        role: "assistant",
        content: null,
        refusal: "No.",
        tool_calls: [
          { id: "1", type: "function", function: { name: "add", arguments: "{}" } },
          { id: "2", type: "custom", custom: { name: "note", input: "x" } },
        ],
        function_call: { name: "add", arguments: "{}" },
      },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "42" }] },
      { role: "function", name: "add", content: "42" },
    ],
    tools: [addTool, noteTool],
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "auto", tools: [{ type: "function", function: { name: "add" } }] },
    },
    response_format: { type: "json_schema", json_schema: { name: "n", schema: {} } },
    stop: ["END"],
    metadata: { a: "b" },
    stream_options: { include_usage: true },
    tutti: { progress: false },
    ...{ n: 1, seed: 1, temperature: 1, max_tokens: 1, stream: true, store: true, user: "a" },
  };
  const words = ["function", "custom", "text", "refusal", "image_url", "assistant", "tool", "auto", "data:,"];

  it("is read or refused with a TuttiError, and nothing else happens", () => {
    const places = placesOf(full);
    let taken = 0;
    assert(
      property(constantFrom(...places), oneof(jsonValue(), constantFrom(...words)), (place, value) => {
        try {
          expect(parseChatRequest(replaced(full, place, value), noHeader).task.messages).not.toEqual([]);
          taken += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(TuttiError);
          expect(error).toMatchObject({ code: "bad-request" });
        }
      }),
      { numRuns: 3_000, seed: 5 },
    );
    // Otherwise the test would see only the first refusal of everything.
    expect(taken).toBeGreaterThan(300);
  });
});

type Place = (string | number)[];

/** Every place of a JSON value that can be replaced. */
function placesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [place];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inside = keys.flatMap((key) => placesOf((value as Record<string, unknown>)[key], [...place, key]));
  return place.length === 0 ? inside : [place, ...inside];
}

function replaced(source: object, place: Place, value: unknown): Record<string, unknown> {
  const copy = structuredClone(source) as Record<string, unknown>;
  const holder = place.slice(0, -1).reduce((at, key) => at[key] as Record<string, unknown>, copy);
  holder[place.at(-1) ?? ""] = value;
  return copy;
}
