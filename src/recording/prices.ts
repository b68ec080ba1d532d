// `prices.json` of a recording: list prices by worker, for recordings that do not say what each reply cost.
// Apart from the rows, because it is read whole and a price that is there twice must be seen: JSON alone keeps the last.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readWhole } from "../files/bounds.ts";
import { type Problems, quote } from "../files/problems.ts";
import type { ListPrice } from "./types.ts";

/** Dollars per million tokens; more is a price per token, or another currency. */
const MOST_USD = 10_000;
const FIELDS = ["inputUsdPerMillion", "outputUsdPerMillion"] as const;

/** Nothing where there is no file. Whatever is wrong is added to the problems, with its line. */
export function readPrices(folder: string, problems: Problems): ReadonlyMap<string, ListPrice> {
  const file = join(folder, "prices.json");
  return existsSync(file) ? readPriceFile(file, problems) : new Map();
}

/** The same of a file by any name. */
export function readPriceFile(file: string, problems: Problems): ReadonlyMap<string, ListPrice> {
  const prices = new Map<string, ListPrice>();
  const text = readWhole(file).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    problems.add(file, 0, `not JSON: ${(error as Error).message}`);
    return prices;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    problems.add(file, 0, 'must be an object of workers, as { "gpt-5": { "inputUsdPerMillion": … } }');
    return prices;
  }
  const lines = new Map<string, number>();
  for (const { key, line } of topKeys(text)) {
    const before = lines.get(key);
    if (before !== undefined)
      problems.add(file, line, `two prices for "${key}", the first in line ${before}: keep one`);
    lines.set(key, before ?? line);
  }
  for (const [worker, price] of Object.entries(value)) {
    const problem = checkPrice(price);
    if (problem === undefined) prices.set(worker, price as ListPrice);
    else problems.add(file, lines.get(worker) ?? 0, `the price of "${worker}": ${problem}`);
  }
  return prices;
}

function checkPrice(price: unknown): string | undefined {
  if (typeof price !== "object" || price === null) return `must be an object, not ${quote(price)}`;
  const given = price as Record<string, unknown>;
  if (given.currency !== undefined && given.currency !== "USD")
    return `"currency" must be USD, not ${quote(given.currency)}`;
  for (const field of FIELDS) {
    const usd = given[field];
    if (typeof usd !== "number" || !(usd >= 0 && usd <= MOST_USD))
      return `"${field}" must be dollars per million tokens, from 0 to ${MOST_USD.toLocaleString("en")}, not ${quote(usd)}`;
  }
  return undefined;
}

/** The keys of the outermost object with their lines, each as often as it is written. The text is valid JSON. */
function topKeys(text: string): { key: string; line: number }[] {
  const keys: { key: string; line: number }[] = [];
  let [depth, line] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === "\n") line++;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    else if (character === '"') {
      const start = at;
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
      const isKey = depth === 1 && /^\s*:/.test(text.slice(at + 1, at + 40));
      if (isKey) keys.push({ key: JSON.parse(text.slice(start, at + 1)) as string, line });
    }
  }
  return keys;
}
