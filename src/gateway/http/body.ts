// A request's body as a JSON object, or an error that says what is wrong with it. What it may be made of is counted
// before it is parsed: ten million empty objects fit into a body, and V8 takes seconds for them, in one piece.

import { isUtf8 } from "node:buffer";
import { setImmediate as pause } from "node:timers/promises";
import { DEEPEST, LARGE_BODY_BYTES, MOST_VALUES } from "../access/request-limits.ts";
import { badRequest, type Fields, isFields } from "./object-reader.ts";

/** How much of a large body is looked at before others have their turn: about a millisecond. */
const SLICE_BYTES = 262_144;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function parseSmall(raw: Buffer): Fields {
  const shape = new ShapeReader(raw);
  shape.readTo(raw.length);
  checkUtf8(raw);
  return parseText(raw.toString("utf8"));
}

/** A large one with turns for others between its slices. What cannot be sliced, V8's own parsing, is some tens of milliseconds. */
export async function parseBody(raw: Buffer): Promise<Fields> {
  if (raw.length <= LARGE_BODY_BYTES) return parseSmall(raw);
  const shape = new ShapeReader(raw);
  checkUtf8(raw);
  const texts: string[] = [];
  for (let from = 0; from < raw.length; ) {
    const to = toBoundary(raw, from + SLICE_BYTES);
    shape.readTo(to);
    texts.push(raw.toString("utf8", from, to));
    from = to;
    await pause();
  }
  const text = texts.join("");
  await pause();
  return parseText(text);
}

/** Read all the same, every bad byte would become another character, and with it another question. */
function checkUtf8(raw: Buffer): void {
  if (!isUtf8(raw)) throw badRequest("The body is not UTF-8.");
}

function parseText(text: string): Fields {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const why = text === "" ? "it is empty" : (error as Error).message.slice(0, 120);
    throw badRequest(`The body is not JSON: ${why}`);
  }
  if (!isFields(body)) throw badRequest("The body must be a JSON object.");
  return body;
}

/** The first place from `at` on where a character begins. */
function toBoundary(raw: Buffer, at: number): number {
  let boundary = Math.min(at, raw.length);
  while (boundary < raw.length && (raw[boundary]! & 0xc0) === 0x80) boundary++;
  return boundary;
}

/**
 * Counts what a JSON text is made of, without making anything of it: commas and opening brackets, of which every item
 * and every member has one, and how deep they stand. Whether it is JSON at all is for the parser to say.
 */
class ShapeReader {
  readonly #raw: Buffer;
  #at = 0;
  /** Inside of a text: where it began. */
  #textStart: number | undefined;
  #values = 0;
  #depth = 0;

  constructor(raw: Buffer) {
    this.#raw = raw;
  }

  /** Goes on to this place, or some way behind it. */
  readTo(end: number): void {
    while (this.#at < end) {
      if (this.#textStart === undefined) this.#readStructure(end);
      else this.#readText(this.#textStart);
    }
    if (this.#values > MOST_VALUES)
      throw badRequest(`The body is made of more than ${MOST_VALUES} values. Send fewer, larger ones.`);
  }

  #readStructure(end: number): void {
    const raw = this.#raw;
    for (let at = this.#at; at < end; at++) {
      switch (raw[at]) {
        case QUOTE:
          this.#at = at + 1;
          this.#textStart = this.#at;
          return;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (++this.#depth > DEEPEST + 1)
            throw badRequest(`The body is nested more than ${DEEPEST} levels deep.`);
          this.#values++;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth--;
          break;
        case COMMA:
          this.#values++;
      }
    }
    this.#at = end;
  }

  /** Behind the next quote. One with an odd number of backslashes before it is a part of the text. */
  #readText(start: number): void {
    const quote = this.#raw.indexOf(QUOTE, this.#at);
    if (quote < 0) {
      this.#at = this.#raw.length;
      return;
    }
    let slashes = 0;
    while (quote - slashes > start && this.#raw[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) this.#textStart = undefined;
    this.#at = quote + 1;
  }
}
