// Reads a JSON object of a client's, field by field. Apart so that a wrong field is refused in the same words
// everywhere: what it is, what would be right, and its path as `param`. null means absent; what nobody reads is
// ignored. Why not zod: docs/decisions/0016-reading-requests.md.

import { TuttiError } from "../../base/errors.ts";
import type { Fields } from "../../base/fields.ts";
import { shorten } from "../../base/format.ts";
import { LONGEST_NAME, MOST_MESSAGES, MOST_PARTS } from "../access/request-limits.ts";

export type { Fields } from "../../base/fields.ts";

export interface NumberBounds {
  min?: number;
  max?: number;
  isWhole?: boolean;
}

export class ObjectReader {
  readonly fields: Fields;
  /** Where it is in the whole request: "messages[2].content[0]"; empty for the request itself. */
  readonly path: string;

  constructor(fields: Fields, path = "") {
    this.fields = fields;
    this.path = path;
  }

  pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}.${name}`;
  }

  value(name: string): unknown {
    return this.fields[name] ?? undefined;
  }

  optionalText(name: string): string | undefined {
    return this.#read(name, "a text", (value) => typeof value === "string");
  }

  /** Present and not empty. */
  text(name: string): string {
    const text = this.optionalText(name);
    if (text) return text;
    throw this.bad(name, `is ${text === "" ? "empty" : "missing"}: it must be a text.`);
  }

  /** A text that names something. One that is too long for a name is refused, and not repeated. */
  optionalName(name: string, longest = LONGEST_NAME): string | undefined {
    const text = this.optionalText(name);
    if (text === undefined || text.length <= longest) return text;
    throw this.bad(name, `has ${text.length} characters; ${longest} are allowed.`);
  }

  /** Present and not empty. */
  name(name: string, longest = LONGEST_NAME): string {
    this.optionalName(name, longest);
    return this.text(name);
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, "true or false", (value) => typeof value === "boolean");
  }

  optionalObject(name: string): ObjectReader | undefined {
    const fields = this.#read(name, "an object", isFields);
    return fields && new ObjectReader(fields, this.pathOf(name));
  }

  object(name: string): ObjectReader {
    const found = this.optionalObject(name);
    if (found) return found;
    throw this.bad(name, "is missing: it must be an object.");
  }

  /** Empty where it is absent. */
  list(name: string, most = MOST_MESSAGES): unknown[] {
    const list = this.#read(name, "a list", (value): value is unknown[] => Array.isArray(value)) ?? [];
    this.#checkLength(name, list, most);
    return list;
  }

  objects(name: string, most = MOST_MESSAGES): ObjectReader[] {
    return this.#toReaders(name, this.list(name, most));
  }

  /** A text, or a list of objects. */
  textOrObjects(name: string, expected: string, most = MOST_PARTS): string | ObjectReader[] | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "string") return value;
    if (Array.isArray(value)) {
      this.#checkLength(name, value, most);
      return this.#toReaders(name, value);
    }
    throw this.wrong(name, expected);
  }

  number(name: string, { min, max, isWhole }: NumberBounds = {}): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    // 1e999 is good JSON and reads as infinity.
    const isFine =
      typeof value === "number" && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value));
    if (isFine && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return value;
    const from = max === undefined ? ` of ${min} or more` : ` from ${min} to ${max}`;
    const range = min === undefined ? (max === undefined ? "" : ` of ${max} or less`) : from;
    throw this.wrong(name, `a ${isWhole ? "whole " : ""}number${range}`);
  }

  /** One of a few words. */
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.#read(name, toWords(allowed), (value): value is T => allowed.some((word) => word === value));
  }

  /** A choice that must be made. */
  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const found = this.choice(name, allowed);
    if (found !== undefined) return found;
    throw this.wrong(name, toWords(allowed));
  }

  /** The error for a value of the wrong kind. */
  wrong(name: string, expected: string): TuttiError {
    return wrongValue(this.value(name), expected, this.pathOf(name));
  }

  /** The error for a value that is wrong in another way: `"name" …`. */
  bad(name: string, problem: string): TuttiError {
    return badRequest(`"${this.pathOf(name)}" ${problem}`, this.pathOf(name));
  }

  #checkLength(name: string, list: unknown[], most: number): void {
    if (list.length > most) throw this.bad(name, `has ${list.length} items; ${most} are allowed.`);
  }

  #toReaders(name: string, list: unknown[]): ObjectReader[] {
    return list.map((item, index) => {
      const path = `${this.pathOf(name)}[${index}]`;
      if (isFields(item)) return new ObjectReader(item, path);
      throw wrongValue(item, "an object", path);
    });
  }

  #read<T>(name: string, expected: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.value(name);
    if (value === undefined || is(value)) return value;
    throw this.wrong(name, expected);
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function badRequest(message: string, param?: string): TuttiError {
  return new TuttiError("bad-request", message, { param });
}

function toWords(allowed: readonly string[]): string {
  return `one of ${allowed.map((word) => `"${word}"`).join(", ")}`;
}

/** The error for a value of the wrong kind, found at `param`. */
export function wrongValue(value: unknown, expected: string, param: string): TuttiError {
  return badRequest(`"${param}" must be ${expected}, not ${describe(value)}.`, param);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return `"${shorten(value)}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : String(value);
}
