import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TuttiError } from "../../../base/errors.ts";
import { refusalOf } from "../../../testing/gateway/refusal.ts";
import type { Message, OutputSettings } from "../../../worker/types.ts";
import { messagesDialect } from "./dialect.ts";
import { countTokens } from "./request.ts";

type Body = Record<string, unknown>;

const noHeader = () => undefined;
const base: Body = { model: "tutti", max_tokens: 100, messages: [{ role: "user", content: "6 times 7?" }] };
const parse = (change: Body = {}, header: (name: string) => string | undefined = noHeader) =>
  messagesDialect.parseRequest({ ...base, ...change }, header);

describe("the conversation", () => {
  const PIXEL = "iVBORw0KGgo=";
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Ulm" } };
  const rows: [title: string, body: Body, messages: Message[]][] = [
    ["a text", {}, [{ role: "user", content: "6 times 7?" }]],
    [
      "a system prompt, in parts where its cached part ends",
      {
        system: [
          { type: "text", text: "Be short.", cache_control: { type: "ephemeral" } },
          { type: "text", text: "Be right." },
        ],
      },
      [
        { role: "system", content: "Be short.", isCached: true },
        { role: "system", content: "Be right." },
        { role: "user", content: "6 times 7?" },
      ],
    ],
    [
      "turns that do not alternate",
      {
        messages: [
          { role: "assistant", content: "Hello" },
          { role: "system", content: "Now in French." },
          { role: "user", content: "a" },
          { role: "user", content: [{ type: "text", text: "b" }] },
        ],
      },
      [
        { role: "assistant", content: "Hello" },
        { role: "system", content: "Now in French." },
        { role: "user", content: "a" },
        { role: "user", content: "b" },
      ],
    ],
    [
      "images",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
              { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
              { type: "text", text: "Which is larger?" },
            ],
          },
        ],
      },
      [
        {
          role: "user",
          content: [
            { type: "image", image: `data:image/png;base64,${PIXEL}` },
            { type: "image", image: "https://example.org/a.png" },
            { type: "text", text: "Which is larger?" },
          ],
        },
      ],
    ],
    [
      "tool calls and their results, which come before the text beside them",
      {
        messages: [
          { role: "assistant", content: [{ type: "text", text: "I look." }, call] },
          {
            role: "user",
            content: [
              { type: "text", text: "And tomorrow?" },
              { type: "tool_result", tool_use_id: "toolu_1", content: "rain" },
              {
                type: "tool_result",
                tool_use_id: "toolu_9",
                is_error: true,
                content: [{ type: "text", text: "no" }, { type: "image", source: {} }, { type: "new" }],
              },
              { type: "tool_result", tool_use_id: "toolu_1" },
            ],
          },
        ],
      },
      [
        {
          role: "assistant",
          content: "I look.",
          toolCalls: [{ id: "toolu_1", name: "weather", input: '{"city":"Ulm"}' }],
        },
        { role: "tool", toolCallId: "toolu_1", toolName: "weather", content: "rain" },
        {
          role: "tool",
          toolCallId: "toolu_9",
          toolName: "tool",
          content: "error: no\n[an image]\n[a block of type new]",
        },
        { role: "tool", toolCallId: "toolu_1", toolName: "weather", content: "" },
        { role: "user", content: "And tomorrow?" },
      ],
    ],
    [
      "nothing of what only one provider can read",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "x" }] },
          {
            role: "assistant",
            content: [
              { type: "redacted_thinking", data: "x" },
              { type: "server_tool_use", id: "s", name: "web_search", input: {} },
              { type: "text", text: "b" },
            ],
          },
        ],
      },
      [
        { role: "user", content: "a" },
        { role: "assistant", content: "b" },
      ],
    ],
  ];
  it.each(rows)("holds %s", (_, body, messages) => {
    expect(parse(body).task.messages).toEqual(messages);
  });
});

