// LaTeX and plain notation become one stream of tokens, so that the parser knows only one language.
// A command that is not known gives `undefined`: the answer is then compared as text.

import {
  CHARACTERS,
  CONSTANTS,
  DROPPED,
  FUNCTIONS,
  LETTERS,
  MARKS,
  OPERATORS,
  SPACES,
  WORD_MARKS,
  WRAPPERS,
} from "./notation.ts";
import { parseDecimal, parseRepeating, type Rational } from "./rational.ts";

type TokenBody =
  | { type: "number"; value: Rational; digits: string }
  | { type: "symbol" | "function"; name: string }
  | { type: "word"; text: string }
  | { type: "begin" | "end"; environment: string }
  | { type: "mark"; mark: string };

export type Token = TokenBody & { spaced: boolean };

const SPACE = /\s+|~/y;
const REPEATING = /(\d*)\.(\d*)\\(?:overline|bar)\{(\d{1,20})\}/y;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+(?![\d.A-Za-z]))?/y;
const DEGREE = /\^\s*(?:\\circ(?![A-Za-z])|\{\s*\\circ\s*\})|\\degree(?![A-Za-z])/y;
const ANGLE = /(?:m\s*)?\\angle\s*\{?\s*([A-Z]{1,3})\s*\}?/y;
const COMMAND = /\\([A-Za-z]+|.)/sy;
const WORD = /[A-Za-z]+/y;
const ARGUMENT = /\s*\{([^{}]*)\}/y;
const OPERATOR = /\*\*|<=|>=|!=|==|\+-|\+\/-|[-+*/^_(){}[\],;:!%°|=<>≤≥≠∈≈±∓∪&⌊⌋⌈⌉]/y;
const GLUED = /^(sin|cos|tan|cot|sec|csc|ln|log|sqrt)([a-z])$/;

export function tokenise(source: string): Token[] | undefined {
  const text = source.replace(/[^\x20-\x7e\n\t]/gu, (character) => {
    const meaning = CHARACTERS.get(character);
    return meaning?.startsWith("\\") ? `${meaning} ` : (meaning ?? character);
  });
  const tokens: Token[] = [];
  let at = 0;
  let spaced = false;

  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found ?? undefined;
  };
  const put = (...bodies: TokenBody[]): true => {
    for (const body of bodies) {
      tokens.push({ ...body, spaced });
      spaced = false;
    }
    return true;
  };

  const putWord = (word: string): true => {
    const before = tokens.at(-1);
    const lower = word.toLowerCase();
    // (1, 2) U (3, 4) and 3 x 10^8: letters that stand for signs.
    if (word === "U" && before?.type === "mark" && /^[)\]]$/.test(before.mark))
      return put({ type: "mark", mark: "∪" });
    const isBetweenNumbers = before?.type === "number" && /^\s*\d/.test(text.slice(at, at + 8));
    if (lower === "x" && isBetweenNumbers) return put({ type: "mark", mark: "*" });
    const mark = WORD_MARKS.get(lower);
    if (mark) return put({ type: "mark", mark });
    const name = FUNCTIONS.get(word);
    if (name) return put({ type: "function", name });
    const constant = CONSTANTS.get(lower);
    if (constant) return put({ type: "symbol", name: constant });
    if (word.length === 1 || LETTERS.has(word)) return put({ type: "symbol", name: word });
    const [, glued, variable] = GLUED.exec(word) ?? [];
    if (glued && variable) return put({ type: "function", name: glued }, { type: "symbol", name: variable });
    // "xy" is a product; a longer word is a word.
    if (word.length > 3) return put({ type: "word", text: word });
    return put(...[...word].map((name): TokenBody => ({ type: "symbol", name })));
  };

  /** False where the command means nothing we know. */
  const putCommand = (name: string): boolean => {
    if (DROPPED.has(name)) {
      // "\left." opens nothing.
      if ((name === "left" || name === "right") && text[at] === ".") at++;
      return true;
    }
    if (SPACES.has(name)) {
      spaced ||= name !== "!";
      return true;
    }
    const mark = MARKS.get(name);
    if (mark) return put({ type: "mark", mark });
    if (FUNCTIONS.has(name) || CONSTANTS.has(name) || LETTERS.has(name)) return putWord(name);
    const argument = match(ARGUMENT)?.[1]?.trim();
    if (argument === undefined) return false;
    if (name === "begin" || name === "end") {
      // The columns of an array say nothing about its content.
      if (name === "begin" && argument === "array") match(ARGUMENT);
      return put({ type: name, environment: argument });
    }
    if (name === "mathbb") return argument === "R" && put({ type: "symbol", name: "reals" });
    if (name === "overline" || name === "bar" || name === "hat") {
      return put({ type: "symbol", name: `${name} ${argument}` });
    }
    if (!WRAPPERS.has(name)) return false;
    if (/^[A-Za-z]+$/.test(argument)) return putWord(argument);
    const content = tokenise(argument);
    for (const token of content ?? []) tokens.push(token);
    return content !== undefined;
  };

  /** False where nothing that begins here is known. */
  const putNext = (): boolean => {
    const repeating = match(REPEATING);
    if (repeating) {
      const [, whole = "", fixed = "", repeated = ""] = repeating;
      return put({ type: "number", value: parseRepeating(whole, fixed, repeated), digits: "" });
    }
    const digits = match(NUMBER)?.[0];
    if (digits !== undefined) {
      const value = parseDecimal(digits);
      return value !== undefined && put({ type: "number", value, digits });
    }
    if (match(DEGREE)) return put({ type: "mark", mark: "°" });
    const angle = match(ANGLE)?.[1];
    if (angle !== undefined) return put({ type: "symbol", name: `angle ${angle}` });
    const command = match(COMMAND)?.[1];
    if (command !== undefined) return putCommand(command);
    const word = match(WORD)?.[0];
    if (word !== undefined) return putWord(word);
    const operator = match(OPERATOR)?.[0];
    return operator !== undefined && put({ type: "mark", mark: OPERATORS.get(operator) ?? operator });
  };

  while (at < text.length) {
    if (match(SPACE)) spaced = true;
    else if (!putNext()) return undefined;
  }
  return tokens;
}
