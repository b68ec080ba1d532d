// Tools and formats as OpenAI's dialects declare and choose them. Tools of types that only their own provider has (web_search, …)
// are left out, and named in the reply, never refused: coding agents send them with every request.
//
// Custom tools take plain text. Inside, every tool takes JSON, so the text travels as the one field of an object,
// and is taken out again when the client reads it.

import { shorten } from "../../base/format.ts";
import type { OutputSettings, Sampling, ToolChoice, ToolDefinition } from "../../worker/types.ts";
import { MOST_TOOLS } from "../access/request-limits.ts";
import { badRequest, type Fields, isFields, type ObjectReader } from "../http/object-reader.ts";
import { checkSchema, readSeed } from "./common.ts";
import { ignoredFields, USUAL_TIERS } from "./ignored.ts";

const CUSTOM_SCHEMA = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
};

/** The text as such arguments. */
export function toCustomInput(text: string): string {
  return JSON.stringify({ input: text });
}

/** The way back; arguments of another form are given as they are. */
export function fromCustomInput(json: string): string {
  try {
    const parsed: unknown = JSON.parse(json);
    const input = (parsed as Fields | null)?.input;
    return typeof input === "string" ? input : json;
  } catch {
    return json;
  }
}

/** `detailsOf`: where a tool's name is: Chat Completions has it in an object named as the type, Responses beside it. */
export function readTools(
  body: ObjectReader,
  detailsOf: (tool: ObjectReader, type: string) => ObjectReader,
): ToolDefinition[] {
  const tools = new Map<string, ToolDefinition>();
  for (const tool of body.objects("tools", MOST_TOOLS)) {
    const type = tool.text("type");
    if (type !== "function" && type !== "custom") continue;
    const details = detailsOf(tool, type);
    const name = details.name("name");
    if (tools.has(name))
      throw badRequest(`There are two tools with the name "${shorten(name)}".`, details.pathOf("name"));
    const parameters = details.optionalObject("parameters")?.fields;
    tools.set(name, {
      name,
      description: readDescription(details, type) || undefined,
      strict: details.flag("strict"),
      inputSchema: type === "custom" ? CUSTOM_SCHEMA : (parameters ?? { type: "object", properties: {} }),
    });
  }
  return [...tools.values()];
}

/** A grammar that the input must follow can only be asked for: most providers cannot enforce it. */
function readDescription(tool: ObjectReader, type: "function" | "custom"): string {
  const description = tool.optionalText("description") ?? "";
  const format = tool.value("format");
  if (type !== "custom" || !isFields(format) || typeof format.definition !== "string") return description;
  const rule = `The input must follow this grammar (${String(format.syntax ?? "text")}):\n${format.definition}`;
  return description === "" ? rule : `${description}\n\n${rule}`;
}

export function readMode(reader: ObjectReader, name: string): ToolChoice {
  const mode = reader.value(name) ?? "auto";
  if (mode === "auto" || mode === "none" || mode === "required") return mode;
  throw reader.wrong(name, '"auto", "none", "required" or an object that names a tool');
}

/** The name of one of the tools. */
export function readToolName(details: ObjectReader, tools: readonly ToolDefinition[]): string {
  const name = details.name("name");
  if (tools.some((tool) => tool.name === name)) return name;
  const known = shorten(tools.map((tool) => tool.name).join(", "), 200);
  const message = `There is no tool "${shorten(name)}" (there ${known ? `are: ${known}` : "are none"}).`;
  throw badRequest(message, details.pathOf("name"));
}

/** The format of the answer. `inside`: where the schema is, if not beside the type. */
export function readFormat(format?: ObjectReader, inside?: string): OutputSettings["responseFormat"] {
  const type = format?.oneOf("type", ["text", "json_object", "json_schema"]) ?? "text";
  if (!format || type === "text") return undefined;
  if (type === "json_object") return { type: "json" };
  const details = inside ? format.object(inside) : format;
  const schema = inside ? details.optionalObject("schema") : details.object("schema");
  return {
    type: "json",
    schema: schema && checkSchema(schema),
    name: details.optionalName("name") || undefined,
  };
}

/** What OpenAI's dialects say alike of how words and calls are chosen. */
export function readSampling(body: ObjectReader): Sampling {
  const penalty = { min: -2, max: 2 };
  return {
    temperature: body.number("temperature", { min: 0, max: 2 }),
    topP: body.number("top_p", { min: 0, max: 1 }),
    presencePenalty: body.number("presence_penalty", penalty),
    frequencyPenalty: body.number("frequency_penalty", penalty),
    parallelToolCalls: body.flag("parallel_tool_calls"),
    topK: body.number("top_k", { min: 0, isWhole: true }),
    seed: readSeed(body),
    cacheKey: body.optionalText("prompt_cache_key") || undefined,
  };
}

const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "function", "custom", "name", "description", "parameters", "strict", "format"],
]);

/** Types of tools that only their own provider runs, and what of the others is not followed. */
export function ignoredTools(body: ObjectReader): string[] {
  return body.list("tools").flatMap((tool) => {
    if (!isFields(tool) || typeof tool.type !== "string") return [];
    const isOwn = tool.type === "function" || tool.type === "custom";
    return isOwn ? ignoredFields("tools", { fields: tool }, TOOL_FIELDS) : [`tools: ${tool.type}`];
  });
}

export function readUsualTier(body: ObjectReader): string | undefined {
  const tier = body.value("service_tier");
  return typeof tier === "string" && USUAL_TIERS.includes(tier) ? tier : undefined;
}
