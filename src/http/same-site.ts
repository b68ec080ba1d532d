// Who may use a server that asks for no key: programs, and nobody's page. A browser sends what a page asks it to,
// also to 127.0.0.1, and a page's name may be made to point here; the headers that a page cannot choose tell.

import { isIPv4 } from "node:net";
import { TuttiError } from "../base/errors.ts";
import type { Connection } from "./connection.ts";

/** Whether only programs on this machine can reach an address: what asks for no key may listen there alone. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1)$/i.test(host) || (host.startsWith("127.") && isIPv4(host));
}

export interface SameSiteOptions {
  /** Names and addresses by which others reach this server, without a port. Those of loopback always do. */
  allowedHosts?: readonly string[];
  /** Origins of pages that may all the same, by their names. */
  allowedOrigins?: readonly string[];
  /** What whoever is refused is told. */
  refusal: string;
}

/** Covered: pages of other sites, also where their name was made to point here. Not covered: programs. */
export function checkSameSite(
  connection: Connection,
  { allowedHosts = [], allowedOrigins = [], refusal }: SameSiteOptions,
): void {
  const host = connection.header("host") ?? "";
  const origin = connection.header("origin");
  const name = toHostName(host);
  const isKnown = name !== undefined && (isLoopback(name) || allowedHosts.some((each) => isSame(each, name)));
  if (isKnown && origin !== undefined && allowedOrigins.includes(origin.toLowerCase())) return;
  const isOwn = isKnown && (origin === undefined || isSameHost(origin, host));
  if (isOwn && connection.header("sec-fetch-site") !== "cross-site") return;
  throw new TuttiError("forbidden", refusal);
}

/** "10.0.0.5:7879" → "10.0.0.5", "[::1]:80" → "::1"; undefined for what is no name with a port. */
export function toHostName(host: string): string | undefined {
  const [, address, name, port = "0"] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return Number(port) <= 65_535 ? (address ?? name)?.toLowerCase() : undefined;
}

function isSame(allowed: string, name: string): boolean {
  return (toHostName(allowed) ?? allowed).toLowerCase() === name;
}

/** Not of a scheme of somebody's own: its host means what its program likes. */
function isSameHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: own } = new URL(origin);
  return /^https?:$/.test(protocol) && own.toLowerCase() === host.toLowerCase();
}
