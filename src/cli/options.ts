// Reading flags: each reader names the flag, the bad value and what would be right, before anything starts.

import type { Command } from "commander";
import { usageError } from "../base/errors.ts";
import { shorten } from "../base/format.ts";
import { didYouMean } from "../base/suggest.ts";

/** What the verbs that read the journal share. */
export interface CommonFlags {
  json?: boolean;
  config?: string;
}

/** For commander: a whole number between two bounds, both allowed. */
export function wholeNumber(
  flag: string,
  from: number,
  to = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= from && value <= to) return value;
    const range = to === Number.MAX_SAFE_INTEGER ? `of ${from} or more` : `from ${from} to ${to}`;
    throw usageError(`${flag} must be a whole number ${range}, not "${text}"`);
  };
}

/** A number between two bounds, both allowed, with decimals or without. */
export function numberBetween(flag: string, from: number, to: number): (text: string) => number {
  return (text) => {
    const value = toDecimal(text);
    if (value >= from && value <= to) return value;
    throw usageError(`${flag} must be a number from ${from} to ${to}, not "${text}"`);
  };
}

/** Plain decimals only, as people write amounts; NaN for anything else. */
export function toDecimal(text: string): number {
  return /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
}

/** "none" is no limit. It stays a word here: commander turns null into an empty text. */
export function dollars(flag: string): (text: string) => number | "none" {
  return (text) => {
    if (text === "none") return text;
    const value = toDecimal(text);
    if (Number.isFinite(value)) return value;
    throw usageError(`${flag} must be an amount in dollars such as 0.05, or none, not "${text}"`);
  };
}

/** The values that a reader takes, for completion; undefined where they cannot be listed. */
const choices = new WeakMap<object, readonly string[]>();

export function valuesOf(reader: object | undefined): readonly string[] | undefined {
  return reader && choices.get(reader);
}

/** A number from 0 to `most`. */
export function share(flag: string, most = 1): (text: string) => number {
  return (text) => {
    const value = toDecimal(text);
    if (value >= 0 && value <= most) return value;
    throw usageError(`${flag} must be a number from 0 to ${most}, such as 0.05, not "${text.slice(0, 40)}"`);
  };
}

export function oneOf<T extends string>(flag: string, values: readonly T[]): (text: string) => T {
  const read = (text: string) => {
    const value = values.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    throw usageError(
      `${flag} must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}, not "${text}".${didYouMean(text, values)}`,
    );
  };
  choices.set(read, values);
  return read;
}

/** For a flag that may be given several times. */
export function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

/** Flags that must be given. Checked after wrong flags: whoever mistypes one is told so, and not that it is missing. */
export function checkRequired(...flags: string[]): (command: Command) => void {
  return (command) => {
    const options = command.options.filter(({ long }) => flags.includes(long ?? ""));
    const missing = options.find((option) => command.opts()[option.attributeName()] === undefined);
    if (missing) throw usageError(`${missing.flags} is missing: ${missing.description}`);
  };
}

/** A verb under a verb that does not exist: commander itself knows this only for the first one. */
export function unknownVerb(path: string, word: string, verbs: readonly string[]): Error {
  const hint = didYouMean(word, verbs) || ` There are: ${verbs.join(", ")}.`;
  return usageError(`unknown command "${path} ${shorten(word)}".${hint}`);
}

/** The command as it can be typed again. */
export function toCommandLine(words: readonly string[]): string {
  return ["tutti", ...words]
    .map((word) => (/^[\w./:,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}
