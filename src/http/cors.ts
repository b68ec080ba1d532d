// Pages of other origins, where the operator allows them by name: what a browser asks before, and what it is told.

import type { Connection } from "./connection.ts";

/** Headers of ours that a page may read. */
const EXPOSED = [
  ...["x-request-id", "request-id", "retry-after", "x-should-retry", "x-tutti-run-id", "x-tutti-cost-usd"],
  ...["x-tutti-overhead-ms", "x-tutti-simulated", "x-tutti-alias"],
].join(", ");
const METHODS = "GET, POST, DELETE, OPTIONS";
const REMEMBERED_S = 600;
/** Names of headers, as a browser lists them. */
const HEADER_NAMES = /^[a-z0-9-]+(?:\s*,\s*[a-z0-9-]+){0,63}$/i;

function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]): origin is string {
  if (origin === undefined) return false;
  return allowed.includes("*") || allowed.some((each) => each.toLowerCase() === origin.toLowerCase());
}

/**
 * Says on every response of an allowed page's request that the page may read it. True: it was the browser's own question
 * beforehand, and is answered.
 */
export function serveCors(connection: Connection, allowed: readonly string[]): boolean {
  const origin = connection.header("origin");
  if (allowed.length === 0 || !isAllowedOrigin(origin, allowed)) return false;
  connection.set({
    "access-control-allow-origin": origin,
    "access-control-expose-headers": EXPOSED,
    vary: "origin",
  });
  const { method } = connection.incoming;
  if (method !== "OPTIONS" || connection.header("access-control-request-method") === undefined) return false;
  const wanted = connection.header("access-control-request-headers")?.trim() ?? "";
  connection.begin(204, {
    "access-control-allow-methods": METHODS,
    ...(HEADER_NAMES.test(wanted) && { "access-control-allow-headers": wanted }),
    "access-control-max-age": String(REMEMBERED_S),
  });
  connection.end();
  return true;
}
