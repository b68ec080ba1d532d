// A body of Chat Completions → a GatewayRequest. What a team cannot honour and would change the answer is
// refused (several choices, log probabilities); what it does not know is ignored, because clients send much.

import type { TuttiError } from "../../../base/errors.ts";
import type {
  Message,
  OutputSettings,
  Part,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolResult,
} from "../../../worker/types.ts";
import { LONGEST_CALL_ID, MOST_PARTS, MOST_TOOLS } from "../../access/request-limits.ts";
import { badRequest, type Fields, ObjectReader } from "../../http/object-reader.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import {
  dropAbsent,
  EFFORTS,
  ONE_MODEL_ONLY,
  readDetail,
  readImage,
  readOpenAICommon,
  type TextOrImage,
  toAskedTask,
  toOutput,
  toToolContent,
  VERBOSITIES,
} from "../common.ts";
import { toIgnored } from "../ignored.ts";
import {
  ignoredTools,
  readFormat,
  readMode,
  readSampling,
  readToolName,
  readTools,
  readUsualTier,
  toCustomInput,
} from "../openai-tools.ts";
import { createConversationReader, type Reading } from "../read-once.ts";

const MAX_STOPS = 4;
/** Fields that are followed, answered, or that only tell us something. */
const HONOURED: ReadonlySet<string> = new Set([
  ...["model", "messages", "stream", "stream_options", "store", "metadata", "user", "safety_identifier"],
  ...["max_completion_tokens", "max_tokens", "n", "stop", "seed", "temperature", "top_p", "top_k"],
  ...["presence_penalty", "frequency_penalty", "tools", "tool_choice", "parallel_tool_calls", "functions"],
  ...["function_call", "response_format", "reasoning_effort", "verbosity", "service_tier", "logprobs"],
  ...["modalities", "prompt_cache_key", "tutti"],
]);

export function parseChatRequest(fields: Fields, header: HeaderReader): GatewayRequest {
  const body = new ObjectReader(fields);
  const common = readOpenAICommon(body, header);
  refuseUnsupported(body);
  const tools = readTools(body, (tool, type) => tool.object(type));
  const output = readOutput(body, tools);
  const includesUsage = body.optionalObject("stream_options")?.flag("include_usage");
  const left = new Set<string>();
  const customTools = body
    .objects("tools", MOST_TOOLS)
    .filter(({ fields: { type } }) => type === "custom")
    .map((tool) => tool.object("custom").name("name"));
  return {
    ...common,
    task: toAskedTask({ messages: readMessages(body, left), output }, "messages"),
    effort: body.choice("reasoning_effort", EFFORTS),
    echo: dropAbsent({
      include_usage: includesUsage || undefined,
      custom_tools: customTools.length > 0 ? customTools : undefined,
      ignored: toIgnored(fields, HONOURED, [...ignoredTools(body), ...left]),
    }),
  };
}

function refuseUnsupported(body: ObjectReader): void {
  if ((body.value("n") ?? 1) !== 1)
    throw body.bad("n", "must be 1: a team gives one answer. Ask again for another one.");
  if (body.flag("logprobs")) throw body.bad("logprobs", ONE_MODEL_ONLY);
  if (body.list("modalities").includes("audio")) throw badRequest(`Audio ${ONE_MODEL_ONLY}`, "modalities");
  if (body.list("functions").length > 0)
    throw body.bad("functions", 'is the old form and not supported: use "tools".');
}

function readOutput(body: ObjectReader, tools: ToolDefinition[]): OutputSettings | undefined {
  const bounds = { min: 1, isWhole: true };
  const { tools: offered, toolChoice } = readToolChoice(body, tools);
  return toOutput({
    maxOutputTokens: body.number("max_completion_tokens", bounds) ?? body.number("max_tokens", bounds),
    stop: readStops(body),
    ...readSampling(body),
    effort: body.choice("reasoning_effort", EFFORTS),
    verbosity: body.choice("verbosity", VERBOSITIES),
    serviceTier: readUsualTier(body),
    tools: offered.length > 0 ? offered : undefined,
    toolChoice,
    responseFormat: readFormat(body.optionalObject("response_format"), "json_schema"),
  });
}

function readStops(body: ObjectReader): string[] | undefined {
  const stop = body.value("stop") ?? [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.length > MAX_STOPS || !list.every((item) => typeof item === "string"))
    throw body.bad("stop", `must be a text or a list of at most ${MAX_STOPS} texts.`);
  const texts = list.filter((item) => item !== "");
  return texts.length > 0 ? texts : undefined;
}

/** The tools that are offered, and which of them must be called. */
function readToolChoice(
  body: ObjectReader,
  tools: ToolDefinition[],
): { tools: ToolDefinition[]; toolChoice?: ToolChoice } {
  const value = body.value("tool_choice");
  if (value === undefined) return { tools };
  if (typeof value === "string") return { tools, toolChoice: toMode(body, "tool_choice", tools) };
  const choice = body.object("tool_choice");
  const type = choice.text("type");
  if (type !== "allowed_tools") return { tools, toolChoice: { name: readChosen(choice, tools) } };
  const allowed = choice.object(type);
  const names = new Set(allowed.objects("tools", MOST_TOOLS).map((tool) => readChosen(tool, tools)));
  const offered = tools.filter(({ name }) => names.has(name));
  return { tools: offered, toolChoice: toMode(allowed, "mode", offered) };
}

function toMode(reader: ObjectReader, name: string, tools: ToolDefinition[]): ToolChoice | undefined {
  const mode = readMode(reader, name);
  if (tools.length > 0) return mode;
  if (mode === "required") throw reader.bad(name, 'is "required", but there is no tool.');
  return undefined;
}

