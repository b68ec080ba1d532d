// Which of our dialects an endpoint understands as it is. Where it does, bytes can be relayed; where not,
// the request is translated and performed as a run of one step.

import type { RelayTarget } from "../../config/endpoint.ts";
import type { Dialect } from "../types.ts";

export interface Upstream {
  url: URL;
  /** What tells the endpoint who pays. Never journaled, never shown. */
  headers: Record<string, string>;
  /** The key in them: a reply that repeats it must not. */
  secret?: string;
}

/** What a worker of the config may say of its server. */
const DECLARABLE: ReadonlySet<string> = new Set(["chat", "responses", "messages"]);

/** Undefined: the endpoint speaks another dialect. */
export function toUpstream(
  { baseUrl, protocol, apiKey, dialects }: RelayTarget,
  { name = "", path, relay }: Pick<Dialect, "path" | "relay"> & { name?: string },
): Upstream | undefined {
  const isDeclared = dialects !== undefined && DECLARABLE.has(name);
  const isSpoken = isDeclared ? dialects.includes(name) : relay?.protocols.includes(protocol);
  if (!relay || !isSpoken) return undefined;
  const bearer: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const headers = relay.toCredentials?.(apiKey) ?? bearer;
  return { url: new URL(`${baseUrl}${path}`), headers, secret: apiKey };
}
