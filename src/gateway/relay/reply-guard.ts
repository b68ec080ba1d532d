// What a provider may not do to a client of the relay: point elsewhere, send bytes that nobody can look into, repeat our
// key, or never end. It looks at each reply before anything of it is passed on; what it refuses it throws, which ends
// the provider's connection.

import type { IncomingHttpHeaders } from "node:http";
import { createSecretFilter } from "../../base/secret-filter.ts";
import { badResponse, endlessReply, Redirected, redirected } from "../../worker/failure.ts";
import { toClientHeaders } from "./headers.ts";
import type { RelayRequest } from "./types.ts";

/** Bytes of one token on the wire: an event of a stream with its names and ids, and with the odds of twenty others. */
const TOKEN_BYTES = 4_096;
/** Beside the tokens: pictures and sound come as base64, and are not counted in the length that was asked for. */
const EXTRA_BYTES = 64 * 1_048_576;
/** Where the request names no length: more than any model writes. */
const DEFAULT_TOKENS = 131_072;
/** However long a reply the request asks for. */
const MAX_REPLY_BYTES = 1_073_741_824;
/** A provider may keep a client waiting with comments, but not for ever. Models that research take half of it. */
export const MAX_REPLY_MS = 3_600_000;

/** Events of one token: a stream says more than its tokens (steps, pings, ids), but not without end. */
const TOKEN_EVENTS = 16;
const EXTRA_EVENTS = 10_000;

export interface ReplyGuard {
  /** For the client. */
  headers: Record<string, string | string[]>;
  /** What may be passed on. Throws "endless-reply". */
  push(chunk: Buffer): Buffer;
  /** How many events there have been, of a stream. Throws "endless-reply". */
  count(events: number): void;
  /** What was held back, once the reply is over. */
  end(): Buffer;
}

/** Throws "bad-response" for a reply that is not to be passed on at all. */
export function guardReply(
  { upstream, workerId, bound }: RelayRequest,
  status: number,
  headers: IncomingHttpHeaders,
): ReplyGuard {
  if (status < 400 && status >= 300) throw redirected(workerId, new Redirected(status, headers.location));
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    throw badResponse(workerId, `it answers in "${encoding.slice(0, 20)}" although that was not asked for`);
  const filter = createSecretFilter(upstream.secret);
  const longest = bound.isStated ? bound.outputTokens : DEFAULT_TOKENS;
  const maxBytes = Math.min(longest * TOKEN_BYTES + EXTRA_BYTES, MAX_REPLY_BYTES);
  const endsAt = performance.now() + MAX_REPLY_MS;
  let bytes = 0;
  return {
    headers: toClientHeaders(headers, filter),
    push(chunk) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw endlessReply(workerId, `wrote more than ${Math.round(maxBytes / 1e6)} MB`);
      if (performance.now() > endsAt)
        throw endlessReply(workerId, `took more than ${MAX_REPLY_MS / 60_000} minutes`);
      return filter ? filter.push(chunk) : chunk;
    },
    count(events) {
      if (events > longest * TOKEN_EVENTS + EXTRA_EVENTS) throw endlessReply(workerId);
    },
    end: () => filter?.end() ?? Buffer.alloc(0),
  };
}
