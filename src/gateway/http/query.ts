// What an address says behind its question mark.

import { badRequest } from "../dialect/fields.ts";

export type Query = Readonly<Record<string, string | undefined>>;

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
