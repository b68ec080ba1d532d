// A Messages request → our words. The dialect demands `max_tokens` and knows no seed; what only one provider's
// models understand (top_k, service_tier, container, betas and so on) is not for a team and is passed over.

import { BYTES_PER_TOKEN } from "../../../perform/estimate.ts";
import type { OutputSettings, ToolChoice, ToolDefinition } from "../../../worker/types.ts";
import type { Effort, GatewayRequest, HeaderReader } from "../../types.ts";
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
  readText,
  shorten,
  toPath,
  wrong,
} from "../fields.ts";
import { readConversation, toJson } from "./conversation.ts";

/** Between a small image and the largest that Claude takes without scaling it down. */
const IMAGE_TOKENS = 1_500;

export function parseMessagesRequest(body: Fields, header: HeaderReader): GatewayRequest {
  const model = readText(body, "model");
  const output = readOutput(body);
  const messages = readConversation(body);
  const isStream = readFlag(body, "stream") ?? false;
  const effort = readEffort(body);
  const user = readOptionalText(readOptionalObject(body, "metadata") ?? {}, "user_id", "metadata");
  return {
    model,
    task: { messages, output },
    isStream,
    ...(effort && { effort }),
    ...(user && { user }),
    // A field of our own: the dialect has none for it.
    isStored: readFlag(body, "store") ?? true,
    isBackground: false,
    showsProgress: showsThinking(body, isStream) && readProgress(header, body),
    echo: {},
  };
}

/**
 * How many tokens a request has, about. An ESTIMATE: a token of ordinary text has four bytes, and every
 * worker counts in its own way; what a run really takes is in the usage of its reply.
 */
export function countTokens(body: Fields): number {
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
function showsThinking(body: Fields, isStream: boolean): boolean {
  const thinking = readOptionalObject(body, "thinking");
  if (!thinking) return isStream;
  return readText(thinking, "type", "thinking") !== "disabled";
}

function readEffort(body: Fields): Effort | undefined {
  const config = readOptionalObject(body, "output_config") ?? {};
  return readChoice(config, "effort", EFFORTS, "output_config") ?? readChoice(body, "effort", EFFORTS);
}

// ---- What the client wants of the answer --------------------------------------------------------

function readOutput(body: Fields): OutputSettings {
  const maxTokens = readNumber(body, "max_tokens", { min: 1, isWhole: true });
  if (maxTokens === undefined) throw badRequest("max_tokens: Field required", "max_tokens");
  const stop = readStop(body);
  // Anthropic's models go up to 1, others up to 2.
  const temperature = readNumber(body, "temperature", { min: 0, max: 2 });
  const tools = readTools(body);
  const toolChoice = readToolChoice(body, tools);
  const responseFormat = readResponseFormat(body);
  return {
    maxTokens,
    ...(stop.length > 0 && { stop }),
    ...(temperature !== undefined && { temperature }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { toolChoice }),
    ...(responseFormat && { responseFormat }),
  };
}

function readStop(body: Fields): string[] {
  return (readOptionalList(body, "stop_sequences") ?? []).map((text, index) => {
    if (typeof text === "string" && text !== "") return text;
    throw wrong(text, "a text that is not empty", toPath("stop_sequences", index));
  });
}

/** Tools of the client. Those that a provider runs itself have a `type` of their own and are passed over. */
function readTools(body: Fields): ToolDefinition[] {
  return (readOptionalList(body, "tools") ?? []).flatMap((item, index) => {
    const path = toPath("tools", index);
    const tool = asFields(item, path);
    if ((readOptionalText(tool, "type", path) ?? "custom") !== "custom") return [];
    const description = readOptionalText(tool, "description", path);
    return [
      {
        name: readText(tool, "name", path),
        ...(description && { description }),
        inputSchema: readObject(tool, "input_schema", path),
      },
    ];
  });
}

/** Undefined where there is nothing to choose from. */
function readToolChoice(body: Fields, tools: readonly ToolDefinition[]): ToolChoice | undefined {
  const choice = readOptionalObject(body, "tool_choice");
  if (!choice) return undefined;
  const path = "tool_choice";
  const type = readChoice(choice, "type", ["auto", "any", "tool", "none"], path);
  if (type === undefined) throw wrong(type, 'one of "auto", "any", "tool", "none"', toPath(path, "type"));
  const name = type === "tool" ? readText(choice, "name", path) : undefined;
  if (tools.length === 0) return undefined;
  if (name === undefined) return type === "any" ? "required" : (type as "auto" | "none");
  if (tools.some((tool) => tool.name === name)) return { name };
  // It may force a tool that the provider would have run itself, which a team does not have.
  const given = tools.map((tool) => `"${tool.name}"`).join(", ");
  throw badRequest(
    `tool_choice.name: there is no tool "${shorten(name)}" of the client's own (there are: ${shorten(given, 200)}).`,
    toPath(path, "name"),
  );
}

function readResponseFormat(body: Fields): OutputSettings["responseFormat"] {
  const config = readOptionalObject(body, "output_config") ?? {};
  const nested = readOptionalObject(config, "format", "output_config");
  const format = nested ?? readOptionalObject(body, "output_format");
  if (!format) return undefined;
  const path = nested ? "output_config.format" : "output_format";
  if (readChoice(format, "type", ["json_schema"], path) === undefined)
    throw wrong(undefined, '"json_schema"', toPath(path, "type"));
  return { type: "json", schema: readObject(format, "schema", path) };
}
