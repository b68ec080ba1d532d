// The messages of Chat Completions → ours. Apart from the other fields because it is the half with a memory:
// a tool's result names only the id of its call, so the calls before it are kept while reading.

import type { TuttiError } from "../../../base/errors.ts";
import type { Message, Part, ToolCall } from "../../../worker/types.ts";
import { badRequest, type ObjectReader } from "../../http/object-reader.ts";
import { ONE_MODEL_ONLY, readImage } from "../common.ts";
import { toCustomInput } from "../openai-tools.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"];

export function readMessages(body: ObjectReader): Message[] {
  const list = body.objects("messages");
  if (list.length === 0) throw body.bad("messages", "must hold at least one message.");
  const toolNames = new Map<string, string>();
  return list
    .map((message) => readMessage(message, toolNames))
    .filter(
      // A turn of the assistant that says nothing is refused by some providers and tells the others nothing.
      (message) => message.role !== "assistant" || message.content !== "" || message.toolCalls !== undefined,
    );
}

function readMessage(message: ObjectReader, toolNames: Map<string, string>): Message {
  const role = message.text("role");
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: readPlainText(message) };
    case "user":
      return { role, content: readUserContent(message) };
    case "assistant":
      return readAssistant(message, toolNames);
    case "tool": {
      const toolCallId = message.text("tool_call_id");
      const toolName = toolNames.get(toolCallId) ?? "tool";
      return { role, toolCallId, toolName, content: readPlainText(message) };
    }
    case "function": {
      const toolName = message.text("name");
      return { role: "tool", toolCallId: oldCallId(toolName), toolName, content: readPlainText(message) };
    }
  }
  throw message.wrong("role", `one of ${ROLES.join(", ")}`);
}

// ---- Content ------------------------------------------------------------------------------------

function readUserContent(message: ObjectReader): string | Part[] {
  const expected = "a text or a list of parts";
  const content = message.textOrObjects("content", expected);
  if (content === undefined) throw message.wrong("content", expected);
  return typeof content === "string" ? content : content.map(readUserPart);
}

function readUserPart(part: ObjectReader): Part {
  const type = part.text("type");
  if (type === "text") return { type, text: part.optionalText("text") ?? "" };
  if (type !== "image_url") throw unsupported(part, type, "text and image_url");
  // Some clients give the address without the object around it.
  const isBare = typeof part.value("image_url") === "string";
  return isBare ? readImage(part, "image_url") : readImage(part.object("image_url"), "url");
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

function readAssistant(message: ObjectReader, toolNames: Map<string, string>): Message {
  const toolCalls = message.objects("tool_calls").map(readToolCall);
  const old = message.optionalObject("function_call");
  if (old) {
    const name = old.text("name");
    toolCalls.push({ id: oldCallId(name), name, input: old.optionalText("arguments") ?? "" });
  }
  for (const { id, name } of toolCalls) toolNames.set(id, name);
  const content = readPlainText(message) || (message.optionalText("refusal") ?? "");
  return { role: "assistant", content, toolCalls: toolCalls.length > 0 ? toolCalls : undefined };
}

function readToolCall(call: ObjectReader): ToolCall {
  const id = call.text("id");
  if (call.value("type") === "custom") {
    const custom = call.object("custom");
    return { id, name: custom.text("name"), input: toCustomInput(custom.optionalText("input") ?? "") };
  }
  const called = call.object("function");
  return { id, name: called.text("name"), input: called.optionalText("arguments") ?? "" };
}

/** The calls of before there were tools have no ids: the name has to do. */
function oldCallId(name: string): string {
  return `function-${name}`;
}
