// Backslashes inside strings: the escapes that JSON and Python share, and \x, \U and line continuation.
// Everything else keeps its backslash, as in Python, so that a regular expression or LaTeX comes through.

import type { Cursor } from "./cursor.ts";

const SIMPLE: Record<string, string> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  "`": "`",
  "\n": "",
};

/**
 * Models write LaTeX with single backslashes. A form feed before "rac{" is never meant; \n is left out,
 * because a new line before any word is. `renderWorkflow` writes these characters as \u escapes.
 */
const LATEX =
  /(?:frac|binom|begin|bar|boxed|text(?:bf|it|rm)?|tfrac)\{|(?:beta|bmod|forall|times|theta|tau|right(?:arrow)?|rho|rangle)(?![a-z])/y;

const HEXADECIMAL = /^[0-9a-f]+$/i;
const HEXADECIMAL_DIGITS: Record<string, number> = { u: 4, x: 2, U: 8 };

/** Reads the escape at the cursor, which stands on the backslash. */
export function readEscape(cursor: Cursor): string {
  const { text, at } = cursor;
  const letter = text.charAt(at + 1);
  cursor.at = Math.min(at + 2, text.length);
  const digits = HEXADECIMAL_DIGITS[letter];
  if (digits !== undefined) return readCode(cursor, letter, digits);
  const simple = SIMPLE[letter];
  if (simple === undefined || (isLatexLetter(letter) && isLatex(text, at + 1))) {
    // A backslash before \r\n continues the line as well.
    if (letter === "\r" && text[at + 2] === "\n") {
      cursor.at = at + 3;
      return "";
    }
    return text.slice(at, cursor.at);
  }
  return simple;
}

function readCode(cursor: Cursor, letter: string, digits: number): string {
  const { text, at } = cursor;
  const hexadecimal = text.slice(at, at + digits);
  const code = Number.parseInt(hexadecimal, 16);
  if (hexadecimal.length < digits || !HEXADECIMAL.test(hexadecimal) || code > 0x10ffff) {
    return `\\${letter}`;
  }
  cursor.at = at + digits;
  // One unit at a time for \u, so that a lone surrogate stays what it is and a pair becomes one character.
  return digits === 8 ? String.fromCodePoint(code) : String.fromCharCode(code);
}

function isLatexLetter(letter: string): boolean {
  return letter === "t" || letter === "r" || letter === "b" || letter === "f";
}

function isLatex(text: string, at: number): boolean {
  LATEX.lastIndex = at;
  return LATEX.test(text);
}
