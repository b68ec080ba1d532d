// Phrasings with slots, written once and used both ways: filled to ask a question, and matched to read
// one back, also when it stands inside other words, is quoted, or carries other numbers.

import type { Random } from "../../base/random.ts";

export const INTEGER = "\\d{1,9}";
/** With thousands separators or decimals, as people type them. */
export const NUMBER = "(?:\\d{1,3}(?:,\\d{3})+|\\d{1,12})(?:\\.\\d{1,6})?";
/** Money, as we write it and as people do. */
export const DOLLARS = `\\$?${NUMBER}(?: dollars)?`;
export const NAME = "[A-Z][a-z]+";
export const SIGN = "[-+−]";

/** What is looked at of a very long message: a question hides at its beginning or at its end. */
const LONGEST = 16_000;

export type Values = Record<string, string>;

export interface Templates {
  write(values: Values, random: Random): string;
  match(text: string): { question: string; values: Values } | undefined;
}

/**
 * `{name}` is a slot (its pattern stands in `slots`), written twice it must read the same twice;
 * `~` is a space that may be left out.
 */
export function createTemplates(slots: Record<string, string>, phrasings: readonly string[]): Templates {
  const patterns = phrasings.map((phrasing) => toPattern(phrasing, slots));
  return {
    write(values, random) {
      return random
        .pick(phrasings)
        .replaceAll("~", " ")
        .replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
    },
    match(text) {
      for (const pattern of patterns) {
        const found = pattern.exec(text);
        if (found) return { question: found[0], values: { ...found.groups } };
      }
      return undefined;
    },
  };
}

/** One line, without quoting marks, fences and curly quotes: questions are compared in this form. */
export function cleanText(text: string): string {
  const whole = text.length <= LONGEST ? text : `${text.slice(0, LONGEST / 2)}\n${text.slice(-LONGEST / 2)}`;
  return whole
    .replace(/^[ \t]*>[> \t]*/gm, "")
    .replace(/```\w*|`/g, " ")
    .replace(/[“”]/g, '"')
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, " ")
    .trim();
}

/** Reads NUMBER and DOLLARS. */
export function toNumber(text: string): number {
  return Number(text.replace(/[^\d.]/g, ""));
}

function toPattern(phrasing: string, slots: Record<string, string>): RegExp {
  const seen = new Set<string>();
  const source = phrasing
    .replace(/[.?!]$/, "")
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name === undefined) return literal(piece);
      if (seen.has(name)) return `\\k<${name}>`;
      seen.add(name);
      return `(?<${name}>${slots[name]})`;
    })
    .join("");
  return new RegExp(`(?<!\\w)${source}(?!\\w)[.?!]?`, "i");
}

function literal(text: string): string {
  return text
    .replace(/[$()*+.?[\]\\^{|}]/g, "\\$&")
    .replaceAll(" ", "\\s+")
    .replaceAll("~", "\\s*");
}
