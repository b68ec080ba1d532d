// Where the reader of literals stands in a text, with the few tests on characters that all its parts share.
// The position only grows while a text is scanned: that, and the remembered line, keep reading linear.

/**
 * How strings are read. "plain" is right for every well-formed literal. The other two are for texts that
 * "plain" cannot make sense of: "inner-quotes" pairs quotes inside a string ("say "yes", then stop"), and
 * "label-lines" lets a line that starts a list end a string that somebody forgot to close.
 */
export type CursorReading = "plain" | "inner-quotes" | "label-lines";

/** cut: the text ended. unclosed: the next list began before this one ended. unexpected: neither. */
export type CursorFailure = "cut" | "unclosed" | "unexpected";

export interface Cursor {
  readonly text: string;
  readonly reading: CursorReading;
  at: number;
  /** The list being read holds strings only, so a quote and a comma are a border only before another string. */
  textOnly: boolean;
  failure: CursorFailure;
  /** The reading "inner-quotes" would have read a string differently. */
  sawInnerQuote: boolean;
  /** The reading "label-lines" would have read a string differently. */
  sawLabelLine: boolean;
  /** The line last looked at: where it was entered, where it ends, where the text goes on after it. */
  line: { from: number; end: number; next: number };
}

export function createCursor(text: string, reading: CursorReading): Cursor {
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

// The tests are false past the end, where `charCodeAt` gives NaN.

export function isSpaceAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 32 || (code >= 0xa0 && isWideSpace(code));
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

export function isLetterAt(text: string, at: number): boolean {
  const lower = text.charCodeAt(at) | 32;
  return lower >= 97 && lower <= 122;
}

/** Letters, digits and the underscore, as in `\w`. */
export function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 57) || code === 95 || isLetterAt(text, at);
}

/** Straight and smart quotes (‘ ’ ‚ ‛ “ ” „ ‟), and the backtick. */
export function isQuoteAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 34 || code === 39 || code === 96 || (code >= 0x2018 && code <= 0x201f);
}

export function skipSpace(text: string, at: number): number {
  while (isSpaceAt(text, at)) at++;
  return at;
}

export function startsComment(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 35 || (code === 47 && text.charCodeAt(at + 1) === 47); // # and //
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
export function fail(cursor: Cursor, failure: CursorFailure): undefined {
  cursor.failure = failure;
  return undefined;
}
