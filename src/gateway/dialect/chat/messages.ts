// The messages of Chat Completions → ours. Apart from the other fields because it is the half with a memory:
// a tool's result names only the id of its call, so the calls before it are kept while reading.

import type { Message, Part, ToolCall } from "../../../worker/types.ts";
import { toCustomInput } from "../custom-tool.ts";
import {
  asFields,
  badRequest,
  type Fields,
  readObject,
  readOptionalList,
  readOptionalObject,
  readOptionalText,
  readText,
  toImagePart,
  toPath,
  wrong,
} from "../fields.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

export function toMessages(body: Fields): Message[] {
  const list = readOptionalList(body, "messages");
  if (!list?.length) throw badRequest('"messages" must hold at least one message.', "messages");
  const toolNames = new Map<string, string>();
  return list.flatMap((item, index): Message[] => {
    const path = toPath("messages", index);
    const message = toMessage(asFields(item, path), path, toolNames);
    // A turn of the assistant that says nothing is refused by some providers and tells the others nothing.
    if (message.role === "assistant" && message.content === "" && !message.toolCalls) return [];
    return [message];
  });
}

function toMessage(message: Fields, path: string, toolNames: Map<string, string>): Message {
  const role = readText(message, "role", path);
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: toText(message, path) };
    case "user":
      return { role: "user", content: toUserContent(message, path) };
    case "assistant":
      return toAssistantMessage(message, path, toolNames);
    case "tool": {
      const toolCallId = readText(message, "tool_call_id", path);
      const toolName = toolNames.get(toolCallId) ?? "tool";
      return { role: "tool", toolCallId, toolName, content: toText(message, path) };
    }
    case "function": {
      const toolName = readText(message, "name", path);
      return {
        role: "tool",
        toolCallId: oldCallId(toolName),
        toolName,
        content: toText(message, path),
      };
    }
  }
  throw wrong(role, `one of ${ROLES.join(", ")}`, toPath(path, "role"));
}

// ---- Content ----------------------------------------------------------------------------------

function toUserContent(message: Fields, path: string): string | Part[] {
  const { content } = message;
  if (typeof content === "string") return content;
  const param = toPath(path, "content");
  if (!Array.isArray(content)) throw wrong(content, "a text or a list of parts", param);
  return content.map((item, index) => toUserPart(asFields(item, toPath(param, index)), toPath(param, index)));
}

function toUserPart(part: Fields, path: string): Part {
  const type = readText(part, "type", path);
  if (type === "text") return { type, text: readOptionalText(part, "text", path) ?? "" };
  if (type === "image_url") {
    // Some clients give the address without the object around it.
    const isBare = typeof part.image_url === "string";
    const holder = isBare ? part : readObject(part, "image_url", path);
    const name = isBare ? "image_url" : "url";
    const place = isBare ? path : toPath(path, "image_url");
    return toImagePart(readText(holder, name, place), undefined, toPath(place, name));
  }
  throw unsupportedPart(type, path, "text and image_url");
}

/** Content that is text only: of the system, of the assistant, of a tool. Parts become paragraphs. */
function toText(message: Fields, path: string): string {
  const content = message.content ?? "";
  if (typeof content === "string") return content;
  const param = toPath(path, "content");
  if (!Array.isArray(content)) throw wrong(content, "a text or a list of text parts", param);
  const texts = content.map((item, index) => {
    const place = toPath(param, index);
    const part = asFields(item, place);
    const type = readText(part, "type", place);
    if (type !== "text" && type !== "refusal") throw unsupportedPart(type, place, "text");
    return readOptionalText(part, type, place) ?? "";
  });
  return texts.join("\n");
}

function unsupportedPart(type: string, path: string, supported: string) {
  const param = toPath(path, "type");
  if (type === "input_audio" || type === "file") {
    const message = `A part of type "${type}" is not supported by a team; ask one model (provider/model) for it.`;
    return badRequest(message, param);
  }
  return wrong(type, supported, param);
}

// ---- Tool calls -------------------------------------------------------------------------------

function toAssistantMessage(message: Fields, path: string, toolNames: Map<string, string>): Message {
  const calls = (readOptionalList(message, "tool_calls", path) ?? []).map((item, index) => {
    const place = toPath(toPath(path, "tool_calls"), index);
    return toToolCall(asFields(item, place), place);
  });
  const old = readOptionalObject(message, "function_call", path);
  if (old) {
    const name = readText(old, "name", toPath(path, "function_call"));
    const input = readOptionalText(old, "arguments", toPath(path, "function_call")) ?? "";
    calls.push({ id: oldCallId(name), name, input });
  }
  for (const { id, name } of calls) toolNames.set(id, name);
  const content = toText(message, path) || (readOptionalText(message, "refusal", path) ?? "");
  return { role: "assistant", content, ...(calls.length > 0 && { toolCalls: calls }) };
}

function toToolCall(call: Fields, path: string): ToolCall {
  const id = readText(call, "id", path);
  if (call.type === "custom") {
    const custom = readObject(call, "custom", path);
    const place = toPath(path, "custom");
    const input = readOptionalText(custom, "input", place) ?? "";
    return { id, name: readText(custom, "name", place), input: toCustomInput(input) };
  }
  const called = readObject(call, "function", path);
  const place = toPath(path, "function");
  const input = readOptionalText(called, "arguments", place) ?? "";
  return { id, name: readText(called, "name", place), input };
}

/** The calls of before there were tools have no ids: the name has to do. */
function oldCallId(name: string): string {
  return `function-${name}`;
}
