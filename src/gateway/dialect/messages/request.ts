// A Messages request → our words. The dialect demands `max_tokens` and knows no seed; what only one provider's
// models understand (container, betas and so on) is not for a team: it is passed over, and named in the reply.

import { shorten } from "../../../base/format.ts";
import { BYTES_PER_TOKEN } from "../../../perform/estimate.ts";
import type { OutputSettings, ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import { MOST_STOPS, MOST_TOOLS } from "../../access/request-limits.ts";
import { badRequest, type Fields, ObjectReader, wrongValue } from "../../http/object-reader.ts";
import type { GatewayRequest, HeaderReader } from "../../types.ts";
import { checkSchema, dropAbsent, EFFORTS, readCommon, readTag, toOutput } from "../common.ts";
import { ignoredFields, toIgnored } from "../ignored.ts";
import { readCached, readConversation, toJson } from "./conversation.ts";
import { readTypedTool } from "./typed-tools.ts";

/** Fields that are followed, answered, or that only tell us something. */
const HONOURED: ReadonlySet<string> = new Set([
  ...["model", "messages", "system", "max_tokens", "temperature", "top_p", "top_k", "stop_sequences"],
  ...["stream", "tools", "tool_choice", "thinking", "metadata", "output_config", "output_format", "effort"],
  ...["store", "service_tier", "tutti"],
]);
/** Between a small image and the largest that Claude takes without scaling it down. */
const IMAGE_TOKENS = 1_500;

export function parseMessagesRequest(fields: Fields, header: HeaderReader): GatewayRequest {
  const body = new ObjectReader(fields);
  const common = readCommon(body, header);
  const left = new Set<string>();
  return {
    ...common,
    task: { output: readOutput(body), messages: readConversation(body, left) },
    effort: readEffort(body),
    user: readUser(body),
    showsProgress: showsThinking(body, common.isStream) && common.showsProgress,
    echo: dropAbsent({
      ignored: toIgnored(fields, HONOURED, [...ignoredTools(body), ...ignoredTier(body), ...left]),
    }),
  };
}

/**
 * How many tokens a request has, about. An ESTIMATE: a token of ordinary text has four bytes, and every
 * worker counts in its own way; what a run really takes is in the usage of its reply.
 */
export function countTokens(fields: Fields): number {
  const body = new ObjectReader(fields);
  let bytes = 0;
  let images = 0;
  const add = (text: string) => {
    bytes += Buffer.byteLength(text);
  };
  for (const message of readConversation(body)) {
    if (typeof message.content === "string") add(message.content);
    else for (const part of message.content) part.type === "text" ? add(part.text) : images++;
    if (message.role === "assistant")
      for (const { name, input } of message.toolCalls ?? []) add(name + input);
  }
  for (const tool of readTools(body)) add(toJson(tool, "tools"));
  return Math.ceil(bytes / BYTES_PER_TOKEN) + images * IMAGE_TOKENS;
}

/** Progress is shown as thinking: always in a stream, in a whole reply where the client thinks of thinking. */
function showsThinking(body: ObjectReader, isStream: boolean): boolean {
  const thinking = body.optionalObject("thinking");
  return thinking ? thinking.text("type") !== "disabled" : isStream;
}

function readOutput(body: ObjectReader): OutputSettings | undefined {
  const maxOutputTokens = body.number("max_tokens", { min: 1, isWhole: true });
  if (maxOutputTokens === undefined) throw badRequest("max_tokens: Field required", "max_tokens");
  const stop = readStop(body);
  const tools = readTools(body);
  return toOutput({
    maxOutputTokens,
    stop: stop.length > 0 ? stop : undefined,
    // Anthropic's models go up to 1, others up to 2.
    temperature: body.number("temperature", { min: 0, max: 2 }),
    topP: body.number("top_p", { min: 0, max: 1 }),
    topK: body.number("top_k", { min: 0, isWhole: true }),
    effort: readEffort(body),
    thinking: readThinking(body),
    parallelToolCalls: body.optionalObject("tool_choice")?.flag("disable_parallel_tool_use")
      ? false
      : undefined,
    tools: tools.length > 0 ? tools : undefined,
    toolChoice: readToolChoice(body, tools),
    responseFormat: readResponseFormat(body),
  });
}

function readUser(body: ObjectReader): string | undefined {
  const metadata = body.optionalObject("metadata");
  return metadata && readTag(metadata, "user_id");
}

function readStop(body: ObjectReader): string[] {
  return body.list("stop_sequences", MOST_STOPS).map((text, index) => {
    if (typeof text === "string" && text !== "") return text;
    throw wrongValue(text, "a text that is not empty", `stop_sequences[${index}]`);
  });
}

/** Tools of the client, those that Anthropic has defined among them. What a provider runs itself is passed over. */
function readTools(body: ObjectReader): ToolDefinition[] {
  return body.objects("tools", MOST_TOOLS).flatMap((tool): ToolDefinition[] => {
    const isCached = readCached(tool);
    const type = typeOf(tool);
    if (type !== "custom") {
      const typed = readTypedTool(tool, type);
      return typed ? [{ ...typed, isCached }] : [];
    }
    return [
      {
        name: tool.name("name"),
        description: tool.optionalText("description") || undefined,
        inputSchema: tool.object("input_schema").fields,
        strict: tool.flag("strict"),
        isCached,
      },
    ];
  });
}

function typeOf(tool: ObjectReader): string {
  return tool.optionalText("type") ?? "custom";
}

function ignoredTools(body: ObjectReader): string[] {
  return body.objects("tools", MOST_TOOLS).flatMap((tool) => {
    const type = typeOf(tool);
    const isKnown = type === "custom" || readTypedTool(tool, type);
    return isKnown ? ignoredFields("tools", tool, TOOL_FIELDS) : [`tools: ${type}`];
  });
}

/** Of a tool. That its input is streamed early changes nothing here: it comes whole. */
const TOOL_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "strict", "cache_control", "eager_input_streaming"],
  ...["display_width_px", "display_height_px"],
]);

