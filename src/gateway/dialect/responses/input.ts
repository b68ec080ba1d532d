// The input of a Responses request → our messages. Items are flatter than messages: what an assistant said and
// each of its calls are items of their own, so neighbours are joined again into one turn. Items that only their
// own provider can read (reasoning, its tools) are left out; so are references, unless they were expanded before
// (responses-references.ts).

import type { Message, Part, ToolCall } from "../../../worker/types.ts";
import { toCustomInput } from "../custom-tool.ts";
import {
  asFields,
  badRequest,
  type Fields,
  readOptionalText,
  readText,
  toImagePart,
  toPath,
  wrong,
} from "../fields.ts";
import { referenceOf } from "./references.ts";

const ROLES = ["user", "assistant", "system", "developer"];
const TEXT_PARTS = ["input_text", "output_text", "text"];
const ONE_MODEL_ONLY = "is not supported by a team; ask one model (provider/model) for it.";

/** A field that is a text or a list of parts: of which object, and where that is in the request. */
interface Place {
  fields: Fields;
  name: string;
  path: string;
}

/** `instructions` are not in here: they belong to one request and not to the conversation. */
export function readInput(body: Fields): Message[] {
  const input = body.input ?? [];
  if (typeof input === "string") return input === "" ? [] : [{ role: "user", content: input }];
  if (!Array.isArray(input)) throw wrong(input, "a text or a list of items", "input");
  const messages: Message[] = [];
  const toolNames = new Map<string, string>();
  for (const [index, item] of input.entries()) {
    const path = toPath("input", index);
    addItem(messages, toolNames, asFields(item, path), path);
  }
  return messages;
}

function addItem(messages: Message[], toolNames: Map<string, string>, item: Fields, path: string): void {
  if (referenceOf(item) !== undefined) return;
  // Many clients leave the type out where there is a role.
  const isUntyped = (item.type ?? undefined) === undefined && item.role !== undefined;
  const type = isUntyped ? "message" : readText(item, "type", path);
  switch (type) {
    case "message":
      addMessage(messages, item, path);
      return;
    case "function_call":
    case "custom_tool_call": {
      const isCustom = type === "custom_tool_call";
      const text = readOptionalText(item, isCustom ? "input" : "arguments", path) ?? "";
      const call: ToolCall = {
        id: readText(item, "call_id", path),
        name: readText(item, "name", path),
        input: isCustom ? toCustomInput(text) : text,
      };
      toolNames.set(call.id, call.name);
      addAssistant(messages, "", [call]);
      return;
    }
    case "function_call_output":
    case "custom_tool_call_output": {
      const toolCallId = readText(item, "call_id", path);
      const toolName = toolNames.get(toolCallId) ?? "tool";
      const content = toText(toToolParts({ fields: item, name: "output", path }));
      messages.push({ role: "tool", toolCallId, toolName, content });
    }
  }
}

function addMessage(messages: Message[], item: Fields, path: string): void {
  const role = readText(item, "role", path);
  const place = { fields: item, name: "content", path };
  switch (role) {
    case "user":
      messages.push({ role, content: toUserContent(toParts(place, toUserPart)) });
      return;
    case "assistant":
      addAssistant(messages, toText(toParts(place, toTextPart)), []);
      return;
    case "system":
    case "developer":
      messages.push({ role: "system", content: toText(toParts(place, toTextPart)) });
      return;
  }
  throw wrong(role, `one of ${ROLES.join(", ")}`, toPath(path, "role"));
}

/** Text and calls beside one another are one turn, in whatever order they came: results must follow their calls. */
function addAssistant(messages: Message[], text: string, calls: ToolCall[]): void {
  if (text === "" && calls.length === 0) return;
  const last = messages.at(-1);
  const isSameTurn = last?.role === "assistant" && (calls.length > 0 || last.toolCalls !== undefined);
  const before = isSameTurn ? last : undefined;
  if (before) messages.pop();
  const content = [before?.content ?? "", text].filter((part) => part !== "").join("\n");
  const toolCalls = [...(before?.toolCalls ?? []), ...calls];
  messages.push({ role: "assistant", content, ...(toolCalls.length > 0 && { toolCalls }) });
}

// ---- Content ----------------------------------------------------------------------------------

type PartReader = (part: Fields, type: string, path: string) => Part;

function toParts({ fields, name, path }: Place, toPart: PartReader): Part[] {
  const value = fields[name];
  const place = toPath(path, name);
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value)) throw wrong(value, "a text or a list of parts", place);
  return value.map((item, index) => {
    const partPath = toPath(place, index);
    const part = asFields(item, partPath);
    return toPart(part, readText(part, "type", partPath), partPath);
  });
}

function toTextPart(part: Fields, type: string, path: string): Part {
  const name = type === "refusal" ? "refusal" : "text";
  if (type !== "refusal" && !TEXT_PARTS.includes(type))
    throw wrong(type, `one of ${[...TEXT_PARTS, "refusal"].join(", ")}`, toPath(path, "type"));
  const text = readOptionalText(part, name, path);
  if (text === undefined) throw wrong(text, "a text", toPath(path, name));
  return { type: "text", text };
}

function toUserPart(part: Fields, type: string, path: string): Part {
  if (type === "input_file" || type === "input_audio")
    throw badRequest(`A part of type "${type}" ${ONE_MODEL_ONLY}`, toPath(path, "type"));
  if (type !== "input_image") return toTextPart(part, type, path);
  if ((part.image_url ?? undefined) === undefined && (part.file_id ?? undefined) !== undefined)
    throw badRequest(`An image by its file id ${ONE_MODEL_ONLY}`, toPath(path, "file_id"));
  return toImagePart(readText(part, "image_url", path), undefined, toPath(path, "image_url"));
}

/** What a tool returned is text to us; of anything else the model is at least told that it was there. */
function toToolParts(place: Place): Part[] {
  return toParts(place, (part, type, path) => {
    if (type === "input_image") return { type: "text", text: "[an image]" };
    if (type === "input_file") return { type: "text", text: "[a file]" };
    return toTextPart(part, type, path);
  });
}

function toUserContent(parts: Part[]): string | Part[] {
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? only.text : parts;
}

function toText(parts: Part[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
