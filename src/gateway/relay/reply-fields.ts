// Helpers for a dialect's relay reader (dialect/*/relay.ts), which reads a provider's own JSON by shape: a field that
// is missing or odd is no reason to fail, the bytes have long been sent on.

import { toFields } from "../../base/fields.ts";
import type { Fields } from "../http/object-reader.ts";

export function toList(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(toFields) : [];
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Of the values that are texts. */
export function bytesOf(...values: unknown[]): number {
  return values.reduce((sum: number, value) => sum + Buffer.byteLength(toText(value)), 0);
}