describe("what the client wants of the answer", () => {
  const tool = { name: "weather", description: "tells", input_schema: { type: "object" } };
  const tools = [{ name: "weather", description: "tells", inputSchema: { type: "object" } }];
  const schema = { type: "object", properties: { a: { type: "number" } } };
  const rows: [title: string, body: Body, output: OutputSettings][] = [
    ["a limit", {}, {}],
    ["stop sequences", { stop_sequences: ["END"] }, { stop: ["END"] }],
    ["a temperature above what Anthropic takes", { temperature: 1.5 }, { temperature: 1.5 }],
    ["tools", { tools: [tool, { type: "web_search_20260318", name: "web_search" }] }, { tools }],
    ["a choice", { tools: [tool], tool_choice: { type: "auto" } }, { tools, toolChoice: "auto" }],
    ["any tool", { tools: [tool], tool_choice: { type: "any" } }, { tools, toolChoice: "required" }],
    ["no tool", { tools: [tool], tool_choice: { type: "none" } }, { tools, toolChoice: "none" }],
    [
      "one tool",
      { tools: [{ ...tool, type: "custom" }], tool_choice: { type: "tool", name: "weather" } },
      { tools, toolChoice: { name: "weather" } },
    ],
    ["a choice of nothing", { tool_choice: { type: "any" } }, {}],
    [
      "a schema",
      { output_config: { format: { type: "json_schema", schema } } },
      { responseFormat: { type: "json", schema } },
    ],
    [
      "a schema in its older place",
      { output_format: { type: "json_schema", schema } },
      { responseFormat: { type: "json", schema } },
    ],
    [
      "how to choose words and how long to think",
      { top_k: 5, thinking: { type: "enabled", budget_tokens: 2000 }, output_config: { effort: "low" } },
      { topK: 5, thinking: { type: "enabled", budgetTokens: 2000 }, effort: "low" },
    ],
    [
      "nothing that a team cannot follow",
      { service_tier: "auto", context_management: {}, betas: ["x"], mcp_servers: [] },
      {},
    ],
  ];
  it.each(rows)("holds %s", (_, body, output) => {
    expect(parse(body).task.output).toEqual({ maxOutputTokens: 100, ...output });
  });
});

describe("the rest of a request", () => {
  it("has quiet defaults", () => {
    const { task: _, ...rest } = parse();
    expect(rest).toEqual({
      model: "tutti",
      isStream: false,
      isStored: true,
      isBackground: false,
      showsProgress: false,
      echo: {},
    });
  });

  it("takes effort, the user's tag and storage", () => {
    expect(parse({ output_config: { effort: "xhigh" } }).effort).toBe("xhigh");
    expect(parse({ effort: "low" }).effort).toBe("low");
    expect(parse({ metadata: { user_id: "u1", team: 7 } })).toMatchObject({ user: "u1" });
    expect(parse({ metadata: { user_id: "u1" } })).not.toHaveProperty("metadata");
    expect(parse({ store: false }).isStored).toBe(false);
  });

  it.each<[isShown: boolean, body: Body, header?: string]>([
    [true, { stream: true }],
    [true, { stream: true, thinking: { type: "enabled", budget_tokens: 1024 } }],
    [false, { stream: true, thinking: { type: "disabled" } }],
    [false, { stream: true }, "off"],
    [false, { stream: true, tutti: { progress: false } }],
    [false, {}],
    [true, { thinking: { type: "adaptive" } }],
    [true, { thinking: { type: "enabled", budget_tokens: 1024 } }],
    [false, { thinking: { type: "enabled" } }, "off"],
  ])("shows progress: %s for %j with the header %s", (isShown, body, value) => {
    const header = (name: string) => (name === "x-tutti-progress" ? value : undefined);
    expect(parse(body, header).showsProgress).toBe(isShown);
  });
});

