// The conversation of a Messages request in our words. Blocks are translated where a team can use them;
// what belongs to one provider (thinking with its signature, the provider's own tools) is left out, because
// nobody else could read it; but for thoughts it is named. What would change the question (a document) is refused.

import { shorten } from "../../../base/format.ts";
import type { CacheMark, ImagePart, Message, Part, ToolCall } from "../../../worker/types.ts";
import { LONGEST_CALL_ID } from "../../access/request-limits.ts";
import { badRequest, ObjectReader } from "../../http/object-reader.ts";
import {
  ONE_MODEL_ONLY,
  readImage,
  type TextOrImage,
  toImagePart,
  toToolContent,
  toUserContent,
} from "../common.ts";
import { createConversationReader, type Reading } from "../read-once.ts";

const readList = createConversationReader(readMessage);

/** `system` and `messages`, in order. That user and assistant take turns is not demanded. `left` gets what nobody can read. */
export function readConversation(body: ObjectReader, left = new Set<string>()): Message[] {
  const messages = [
    ...readSystem(body, "system"),
    ...readList(body.list("messages"), body.pathOf("messages"), left),
  ];
  if (messages.every(({ role }) => role === "system"))
    throw badRequest("messages: at least one message with content is required.", "messages");
  return messages;
}

function readMessage(message: ObjectReader, reading: Reading): Message[] {
  switch (message.value("role")) {
    case "system":
      return readSystem(message, "content");
    case "user":
      return readUser(readBlocks(message, "content"), reading);
    case "assistant":
      return readAssistant(readBlocks(message, "content"), reading);
    default:
      throw message.wrong("role", '"user" or "assistant"');
  }
}

/** One message, or several where the client marks the end of what shall be cached: what follows may change each time. */
function readSystem(reader: ObjectReader, name: string): Message[] {
  const messages: Message[] = [];
  let texts: string[] = [];
  const flush = (isCached: CacheMark | undefined) => {
    if (texts.length > 0) messages.push({ role: "system", content: texts.join("\n\n"), isCached });
    texts = [];
  };
  for (const block of readBlocks(reader, name)) {
    if (block.text("type") !== "text") throw block.wrong("type", '"text"');
    const text = readBlockText(block);
    if (text !== "" && !OF_THE_BILL.test(text)) texts.push(text);
    const mark = readCached(block);
    if (mark) flush(mark);
  }
  flush(undefined);
  return messages;
}

/** Claude Code tells its own provider by it which client asks. No instruction, and another one each time: no cache would hold. */
const OF_THE_BILL = /^x-anthropic-billing-header:[^\n]*$/;

/** Whether its provider shall keep all up to here in its cache, and for how long. */
export function readCached(block: ObjectReader): CacheMark | undefined {
  const mark = block.optionalObject("cache_control");
  return mark && (mark.value("ttl") === "1h" ? "1h" : true);
}

/** Results of tools come first: they answer the turn before, the text begins the next one. */
function readUser(blocks: ObjectReader[], reading: Reading): Message[] {
  const results: Message[] = [];
  const parts: Part[] = [];
  for (const block of blocks) {
    const type = block.text("type");
    if (type === "tool_result") results.push(readToolResult(block, reading));
    else if (type === "image")
      parts.push({ ...readSource(block.object("source")), isCached: readCached(block) });
    else if (type === "search_result")
      parts.push({ type: "text", text: readSearchResult(block), isCached: readCached(block) });
    else if (type === "document") {
      const text = readDocument(block);
      if (text === undefined) throw badRequest(`"${block.path}": a document ${ONE_MODEL_ONLY}`, block.path);
      parts.push({ type: "text", text, isCached: readCached(block) });
    } else if (type === "text") {
      const text = readBlockText(block);
      if (text !== "") parts.push({ type: "text", text, isCached: readCached(block) });
    } else leave(reading, type);
  }
  return parts.length === 0 ? results : [...results, { role: "user", content: toUserContent(parts) }];
}

function readAssistant(blocks: ObjectReader[], reading: Reading): Message[] {
  const toolCalls: ToolCall[] = [];
  let content = "";
  for (const block of blocks) {
    const type = block.text("type");
    // A citation splits a sentence into blocks, so nothing is put between them.
    if (type === "text") content += readBlockText(block);
    else if (type !== "tool_use" && !THOUGHTS.includes(type)) leave(reading, type);
    if (type !== "tool_use") continue;
    const call = { id: block.name("id", LONGEST_CALL_ID), name: block.name("name") };
    toolCalls.push({ ...call, input: toJson(block.value("input") ?? {}, block.pathOf("input")) });
  }
  if (content === "" && toolCalls.length === 0) return [];
  return [{ role: "assistant", content, toolCalls: toolCalls.length > 0 ? toolCalls : undefined }];
}

