// The conversation of a Messages request in our words. Blocks are translated where a team can use them;
// what belongs to one provider (thinking with its signature, the provider's own tools) is left out, because
// nobody else could read it. What would change the question if it were left out (a document) is refused.

import type { Message, Part, ToolCall } from "../../../worker/types.ts";
import {
  asFields,
  badRequest,
  type Fields,
  readFlag,
  readObject,
  readOptionalList,
  readOptionalText,
  readText,
  toImagePart,
  toPath,
  wrong,
} from "../fields.ts";

/** A block of a list, with its path for error messages. */
type Block = { fields: Fields; type: string; path: string };

const ONE_MODEL_ONLY = "is not supported by a team; ask one model (provider/model) for it.";

/** `system` and `messages`, in order. That user and assistant take turns is not demanded. */
export function readConversation(body: Fields): Message[] {
  const messages: Message[] = [];
  const system = readPlainText(body, "system");
  if (system !== "") messages.push({ role: "system", content: system });
  const toolNames = new Map<string, string>();
  for (const [index, item] of (readOptionalList(body, "messages") ?? []).entries()) {
    const path = toPath("messages", index);
    messages.push(...readMessage(asFields(item, path), path, toolNames));
  }
  if (messages.every(({ role }) => role === "system"))
    throw badRequest("messages: at least one message with content is required.", "messages");
  return messages;
}

function readMessage(message: Fields, path: string, toolNames: Map<string, string>): Message[] {
  switch (message.role) {
    case "system": {
      const content = readPlainText(message, "content", path);
      return content === "" ? [] : [{ role: "system", content }];
    }
    case "user":
      return readUser(readBlocks(message, "content", path), toolNames);
    case "assistant":
      return readAssistant(readBlocks(message, "content", path), toolNames);
    default:
      throw wrong(message.role, '"user" or "assistant"', toPath(path, "role"));
  }
}

/** Results of tools come first: they answer the turn before, the text begins the next one. */
function readUser(blocks: Block[], toolNames: Map<string, string>): Message[] {
  const results: Message[] = [];
  const parts: Part[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") results.push(readToolResult(block, toolNames));
    else if (block.type === "image") parts.push(readImage(block));
    else if (block.type === "document")
      throw badRequest(`"${block.path}": a document ${ONE_MODEL_ONLY}`, block.path);
    else if (block.type === "text") {
      const text = readBlockText(block);
      if (text !== "") parts.push({ type: "text", text });
    }
  }
  if (parts.length === 0) return results;
  const [only] = parts;
  const content = parts.length === 1 && only!.type === "text" ? only!.text : parts;
  return [...results, { role: "user", content }];
}

function readAssistant(blocks: Block[], toolNames: Map<string, string>): Message[] {
  const toolCalls: ToolCall[] = [];
  let content = "";
  for (const block of blocks) {
    // A citation splits a sentence into blocks, so nothing is put between them.
    if (block.type === "text") content += readBlockText(block);
    if (block.type !== "tool_use") continue;
    const { fields, path } = block;
    const call = { id: readText(fields, "id", path), name: readText(fields, "name", path) };
    toolNames.set(call.id, call.name);
    toolCalls.push({ ...call, input: toJson(fields.input ?? {}, toPath(path, "input")) });
  }
  if (content === "" && toolCalls.length === 0) return [];
  return [{ role: "assistant", content, ...(toolCalls.length > 0 && { toolCalls }) }];
}

/** JSON can be read deeper than it can be written. */
export function toJson(value: unknown, path: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw badRequest(`"${path}" is nested too deeply.`, path);
  }
}

function readToolResult({ fields, path }: Block, toolNames: Map<string, string>): Message {
  const toolCallId = readText(fields, "tool_use_id", path);
  const texts = readBlocks(fields, "content", path).flatMap((block) => {
    if (block.type === "text") return [readBlockText(block)];
    if (block.type === "image") return ["[an image]"];
    return block.type === "document" ? ["[a document]"] : [];
  });
  const content = `${readFlag(fields, "is_error", path) ? "error: " : ""}${texts.join("\n")}`;
  return { role: "tool", toolCallId, toolName: toolNames.get(toolCallId) ?? "tool", content };
}

function readImage({ fields, path }: Block): Part {
  const source = readObject(fields, "source", path);
  const place = toPath(path, "source");
  switch (source.type) {
    case "url":
      return toImagePart(readText(source, "url", place), undefined, toPath(place, "url"));
    case "base64": {
      const mediaType = readText(source, "media_type", place);
      // It becomes a part of a data: URL, where a comma or a semicolon would mean something.
      if (!/^image\/[\w.+-]+$/.test(mediaType))
        throw wrong(mediaType, 'an image type such as "image/png"', toPath(place, "media_type"));
      return toImagePart(
        `data:${mediaType};base64,${readText(source, "data", place)}`,
        undefined,
        toPath(place, "data"),
      );
    }
    case "file":
      throw badRequest(`"${place}": an image by its file id ${ONE_MODEL_ONLY}`, toPath(place, "type"));
    default:
      throw wrong(source.type, '"base64" or "url"', toPath(place, "type"));
  }
}

// ---- Text or blocks -----------------------------------------------------------------------------

/** A field that is a text or a list of blocks. Absent is empty. */
function readBlocks(body: Fields, name: string, path?: string): Block[] {
  const value = body[name] ?? undefined;
  const place = toPath(path, name);
  if (value === undefined) return [];
  if (typeof value === "string") return [{ fields: { text: value }, type: "text", path: place }];
  if (!Array.isArray(value)) throw wrong(value, "a text or a list of blocks", place);
  return value.map((item, index) => {
    const fields = asFields(item, toPath(place, index));
    return { fields, type: readText(fields, "type", toPath(place, index)), path: toPath(place, index) };
  });
}

function readBlockText({ fields, path }: Block): string {
  const text = readOptionalText(fields, "text", path);
  if (text === undefined) throw wrong(text, "a text", toPath(path, "text"));
  return text;
}

/** A field whose blocks may hold text only. */
function readPlainText(body: Fields, name: string, path?: string): string {
  const texts = readBlocks(body, name, path).map((block) => {
    if (block.type !== "text") throw wrong(block.type, '"text"', toPath(block.path, "type"));
    return readBlockText(block);
  });
  return texts.filter((text) => text !== "").join("\n\n");
}
