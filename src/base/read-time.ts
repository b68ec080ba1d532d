// A moment as people and programs write it: a day (UTC), a time with its zone, or milliseconds since 1970.

export const TIME_FORMS =
  'a date such as 2026-11-01, a time such as "2026-11-01T12:00:00Z", or milliseconds since 1970';

/** Milliseconds since 1970; undefined for what is none of `TIME_FORMS`. */
export function readTime(text: string): number | undefined {
  const at = /^\d{9,16}$/.test(text) ? Number(text) : readDate(text);
  return at !== undefined && Math.abs(at) <= 8.64e15 ? at : undefined;
}

/** A day that no month has ("2026-02-30") is refused: Date would take the next month for it. */
function readDate(text: string): number | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text);
  if (!found) return undefined;
  const day = Date.parse(found[1]!);
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(found[1]!);
  const at = Date.parse(text);
  return isDay && !Number.isNaN(at) ? at : undefined;
}
