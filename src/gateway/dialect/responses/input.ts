// The input of a Responses request → our messages. Items are flatter than messages: what an assistant said and
// each of its calls are items of their own, so neighbours are joined again into one turn. Items that only their
// own provider can read (reasoning, its tools) are left out, and named but for thoughts; so are references, unless they were
// expanded before (references.ts).

import { shorten } from "../../../base/format.ts";
import type { Message, Part } from "../../../worker/types.ts";
import { LONGEST_CALL_ID, MOST_MESSAGES } from "../../access/request-limits.ts";
import { badRequest, type ObjectReader } from "../../http/object-reader.ts";
import {
  ONE_MODEL_ONLY,
  readDetail,
  readImage,
  type TextOrImage,
  toToolContent,
  toUserContent,
} from "../common.ts";
import { toCustomInput } from "../openai-tools.ts";
import { createConversationReader, type Reading } from "../read-once.ts";
import { toFlatName } from "./namespaces.ts";
import { referenceOf } from "./references.ts";
import { readTypedCall, readTypedResult } from "./typed-tools.ts";

const ROLES = ["user", "assistant", "system", "developer"];
const TEXT_PARTS = ["input_text", "output_text", "text"];

const readList = createConversationReader(readItem, (messages, added) => {
  for (const message of added)
    if (message.role === "assistant") addAssistant(messages, message);
    else messages.push(message);
});

/** `instructions` are not in here: they belong to one request and not to the conversation. `left` gets what nobody can read. */
export function readInput(body: ObjectReader, left: Set<string>): Message[] {
  const input = body.value("input") ?? "";
  if (typeof input === "string") return input === "" ? [] : [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw body.wrong("input", "a text or a list of items");
  return readList(body.list("input", MOST_MESSAGES), body.pathOf("input"), left);
}

/** None for an item that nobody else can read, or that says nothing. */
function readItem(item: ObjectReader, { toolNames, left }: Reading): Message[] {
  if (referenceOf(item.fields) !== undefined) return [];
  // Many clients leave the type out where there is a role.
  const isUntyped = item.value("type") === undefined && item.fields.role !== undefined;
  const type = isUntyped ? "message" : item.text("type");
  switch (type) {
    case "message":
      return readMessage(item, left);
    case "function_call":
    case "custom_tool_call": {
      const isCustom = type === "custom_tool_call";
      const text = item.optionalText(isCustom ? "input" : "arguments") ?? "";
      const input = isCustom ? toCustomInput(text) : text;
      const name = item.name("name");
      const namespace = item.optionalName("namespace");
      const call = {
        id: item.name("call_id", LONGEST_CALL_ID),
        name: namespace ? toFlatName(namespace, name) : name,
        input,
      };
      return [{ role: "assistant", content: "", toolCalls: [call] }];
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const toolCallId = item.name("call_id", LONGEST_CALL_ID);
      const toolName = toolNames.get(toolCallId) ?? "tool";
      const read = (part: ObjectReader, kind: string) => readToolPart(part, kind, left);
      const returned = toToolContent(readParts(item, "output", read));
      return [{ role: "tool", toolCallId, toolName, ...returned }];
    }
  }
  const call = readTypedCall(item, type);
  if (call) return [{ role: "assistant", content: "", toolCalls: [call] }];
  const result = readTypedResult(item, type);
  if (result) return [{ role: "tool", toolName: toolNames.get(result.toolCallId) ?? "tool", ...result }];
  // Thoughts are their worker's, and come back to it from the journal.
  if (type !== "reasoning") left.add(`input: ${shorten(type)}`);
  return [];
}

function readMessage(item: ObjectReader, left: Set<string>): Message[] {
  const role = item.text("role");
  const read = (part: ObjectReader, type: string) => readUserPart(part, type, left);
  switch (role) {
    case "user":
      return [{ role, content: toUserContent(readParts(item, "content", read)) }];
    case "assistant": {
      const content = readTexts(item, "content", readTextPart);
      return content === "" ? [] : [{ role, content }];
    }
    case "system":
    case "developer":
      return [{ role: "system", content: readTexts(item, "content", readTextPart) }];
  }
  throw item.wrong("role", `one of ${ROLES.join(", ")}`);
}

/** Text and calls beside one another are one turn, in whatever order they came: results must follow their calls. */
function addAssistant(messages: Message[], { content, toolCalls = [] }: AssistantMessage): void {
  const last = messages.at(-1);
  const isSameTurn = last?.role === "assistant" && (toolCalls.length > 0 || last.toolCalls !== undefined);
  if (!isSameTurn) {
    // A turn of its own, that others are added to: what was read stays as it is.
    messages.push({
      role: "assistant",
      content,
      toolCalls: toolCalls.length > 0 ? [...toolCalls] : undefined,
    });
    return;
  }
  // Added to what is there, not copied: a turn may have thousands of calls.
  last.content = [last.content, content].filter((part) => part !== "").join("\n");
  if (last.toolCalls) last.toolCalls.push(...toolCalls);
  else last.toolCalls = [...toolCalls];
}

type AssistantMessage = Extract<Message, { role: "assistant" }>;

// ---- Content ------------------------------------------------------------------------------------

type TextPart = Extract<Part, { type: "text" }>;

/** A field that is a text or a list of parts. */
function readParts<T extends Part>(
  item: ObjectReader,
  name: string,
  readPart: (part: ObjectReader, type: string) => T,
): (T | TextPart)[] {
  const expected = "a text or a list of parts";
  const value = item.textOrObjects(name, expected);
  if (value === undefined) throw item.wrong(name, expected);
  if (typeof value === "string") return [{ type: "text", text: value }];
  return value.map((part) => readPart(part, part.text("type")));
}

function readTexts(item: ObjectReader, name: string, readPart: typeof readTextPart): string {
  return readParts(item, name, readPart)
    .map(({ text }) => text)
    .join("\n");
}

function readTextPart(part: ObjectReader, type: string): TextPart {
  const name = type === "refusal" ? "refusal" : "text";
  if (type !== "refusal" && !TEXT_PARTS.includes(type))
    throw part.wrong("type", `one of ${[...TEXT_PARTS, "refusal"].join(", ")}`);
  const text = part.optionalText(name);
  if (text === undefined) throw part.wrong(name, "a text");
  return { type: "text", text };
}

function readUserPart(part: ObjectReader, type: string, left: Set<string>): Part {
  if (type === "input_file" || type === "input_audio")
    throw badRequest(`A part of type "${type}" ${ONE_MODEL_ONLY}`, part.pathOf("type"));
  if (type !== "input_image") return readTextPart(part, type);
  if (part.value("image_url") === undefined && part.value("file_id") !== undefined)
    throw badRequest(`An image by its file id ${ONE_MODEL_ONLY}`, part.pathOf("file_id"));
  return { ...readImage(part, "image_url"), ...readDetail(part, left, "input") };
}

/** What a tool returned is text or an image; of anything else the model is at least told that it was there. */
function readToolPart(part: ObjectReader, type: string, left: Set<string>): TextOrImage {
  if (type === "input_image" && part.value("image_url") !== undefined) {
    // No provider has it there.
    if (readDetail(part, left, "input").detail) left.add("input: detail");
    return readImage(part, "image_url");
  }
  if (type !== "input_image" && type !== "input_file") return readTextPart(part, type);
  left.add(`input: ${type}`);
  return { type: "text", text: type === "input_file" ? "[a file]" : "[an image]" };
}
