// What an address says: its path, and what stands behind the question mark.

export type Query = Readonly<Record<string, string | undefined>>;

/** Without a prototype: "?constructor=…" is a name like any other, and one that is absent is absent. */
const NO_QUERY: Query = Object.freeze(Object.create(null));

/** Of a name that is there twice the first value counts. */
export function toTarget(url: string): { path: string; query: Query } {
  // A proxy may send the whole address.
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: NO_QUERY };
  const query: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of new URLSearchParams(target.slice(mark + 1))) query[name] ??= value;
  return { path: target.slice(0, mark), query };
}