/** One of Anthropic's alone; "auto" is what everybody does. */
function ignoredTier(body: ObjectReader): string[] {
  return body.value("service_tier") === "standard_only" ? ["service_tier"] : [];
}

/** How long it is to think. A budget may not be as large as the reply it is a part of. */
function readThinking(body: ObjectReader): OutputSettings["thinking"] {
  const thinking = body.optionalObject("thinking");
  const type = thinking?.value("type");
  if (type === "disabled" || type === "adaptive") return { type };
  const budgetTokens = thinking?.number("budget_tokens", { min: 1, isWhole: true });
  return type === "enabled" && budgetTokens !== undefined ? { type, budgetTokens } : undefined;
}

function readEffort(body: ObjectReader) {
  return body.optionalObject("output_config")?.choice("effort", EFFORTS) ?? body.choice("effort", EFFORTS);
}

/** Undefined where there is nothing to choose from. */
function readToolChoice(body: ObjectReader, tools: readonly ToolDefinition[]): ToolChoice | undefined {
  const choice = body.optionalObject("tool_choice");
  if (!choice) return undefined;
  const type = choice.oneOf("type", ["auto", "any", "tool", "none"]);
  const name = type === "tool" ? choice.name("name") : "";
  if (tools.length === 0) return undefined;
  if (type === "any") return "required";
  if (type !== "tool") return type;
  if (tools.some((tool) => tool.name === name)) return { name };
  // It may force a tool that the provider would have run itself, which a team does not have.
  const given = tools.map((tool) => `"${tool.name}"`).join(", ");
  throw badRequest(
    `tool_choice.name: there is no tool "${shorten(name)}" of the client's own (there are: ${shorten(given, 200)}).`,
    "tool_choice.name",
  );
}

function readResponseFormat(body: ObjectReader): OutputSettings["responseFormat"] {
  const format =
    body.optionalObject("output_config")?.optionalObject("format") ?? body.optionalObject("output_format");
  if (!format) return undefined;
  format.oneOf("type", ["json_schema"]);
  return { type: "json", schema: checkSchema(format.object("schema")) };
}
