// What a relayed request can cost at the most: what is sent is known, and how long its reply may be. On the high side,
// so that a budget holds; it is also what counts where the provider does not say what a request took.

import { isObject } from "../../base/fields.ts";
import { type BoundInput, type InputPart, toPartKey, withOccurrences } from "../../worker/brief-parts.ts";
import { boundInputTokens, IMAGE_TOKENS, NO_USAGE } from "../../worker/price.ts";
import type { Usage } from "../../worker/types.ts";
import type { Fields } from "../http/object-reader.ts";
import type { RelayReading } from "./read-usage.ts";

export interface RequestBound {
  inputTokens(): number;
  /** Of all replies together: a request may want several. */
  outputTokens: number;
  /** The request says itself how long its reply may be. */
  isStated: boolean;
  /** Nothing that it writes is billed. */
  isInputOnly?: true;
}

/** Of every dialect: a server may go by any of them, so the largest counts. */
const LENGTH_FIELDS = ["max_completion_tokens", "max_output_tokens", "max_tokens"];
const COPIES_FIELD = "n";

/** `usualOutputTokens` where the request does not say how long its reply may be. */
export function boundRequest(raw: Buffer, body: Fields, usualOutputTokens: number): RequestBound {
  // For every relayed request: no lists are made.
  const { thinking, reasoning } = body;
  let stated = 0;
  for (const name of LENGTH_FIELDS) stated = Math.max(stated, toCount(body[name]));
  let longest = stated > 0 ? stated : usualOutputTokens;
  if (isObject(thinking)) longest = Math.max(longest, toCount(thinking.budget_tokens));
  if (isObject(reasoning)) longest = Math.max(longest, toCount(reasoning.max_tokens));
  let inputTokens: number | undefined;
  return {
    inputTokens() {
      inputTokens ??= boundInput(raw, body);
      return inputTokens;
    },
    outputTokens: longest * (toCount(body[COPIES_FIELD]) || 1),
    isStated: stated > 0,
  };
}

/** The first field that is meant as a number and is none that can be counted with. */
export function findBadCount(body: Fields): string | undefined {
  return [...LENGTH_FIELDS, COPIES_FIELD].find((name) => Object.hasOwn(body, name) && !isCount(body[name]));
}

/** `isWhole`: the reply was read to its end, so that its text tells how long it was. */
export function boundUsage(bound: RequestBound, reading: RelayReading, isWhole: boolean): Usage {
  const { usageSoFar, writtenTokens } = reading;
  if (bound.isInputOnly) return usageSoFar ?? { ...NO_USAGE, inputTokens: bound.inputTokens() };
  const outputTokens = isWhole ? writtenTokens : Math.max(writtenTokens, bound.outputTokens);
  if (usageSoFar) return { ...usageSoFar, outputTokens: Math.max(usageSoFar.outputTokens, outputTokens) };
  return { ...NO_USAGE, inputTokens: bound.inputTokens(), outputTokens };
}

/** 0 for what is none. */
function toCount(value: unknown): number {
  return isCount(value) ? value : 0;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

// ---- The input -----------------------------------------------------------------------------------

/** Where a request's conversation is. Tools and schemas have fields of the client's own. */
const CONVERSATION = ["messages", "input", "system", "instructions"];
/** A part with one of these is an image, a file or something to fetch, whatever its type is called. */
const MEDIA_FIELDS = [
  "image_url",
  "image",
  "source",
  "file",
  "file_id",
  "file_url",
  "file_data",
  "url",
  "input_audio",
  "audio",
  "video",
  "video_url",
];

/** No token is shorter than a byte. Images are not billed by their bytes, which would be far too many. */
function boundInput(raw: Buffer, body: Fields): number {
  const { media, imageBytes } = findMedia(CONVERSATION.map((name) => body[name]));
  const hasTools = body.tools !== undefined || body.functions !== undefined;
  const extras = hasTools ? { tools: [{ name: "", inputSchema: {} }] } : undefined;
  return boundInputTokens(raw.length - imageBytes, 0, media, extras);
}

/** The same in the parts that come again with the next request of a conversation. */
export function toBoundRequest(body: Fields, boundTokens: number): BoundInput {
  const parts: InputPart[] = [];
  for (const [name, value] of Object.entries(body)) {
    const isConversation = CONVERSATION.includes(name);
    if (!isConversation && name !== "tools" && name !== "functions") continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      const text = JSON.stringify([name, item]);
      const { media, imageBytes } = isConversation ? findMedia([item]) : { media: 0, imageBytes: 0 };
      const bytes = Buffer.byteLength(text) - name.length - '["",]'.length - imageBytes;
      parts.push({
        key: toPartKey(text),
        boundTokens: Math.max(0, bytes) + IMAGE_TOKENS * media,
        hiddenBytes: 0,
      });
    }
  }
  return { boundTokens, parts: withOccurrences(parts) };
}

function findMedia(waiting: unknown[]): { media: number; imageBytes: number } {
  let media = 0;
  let imageBytes = 0;
  /** `{ image_url: { url } }` is one image. */
  const counted = new Set<unknown>();
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) for (const item of value) waiting.push(item);
    if (!isObject(value) || Array.isArray(value)) continue;
    const fields = MEDIA_FIELDS.filter((name) => Object.hasOwn(value, name));
    if (fields.length > 0) {
      if (!counted.has(value)) media += 1;
      imageBytes += imageBytesOf(value);
      for (const name of fields) counted.add(value[name]);
    }
    for (const name of Object.keys(value)) if (typeof value[name] === "object") waiting.push(value[name]);
  }
  return { media, imageBytes };
}

/** Of an image that is inside of this part itself. Text that only looks like one counts by its bytes. */
function imageBytesOf(part: Fields): number {
  const { image_url: image, source, type } = part;
  if (type === "image_url" || type === "input_image") {
    const url = isObject(image) ? image.url : image;
    return typeof url === "string" && /^data:image\/[\w.+-]{1,40};base64,/.test(url) ? url.length : 0;
  }
  if (type !== "image" || !isObject(source) || source.type !== "base64") return 0;
  return typeof source.data === "string" ? source.data.length : 0;
}
