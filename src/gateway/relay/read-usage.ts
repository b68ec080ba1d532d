// Reads along while bytes pass through: what the provider says it bills, why it stopped and, where it is
// asked for, the text. A stream's events are not parsed one by one; bytes are searched for the few that carry
// usage. A body that is too large to be held, or no JSON, has none, and nothing else happens.

import { toFields } from "../../base/fields.ts";
import type { Usage } from "../../worker/types.ts";
import { toPlausible } from "../../worker/usage.ts";
import type { RelayReader, ReplyFields } from "./types.ts";

/** What has been read, at any time. */
export interface RelayReading extends Omit<ReplyFields, "text" | "writtenBytes"> {
  /** As the provider reported it, to the end. */
  usage?: Usage;
  /** What it said before it was cut: Anthropic counts the input at the start. */
  usageSoFar?: Usage;
  /** Where it is wanted; its first megabyte. */
  text?: string;
  /** An upper bound of what was written, for those who do not say. */
  writtenTokens: number;
  /** Of a stream. */
  events: number;
  /** What it reported cannot be (worker/usage.ts). */
  isUsageRefused?: true;
}

export type UsageReader = ReturnType<typeof createUsageReader>;

export interface UsageReaderOptions {
  reader: RelayReader;
  keepsText: boolean;
  /** The provider will not say what the reply took, so it is counted from the text. */
  countsText?: boolean;
  /** Tokens that the reply may have at the most, where that is known. */
  longestReply?: number;
}

const MAX_BODY_BYTES = 4 * 1_048_576;
const MAX_TEXT_LENGTH = 1_048_576;
/** An event of a stream carries a token, seldom several. On the high side. */
const TOKENS_PER_EVENT = 16;

const NOTHING_READ: ReplyFields = { text: "", writtenBytes: 0, hasError: false };

// ---- A body in one piece ----------------------------------------------------------------------

export function readBody(
  body: Buffer,
  { reader, keepsText, longestReply }: UsageReaderOptions,
): RelayReading {
  const writtenTokens = body.length;
  if (body.length > MAX_BODY_BYTES) return { writtenTokens, events: 0, hasError: false };
  const { usage, finishReason, text, writtenBytes, hasError } = reader.read(
    toFields(parseJson(body)),
    NOTHING_READ,
  );
  // Written out, here and below: this is done for every relayed request.
  const plausible = usage && toPlausible(usage, longestReply);
  return {
    usage: plausible,
    isUsageRefused: plausible === usage ? undefined : true,
    finishReason,
    text: keepsText ? text.slice(0, MAX_TEXT_LENGTH) : undefined,
    writtenTokens: writtenBytes || writtenTokens,
    events: 0,
    hasError,
  };
}

// ---- An event stream --------------------------------------------------------------------------

export function createUsageReader({ reader, keepsText, countsText, longestReply }: UsageReaderOptions) {
  const readsAll = keepsText || countsText === true;
  let known = NOTHING_READ;
  let text = "";
  let events = 0;

  function readLine(line: Buffer): void {
    const event = parseJson(line.subarray(DATA.length));
    if (event === undefined) return;
    const { text: piece, ...fields } = reader.read(toFields(event), known);
    if (text.length < MAX_TEXT_LENGTH) text += piece.slice(0, MAX_TEXT_LENGTH - text.length);
    known = { ...fields, text: "" };
  }

  return {
    /** Whole lines of the stream. Returns how many events there have been. */
    push(bytes: Buffer): number {
      const isSought = readsAll || hasUsage(bytes);
      for (let at = nextData(bytes, 0); at >= 0; at = nextData(bytes, at + 1)) {
        events += 1;
        if (!isSought) continue;
        const end = bytes.indexOf(LINE_FEED, at);
        const line = bytes.subarray(at, end < 0 ? bytes.length : end);
        if (readsAll || hasUsage(line)) readLine(line);
      }
      return events;
    },
    read(): RelayReading {
      const { finishReason, writtenBytes, hasError } = known;
      const usage = known.usage && toPlausible(known.usage, longestReply);
      const isUsageRefused = usage === known.usage ? undefined : true;
      const isWhole = reader.isUsageWhole?.(known) ?? true;
      return {
        usage: isWhole ? usage : undefined,
        usageSoFar: isWhole ? undefined : usage,
        isUsageRefused,
        finishReason,
        text: keepsText ? text : undefined,
        writtenTokens: readsAll ? writtenBytes : events * TOKENS_PER_EVENT,
        events,
        hasError,
      };
    },
  };
}

const LINE_FEED = 0x0a;
const DATA = Buffer.from("data:");
const USAGE = Buffer.from('"usage"');
const FINISH_REASON = Buffer.from('"finish_reason"');
const ERROR = Buffer.from('"error"');
const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

/** Where the next line of data begins. */
function nextData(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(DATA, from); at >= 0; at = bytes.indexOf(DATA, at + 1)) {
    if (at === 0 || bytes[at - 1] === LINE_FEED) return at;
  }
  return -1;
}

/** Inside a text these names would have a backslash before each quote, so they are not found there. */
function hasUsage(bytes: Buffer): boolean {
  return (
    hasMember(bytes, USAGE, OPEN_BRACE) ||
    hasMember(bytes, FINISH_REASON, QUOTE) ||
    // As a name, or as the value of "type".
    bytes.includes(ERROR)
  );
}

/** OpenAI writes `"usage":null` into every event but one: the value's first byte tells. */
function hasMember(bytes: Buffer, name: Buffer, opening: number): boolean {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    let value = at + name.length;
    while (bytes[value] === 0x20 || bytes[value] === 0x3a) value += 1;
    if (bytes[value] === opening) return true;
  }
  return false;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
