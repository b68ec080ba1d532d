// Values of other people's files: scores, dollars and counts as numbers or as text, lists that Python printed.

import { quote } from "../../files/problems.ts";

/** More dollars for one call than anybody charges: a wrong unit. */
const MOST_USD = 1_000;
const DOLLARS = /^(?:usd|us\$|\$|dollars?)$/i;

/** 0..1, or what is wrong. */
export function toScore(value: unknown, max: number): number | Error {
  const number = toNumber(value);
  if (number === undefined)
    return new Error(`the score must be a number, true or false, not ${quote(value)}`);
  const score = number / max;
  if (score >= 0 && score <= 1) return score;
  return new Error(
    `the score must be from 0 to ${max}, not ${quote(value)}${max === 1 && number > 1 ? " (--score-max says what is fully right)" : ""}`,
  );
}

/** Undefined where the source does not tell. */
export function toCostUsd(value: unknown, currency: unknown): number | undefined | Error {
  if (isMissing(value)) return undefined;
  if (!isMissing(currency) && !DOLLARS.test(String(currency).trim()))
    return new Error(`the currency must be USD, not ${quote(currency)}: convert the costs first`);
  const text = typeof value === "string" ? value.trim().replace(/^(?:\$|usd)\s*|\s*usd$/gi, "") : value;
  const usd = toNumber(text);
  if (usd === undefined) return new Error(`the cost must be an amount of US dollars, not ${quote(value)}`);
  if (usd < 0) return new Error(`the cost must be 0 or more, not ${quote(value)}`);
  if (usd > MOST_USD)
    return new Error(`a call of ${quote(value)} dollars is absurd (at most ${MOST_USD}): another unit?`);
  return usd;
}

export function toCount(what: string, value: unknown): number | undefined | Error {
  if (isMissing(value)) return undefined;
  const number = toNumber(value);
  if (number !== undefined && number >= 0) return number;
  return new Error(`${what} must be a number from 0, not ${quote(value)}`);
}

/** Text of anything; nothing is the empty text. */
export function toText(value: unknown): string {
  if (isMissing(value)) return "";
  return typeof value === "string"
    ? value
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);
}

export function isMissing(value: unknown): value is undefined | null | "" {
  return value === undefined || value === null || value === "";
}

function toNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") {
    const text = value.trim().toLowerCase();
    if (text === "true" || text === "false") return text === "true" ? 1 : 0;
    if (text === "" || !/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(text)) return undefined;
    return Number(text);
  }
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

/** "['a', \"b\"]" → "a\nb": a list of texts as Python prints it. Anything else stays as it is. */
export function fromPythonList(value: unknown): unknown {
  if (typeof value !== "string" || !/^\[['"].*['"]\]$/s.test(value)) return value;
  const items: string[] = [];
  let at = 1;
  while (at < value.length - 1) {
    const mark = value[at];
    if (mark !== "'" && mark !== '"') return value;
    let item = "";
    for (at++; at < value.length && value[at] !== mark; at++) {
      if (value[at] !== "\\") item += value[at];
      else item += ESCAPES[value[++at] ?? ""] ?? `\\${value[at] ?? ""}`;
    }
    items.push(item);
    const gap = /^(?:,\s*|(?=\]$))/.exec(value.slice(++at));
    if (!gap) return value;
    at += gap[0].length;
  }
  return items.join("\n");
}
