// Another model's name in a request, and not one other byte: a body that is parsed and written again
// would lose what JavaScript cannot hold (1.0, 12345678901234567890, the order and the doubles of keys).
// Works on the bytes: everything JSON is made of is ASCII, and UTF-8 uses no ASCII byte for anything else.

import { TuttiError } from "../../base/errors.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Every "model" at the top, should there be several: readers differ in which one counts. */
export function spliceModel(body: Buffer, model: string): Buffer {
  const name = Buffer.from(JSON.stringify(model));
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const { start, end } of findModels(body)) {
    pieces.push(body.subarray(copied, start), name);
    copied = end;
  }
  return copied === 0 ? body : Buffer.concat([...pieces, body.subarray(copied)]);
}

function findModels(body: Buffer): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let at = skipSpace(body, 0);
  if (body[at] !== OPEN_BRACE) throw notAnObject();
  at = skipSpace(body, at + 1);
  while (body[at] !== CLOSE_BRACE) {
    const keyStart = at;
    if (body[keyStart] !== QUOTE) throw notAnObject();
    const keyEnd = endOfString(body, keyStart);
    at = skipSpace(body, keyEnd);
    if (body[at] !== COLON) throw notAnObject();
    const start = skipSpace(body, at + 1);
    const end = endOfValue(body, start);
    if (isModelKey(body, keyStart, keyEnd)) found.push({ start, end });
    at = skipSpace(body, end);
    if (body[at] === COMMA) at = skipSpace(body, at + 1);
    else if (body[at] !== CLOSE_BRACE) throw notAnObject();
  }
  return found;
}

/** "mod\u0065l" is the same key. */
function isModelKey(body: Buffer, start: number, end: number): boolean {
  // The longest way to write it is six characters a letter.
  if (end - start > 32) return false;
  const key = body.toString("latin1", start, end);
  if (!key.includes("\\")) return key === '"model"';
  try {
    return JSON.parse(key) === "model";
  } catch {
    throw notAnObject();
  }
}

function endOfValue(body: Buffer, start: number): number {
  const first = body[start];
  if (first === QUOTE) return endOfString(body, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(body, start);
  let at = start;
  while (at < body.length && !isEndOfScalar(body[at]!)) at += 1;
  if (at === start) throw notAnObject();
  return at;
}

/** Counted, not recursive: a body may be nested as deeply as it is long. */
function endOfNested(body: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; ) {
    const byte = body[at]!;
    if (byte === QUOTE) {
      at = endOfString(body, at);
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  throw notAnObject();
}

/** After the closing quote. Most of a body is inside strings, so they are searched, not walked through. */
function endOfString(body: Buffer, start: number): number {
  for (let at = body.indexOf(QUOTE, start + 1); at >= 0; at = body.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (body[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at + 1;
  }
  throw notAnObject();
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (isSpace(body[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isEndOfScalar(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || isSpace(byte);
}

function notAnObject(): TuttiError {
  return new TuttiError("bad-request", "The body is not a JSON object.");
}
