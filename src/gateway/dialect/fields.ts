// Small readers for the fields of a request body, and the few things that all dialects write alike.
// They are apart so that a wrong field is refused in the same words everywhere: what it is, what would be
// right, and its path as `param`. In every dialect null means absent.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { toTask } from "../../tutti/check-input.ts";
import type { Part, Task } from "../../worker/types.ts";
import type { Effort, HeaderReader, Outcome, TuttiFields } from "../types.ts";

/** A JSON object of the client's, or a part of one. */
export type Fields = Record<string, unknown>;

/** A field of `body`, found at `path` of the whole request: readText(part, "text", "messages[2].content[0]"). */
type Reader<T> = (body: Fields, name: string, path?: string) => T;

export function badRequest(message: string, param?: string): TuttiError {
  return new TuttiError("bad-request", message, { param });
}

export function toPath(path: string | undefined, name: string | number): string {
  if (typeof name === "number") return `${path ?? ""}[${name}]`;
  return path ? `${path}.${name}` : name;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// ---- Readers ----------------------------------------------------------------------------------

export const readOptionalText: Reader<string | undefined> = (body, name, path) => {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw wrong(value, "a text", toPath(path, name));
};

/** Present and not empty. */
export const readText: Reader<string> = (body, name, path) => {
  const text = readOptionalText(body, name, path);
  if (text) return text;
  const param = toPath(path, name);
  throw badRequest(`"${param}" is ${text === "" ? "empty" : "missing"}: it must be a text.`, param);
};

export const readFlag: Reader<boolean | undefined> = (body, name, path) => {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw wrong(value, "true or false", toPath(path, name));
};

export const readOptionalObject: Reader<Fields | undefined> = (body, name, path) => {
  const value = body[name] ?? undefined;
  if (value === undefined || isFields(value)) return value;
  throw wrong(value, "an object", toPath(path, name));
};

export const readObject: Reader<Fields> = (body, name, path) => {
  const fields = readOptionalObject(body, name, path);
  if (fields) return fields;
  throw badRequest(`"${toPath(path, name)}" is missing: it must be an object.`, toPath(path, name));
};

export const readOptionalList: Reader<unknown[] | undefined> = (body, name, path) => {
  const value = body[name] ?? undefined;
  if (value === undefined || Array.isArray(value)) return value;
  throw wrong(value, "a list", toPath(path, name));
};

/** One item of a list that holds objects. `path` is that of the item. */
export function asFields(value: unknown, path: string): Fields {
  if (isFields(value)) return value;
  throw wrong(value, "an object", path);
}

export interface NumberBounds {
  min?: number;
  max?: number;
  isWhole?: boolean;
}

export function readNumber(
  body: Fields,
  name: string,
  bounds: NumberBounds = {},
  path?: string,
): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const { min, max, isWhole } = bounds;
  // 1e999 is good JSON and reads as infinity.
  const isFine =
    typeof value === "number" && (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value));
  if (isFine && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return value;
  const range =
    min !== undefined && max !== undefined
      ? ` from ${min} to ${max}`
      : min !== undefined
        ? ` of ${min} or more`
        : max !== undefined
          ? ` of ${max} or less`
          : "";
  throw wrong(value, `a ${isWhole ? "whole " : ""}number${range}`, toPath(path, name));
}

/** Any whole number of any sign and size; inside, a seed is never negative and always exact. */
export function readSeed(body: Fields, name = "seed"): number | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isInteger(value)) throw wrong(value, "a whole number", name);
  return Math.abs(value as number) % 2 ** 53;
}

/** One of a few words. */
export function readChoice<T extends string>(
  body: Fields,
  name: string,
  allowed: readonly T[],
  path?: string,
): T | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  const found = allowed.find((word) => word === value);
  if (found !== undefined) return found;
  throw wrong(value, `one of ${allowed.map((word) => `"${word}"`).join(", ")}`, toPath(path, name));
}

export const EFFORTS: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const MAX_PAIRS = 16;
const MAX_NAME_CHARACTERS = 64;
const MAX_VALUE_CHARACTERS = 512;

