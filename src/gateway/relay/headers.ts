// Which headers cross over. To the provider only those on a list: whatever else a client sends (its key to
// us, its cookies, its own account at the provider) is no business of the one who is asked. To the client
// all but those that belong to one connection or to the account that pays.

import type { IncomingHttpHeaders } from "node:http";
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

const NOT_TO_CLIENT = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "set-cookie",
  // Another way to the provider itself: useless without its key.
  "alt-svc",
  "openai-organization",
  "openai-project",
  "anthropic-organization-id",
]);

export function toClientHeaders(
  upstream: Record<string, string | string[] | undefined>,
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  // What `connection` names belongs to the connection too.
  const { connection } = upstream;
  const named =
    connection === undefined
      ? []
      : String(connection)
          .toLowerCase()
          .split(/\s*,\s*/);
  for (const name in upstream) {
    const value = upstream[name];
    if (value !== undefined && !NOT_TO_CLIENT.has(name) && !named.includes(name)) headers[name] = value;
  }
  return headers;
}
