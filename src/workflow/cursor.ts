// Where the reader of literals stands in a text, with the few tests on characters that all its parts share.
// The position only grows while a text is scanned: that, and the remembered line, keep reading linear.

/**
 * How strings are read. "plain" is right for every well-formed literal. The other two are for texts that
 * "plain" cannot make sense of: "inner-quotes" pairs quotes inside a string ("say "yes", then stop"), and
 * "label-lines" lets a line that starts a list end a string that somebody forgot to close.
 */
export type Reading = "plain" | "inner-quotes" | "label-lines";

/** cut: the text ended. unclosed: the next list began before this one ended. unexpected: neither. */
export type Failure = "cut" | "unclosed" | "unexpected";

export interface Cursor {
  readonly text: string;
  readonly reading: Reading;
  at: number;
  /** The list being read holds strings only, so a quote and a comma are a border only before another string. */
  textOnly: boolean;
  failure: Failure;
  /** The reading "inner-quotes" would have read a string differently. */
  sawInnerQuote: boolean;
  /** The reading "label-lines" would have read a string differently. */
  sawLabelLine: boolean;
  /** The line last looked at: where it was entered, where it ends, where the text goes on after it. */
  line: { from: number; end: number; next: number };
}

export function createCursor(text: string, reading: Reading): Cursor {
  return {
    text,
    reading,
    at: 0,
    textOnly: false,
    failure: "unexpected",
    sawInnerQuote: false,
    sawLabelLine: false,
    line: { from: 0, end: -1, next: -1 },
  };
}

export const TAB = 9;
export const NEWLINE = 10;
export const SPACE = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const SINGLE_QUOTE = 39;
export const OPEN_PAREN = 40;
export const CLOSE_PAREN = 41;
export const STAR = 42;
export const PLUS = 43;
export const COMMA = 44;
export const SLASH = 47;
export const COLON = 58;
export const EQUALS = 61;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const BACKTICK = 96;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

/** False for NaN, which `charCodeAt` gives past the end. */
export function isSpace(code: number): boolean {
  return code <= SPACE || (code >= 0xa0 && isWideSpace(code));
}

function isWideSpace(code: number): boolean {
  return (
    code === 0xa0 ||
    (code >= 0x2000 && code <= 0x200b) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

export function isWordCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  );
}

export function isLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

export function skipSpace(text: string, at: number): number {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

export function startsComment(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === HASH || (code === SLASH && text.charCodeAt(at + 1) === SLASH);
}

/** Passes over white space and over `#` and `//` comments. */
export function skipTrivia(cursor: Cursor): void {
  const { text } = cursor;
  cursor.at = skipSpace(text, cursor.at);
  while (startsComment(text, cursor.at)) {
    const end = text.indexOf("\n", cursor.at);
    cursor.at = end < 0 ? text.length : skipSpace(text, end + 1);
  }
}

/** Where the text goes on after the line that holds `at`. Remembered, since every quote of a line may ask. */
export function afterLine(cursor: Cursor, at: number): number {
  const { text, line } = cursor;
  if (at < line.from || at > line.end) {
    const end = text.indexOf("\n", at);
    line.from = at;
    line.end = end < 0 ? text.length : end;
    line.next = skipSpace(text, line.end);
  }
  return line.next;
}

/** Records why reading failed. Its `undefined` is what every reader returns then. */
export function fail(cursor: Cursor, failure: Failure): undefined {
  cursor.failure = failure;
  return undefined;
}
