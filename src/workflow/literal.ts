// Reads one list or object as Python, JSON or JavaScript would write it, and as models do: tuples, trailing
// commas, comments, bare words such as `Model 2`, None and null. Says where and why it could not go on.

import { type Cursor, fail, isLetterAt, isQuoteAt, skipSpace, skipTrivia } from "./cursor.ts";
import { readLabel } from "./label.ts";
import { findStringStart, KEY, readString } from "./quoted.ts";

/** Something written without quotes that is neither a number nor nothing: `all`, `Model 2`, `True`. */
interface Word {
  word: string;
}

export interface LiteralFields {
  fields: [key: string, value: Literal][];
}

export type Literal = number | string | null | Word | LiteralFields | Literal[];

// More than any workflow has, so that a list without end is given up soon.
const MAX_ENTRIES = 10_000;

// A workflow needs four levels. The limit keeps "[[[[…" from exhausting the stack.
const MAX_DEPTH = 8;

const NUMBER = /[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])/iy;
const WORD = /[a-z][\w -]{0,59}/iy;
const NOTHING = /^(?:none|null|nil|undefined)$/i;
const CUT_KEY = /["'“”‘’`]?[\w -]{0,40}["'“”‘’`]?\s*$/y;

/** Reads the list at the cursor, which stands on `[` or `(`. Undefined on failure: see `cursor.failure`. */
export function readList(cursor: Cursor, depth = 0): Literal[] | undefined {
  const { text } = cursor;
  const bracket = text[cursor.at] === "(" ? ")" : "]";
  const entries: Literal[] = [];
  cursor.at++;
  for (;;) {
    skipTrivia(cursor);
    if (text[cursor.at] === bracket) break;
    if (entries.length === MAX_ENTRIES) return fail(cursor, "unexpected");
    const entry = readEntry(cursor, bracket, depth);
    if (entry === undefined) return undefined;
    entries.push(entry);
    skipTrivia(cursor);
    if (text[cursor.at] === bracket) break;
    if (text[cursor.at] !== ",") return failHere(cursor);
    cursor.at++;
  }
  cursor.at++;
  return entries;
}

function readEntry(cursor: Cursor, bracket: string, depth: number): Literal | undefined {
  const { text, at } = cursor;
  const open = text[at];
  if (findStringStart(text, at) >= 0) return readString(cursor, bracket);
  if (open === "[" || open === "(" || open === "{") {
    if (depth >= MAX_DEPTH) return fail(cursor, "unexpected");
    if (open === "{") return readFields(cursor, depth + 1);
    const list = readList(cursor, depth + 1);
    // ("a" "b") is a string in brackets, not a tuple.
    return open === "(" && list?.length === 1 && typeof list[0] === "string" ? list[0] : list;
  }
  return readScalar(cursor);
}

function readFields(cursor: Cursor, depth: number): LiteralFields | undefined {
  const { text } = cursor;
  const fields: LiteralFields["fields"] = [];
  cursor.at++;
  for (;;) {
    skipTrivia(cursor);
    if (text[cursor.at] === "}") break;
    if (fields.length === MAX_ENTRIES) return fail(cursor, "unexpected");
    const key = readKey(cursor);
    if (key === undefined) return undefined;
    skipTrivia(cursor);
    const value = readEntry(cursor, "}", depth);
    if (value === undefined) return undefined;
    fields.push([key, value]);
    skipTrivia(cursor);
    if (text[cursor.at] === "}") break;
    if (text[cursor.at] !== ",") return failHere(cursor);
    cursor.at++;
  }
  cursor.at++;
  return { fields };
}

/** In lower case and without spaces and signs, so that all ways to write it are one. */
function readKey(cursor: Cursor): string | undefined {
  const { text, at } = cursor;
  if (!isLetterAt(text, at) && !isQuoteAt(text, at) && text[at] !== "_") return failHere(cursor);
  KEY.lastIndex = at;
  const key = KEY.exec(text)?.[1];
  if (key === undefined) {
    CUT_KEY.lastIndex = at;
    return text.length - at < 100 && CUT_KEY.test(text) ? fail(cursor, "cut") : failHere(cursor);
  }
  cursor.at = KEY.lastIndex;
  return key.toLowerCase().replace(/[^a-z]/g, "");
}

function readScalar(cursor: Cursor): number | null | Word | undefined {
  const { text, at } = cursor;
  if (!isLetterAt(text, at)) return readNumber(cursor);
  WORD.lastIndex = at;
  WORD.test(text);
  const end = WORD.lastIndex;
  const next = skipSpace(text, end);
  if (next >= text.length) return fail(cursor, "cut");
  const ends = text[next] === "," || text[next] === "]" || text[next] === ")" || text[next] === "}";
  // The cursor stays before the word, for it may be the label of the next list.
  if (!ends) return failHere(cursor);
  cursor.at = end;
  const word = text.slice(at, end).trim();
  return NOTHING.test(word) ? null : { word };
}

function readNumber(cursor: Cursor): number | undefined {
  const { text, at } = cursor;
  NUMBER.lastIndex = at;
  if (!NUMBER.test(text)) return failHere(cursor);
  cursor.at = NUMBER.lastIndex;
  return Number(text.slice(at, cursor.at));
}

function failHere(cursor: Cursor): undefined {
  if (cursor.at >= cursor.text.length) return fail(cursor, "cut");
  return fail(cursor, leavesList(cursor) ? "unclosed" : "unexpected");
}

/** The next label or the end of a code block: the bracket that closes this list was forgotten. */
function leavesList({ text, at }: Cursor): boolean {
  if (text.startsWith("```", at)) return true;
  // The label may be in quotes or bold.
  const label = readLabel(text, isLetterAt(text, at) ? at : at + 1);
  return label !== undefined && !label.weak;
}
