// The gateway's log: one JSON object a line, for machines, safe to show. Every text goes through redact, also
// those of errors and of nested fields; nothing that is logged can throw, break a line, or make it endless.

import { redact } from "../base/redact.ts";

export type LogLevel = "info" | "warn" | "error";

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  /** Errors among the fields are written with their stacks. */
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface LogOptions {
  /** Gets whole lines with their line ends. */
  write: (line: string) => void;
  /** What is less important is not written. */
  level?: LogLevel | "off";
  now?: () => number;
}

const RANKS = { info: 0, warn: 1, error: 2, off: 3 };
const LONGEST_TEXT = 2_000;
/** Longer texts are cut before secrets are looked for: at a space, so that no secret is cut in half. */
const LONGEST_SEARCHED = 20_000;
const MOST_ENTRIES = 50;
const DEEPEST = 5;
const MARK = "[redacted]";
const RESERVED = new Set(["time", "level", "message"]);
/** Under such a name every text is a secret, whatever it looks like. */
const SECRET_NAME = /authorization|cookie|api[-_]?key|password|secret|^(?:.*[-_])?token$/i;
/** JSON escapes C0 only. The rest of what a terminal obeys: C1, line separators, bidirectional controls. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

export function createLog({ write, level = "info", now = Date.now }: LogOptions): Log {
  const at =
    (own: LogLevel) =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (RANKS[own] < RANKS[level]) return;
      try {
        write(`${toLogLine(own, message, fields, now())}\n`);
      } catch {
        // A log that cannot be written must not stop what it tells of.
      }
    };
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

function toLogLine(
  level: LogLevel,
  message: string,
  fields: Record<string, unknown> | undefined,
  now: number,
): string {
  const line: Record<string, unknown> = { time: toTime(now), level, message: toText(String(message)) };
  const safe = toSafe(fields ?? {}, "", { hasStacks: level === "error", parents: [] });
  for (const [name, value] of Object.entries(safe ?? {})) {
    line[RESERVED.has(name) ? `field_${name}` : name] = value;
  }
  return JSON.stringify(line).replace(
    UNSAFE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

interface LogPlace {
  hasStacks: boolean;
  parents: readonly object[];
}

/** A copy that JSON can hold. Undefined is left out. */
function toSafe(value: unknown, name: string, place: LogPlace): unknown {
  switch (typeof value) {
    case "string":
      return SECRET_NAME.test(name) && value !== "" ? MARK : toText(value);
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "boolean":
    case "undefined":
      return value;
    case "object":
      break;
    default:
      return toText(String(value)); // a big number, a symbol, a function
  }
  if (value === null) return null;
  try {
    return toSafeObject(value, name, place);
  } catch {
    return "[unreadable]"; // a getter or a proxy that throws
  }
}

function toSafeObject(value: object, name: string, { hasStacks, parents }: LogPlace): unknown {
  if (parents.includes(value)) return "[circular]";
  const place = { hasStacks, parents: [...parents, value] };
  if (value instanceof Error) return toSafeError(value, place);
  if (value instanceof Date) return toTime(value.getTime());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof URL) return toText(value.href);
  if (parents.length >= DEEPEST) return "[…]";
  if (value instanceof Map) return toSafe(Object.fromEntries(value), name, place);
  if (Array.isArray(value) || value instanceof Set) {
    const items = Array.from(value);
    const kept = items.slice(0, MOST_ENTRIES).map((item) => toSafe(item, name, place) ?? null);
    return items.length > MOST_ENTRIES ? [...kept, `[${items.length - MOST_ENTRIES} more]`] : kept;
  }
  const copy: Record<string, unknown> = Object.create(null);
  const keys = Object.keys(value);
  for (const key of keys.slice(0, MOST_ENTRIES)) {
    copy[toText(key)] = readField(value, key, place);
  }
  if (keys.length > MOST_ENTRIES) copy["…"] = `[${keys.length - MOST_ENTRIES} more]`;
  return copy;
}

/** One field that cannot be read leaves the others. */
function readField(holder: object, key: string, place: LogPlace): unknown {
  try {
    return toSafe((holder as Record<string, unknown>)[key], key, place);
  } catch {
    return "[unreadable]";
  }
}

function toSafeError(error: Error, place: LogPlace): object {
  const { code } = error as { code?: unknown };
  return {
    code: toText(typeof code === "string" || typeof code === "number" ? String(code) : error.name),
    message: toText(String(error.message)),
    ...(place.hasStacks && {
      stack: toText(String(error.stack)),
      ...(error.cause !== undefined && { cause: toSafe(error.cause, "cause", place) }),
    }),
  };
}

function toText(text: string): string {
  const searched = text.length > LONGEST_SEARCHED ? cutAtSpace(text) : text;
  const safe = redact(searched);
  const isWhole = searched === text && safe.length <= LONGEST_TEXT;
  return isWhole ? safe : `${safe.slice(0, LONGEST_TEXT - 1)}…`;
}

function cutAtSpace(text: string): string {
  const end = Math.max(text.lastIndexOf(" ", LONGEST_SEARCHED), text.lastIndexOf("\n", LONGEST_SEARCHED));
  return text.slice(0, Math.max(end, 0));
}

function toTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "[no time]" : date.toISOString();
}
