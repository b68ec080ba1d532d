// Which headers cross over. To the provider only those on a list: whatever else a client sends (its key to
// us, its cookies, its own account at the provider) is no business of the one who is asked. To the client
// only those that it needs: a provider must not set cookies, open our answers to other sites or send a browser elsewhere.

import type { IncomingHttpHeaders } from "node:http";
import type { SecretFilter } from "../../base/secret-filter.ts";
import type { Upstream } from "./target.ts";

/**
 * An idempotency key is not among them: all clients of the gateway share one account there, so a key that two
 * of them use would give the one the other's answer. The gateway keeps the reply for a repeat itself (copies.ts).
 */
const TO_UPSTREAM = [
  "accept",
  "anthropic-version",
  "anthropic-beta",
  "openai-beta",
  "x-client-request-id",
] as const;

export function toUpstreamHeaders(client: IncomingHttpHeaders, upstream: Upstream): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": client["content-type"] ?? "application/json",
    // Usage is read on the way, so the bytes must be readable.
    "accept-encoding": "identity",
    ...upstream.headers,
  };
  for (const name of TO_UPSTREAM) {
    const value = client[name];
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return headers;
}

/** What clients of models read. Whatever else a provider sends is for its own customers, or for a browser. */
const TO_CLIENT = new Set([
  "content-length",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "cache-control",
  // By these a provider finds a request again when it is asked about it.
  "x-request-id",
  "request-id",
  "cf-ray",
  "openai-processing-ms",
  "openai-version",
  "openai-model",
]);
const RATE_LIMIT = /^(x-|anthropic-)?ratelimit-/;

/** `filter` takes our key out of what is left. */
export function toClientHeaders(
  upstream: IncomingHttpHeaders,
  filter?: Pick<SecretFilter, "clean">,
): Record<string, string | string[]> {
  // Names come from the list above: a plain object, which is faster to send, will do.
  const headers: Record<string, string | string[]> = {
    "content-type": toContentType(upstream["content-type"]),
  };
  for (const name in upstream) {
    const value = upstream[name];
    if (value === undefined || !(TO_CLIENT.has(name) || RATE_LIMIT.test(name))) continue;
    const text = Array.isArray(value) ? value.join(", ") : value;
    headers[name] = filter ? filter.clean(text) : text;
  }
  return headers;
}

/** Speech: no browser runs it. */
const AUDIO = /^audio\/[\w.+-]{1,40}$/;
const CHARSET = /^;\s*charset=[\w-]+$/i;

/**
 * JSON and event streams are what the dialects have. Anything else (the page of a proxy, say) is passed on as bytes,
 * which no browser shows.
 */
function toContentType(value = ""): string {
  const end = value.indexOf(";");
  const type = (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
  const isJson = type === "application/json" || type === "application/problem+json";
  if (AUDIO.test(type)) return type;
  if (!isJson && type !== "text/event-stream") return "application/octet-stream";
  const shown = isJson ? "application/json" : type;
  const charset = end < 0 ? "" : value.slice(end).trim();
  return CHARSET.test(charset) ? `${shown}${charset}` : shown;
}