/** Tags such as `metadata`, within the limits that OpenAI documents. Numbers and flags are taken as text. */
export const readTextMap: Reader<Record<string, string> | undefined> = (body, name, path) => {
  const map = readOptionalObject(body, name, path);
  if (!map) return undefined;
  const param = toPath(path, name);
  const pairs = Object.entries(map).filter(([, value]) => value !== null);
  if (pairs.length > MAX_PAIRS) {
    throw badRequest(`"${param}" has ${pairs.length} pairs; ${MAX_PAIRS} are allowed.`, param);
  }
  const texts = pairs.map(([key, value]): [string, string] => {
    const place = toPath(param, shorten(key));
    if (key.length > MAX_NAME_CHARACTERS) {
      throw badRequest(`A name in "${param}" is longer than ${MAX_NAME_CHARACTERS} characters.`, place);
    }
    if (!["string", "number", "boolean"].includes(typeof value)) throw wrong(value, "a text", place);
    const text = String(value);
    if (text.length <= MAX_VALUE_CHARACTERS) return [key, text];
    throw badRequest(`"${place}" is longer than ${MAX_VALUE_CHARACTERS} characters.`, place);
  });
  return Object.fromEntries(texts);
};

/** A tag such as `user`: it goes into bills, so it is no place for a novel. */
export const readTag: Reader<string | undefined> = (body, name, path) => {
  const text = readOptionalText(body, name, path);
  if (text === undefined || text.length <= MAX_VALUE_CHARACTERS) return text || undefined;
  const param = toPath(path, name);
  throw badRequest(`"${param}" is longer than ${MAX_VALUE_CHARACTERS} characters.`, param);
};

/** The task, if it asks anything and is not too large. `param` is the field that holds the conversation. */
export function toAskedTask(task: Task, param: string): Task {
  try {
    return toTask(task);
  } catch (error) {
    throw isTuttiError(error) ? badRequest(error.message, param) : error;
  }
}

/** False where the client does not want to read what the team is doing: by header or by body. */
export function readProgress(header: HeaderReader, body: Fields): boolean {
  const word = header("x-tutti-progress")?.trim().toLowerCase();
  if (word !== undefined && ["off", "false", "0"].includes(word)) return false;
  return !(isFields(body.tutti) && body.tutti.progress === false);
}

// ---- Images -----------------------------------------------------------------------------------

/** An image by its data: or http(s): URL. We never open a file or another address for a client. */
export function toImagePart(url: string, mediaType?: string, param?: string): Part {
  const isInline = /^data:/i.test(url);
  if (isInline ? !isImageData(url, mediaType) : !(/^https?:\/\//i.test(url) && URL.canParse(url))) {
    throw badRequest(
      `"${shorten(url)}" is no image we can take: give a data: URL (data:image/png;base64,…) or an https: URL.`,
      param,
    );
  }
  // Whoever reads it later looks for the scheme in lower case.
  const image = isInline ? `data:${url.slice(5)}` : url;
  return { type: "image", image, ...(mediaType !== undefined && { mediaType }) };
}

function isImageData(url: string, mediaType: string | undefined): boolean {
  const comma = url.indexOf(",");
  if (comma < 0 || comma === url.length - 1) return false;
  const [declared = "", ...parameters] = url.slice(5, comma).toLowerCase().split(";");
  if (!/^image\/./i.test(mediaType ?? declared)) return false;
  if (parameters.at(-1) === "base64") return true;
  try {
    decodeURIComponent(url.slice(comma + 1));
    return true;
  } catch {
    return false;
  }
}

// ---- What all dialects write ------------------------------------------------------------------

/** One server-sent event. JSON holds no raw line end, so one data line is enough. */
export function sse(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** A comment of the stream: every client skips it. */
export const KEEP_ALIVE = ": keep-alive\n\n";

export function toTuttiFields(outcome: Outcome): TuttiFields {
  return {
    run_id: outcome.head.runId,
    cost_usd: outcome.costUsd,
    calls: outcome.calls,
    stop_reason: outcome.stopReason,
    ...(outcome.isSimulated && { simulated: true as const }),
  };
}

// ---- Words for errors -------------------------------------------------------------------------

/** The error for a value of the wrong kind. */
export function wrong(value: unknown, expected: string, param: string): TuttiError {
  return badRequest(`"${param}" must be ${expected}, not ${describe(value)}.`, param);
}

function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "string") return `"${shorten(value)}"`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : String(value);
}

/** Enough of a long text to recognise it. */
export function shorten(text: string, characters = 60): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}…`;
}
