// POST /v1/messages/count_tokens: by the provider where the model has one that counts, which is free there; else an estimate
// that says that it is one, for a team by the first of its models that is counted. Agents decide by it when to compact.

import { relayTargetOf } from "../../../config/endpoint.ts";
import { guardFetch } from "../../../worker/guarded-fetch.ts";
import { modelsOf } from "../../../worker/kinds.ts";
import type { Worker } from "../../../worker/types.ts";
import type { GatewayContext } from "../../context.ts";
import { type Fields, isFields } from "../../http/object-reader.ts";
import type { Visit } from "../../http/route.ts";
import { toUpstreamHeaders } from "../../relay/headers.ts";
import { spliceModel } from "../../relay/splice-model.ts";
import { toUpstream } from "../../relay/target.ts";
import type { Handler } from "../../types.ts";
import { countTokens, parseMessagesRequest } from "./request.ts";

/** Whoever asks wants to go on: an estimate now is better than a count later. */
const COUNT_MS = 5_000;
const MAX_COUNT_BYTES = 65_536;
/** Of a team. */
const MOST_ASKED = 2;

export const serveCount: Handler = async (context, visit) => {
  const { raw, body } = await context.uploads.read(visit.connection, visit.key);
  const estimate = countTokens(body);
  const { members, isTeam } = await findCounting(context, visit, body);
  let counted: number | undefined;
  for (const { worker } of members.slice(0, isTeam ? MOST_ASKED : 1))
    counted ??= (await countRelayed(visit, worker, raw, body)) ?? (await countAsked(visit, worker, body));
  const shown = { input_tokens: counted ?? estimate };
  visit.connection.json(200, counted === undefined || isTeam ? { ...shown, estimated: true } : shown);
};

/** Who would be asked. Of a team it is not known yet who speaks. */
async function findCounting({ models, tutti }: GatewayContext, { key }: Visit, { model }: Fields) {
  if (typeof model !== "string") return { members: [], isTeam: false };
  const named = await models.resolve(model, key, { preferences: {} });
  if (named.kind === "worker") return { members: [named.member], isTeam: false };
  const { pool } = await tutti.pool(named.selector);
  return { members: modelsOf(pool).filter(({ worker }) => mayCount(worker)), isTeam: true };
}

function mayCount(worker: Worker): boolean {
  return worker.countInput !== undefined || relayTargetOf(worker) !== undefined;
}

/** By a provider that has this very endpoint; undefined where it has none, or fails. */
async function countRelayed(
  { connection, dialect }: Visit,
  worker: Worker,
  raw: Buffer,
  body: Fields,
): Promise<number | undefined> {
  const target = dialect.relay && relayTargetOf(worker);
  const upstream =
    target && toUpstream(target, { path: `${dialect.path}/count_tokens`, relay: dialect.relay! });
  if (!target || !upstream) return undefined;
  const cleaned = dialect.relay!.withoutOurs?.(raw, body);
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

/** By a provider of another protocol, which gets the question as it would be asked. */
async function countAsked(
  { connection }: Visit,
  worker: Worker,
  fields: Fields,
): Promise<number | undefined> {
  if (!worker.countInput) return undefined;
  const { task } = parseMessagesRequest({ max_tokens: 1, ...fields }, () => undefined);
  const { maxOutputTokens = 1, ...output } = task.output ?? {};
  const asked = { ...output, messages: task.messages, maxOutputTokens };
  const signal = AbortSignal.any([connection.gone, AbortSignal.timeout(COUNT_MS)]);
  return worker.countInput(asked, signal).catch(() => undefined);
}
