// JSON as text of models has it: somewhere in prose, and with numbers that floating point would round.
// A strict parser of one value at a position, which keeps numbers exact and says where the value ends.

export type JsonValue =
  | { kind: "scalar"; text: string }
  | { kind: "array"; items: JsonValue[] }
  | { kind: "object"; members: Map<string, JsonValue> };

const MAX_DEPTH = 200;
const SPACE = /[ \t\r\n]*/y;
const STRING = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** The value that begins at a position and the position behind it, or where it stopped being JSON. */
export function parseJsonAt(text: string, start: number): { value?: JsonValue; end: number } {
  let at = start;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  const take = (character: string): boolean => {
    match(SPACE);
    if (text[at] !== character) return false;
    at++;
    return true;
  };

  function readValue(depth: number): JsonValue | undefined {
    if (depth > MAX_DEPTH) return undefined;
    if (take("{")) return readObject(depth);
    if (take("[")) return readArray(depth);
    const string = readString();
    // As JSON again, so that "\u0041" and "A" are the same and "1" is not 1.
    if (string !== undefined) return { kind: "scalar", text: JSON.stringify(string) };
    const scalar = match(WORD) ?? toExact(match(NUMBER));
    return scalar === undefined ? undefined : { kind: "scalar", text: scalar };
  }

  function readString(): string | undefined {
    const string = match(STRING);
    if (string === undefined) return undefined;
    try {
      return JSON.parse(string) as string;
    } catch {
      return undefined;
    }
  }

  function readArray(depth: number): JsonValue | undefined {
    const items: JsonValue[] = [];
    if (take("]")) return { kind: "array", items };
    do {
      const item = readValue(depth + 1);
      if (!item) return undefined;
      items.push(item);
    } while (take(","));
    return take("]") ? { kind: "array", items } : undefined;
  }

  function readObject(depth: number): JsonValue | undefined {
    const members = new Map<string, JsonValue>();
    if (take("}")) return { kind: "object", members };
    do {
      match(SPACE);
      const key = readString();
      const value = key !== undefined && take(":") ? readValue(depth + 1) : undefined;
      if (key === undefined || !value) return undefined;
      members.set(key, value);
    } while (take(","));
    return take("}") ? { kind: "object", members } : undefined;
  }

  const value = readValue(0);
  return value ? { value, end: at } : { end: at };
}

export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a.kind === "scalar" || b.kind === "scalar") {
    return a.kind === "scalar" && b.kind === "scalar" && a.text === b.text;
  }
  if (a.kind === "array" || b.kind === "array") {
    if (a.kind !== "array" || b.kind !== "array" || a.items.length !== b.items.length) return false;
    return a.items.every((item, i) => sameJson(item, b.items[i] as JsonValue));
  }
  if (a.members.size !== b.members.size) return false;
  return [...a.members].every(([key, value]) => {
    const other = b.members.get(key);
    return other !== undefined && sameJson(value, other);
  });
}

/** One spelling for one number, however long: 1.50e2 and 150 are "15e1". */
function toExact(number: string | undefined): string | undefined {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number ?? "");
  if (!parts) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end--;
  if (end === 0) return "0";
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
