// JSON as text of models has it: somewhere in prose, and with numbers that floating point would round.
// Finds where one value ends, reads it strictly, and keeps numbers exact.

/** A value as JSON.parse gives it, but a string has an `s` before it, and a number is text such as "#15e1". */
export type ExactJson = string | boolean | null | ExactJson[] | { [key: string]: ExactJson };

const MAX_DEPTH = 200;
const STRING = '"[^"\\\\\\n]*(?:\\\\.[^"\\\\\\n]*)*"';
const NUMBER = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const TOKEN = new RegExp(`[ \\t\\r\\n]*(?:([[{])|([\\]}])|[,:]|${STRING}|${NUMBER}|true|false|null)`, "y");
const STRINGS_AND_NUMBERS = new RegExp(`${STRING}|${NUMBER}`, "g");

/** The value that begins at a position and the position behind it, or where it stopped being JSON. */
export function parseJsonAt(text: string, start: number): { value?: ExactJson; end: number } {
  let end = start;
  let depth = 0;
  do {
    TOKEN.lastIndex = end;
    const token = TOKEN.exec(text);
    if (!token) return { end };
    end = TOKEN.lastIndex;
    if (token[1]) depth++;
    if (token[2]) depth--;
  } while (depth > 0 && depth <= MAX_DEPTH);
  if (depth !== 0) return { end };
  try {
    return { value: parseExact(text.slice(start, end)), end };
  } catch {
    return { end };
  }
}

function parseExact(text: string): ExactJson {
  return JSON.parse(
    text.replace(STRINGS_AND_NUMBERS, (token) =>
      token.startsWith('"') ? `"s${token.slice(1)}` : `"#${toExact(token)}"`,
    ),
  );
}

export function sameJson(a: ExactJson, b: ExactJson): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key) as ExactJson))
  );
}

/** One spelling for one number, however long: 1.50e2 and 150 are "15e1". */
function toExact(number: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  let end = digits.length;
  while (end > 0 && digits.charAt(end - 1) === "0") end--;
  if (end === 0) return "0";
  return `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
