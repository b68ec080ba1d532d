// What an address says: its path, and what stands behind the question mark.

import { badRequest } from "./object-reader.ts";

export type Query = Readonly<Record<string, string | undefined>>;

const NO_QUERY: Query = {};

/** Of a name that is there twice the first value counts. */
export function toTarget(url: string): { path: string; query: Query } {
  // A proxy may send the whole address.
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: NO_QUERY };
  const pairs = [...new URLSearchParams(target.slice(mark + 1))].reverse();
  return { path: target.slice(0, mark), query: Object.fromEntries(pairs) };
}

/** Absent and empty are the same. */
export function readWhole(
  text: string | undefined,
  param: string,
  from: number,
  to: number,
): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw badRequest(
    `"${param}" must be a whole number from ${from} to ${to}, not "${text.slice(0, 40)}".`,
    param,
  );
}
