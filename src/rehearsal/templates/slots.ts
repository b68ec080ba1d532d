// The gaps of a phrasing. A slot knows which texts fit, what they mean, how a value is written, and which
// values questions are drawn with; so a form need not say these things again.

import type { Random } from "../../base/random.ts";
import type { Difficulty } from "../types.ts";

export interface Slot<T> {
  /** Source of a regular expression, matched without regard to case. */
  pattern: string;
  /** Undefined for a text that fits the pattern and still means nothing. */
  read(text: string): T | undefined;
  write(value: T): string;
  /** Left out where the form draws all its values together. */
  draw?(random: Random, difficulty: Difficulty): T;
}

/** What is drawn: a whole number between two bounds, both included. */
type Bounds = readonly [from: number, to: number];

/** With thousands separators or decimals, as people type them. */
const DECIMAL = "(?:\\d{1,3}(?:,\\d{3})+|\\d{1,12})(?:\\.\\d{1,6})?";

export const integer = (range?: Bounds, most = 9) => numeric(`\\d{1,${most}}`, range);
export const decimal = (range?: Bounds) => numeric(DECIMAL, range);
/** Money, as we write it and as people do. */
export const dollars = (range?: Bounds) => numeric(`\\$?${DECIMAL}(?: dollars)?`, range, " dollars");

function numeric(pattern: string, range: Bounds | undefined, unit = ""): Slot<number> {
  return {
    pattern,
    read: (text) => Number(text.replace(/[^\d.]/g, "")),
    write: (value) => `${value}${unit}`,
    draw: range && ((random) => random.integer(...range)),
  };
}

/** Any text that fits, as it is; drawn from a list. */
export function word(drawn: readonly string[] = [], pattern = "[a-z]+"): Slot<string> {
  return { pattern, read: (text) => text, write: (value) => value, draw: (random) => random.pick(drawn) };
}

/** One of these, in our spelling. Of words that begin alike the longer one must come first. */
export function oneOf(words: readonly string[]): Slot<string> {
  return {
    ...word(words, words.join("|")),
    read: (text) => words.find((known) => known.toLowerCase() === text.toLowerCase()),
  };
}

/** Several of one kind, at least and at most this many; `between` is the pattern of what parts them. */
export function listOf<T>(
  item: Slot<T>,
  [least, most]: Bounds,
  joint: string,
  between: string = joint,
): Slot<T[]> {
  const one = `(?:${item.pattern})`;
  const separator = new RegExp(between, "i");
  return {
    pattern: `${one}(?:${between}${one}){${least - 1},${most - 1}}`,
    read(text) {
      const items = text.split(separator).map(item.read);
      return items.includes(undefined) ? undefined : (items as T[]);
    },
    write: (values) => values.map(item.write).join(joint),
  };
}
