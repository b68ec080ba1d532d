import { expect, test } from "vitest";
import { chatRelay } from "../dialect/chat/relay.ts";
import { messagesRelay } from "../dialect/messages/relay.ts";
import { responsesRelay } from "../dialect/responses/relay.ts";
import { checkFields } from "./priced-fields.ts";

const RELAYS = { chat: chatRelay, messages: messagesRelay, responses: responsesRelay };
type Name = keyof typeof RELAYS;
const check =
  (name: Name, body: object, allowed?: string[], headers = {}) =>
  () =>
    checkFields({ model: "m", ...body }, headers, RELAYS[name].pricedFields, allowed);

test.each<[Name, string, object]>([
  ["chat", "models", { models: ["expensive/model"] }],
  ["chat", "provider", { provider: { order: ["x"] } }],
  ["chat", "plugins", { plugins: [{ id: "web" }] }],
  ["chat", "web_search_options", { web_search_options: {} }],
  ["chat", "prediction", { prediction: { type: "content", content: "x" } }],
  ["chat", "modalities", { modalities: ["audio"] }],
  ["chat", "service_tier", { service_tier: "priority" }],
  ["chat", "MAX_TOKENS", { MAX_TOKENS: 1e6 }],
  ["chat", "web_search", { tools: [{ type: "function" }, { type: "web_search" }] }],
  ["chat", "tools", { tools: "web_search" }],
  ["chat", "__proto__", JSON.parse('{"__proto__":{"models":["x"]}}')],
  ["responses", "previous_response_id", { previous_response_id: "resp_1" }],
  ["responses", "conversation", { conversation: "conv_1" }],
  ["responses", "prompt", { prompt: { id: "pmpt_1" } }],
  ["responses", "item_reference", { input: [{ type: "item_reference", id: "msg_1" }] }],
  ["responses", "code_interpreter", { tools: [{ type: "code_interpreter" }] }],
  ["responses", "file_search", { tools: [{ type: "file_search" }] }],
  ["messages", "speed", { speed: "fast" }],
  ["messages", "inference_geo", { inference_geo: "us" }],
  ["messages", "mcp_servers", { mcp_servers: [] }],
  ["messages", "container", { container: "c" }],
  ["messages", "web_search_20250305", { tools: [{ name: "a" }, { type: "web_search_20250305" }] }],
  ["messages", "code_execution_20250825", { tools: [{ type: "code_execution_20250825" }] }],
  ["messages", "compact_20260112", { context_management: { edits: [{ type: "compact_20260112" }] } }],
  ["messages", "cache_control.ttl", { system: [{ cache_control: { type: "ephemeral", ttl: "24h" } }] }],
])("of %s, %s is refused by its name unless the key is allowed it", (name, field, body) => {
  expect(check(name, body)).toThrow(expect.objectContaining({ code: "forbidden", param: field }));
  expect(check(name, body)).toThrow(`--allow-fields ${field}`);
  expect(check(name, body, ["other"])).toThrow(field);
  expect(check(name, body, [field])).not.toThrow();
  expect(check(name, body, ["*"])).not.toThrow();
});

test("a beta that is billed otherwise is refused, the usual ones are not", () => {
  const headers = (betas: string) => ({ "anthropic-beta": betas });
  expect(check("messages", {}, [], headers("interleaved-thinking-2025-05-14"))).not.toThrow();
  const long = headers("interleaved-thinking-2025-05-14,context-1m-2025-08-07");
  expect(check("messages", {}, [], long)).toThrow("anthropic-beta");
  expect(check("messages", {}, ["anthropic-beta"], long)).not.toThrow();
});

test("what agents send every day is let through", () => {
  const tool = { type: "function", function: { name: "read", parameters: { url: {} } } };
  const tier = { service_tier: "auto", stream: true, stream_options: { include_usage: true } };
  expect(check("chat", { messages: [], tools: [tool], ...tier, n: 1 })).not.toThrow();
  const shell = { input: [], tools: [{ type: "function" }, { type: "local_shell" }, { type: "custom" }] };
  expect(check("responses", { ...shell, store: false, include: [], reasoning: {} })).not.toThrow();
  const cache = { cache_control: { type: "ephemeral" } };
  const tools = [
    { name: "a", input_schema: {}, ...cache },
    { type: "bash_20250124", name: "bash" },
  ];
  expect(check("messages", { messages: [], max_tokens: 9, tools, thinking: {}, metadata: {} })).not.toThrow();
});

test("a number that cannot be counted with is refused, whatever is allowed", () => {
  expect(check("chat", { max_tokens: "9000" }, ["*"])).toThrow('"max_tokens" must be a whole number');
  expect(check("chat", { n: 1e300 }, ["*"])).toThrow('"n" must be a whole number');
});
