// Strings as models write them: Python and JSON strings, read exactly where they are well-formed, and with
// tolerance where they are not: raw newlines, apostrophes and quotes that nobody escaped, smart quotes.
// The one question is which quote closes a string. A quote closes only if what follows could follow a string:
// the end of the list, a comma with another entry behind it, another string to join, a comment.

import {
  afterLine,
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PAREN,
  COLON,
  COMMA,
  type Cursor,
  DOUBLE_QUOTE,
  EQUALS,
  fail,
  isSpace,
  isWordCharacter,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  PLUS,
  SINGLE_QUOTE,
  skipSpace,
  skipTrivia,
  startsComment,
} from "./cursor.ts";
import { readEscape } from "./escape.ts";
import { startsLabelLine } from "./label.ts";

const KEY = /["'“”‘’`]?[a-z_][\w -]{0,40}["'“”‘’`]?[ \t]{0,4}[:=]/iy;
const SCALAR = /-?\d|(?:none|null|nil|all|true|false)\b/iy;

export function isQuote(code: number): boolean {
  return (
    code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKTICK || (code >= 0x2018 && code <= 0x201f) // ‘ ’ ‚ ‛ “ ” „ ‟
  );
}

/** The position of the quote if a string starts here, prefixes such as r"…" included; otherwise −1. */
export function findStringStart(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (isQuote(code)) return at;
  if (!isPrefix(code)) return -1;
  const next = text.charCodeAt(at + 1);
  if (isQuote(next)) return at + 1;
  return isPrefix(next) && isQuote(text.charCodeAt(at + 2)) ? at + 2 : -1;
}

function isPrefix(code: number): boolean {
  const lower = code | 32;
  return lower === 98 || lower === 102 || lower === 114 || lower === 117; // b f r u
}

/** Reads the string that starts at the cursor and all that are joined to it: "a" "b", "a" + "b". */
export function readString(cursor: Cursor, bracket: number): string | undefined {
  const { text } = cursor;
  let content = "";
  for (;;) {
    const part = readOne(cursor, bracket);
    if (part === undefined) return undefined;
    content += part;
    skipTrivia(cursor);
    if (text.charCodeAt(cursor.at) === PLUS) {
      const next = skipSpace(text, cursor.at + 1);
      if (findStringStart(text, next) < 0) return content;
      cursor.at = next;
    } else if (findStringStart(text, cursor.at) < 0) {
      return content;
    }
  }
}

function readOne(cursor: Cursor, bracket: number): string | undefined {
  const { text, reading } = cursor;
  const quoteAt = findStringStart(text, cursor.at);
  const quote = text.charCodeAt(quoteAt);
  const raw = quoteAt > cursor.at && /r/i.test(text.slice(cursor.at, quoteAt));
  const triple = isTriple(text, quoteAt, quote);
  let at = quoteAt + (triple ? 3 : 1);
  let from = at;
  let content = "";
  /** Expected after the next quote: the bracket of `data["key"]` inside the string. */
  let innerBracket = 0;
  let innerOpen = false;

  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
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
      if (triple || (reading !== "label-lines" && cursor.sawLabelLine) || !startsLabelLine(text, at + 1))
        continue;
      cursor.sawLabelLine = true;
      if (reading !== "label-lines") continue;
      cursor.at = at + 1;
      return fail(cursor, "unclosed");
    } else if (isSameQuote(code, quote)) {
      if (triple) {
        if (!isTriple(text, at, quote)) continue;
        cursor.at = at + 3;
        return content + text.slice(from, at);
      }
      if (innerBracket !== 0 && text.charCodeAt(at + 1) === innerBracket) {
        innerBracket = 0;
        continue;
      }
      const before = text.charCodeAt(at - 1);
      if (innerOpen && !isSpace(before)) {
        innerOpen = false;
        continue;
      }
      if (isClosing(cursor, at, bracket)) {
        cursor.at = at + 1;
        return content + text.slice(from, at);
      }
      if (opensInside(before) && !isSpace(text.charCodeAt(at + 1))) {
        innerBracket =
          before === OPEN_BRACKET ? CLOSE_BRACKET : before === OPEN_PAREN ? CLOSE_PAREN : innerBracket;
        cursor.sawInnerQuote = true;
        innerOpen = reading === "inner-quotes";
      }
    }
  }
  cursor.at = text.length;
  return fail(cursor, "cut");
}

function isTriple(text: string, at: number, quote: number): boolean {
  return (
    (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) &&
    text.charCodeAt(at) === quote &&
    text.charCodeAt(at + 1) === quote &&
    text.charCodeAt(at + 2) === quote
  );
}

/** Smart quotes close each other whatever their direction; models mix them up. */
function isSameQuote(code: number, quote: number): boolean {
  if (code === quote) return true;
  if (quote < 0x2018 || code < 0x2018 || code > 0x201f) return false;
  return code >= 0x201c === quote >= 0x201c;
}

function opensInside(before: number): boolean {
  return (
    isSpace(before) ||
    before === OPEN_BRACKET ||
    before === OPEN_PAREN ||
    before === OPEN_BRACE ||
    before === EQUALS ||
    before === COLON ||
    before === COMMA
  );
}

/** Could the quote at `at` close a string inside this bracket? */
function isClosing(cursor: Cursor, at: number, bracket: number): boolean {
  const { text } = cursor;
  const next = skipSpace(text, at + 1);
  const code = text.charCodeAt(next);
  if (next >= text.length || code === bracket) return true;
  if (code === COMMA) return startsEntry(cursor, skipSpace(text, next + 1), bracket);
  if (startsComment(text, next)) return continuesList(cursor, afterLine(cursor, next), bracket);
  if (code === PLUS) return findStringStart(text, skipSpace(text, next + 1)) >= 0;
  // "a" "b" is one string. Without a space between them only "a""b" is, for '' is written for a double prime.
  if (next > at + 1) return findStringStart(text, next) >= 0;
  return code === DOUBLE_QUOTE && text.charCodeAt(at) === code && isWordCharacter(text.charCodeAt(next + 1));
}

function startsEntry(cursor: Cursor, at: number, bracket: number): boolean {
  const { text } = cursor;
  const code = text.charCodeAt(at);
  if (at >= text.length || code === bracket || startsComment(text, at)) return true;
  if (bracket === CLOSE_BRACE) return matchesAt(KEY, text, at);
  if (findStringStart(text, at) >= 0) return true;
  if (code === OPEN_PAREN && cursor.textOnly) return findStringStart(text, skipSpace(text, at + 1)) >= 0;
  if (cursor.textOnly) return false;
  return code === OPEN_BRACKET || code === OPEN_PAREN || code === OPEN_BRACE || matchesAt(SCALAR, text, at);
}

function continuesList(cursor: Cursor, at: number, bracket: number): boolean {
  return cursor.text.charCodeAt(at) === COMMA || startsEntry(cursor, at, bracket);
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
