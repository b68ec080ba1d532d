// A body of Chat Completions → a GatewayRequest. What a team cannot honour and would change the answer is
// refused (several choices, log probabilities); what it does not know is ignored, because clients send much.

import type { OutputSettings, ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import { CUSTOM_SCHEMA } from "../custom-tool.ts";
import {
  asFields,
  badRequest,
  EFFORTS,
  type Fields,
  readChoice,
  readFlag,
  readNumber,
  readObject,
  readOptionalList,
  readOptionalObject,
  readOptionalText,
  readProgress,
  readSeed,
  readTag,
  readText,
  readTextMap,
  toAskedTask,
  toPath,
  wrong,
} from "../fields.ts";
import { toMessages } from "./messages.ts";

const MAX_STOPS = 4;

export function parseChatRequest(body: Fields, header: HeaderReader): GatewayRequest {
  const model = readText(body, "model");
  refuseUnsupported(body);
  const { tools, customNames } = toTools(body);
  const output = toOutput(body, tools);
  const messages = toMessages(body);
  const includesUsage = readFlag(
    readOptionalObject(body, "stream_options") ?? {},
    "include_usage",
    "stream_options",
  );
  return {
    model,
    task: toAskedTask({ messages, ...(Object.keys(output).length > 0 && { output }) }, "messages"),
    isStream: readFlag(body, "stream") ?? false,
    seed: readSeed(body),
    effort: readChoice(body, "reasoning_effort", EFFORTS),
    user: readTag(body, "user") ?? readTag(body, "safety_identifier"),
    metadata: readTextMap(body, "metadata"),
    isStored: readFlag(body, "store") ?? true,
    isBackground: false,
    showsProgress: readProgress(header, body),
    echo: {
      ...(includesUsage && { include_usage: true }),
      ...(customNames.length > 0 && { custom_tools: customNames }),
    },
  };
}

function refuseUnsupported(body: Fields): void {
  if ((body.n ?? 1) !== 1) {
    throw badRequest(`"n" must be 1: a team gives one answer. Ask again for another one.`, "n");
  }
  if (readFlag(body, "logprobs")) {
    const message = `"logprobs" is not supported by a team; ask one model (provider/model) for it.`;
    throw badRequest(message, "logprobs");
  }
  if (readOptionalList(body, "modalities")?.includes("audio")) {
    const message = "Audio is not supported by a team; ask one model (provider/model) for it.";
    throw badRequest(message, "modalities");
  }
  if (readOptionalList(body, "functions")?.length) {
    throw badRequest('"functions" is the old form and not supported: use "tools".', "functions");
  }
}

// ---- What the client wants of the answer ------------------------------------------------------

function toOutput(body: Fields, tools: ToolDefinition[]): OutputSettings {
  const bounds = { min: 1, isWhole: true };
  const { tools: offered, toolChoice } = toToolSettings(body, tools);
  const output: OutputSettings = {
    maxTokens: readNumber(body, "max_completion_tokens", bounds) ?? readNumber(body, "max_tokens", bounds),
    stop: toStops(body),
    temperature: readNumber(body, "temperature", { min: 0, max: 2 }),
    tools: offered.length > 0 ? offered : undefined,
    toolChoice,
    responseFormat: toResponseFormat(body),
  };
  // Equal requests are to look equal, so nothing is set that was not asked for.
  return Object.fromEntries(Object.entries(output).filter(([, value]) => value !== undefined));
}

function toStops(body: Fields): string[] | undefined {
  const stop = body.stop ?? [];
  const list: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (list.length > MAX_STOPS || !list.every((item) => typeof item === "string")) {
    throw badRequest(`"stop" must be a text or a list of at most ${MAX_STOPS} texts.`, "stop");
  }
  const texts = list.filter((item) => item !== "");
  return texts.length > 0 ? texts : undefined;
}

function toResponseFormat(body: Fields): OutputSettings["responseFormat"] {
  const format = readOptionalObject(body, "response_format");
  if (!format) return undefined;
  const path = "response_format";
  const types = ["text", "json_object", "json_schema"] as const;
  const type = readChoice({ type: readText(format, "type", path) }, "type", types, path);
  if (type === "text") return undefined;
  if (type === "json_object") return { type: "json" };
  const described = readObject(format, "json_schema", path);
  const schema = readOptionalObject(described, "schema", toPath(path, "json_schema"));
  const name = readOptionalText(described, "name", toPath(path, "json_schema"));
  return { type: "json", ...(schema && { schema }), ...(name && { name }) };
}

// ---- Tools ------------------------------------------------------------------------------------

/** Tools of types we do not know are left out: agents send what only their own provider has. */
function toTools(body: Fields): { tools: ToolDefinition[]; customNames: string[] } {
  const tools: ToolDefinition[] = [];
  const customNames: string[] = [];
  for (const [index, item] of (readOptionalList(body, "tools") ?? []).entries()) {
    const path = toPath("tools", index);
    const tool = asFields(item, path);
    const type = readText(tool, "type", path);
    if (type !== "function" && type !== "custom") continue;
    const place = toPath(path, type);
    const described = readObject(tool, type, path);
    const name = readText(described, "name", place);
    const description = readOptionalText(described, "description", place);
    if (tools.some((other) => other.name === name)) {
      throw badRequest(`There are two tools with the name "${name}".`, toPath(place, "name"));
    }
    if (type === "custom") customNames.push(name);
    const parameters = readOptionalObject(described, "parameters", place);
    const inputSchema =
      type === "custom" ? CUSTOM_SCHEMA : (parameters ?? { type: "object", properties: {} });
    tools.push({ name, ...(description && { description }), inputSchema });
  }
  return { tools, customNames };
}

interface ToolSettings {
  tools: ToolDefinition[];
  toolChoice?: ToolChoice;
}

function toToolSettings(body: Fields, tools: ToolDefinition[]): ToolSettings {
  const choice = body.tool_choice ?? undefined;
  if (choice === undefined) return { tools };
  if (typeof choice === "string") return { tools, toolChoice: toMode(choice, tools, "tool_choice") };
  const fields = asFields(choice, "tool_choice");
  const type = readText(fields, "type", "tool_choice");
  if (type === "allowed_tools") {
    const allowed = readObject(fields, type, "tool_choice");
    const path = toPath("tool_choice", type);
    const names = (readOptionalList(allowed, "tools", path) ?? []).map((item, index) => {
      const place = toPath(toPath(path, "tools"), index);
      return toToolName(asFields(item, place), tools, place);
    });
    const offered = tools.filter(({ name }) => names.includes(name));
    return { tools: offered, toolChoice: toMode(allowed.mode ?? "auto", offered, toPath(path, "mode")) };
  }
  return { tools, toolChoice: { name: toToolName(fields, tools, "tool_choice") } };
}

function toMode(mode: unknown, tools: ToolDefinition[], param: string): ToolChoice | undefined {
  if (mode !== "auto" && mode !== "none" && mode !== "required") {
    throw wrong(mode, '"auto", "none", "required" or an object that names a tool', param);
  }
  if (tools.length > 0) return mode;
  if (mode === "required") throw badRequest(`"${param}" is "required", but there is no tool.`, param);
  return undefined;
}

/** `{ type: "function", function: { name } }`, or the same with "custom". */
function toToolName(fields: Fields, tools: ToolDefinition[], path: string): string {
  const type = readText(fields, "type", path);
  if (type !== "function" && type !== "custom")
    throw wrong(type, '"function" or "custom"', toPath(path, "type"));
  const place = toPath(path, type);
  const name = readText(readObject(fields, type, path), "name", place);
  if (tools.some((tool) => tool.name === name)) return name;
  const known = tools.map((tool) => tool.name).join(", ");
  const message = `There is no tool "${name}" (there ${known ? `are: ${known}` : "are none"}).`;
  throw badRequest(message, toPath(place, "name"));
}
