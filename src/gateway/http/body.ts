// A request's body as a JSON object, or an error that says what is wrong with it. What it may be made of is counted
// before it is parsed: ten million empty objects fit into a body, and V8 takes seconds for them, in one piece.

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { setImmediate as pause } from "node:timers/promises";
import { DEEPEST, LARGE_BODY_BYTES, MOST_VALUES } from "../access/request-limits.ts";
import type { Beginning, BodyList, KnownBodies } from "./known-bodies.ts";
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
const COLON = 0x3a;
const BLANKS: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d];
/** Inside of a list of the body itself. */
const LIST_DEPTH = 2;

/** The lists that hold a conversation. */
const LISTS = ["messages", "input"].map((name) => Buffer.from(`"${name}"`));

/** Bodies of an owner that were read before, where a conversation comes again with every turn. */
export interface ReadBefore {
  known: KnownBodies;
  owner: string;
}

/** A large one with turns for others between its slices. What cannot be sliced, V8's own parsing, is some tens of milliseconds. */
export async function parseBody(raw: Buffer, before?: ReadBefore): Promise<Fields> {
  const beginning = before?.known.find(before.owner, raw);
  const from = beginning?.list.ends.at(-1)?.at ?? 0;
  const shape = new ShapeReader(raw, beginning?.list);
  const isSmall = raw.length - from <= LARGE_BODY_BYTES;
  const body =
    (beginning && isSmall && parseBehind(raw, from, shape, beginning)) ||
    (raw.length <= LARGE_BODY_BYTES ? parseSmall(raw) : await parseLarge(raw));
  before?.known.keep(before.owner, raw, body.fields, body.list);
  return body.fields;
}

interface ParsedBody {
  fields: Fields;
  list: BodyList | undefined;
}

function parseSmall(raw: Buffer): ParsedBody {
  const shape = new ShapeReader(raw);
  shape.readTo(raw.length);
  checkUtf8(raw);
  return toParsed(parseText(raw.toString("utf8")), shape.list);
}

async function parseLarge(raw: Buffer): Promise<ParsedBody> {
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
  return toParsed(parseText(text), shape.list);
}

/** Stands in a list for the items that are known. Nobody else can write it. */
const MARK = randomUUID();

/** Only what stands behind the items that are known; undefined where that is no body by itself. */
function parseBehind(
  raw: Buffer,
  from: number,
  shape: ShapeReader,
  { list: { name, start }, items }: Beginning,
): ParsedBody | undefined {
  shape.readTo(raw.length);
  checkUtf8(raw.subarray(from));
  const text = `${raw.toString("utf8", 0, start)}"${MARK}"${raw.toString("utf8", from)}`;
  let fields: Fields;
  try {
    fields = parseText(text);
  } catch {
    // Told again of the whole, where places in it are right.
    return undefined;
  }
  const found = fields[name];
  // Of two lists with the same name the last one counts, and has no mark.
  if (!Array.isArray(found) || found[0] !== MARK) return undefined;
  fields[name] = [...items, ...found.slice(1)];
  return toParsed(fields, shape.list, items.length);
}

/** A list of anything but objects has other ends than items. `known`: so many at its beginning are objects for certain. */
function toParsed(fields: Fields, list: BodyList | undefined, known = 0): ParsedBody {
  const items = list && fields[list.name];
  const isWhole =
    Array.isArray(items) && items.length === list?.ends.length && items.slice(known).every(isFields);
  return { fields, list: isWhole ? list : undefined };
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

function skipBlanksBack(raw: Buffer, from: number): number {
  let at = from;
  while (at >= 0 && BLANKS.includes(raw[at])) at--;
  return at;
}

/** The first place from `at` on where a character begins. */
function toBoundary(raw: Buffer, at: number): number {
  let boundary = Math.min(at, raw.length);
  while (boundary < raw.length && (raw[boundary]! & 0xc0) === 0x80) boundary++;
  return boundary;
}

/**
 * Counts what a JSON text is made of, without making anything of it: commas and opening brackets, of which every item
 * and every member has one, and how deep they stand; and finds the items of a conversation. Whether it is JSON at all is for
 * the parser to say.
 */
class ShapeReader {
  readonly #raw: Buffer;
  #at = 0;
  /** Inside of a text: where it began. */
  #textStart: number | undefined;
  #values = 0;
  #depth = 0;
  #isInList = false;
  /** The first list that is a conversation's. */
  list: BodyList | undefined;

  /** `known`: the list of a body that begins alike, up to the last item that is the same. It goes on behind that. */
  constructor(raw: Buffer, known?: BodyList) {
    this.#raw = raw;
    const last = known?.ends.at(-1);
    if (!known || !last) return;
    this.list = known;
    this.#isInList = true;
    [this.#at, this.#values, this.#depth] = [last.at, last.values, LIST_DEPTH];
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
          if (this.#depth === LIST_DEPTH && !this.list && raw[at] === OPEN_BRACKET) this.#begin(at);
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth--;
          if (!this.#isInList) break;
          if (this.#depth < LIST_DEPTH) this.#isInList = false;
          else if (this.#depth === LIST_DEPTH && raw[at] === CLOSE_BRACE)
            this.list!.ends.push({ at: at + 1, values: this.#values });
          break;
        case COMMA:
          this.#values++;
      }
    }
    this.#at = end;
  }

  /** A list of the body itself: is it a conversation's? Its name stands before it. */
  #begin(at: number): void {
    const raw = this.#raw;
    const colon = skipBlanksBack(raw, at - 1);
    if (raw[colon] !== COLON) return;
    const end = skipBlanksBack(raw, colon - 1) + 1;
    const name = LISTS.find((each) => raw.subarray(Math.max(0, end - each.length), end).equals(each));
    if (!name) return;
    const before = raw[skipBlanksBack(raw, end - name.length - 1)];
    // A quote inside of a name has a backslash before it.
    if (before !== COMMA && before !== OPEN_BRACE) return;
    this.list = { name: name.toString("latin1", 1, name.length - 1), start: at + 1, ends: [] };
    this.#isInList = true;
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
