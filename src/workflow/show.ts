// A value in a message: short, on one line, safe for anything a caller may hand in.

const MAX_LENGTH = 60;

export function show(value: unknown): string {
  return shorten(write(value, 0));
}

function write(value: unknown, depth: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MAX_LENGTH));
  if (typeof value === "symbol") return "a symbol";
  if (typeof value === "function") return "a function";
  if (value === null || typeof value !== "object") return String(value);
  if ("word" in value && typeof value.word === "string") return value.word;
  if (!Array.isArray(value)) return "an object";
  if (depth > 2) return "[…]";
  // Twenty entries are more than sixty characters show.
  return `[${Array.from(value.slice(0, 20), (entry) => write(entry, depth + 1)).join(", ")}]`;
}

function shorten(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
}
