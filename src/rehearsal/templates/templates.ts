// Phrasings with slots, written once and used both ways: filled to ask a question, and matched to read
// one back, also when it stands inside other words, is quoted, or carries other numbers.

import type { Random } from "../../base/random.ts";
import type { Slot } from "./slots.ts";

// biome-ignore lint/suspicious/noExplicitAny: each slot has a type of its own
export type Slots = Record<string, Slot<any>>;
export type ValuesOf<S extends Slots> = { [Name in keyof S]: S[Name] extends Slot<infer T> ? T : never };

/** What is read of a very long message: a question hides at its beginning or at its end. */
const LONGEST = 16_000;

export interface Templates<S extends Slots> {
  write(values: ValuesOf<S>, random: Random): string;
  /** `values` is undefined where one of them means nothing. */
  match(text: string): { question: string; values: ValuesOf<S> | undefined } | undefined;
}

/** `{name}` is a slot, written twice it must read the same twice; `~` is a space that may be left out. */
export function createTemplates<S extends Slots>(slots: S, phrasings: readonly string[]): Templates<S> {
  const patterns = phrasings.map((phrasing) => toPattern(phrasing, slots));
  return {
    write(values, random) {
      return random
        .pick(phrasings)
        .replaceAll("~", " ")
        .replace(/\{(\w+)\}/g, (_, name: string) => slots[name]!.write(values[name]));
    },
    match(text) {
      for (const pattern of patterns) {
        const found = pattern.exec(text);
        if (found) return { question: found[0], values: readAll(slots, found.groups!) };
      }
      return undefined;
    },
  };
}

function readAll<S extends Slots>(slots: S, texts: Record<string, string>): ValuesOf<S> | undefined {
  const values = Object.entries(slots).map(([name, slot]) => [name, slot.read(texts[name]!)]);
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values);
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

function toPattern(phrasing: string, slots: Slots): RegExp {
  const seen = new Set<string>();
  const source = phrasing
    .replace(/[.?!]$/, "")
    .split(/(\{\w+\})/)
    .map((piece) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (name === undefined) return literal(piece);
      if (seen.has(name)) return `\\k<${name}>`;
      seen.add(name);
      return `(?<${name}>${slots[name]!.pattern})`;
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
