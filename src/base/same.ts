// Whether two values are the same, for plain data.

import { isObject } from "./fields.ts";

/** Both are plain data. Not by their JSON: they may be a long conversation, at every turn of it. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]));
  if (!isObject(a) || !isObject(b) || Array.isArray(b)) return false;
  // What is undefined is not there.
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSame(a[name], b[name])) return false;
  return true;
}