/** `{ type: "function", function: { name } }`, or the same with "custom". */
function readChosen(choice: ObjectReader, tools: ToolDefinition[]): string {
  const type = choice.text("type");
  if (type !== "function" && type !== "custom") throw choice.wrong("type", '"function" or "custom"');
  return readToolName(choice.object(type), tools);
}

// ---- Messages ------------------------------------------------------------------------------------

// The messages of Chat Completions → ours, the half with a memory:
// a tool's result names only the id of its call, so the calls before it are kept while reading.

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

/** `left` gets what nobody can read. */
function readMessages(body: ObjectReader, left: Set<string>): Message[] {
  const list = body.list("messages");
  if (list.length === 0) throw body.bad("messages", "must hold at least one message.");
  return readList(list, body.pathOf("messages"), left);
}

const readList = createConversationReader((item, reading) => {
  const message = readMessage(item, reading);
  // A turn of the assistant that says nothing is refused by some providers and tells the others nothing.
  const isEmpty = message.role === "assistant" && message.content === "" && message.toolCalls === undefined;
  return isEmpty ? [] : [message];
});

function readMessage(message: ObjectReader, { toolNames, left }: Reading): Message {
  const role = message.text("role");
  // Of a result it is the name of the tool, which the call has.
  if (role !== "tool" && role !== "function" && message.optionalText("name")) left.add("messages: name");
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: readPlainText(message) };
    case "user":
      return { role, content: readUserContent(message, left) };
    case "assistant":
      return readAssistant(message);
    case "tool": {
      const toolCallId = message.name("tool_call_id", LONGEST_CALL_ID);
      const toolName = toolNames.get(toolCallId) ?? "tool";
      return { role, toolCallId, toolName, ...readToolContent(message, left) };
    }
    case "function": {
      const toolName = message.name("name");
      return { role: "tool", toolCallId: oldCallId(toolName), toolName, content: readPlainText(message) };
    }
  }
  throw message.wrong("role", `one of ${ROLES.join(", ")}`);
}

// ---- Content ------------------------------------------------------------------------------------

function readUserContent(message: ObjectReader, left: Set<string>): string | Part[] {
  const expected = "a text or a list of parts";
  const content = message.textOrObjects("content", expected);
  if (content === undefined) throw message.wrong("content", expected);
  return typeof content === "string" ? content : content.map((part) => readUserPart(part, left));
}

function readUserPart(part: ObjectReader, left: Set<string>): Part {
  const type = part.text("type");
  if (type === "text") return { type, text: part.optionalText("text") ?? "" };
  if (type !== "image_url") throw unsupported(part, type, "text and image_url");
  // Some clients give the address without the object around it.
  if (typeof part.value("image_url") === "string") return readImage(part, "image_url");
  const image = part.object("image_url");
  return { ...readImage(image, "url"), ...readDetail(image, left, "messages") };
}

/** Text, and images beside it. */
function readToolContent(message: ObjectReader, left: Set<string>): Pick<ToolResult, "content" | "images"> {
  const content = message.textOrObjects("content", "a text or a list of parts") ?? "";
  if (typeof content === "string") return { content };
  return toToolContent(
    content.map((part): TextOrImage => {
      const type = part.text("type");
      if (type === "file") {
        left.add("messages: file");
        return { type: "text", text: "[a file]" };
      }
      if (type === "refusal") return { type: "text", text: part.text(type) };
      const read = readUserPart(part, left) as TextOrImage;
      if (read.type === "text" || !read.detail) return read;
      // No provider has it there.
      left.add("messages: detail");
      return { ...read, detail: undefined };
    }),
  );
}

/** Content that is text only: of the system, of the assistant, of a tool. Parts become paragraphs. */
function readPlainText(message: ObjectReader): string {
  const content = message.textOrObjects("content", "a text or a list of text parts") ?? "";
  if (typeof content === "string") return content;
  const texts = content.map((part) => {
    const type = part.text("type");
    if (type !== "text" && type !== "refusal") throw unsupported(part, type, "text");
    return part.optionalText(type) ?? "";
  });
  return texts.join("\n");
}

function unsupported(part: ObjectReader, type: string, supported: string): TuttiError {
  if (type === "input_audio" || type === "file")
    return badRequest(`A part of type "${type}" ${ONE_MODEL_ONLY}`, part.pathOf("type"));
  return part.wrong("type", supported);
}

// ---- Tool calls ---------------------------------------------------------------------------------

function readAssistant(message: ObjectReader): Message {
  const toolCalls = message.objects("tool_calls", MOST_PARTS).map(readToolCall);
  const old = message.optionalObject("function_call");
  if (old) {
    const name = old.name("name");
    toolCalls.push({ id: oldCallId(name), name, input: old.optionalText("arguments") ?? "" });
  }
  const content = readPlainText(message) || (message.optionalText("refusal") ?? "");
  return { role: "assistant", content, toolCalls: toolCalls.length > 0 ? toolCalls : undefined };
}

function readToolCall(call: ObjectReader): ToolCall {
  const id = call.name("id", LONGEST_CALL_ID);
  if (call.value("type") === "custom") {
    const custom = call.object("custom");
    return { id, name: custom.name("name"), input: toCustomInput(custom.optionalText("input") ?? "") };
  }
  const called = call.object("function");
  return { id, name: called.name("name"), input: called.optionalText("arguments") ?? "" };
}

/** The calls of before there were tools have no ids: the name has to do. */
function oldCallId(name: string): string {
  return `function-${name}`;
}
