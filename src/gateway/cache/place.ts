// Which requests may be answered with what was answered before, and which of them are the same. Never across keys, nor
// between no key and one; never what a client did not want kept, or what chance is to decide anew.

import { createHash } from "node:crypto";
import type { Connection } from "../../http/connection.ts";
import type { GatewayKey } from "../access/keys.ts";
import { badRequest, type Fields } from "../http/object-reader.ts";
import type { Dialect } from "../types.ts";

/** Where the answer to a request is kept. */
export interface CachePlace {
  name: string;
  /** False: it is asked anew, and the new answer takes this place. */
  isRead: boolean;
}

export interface Cacheable {
  connection: Connection;
  key: GatewayKey | undefined;
  dialect: Dialect;
  /** Complete: what it names by an id is in it. */
  body: Fields;
  /** In bytes, as it came. */
  size: number;
  isRelayed: boolean;
}

/** Of these a request may differ and still be the same: they say who asks, and in which form the answer is wanted. */
const APART = new Set(["metadata", "user", "safety_identifier", "stream", "stream_options"]);
/** What reaches the provider beside the body. */
const HEADERS = ["anthropic-version", "anthropic-beta", "openai-beta"];
/** Comparing larger ones would hold everybody else up. */
const LARGEST_BODY_BYTES = 1_000_000;

/** Undefined where the answer is neither looked for nor kept. */
export function findPlace(request: Cacheable): CachePlace | undefined {
  const { connection, body, size, isRelayed } = request;
  const wish = readWish(connection);
  const control = connection.header("cache-control")?.toLowerCase() ?? "";
  if (wish === "off" || control.includes("no-store") || size > LARGEST_BODY_BYTES) return undefined;
  // An idempotency key has its own copy, and whoever does not want to join wants another answer.
  if (connection.header("idempotency-key") || connection.header("x-tutti-join") === "off") return undefined;
  if (body.store === false || body.background === true) return undefined;
  // What they go on from may be deleted meanwhile.
  if ((body.previous_response_id ?? body.conversation ?? undefined) !== undefined) return undefined;
  if ((body.temperature ?? 0) !== 0 && wish !== "on") return undefined;
  // The provider's own stream is not kept: it would have to be taken apart.
  if (isRelayed && body.stream === true) return undefined;
  return { name: toName(request), isRead: !control.includes("no-cache") };
}

function readWish(connection: Connection): "on" | "off" | undefined {
  const wish = connection.header("x-tutti-cache")?.trim().toLowerCase();
  if (wish === undefined || wish === "on" || wish === "off") return wish;
  throw badRequest('The header "x-tutti-cache" must be "on" or "off".');
}

function toName({ connection, key, dialect, body, isRelayed }: Cacheable): string {
  const asked = Object.fromEntries(Object.entries(body).filter(([name]) => !APART.has(name)));
  const whose = key ? [key.id, key.only, key.without] : [];
  const said = HEADERS.map((name) => connection.header(name));
  const same = [whose, dialect.name, isRelayed, said, asked];
  return createHash("sha256").update(JSON.stringify(same, inOrder)).digest("hex");
}

/** Fields in the order of their names: it is not for their order that two bodies differ. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
