// POST /v1/messages/count_tokens: by the provider where the model has one that counts, which is free there; else an estimate
// that says that it is one. Agents decide by it when to compact their conversation.

import { relayTargetOf } from "../../../config/endpoint.ts";
import { guardFetch } from "../../../worker/guarded-fetch.ts";
import type { GatewayContext } from "../../context.ts";
import { type Fields, isFields } from "../../http/object-reader.ts";
import type { Visit } from "../../http/route.ts";
import { toUpstreamHeaders } from "../../relay/headers.ts";
import { spliceModel } from "../../relay/splice-model.ts";
import { toUpstream } from "../../relay/target.ts";
import type { Handler } from "../../types.ts";
import { countTokens } from "./request.ts";

/** Whoever asks wants to go on: an estimate now is better than a count later. */
const COUNT_MS = 5_000;
const MAX_COUNT_BYTES = 65_536;

export const serveCount: Handler = async (context, visit) => {
  const { raw, body } = await context.uploads.read(visit.connection, visit.key);
  const estimate = countTokens(body);
  const counted = await countAtProvider(context, visit, raw, body);
  const shown =
    counted === undefined ? { input_tokens: estimate, estimated: true } : { input_tokens: counted };
  visit.connection.json(200, shown);
};

/** Undefined where nobody counts: a team, a model of another protocol, a provider that fails. */
async function countAtProvider(
  { models }: GatewayContext,
  { connection, key, dialect }: Visit,
  raw: Buffer,
  body: Fields,
): Promise<number | undefined> {
  const { model } = body;
  if (typeof model !== "string" || !dialect.relay) return undefined;
  const named = await models.resolve(model, key, { preferences: {} });
  const target = named.kind === "worker" ? relayTargetOf(named.member.worker) : undefined;
  const upstream =
    target && toUpstream(target, { path: `${dialect.path}/count_tokens`, relay: dialect.relay });
  if (!target || !upstream) return undefined;
  const cleaned = dialect.relay.withoutOurs?.(raw, body);
  const asked = cleaned ? Buffer.from(JSON.stringify(cleaned)) : raw;
  try {
    const response = await guardFetch(
      fetch,
      upstream.secret,
      MAX_COUNT_BYTES,
    )(upstream.url, {
      method: "POST",
      headers: toUpstreamHeaders(connection.incoming.headers, upstream),
      body: new Uint8Array(spliceModel(asked, target.model)),
      signal: AbortSignal.any([connection.gone, AbortSignal.timeout(COUNT_MS)]),
    });
    const counted: unknown = await response.json();
    const tokens = response.ok && isFields(counted) ? counted.input_tokens : undefined;
    return Number.isSafeInteger(tokens) && (tokens as number) >= 0 ? (tokens as number) : undefined;
  } catch {
    return undefined;
  }
}