/** They are their worker's, and come back to it from the journal. */
const THOUGHTS = ["thinking", "redacted_thinking"];

/** Long names are of no use to anybody. */
function leave({ left }: Reading, what: string): void {
  left.add(`messages: ${shorten(what)}`);
}

/** JSON can be read deeper than it can be written. */
export function toJson(value: unknown, path: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    throw badRequest(`"${path}" is nested too deeply.`, path);
  }
}

function readToolResult(result: ObjectReader, reading: Reading): Message {
  const toolCallId = result.name("tool_use_id", LONGEST_CALL_ID);
  const parts = readBlocks(result, "content").map((block) => readReturned(block, reading));
  const returned = toToolContent(parts);
  const content = `${result.flag("is_error") ? "error: " : ""}${returned.content}`;
  const toolName = reading.toolNames.get(toolCallId) ?? "tool";
  return { role: "tool", toolCallId, toolName, ...returned, content, isCached: readCached(result) };
}

/** Of what cannot be read the model is at least told that it was there. */
function readReturned(block: ObjectReader, reading: Reading): TextOrImage {
  const type = block.text("type");
  if (type === "text") return { type, text: readBlockText(block) };
  if (type === "search_result") return { type: "text", text: readSearchResult(block) };
  // All tools are declared to the model already.
  if (type === "tool_reference")
    return { type: "text", text: `There is the tool ${block.name("tool_name")}.` };
  const text = type === "document" ? readDocument(block) : undefined;
  if (text !== undefined) return { type: "text", text };
  const source = type === "image" ? block.optionalObject("source") : undefined;
  // By a file id it is at its provider.
  if (source && ["base64", "url"].includes(String(source.fields.type))) return readSource(source);
  leave(reading, type);
  const named =
    type === "image" ? "an image" : type === "document" ? "a document" : `a block of type ${shorten(type)}`;
  return { type: "text", text: `[${named}]` };
}

/** What a search of the client's own has found: its title, where it is from, its text. Citations are not made of it. */
function readSearchResult(block: ObjectReader): string {
  const texts = readBlocks(block, "content").map(readBlockText);
  return [block.optionalText("title"), block.optionalText("source"), ...texts].filter(Boolean).join("\n");
}

/** A document that is given as text; undefined for any other. */
function readDocument(block: ObjectReader): string | undefined {
  const source = block.object("source");
  const type = source.value("type");
  if (type !== "text" && type !== "content") return undefined;
  const blocks = type === "text" ? [source.text("data")] : readBlocks(source, "content").map(readBlockText);
  return [block.optionalText("title"), ...blocks].filter(Boolean).join("\n");
}

function readSource(source: ObjectReader): ImagePart {
  switch (source.value("type")) {
    case "url":
      return readImage(source, "url");
    case "base64": {
      const mediaType = source.text("media_type");
      // It becomes a part of a data: URL, where a comma or a semicolon would mean something.
      if (!/^image\/[\w.+-]+$/.test(mediaType))
        throw source.wrong("media_type", 'an image type such as "image/png"');
      return toImagePart(`data:${mediaType};base64,${source.text("data")}`, source.pathOf("data"));
    }
    case "file":
      throw badRequest(`"${source.path}": an image by its file id ${ONE_MODEL_ONLY}`, source.pathOf("type"));
    default:
      throw source.wrong("type", '"base64" or "url"');
  }
}

// ---- Text or blocks -----------------------------------------------------------------------------

/** A field that is a text or a list of blocks. Absent is empty. */
function readBlocks(reader: ObjectReader, name: string): ObjectReader[] {
  const blocks = reader.textOrObjects(name, "a text or a list of blocks") ?? [];
  if (typeof blocks !== "string") return blocks;
  return [new ObjectReader({ type: "text", text: blocks }, reader.pathOf(name))];
}

function readBlockText(block: ObjectReader): string {
  const text = block.optionalText("text");
  if (text === undefined) throw block.wrong("text", "a text");
  return text;
}
