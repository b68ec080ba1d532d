// What a key with a budget may send to be passed through. A budget holds only where the most that a request can cost is
// known before it is sent, so fields that nobody here knows are refused: they may name another model, another tier, a
// tool that the provider runs and bills, or a conversation that the provider has kept. A key may be allowed some of them.

import type { IncomingHttpHeaders } from "node:http";
import { TuttiError } from "../../base/errors.ts";
import { isObject } from "../../base/fields.ts";
import { shorten } from "../../base/format.ts";
import type { Fields } from "../http/object-reader.ts";
import { findBadCount } from "./bound-request.ts";

/** Of one dialect. */
export interface PricedFields {
  /** At the top of a request: those that leave its price as it is, or that are counted. */
  readonly known: ReadonlySet<string>;
  /** Types of tools that the client performs itself. */
  readonly clientTools: RegExp;
}

/** Allows everything: whoever says so pays for it. */
const ANYTHING = "*";
const USUAL_TIERS = new Set(["auto", "default", "flex", "standard_only"]);
const HEADER = "anthropic-beta";
/** What these switch on is billed otherwise than by the plain price of tokens. */
const PRICED_BETAS =
  /context-1m|fast|mcp|compact|code-exec|web-|search|fetch|skill|agent|container|computer/i;

/** Throws "forbidden" (403), naming the field and what would allow it. */
export function checkFields(
  body: Fields,
  headers: IncomingHttpHeaders,
  { known, clientTools }: PricedFields,
  allowed: readonly string[] = [],
): void {
  const wrong = findBadCount(body);
  if (wrong !== undefined)
    throw new TuttiError("bad-request", `"${wrong}" must be a whole number above 0.`, { param: wrong });
  if (allowed.includes(ANYTHING)) return;
  const refuse = (name: string) => {
    if (!allowed.includes(name)) throw refused(name);
  };
  for (const name of Object.keys(body)) if (!known.has(name)) refuse(name);
  const { service_tier: tier, tools } = body;
  if (tier !== undefined && tier !== null && !USUAL_TIERS.has(String(tier))) refuse("service_tier");
  if (tools !== undefined && tools !== null && !Array.isArray(tools)) refuse("tools");
  for (const tool of Array.isArray(tools) ? tools : []) {
    const type = isObject(tool) ? (tool.type ?? "custom") : "tools";
    if (typeof type !== "string" || !clientTools.test(type)) refuse(String(type));
  }
  checkNested(body, refuse);
  const betas = headers[HEADER];
  if (betas !== undefined && PRICED_BETAS.test(String(betas))) refuse(HEADER);
}

/** What is kept at the provider is input that is not seen here; how long a cache keeps it has a price that is known. */
function checkNested(body: Fields, refuse: (name: string) => void): void {
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) for (const item of value) waiting.push(item);
    if (!isObject(value) || Array.isArray(value)) continue;
    if (value.type === "item_reference") refuse("item_reference");
    // The provider shortens the conversation by a call of its own, which the usage of the reply does not show.
    if (typeof value.type === "string" && value.type.startsWith("compact_")) refuse(value.type);
    const { cache_control: cache } = value;
    if (isObject(cache) && cache.ttl !== undefined && cache.ttl !== "5m" && cache.ttl !== "1h")
      refuse("cache_control.ttl");
    for (const name of Object.keys(value)) if (typeof value[name] === "object") waiting.push(value[name]);
  }
}

function refused(name: string): TuttiError {
  const shown = shorten(name);
  return new TuttiError(
    "forbidden",
    `"${shown}" may change what a request costs, and this key has a budget. Leave it out, or have a key created with: --allow-fields ${shown}`,
    { param: shown },
  );
}
