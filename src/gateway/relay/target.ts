// Which of our dialects an endpoint understands as it is. Where it does, bytes can be relayed; where not,
// the request is translated and performed as a run of one step.

import type { RelayTarget } from "../../config/relay-target.ts";
import type { DialectName } from "../../store/types.ts";
import type { Dialect } from "../../worker/models.ts";

export interface Upstream {
  url: URL;
  /** What tells the endpoint who pays. Never journaled, never shown. */
  headers: Record<string, string>;
}

const ROUTES: Record<DialectName, { path: string; speakers: readonly Dialect[] }> = {
  chat: { path: "/chat/completions", speakers: ["openai", "openai-compatible", "mistral"] },
  responses: { path: "/responses", speakers: ["openai"] },
  messages: { path: "/messages", speakers: ["anthropic"] },
};

/** Anthropic refuses requests that name no version. A client's own takes the place of this one. */
const ANTHROPIC_VERSION = "2023-06-01";

/** Undefined: the endpoint speaks another dialect. */
export function toUpstream(target: RelayTarget, dialect: DialectName): Upstream | undefined {
  const { path, speakers } = ROUTES[dialect];
  if (!speakers.includes(target.dialect)) return undefined;
  return { url: new URL(`${target.baseUrl}${path}`), headers: toCredentials(target) };
}

function toCredentials({ dialect, apiKey }: RelayTarget): Record<string, string> {
  if (dialect === "anthropic") {
    return { "anthropic-version": ANTHROPIC_VERSION, ...(apiKey && { "x-api-key": apiKey }) };
  }
  return apiKey ? { authorization: `Bearer ${apiKey}` } : {};
}
