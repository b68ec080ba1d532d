// Strings as models write them: Python and JSON strings, read exactly where they are well-formed, and with
// tolerance where they are not: raw newlines, apostrophes and quotes that nobody escaped, smart quotes.
// The one question is which quote closes a string. A quote closes only if what follows could follow a string:
// the end of the list, a comma with another entry behind it, another string to join, a comment.

import {
  afterLine,
  type Cursor,
  fail,
  isQuoteAt,
  isSpaceAt,
  isWordAt,
  skipSpace,
  skipTrivia,
  startsComment,
} from "./cursor.ts";
import { readEscape } from "./escape.ts";
import { startsLabelLine } from "./label.ts";

// Codes instead of characters where every character of a long text passes.
const NEWLINE = 10;
const DOUBLE_QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const BACKSLASH = 92;
const OPENING = Array.from("[({=:,", (character) => character.charCodeAt(0));

/** The key of an object with its sign; sticky, so set `lastIndex` first. */
export const KEY = /["'“”‘’`]?([a-z_][\w -]{0,40})["'“”‘’`]?\s{0,8}[:=]/iy;
const SCALAR = /-?\d|(?:none|null|nil|all|true|false)\b/iy;

/** The position of the quote if a string starts here, prefixes such as r"…" included; otherwise −1. */
export function findStringStart(text: string, at: number): number {
  if (isQuoteAt(text, at)) return at;
  if (!isPrefixAt(text, at)) return -1;
  if (isQuoteAt(text, at + 1)) return at + 1;
  return isPrefixAt(text, at + 1) && isQuoteAt(text, at + 2) ? at + 2 : -1;
}

function isPrefixAt(text: string, at: number): boolean {
  const lower = text.charCodeAt(at) | 32;
  return lower === 98 || lower === 102 || lower === 114 || lower === 117; // b f r u
}

/** Reads the string that starts at the cursor and all that are joined to it: "a" "b", "a" + "b". */
export function readString(cursor: Cursor, bracket: string): string | undefined {
  const { text } = cursor;
  let content = "";
  for (;;) {
    const part = readOne(cursor, bracket);
    if (part === undefined) return undefined;
    content += part;
    skipTrivia(cursor);
    if (text[cursor.at] === "+") {
      const next = skipSpace(text, cursor.at + 1);
      if (findStringStart(text, next) < 0) return content;
      cursor.at = next;
    } else if (findStringStart(text, cursor.at) < 0) {
      return content;
    }
  }
}

function readOne(cursor: Cursor, bracket: string): string | undefined {
  const { text, reading } = cursor;
  const quoteAt = findStringStart(text, cursor.at);
  const raw = quoteAt > cursor.at && /r/i.test(text.slice(cursor.at, quoteAt));
  const triple = isTripleAt(text, quoteAt);
  // Smart quotes close each other whatever their direction: “ to ‟ and ‘ to ‛ are four codes each.
  const quote = text.charCodeAt(quoteAt);
  const lowest = quote < 0x2018 ? quote : quote < 0x201c ? 0x2018 : 0x201c;
  const highest = quote < 0x2018 ? quote : lowest + 3;
  let from = quoteAt + (triple ? 3 : 1);
  let content = "";
  /** Expected after the next quote: the bracket of `data["key"]` inside the string. */
  let innerBracket = "";
  let innerOpen = false;

  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < lowest || code > highest) && code !== BACKSLASH && code !== NEWLINE) continue;
    if (code === BACKSLASH) {
      if (raw) {
        at++;
        continue;
      }
      content += text.slice(from, at);
      cursor.at = at;
      content += readEscape(cursor);
      from = cursor.at;
      at = from - 1;
    } else if (code === NEWLINE) {
      if (triple || (cursor.sawLabelLine && reading !== "label-lines")) continue;
      if (!startsLabelLine(text, at + 1)) continue;
      cursor.sawLabelLine = true;
      if (reading !== "label-lines") continue;
      cursor.at = at + 1;
      return fail(cursor, "unclosed");
    } else if (triple) {
      if (!isTripleAt(text, at)) continue;
      cursor.at = at + 3;
      return content + text.slice(from, at);
    } else if (innerBracket !== "" && text[at + 1] === innerBracket) {
      innerBracket = "";
    } else if (innerOpen && !isSpaceAt(text, at - 1)) {
      innerOpen = false;
    } else if (isClosing(cursor, at, bracket)) {
      cursor.at = at + 1;
      return content + text.slice(from, at);
    } else if (opensInside(text, at - 1) && !isSpaceAt(text, at + 1)) {
      innerBracket = text[at - 1] === "[" ? "]" : text[at - 1] === "(" ? ")" : innerBracket;
      cursor.sawInnerQuote = true;
      innerOpen = reading === "inner-quotes";
    }
  }
  cursor.at = text.length;
  return fail(cursor, "cut");
}

function isTripleAt(text: string, at: number): boolean {
  const quote = text[at];
  return (quote === '"' || quote === "'") && text[at + 1] === quote && text[at + 2] === quote;
}

function opensInside(text: string, at: number): boolean {
  return isSpaceAt(text, at) || OPENING.includes(text.charCodeAt(at));
}

/** Could the quote at `at` close a string inside this bracket? */
function isClosing(cursor: Cursor, at: number, bracket: string): boolean {
  const { text } = cursor;
  const next = skipSpace(text, at + 1);
  const code = text.charCodeAt(next);
  if (next >= text.length || code === bracket.charCodeAt(0)) return true;
  if (code === COMMA) return startsEntry(cursor, skipSpace(text, next + 1), bracket);
  if (startsComment(text, next)) return continuesList(cursor, afterLine(cursor, next), bracket);
  if (code === PLUS) return findStringStart(text, skipSpace(text, next + 1)) >= 0;
  // "a" "b" is one string. Without a space between them only "a""b" is, for '' is written for a double prime.
  if (next > at + 1) return findStringStart(text, next) >= 0;
  return code === DOUBLE_QUOTE && text.charCodeAt(at) === DOUBLE_QUOTE && isWordAt(text, next + 1);
}

function startsEntry(cursor: Cursor, at: number, bracket: string): boolean {
  const { text } = cursor;
  const first = text[at];
  if (first === undefined || first === bracket || startsComment(text, at)) return true;
  if (bracket === "}") return matchesAt(KEY, text, at);
  if (findStringStart(text, at) >= 0) return true;
  if (first === "(" && cursor.textOnly) return findStringStart(text, skipSpace(text, at + 1)) >= 0;
  if (cursor.textOnly) return false;
  return first === "[" || first === "(" || first === "{" || matchesAt(SCALAR, text, at);
}

function continuesList(cursor: Cursor, at: number, bracket: string): boolean {
  return cursor.text[at] === "," || startsEntry(cursor, at, bracket);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
