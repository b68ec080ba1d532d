// What of a request is not followed. A client that sends a field wants something by it: what no team can do is named in the
// reply (`tutti.ignored`) and not dropped in silence. What would change the question is refused instead (request.ts).

import { shorten } from "../../base/format.ts";
import type { Fields } from "../http/object-reader.ts";

/** More names would tell nobody anything. */
const MOST_NAMES = 32;
const LONGEST = 80;

/** Undefined where all of it is followed. `more`: what was found inside of fields that are. */
export function toIgnored(
  fields: Fields,
  honoured: ReadonlySet<string>,
  more: readonly string[] = [],
): string[] | undefined {
  const names = Object.keys(fields).filter((name) => !honoured.has(name) && asksAnything(fields[name]));
  if (isDearTier(fields.service_tier)) names.push("service_tier");
  const found = [...new Set([...names, ...more])].slice(0, MOST_NAMES).map((name) => shorten(name, LONGEST));
  return found.length > 0 ? found : undefined;
}

/** The same of an object inside of a field. */
export function ignoredFields(
  where: string,
  { fields }: { fields: Fields },
  honoured: ReadonlySet<string>,
): string[] {
  const names = Object.keys(fields).filter((name) => !honoured.has(name) && asksAnything(fields[name]));
  return names.map((name) => `${where}: ${name}`);
}

/** A field that is empty or switched off asks for nothing. */
function asksAnything(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === "" || value === 0) return false;
  return !(Array.isArray(value) && value.length === 0);
}

/** Tiers that cost what the price says: a dearer one would be paid for by a budget that does not know of it. */
export const USUAL_TIERS: readonly unknown[] = ["auto", "default", "flex", "standard_only"];

function isDearTier(tier: unknown): boolean {
  return typeof tier === "string" && !USUAL_TIERS.includes(tier);
}