describe("what is refused", () => {
  const content = (block: unknown) => ({ messages: [{ role: "user", content: [block] }] });
  const image = (source: unknown) => content({ type: "image", source });
  it.each<[body: Body, param: string, words: RegExp]>([
    [{ model: undefined }, "model", /missing/],
    [{ model: 5 }, "model", /must be a text, not 5/],
    [{ max_tokens: undefined }, "max_tokens", /^max_tokens: Field required$/],
    [{ max_tokens: 0 }, "max_tokens", /1 or more, not 0/],
    [{ max_tokens: 1.5 }, "max_tokens", /whole number/],
    [{ messages: undefined }, "messages", /at least one/],
    [{ messages: [] }, "messages", /at least one/],
    [{ messages: [{ role: "user", content: [] }] }, "messages", /at least one/],
    [{ messages: {} }, "messages", /a list/],
    [{ messages: [7] }, "messages[0]", /an object/],
    [{ messages: [{ role: "tool", content: "x" }] }, "messages[0].role", /"user" or "assistant", not "tool"/],
    [{ messages: [{ role: "user", content: 7 }] }, "messages[0].content", /a text or a list of blocks/],
    [content("x"), "messages[0].content[0]", /an object/],
    [content({ text: "x" }), "messages[0].content[0].type", /missing/],
    [content({ type: "text" }), "messages[0].content[0].text", /a text/],
    [
      content({ type: "document", source: {} }),
      "messages[0].content[0]",
      /ask one model \(provider\/model\)/,
    ],
    [image({ type: "file", file_id: "f" }), "messages[0].content[0].source.type", /ask one model/],
    [image({ type: "url", url: "file:///etc/passwd" }), "messages[0].content[0].source.url", /no image/],
    [
      image({ type: "base64", media_type: "image/png,x;", data: "AA" }),
      "messages[0].content[0].source.media_type",
      /image type such as/,
    ],
    [image({ type: "ftp" }), "messages[0].content[0].source.type", /"base64" or "url", not "ftp"/],
    [content({ type: "tool_result" }), "messages[0].content[0].tool_use_id", /missing/],
    [{ system: [{ type: "image" }] }, "system[0].type", /"text", not "image"/],
    [{ temperature: 3 }, "temperature", /from 0 to 2, not 3/],
    [{ stop_sequences: [""] }, "stop_sequences[0]", /not empty/],
    [{ stream: "yes" }, "stream", /true or false/],
    [{ tools: [{ name: "a" }] }, "tools[0].input_schema", /missing/],
    [{ tool_choice: { type: "all" } }, "tool_choice.type", /one of "auto", "any", "tool", "none"/],
    [
      { tools: [{ name: "a", input_schema: {} }], tool_choice: { type: "tool", name: "b" } },
      "tool_choice.name",
      /no tool "b".*there are: "a"/,
    ],
    [{ effort: "huge" }, "effort", /one of/],
    [{ output_config: { format: { type: "xml" } } }, "output_config.format.type", /"json_schema"/],
    [{ output_format: { type: "json_schema" } }, "output_format.schema", /missing/],
    [{ thinking: {} }, "thinking.type", /missing/],
  ])("%j, by its path", (body, param, words) => {
    expect(refusalOf(() => parse(body))).toMatchObject({ code: "bad-request", status: 400, param });
    expect(refusalOf(() => parse(body)).message).toMatch(words);
  });

  it("input that is nested deeper than it could be written again", () => {
    const depth = 100_000;
    const input: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    const block = { type: "tool_use", id: "a", name: "b", input };
    expect(refusalOf(() => parse({ messages: [{ role: "assistant", content: [block] }] })).message).toMatch(
      /too deeply/,
    );
  });

  it("any JSON, and always with an error of our own", () => {
    const names = ["type", "text", "source", "id", "name", "input", "tool_use_id", "content", "is_error"];
    const types = ["text", "image", "document", "tool_use", "tool_result", "thinking", "new"];
    const block = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.constantFrom(...types), fc.jsonValue())),
    );
    const content = fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }), fc.jsonValue());
    const role = fc.constantFrom("user", "assistant", "system", "tool");
    const messages = fc.array(fc.record({ role, content }), { maxLength: 4 });
    const fields = [
      "system",
      "tools",
      "tool_choice",
      "thinking",
      "output_config",
      "metadata",
      "stop_sequences",
    ];
    const any = fc.dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), fc.jsonValue());
    let taken = 0;
    fc.assert(
      fc.property(any, fc.oneof(messages, fc.jsonValue()), fc.boolean(), (body, list, hasFields) => {
        const reads = [
          () => parse(hasFields ? { ...body, messages: list } : { messages: list }),
          () => countTokens({ messages: list }),
        ];
        for (const read of reads) {
          try {
            read();
            taken++;
          } catch (error) {
            expect(error).toBeInstanceOf(TuttiError);
          }
        }
      }),
      { seed: 11, numRuns: 1_000 },
    );
    expect(taken).toBeGreaterThan(20);
  });
});

describe("counting tokens", () => {
  it("counts bytes of text, tools and images, and needs no max_tokens", () => {
    const image = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    expect(countTokens({ messages: [{ role: "user", content: "12345" }] })).toBe(2);
    expect(countTokens({ messages: [{ role: "user", content: "ééé" }] })).toBe(2);
    expect(countTokens({ messages: [{ role: "user", content: [image, image] }] })).toBe(3_000);
    const tool = { name: "a", input_schema: { type: "object" } };
    const withTool = countTokens({ tools: [tool], messages: [{ role: "user", content: "12345" }] });
    expect(withTool).toBeGreaterThan(2);
  });
});
