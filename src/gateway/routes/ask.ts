// A question to a team or to one model. One flow for all dialects; what differs is the dialect.

import { TuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import { admitRun } from "../access/admit-run.ts";
import { type CachePlace, findPlace } from "../cache/place.ts";
import { respondCached, respondCachedBody, toCachedReply } from "../cache/respond-cached.ts";
import type { CachedReply } from "../cache/response-cache.ts";
import type { GatewayContext } from "../context.ts";
import { badRequest, type Fields, ObjectReader } from "../http/object-reader.ts";
import { sendError, type Visit } from "../http/route.ts";
import { mayEmbed } from "../runs/models.ts";
import { toOverheadMs } from "../runs/outcome.ts";
import { readPreferences } from "../runs/preferences.ts";
import { respondStreamed, respondWhole } from "../runs/respond.ts";
import { toAnswered } from "../shadow/answered.ts";
import type { Dialect, Handler } from "../types.ts";
import { askRelayed, firstTarget } from "./ask-relayed.ts";
import { admitCapped, enterSession } from "./capped.ts";

const BUSY_RETRY_MS = 1_000;
const LONGEST_IDEMPOTENCY_KEY = 255;

export const ask: Handler = async (context, visit) => {
  const { connection, key, dialect, notes } = visit;
  checkRoom(context);
  const { raw, body } = await context.uploads.read(connection, key);
  const reader = new ObjectReader(body);
  const model = reader.name("model");
  notes.model = model;
  const header = (name: string) => connection.header(name);
  const asWanted = readPreferences(reader, context.config);
  const capped = await enterSession(context, visit, reader, asWanted);
  const preferences = capped?.preferences ?? asWanted;
  // Found before the rest is read: whoever is passed through speaks for itself.
  const named = await context.models.resolve(model, key, { preferences });
  if (named.alias !== undefined) connection.set({ "x-tutti-alias": named.alias });
  const idempotencyKey = readIdempotencyKey(connection);
  const hash = () => context.uploads.digest(raw, key, toSalt(connection, dialect));
  let wanted = named;
  if (named.kind === "worker" && dialect.relay && firstTarget(named, visit, body)) {
    const place = placeOf(context, visit, body, raw.length, true);
    const cached = place && findCached(context, visit, place);
    if (cached?.kind === "body") return respondCachedBody(visit, context.metrics, cached);
    const keep = place && ((reply: CachedReply) => context.responseCache?.keep(place.name, reply));
    const isShadowed = preferences.pool === undefined && preferences.workflow === undefined;
    const more = { session: capped?.session, keep, isShadowed };
    const question = { reader: dialect.relay, raw, body, idempotencyKey, hash, more };
    const left = await askRelayed(context, visit, named, question);
    if (!left) return;
    wanted = left;
  }
  const whole = (await dialect.expandBody?.(context, visit, body)) ?? body;
  const parsed = dialect.parseRequest(whole, header);
  const request = { ...parsed, showsProgress: parsed.showsProgress && context.config.gateway.progress };
  const destination =
    wanted.kind === "team" && request.effort !== undefined
      ? await context.models.resolve(model, key, { effort: request.effort, preferences })
      : wanted;
  notes.modelKind = destination.kind;
  const place = placeOf(context, visit, whole, raw.length, false);
  const cached = place && findCached(context, visit, place);
  if (cached?.kind === "outcome") return respondCached(visit, context.metrics, cached, request);
  const reply = await context.dispatcher.begin({
    dialect,
    request,
    preferences,
    destination,
    key,
    embeds: mayEmbed(key, context.config),
    idempotencyKey,
    session: capped?.session,
    hash: hash(),
    isSampled: Number(body.temperature ?? 0) > 0 && !isRepeat(connection),
    admit: async (wanted) => {
      const admit = (less: typeof wanted) => admitRun(context, key, less);
      const admission = await (capped ? admitCapped(context, capped, wanted, admit) : admit(wanted));
      connection.set(admission.headers);
      return admission;
    },
  });
  notes.runId = reply.live.runId;
  if (reply.isJoined) context.metrics.addJoined();
  if (request.isBackground && !request.isStream && dialect.toQueuedReply) {
    // One that could not even begin is not in the journal: nobody could ask for it later.
    if (!(await reply.live.first())) await reply.live.result;
    return connection.json(200, dialect.toQueuedReply(reply.head), { "x-tutti-run-id": reply.head.runId });
  }
  const respond = request.isStream ? respondStreamed : respondWhole;
  const { error, run, firstTokenMs } = await respond(connection, dialect, reply);
  notes.firstTokenMs = firstTokenMs;
  notes.overheadMs = run && toOverheadMs(run);
  const kept = place && run && !error ? toCachedReply(run, reply) : undefined;
  if (kept) context.responseCache?.keep(place!.name, kept);
  const answered = run && !error && !reply.isJoined && reply.turn === 0 && toAnswered(run, key, preferences);
  if (answered) context.shadow.offer(context, answered);
  if (error && !connection.hasBegun) {
    connection.set({ "x-tutti-run-id": reply.head.runId });
    // A team has worked already: what failed then is not for an SDK to repeat by itself. One model has not, nor has the
    // worker in a tool loop, which goes on from where it stood, nor a team of which nobody could begin.
    const isCheap = destination.kind === "worker" || reply.before !== undefined || run?.costUsd === 0;
    sendError(connection, dialect, isCheap && error.code === "rate-limited" ? error : unrepeatable(error));
  }
};

/** Undefined where no answer is kept: the config has no cache, or the request wants none. */
function placeOf(
  { responseCache }: GatewayContext,
  { connection, key, dialect }: Visit,
  body: Fields,
  size: number,
  isRelayed: boolean,
): CachePlace | undefined {
  return responseCache && findPlace({ connection, key, dialect, body, size, isRelayed });
}

/** Whoever reads headers learns that it could have been answered from the cache. */
function findCached(
  { responseCache }: GatewayContext,
  { connection }: Visit,
  { name, isRead }: CachePlace,
): CachedReply | undefined {
  const cached = isRead ? responseCache?.find(name) : undefined;
  if (!cached) connection.set({ "x-tutti-cache": "miss" });
  return cached;
}

/** Official SDKs say so of a request that they send again by themselves. */
function isRepeat(connection: Connection): boolean {
  return Number(connection.header("x-stainless-retry-count") ?? 0) > 0;
}

function unrepeatable({ code, message, status, param, cause, retryAfterMs }: TuttiError): TuttiError {
  return new TuttiError(code, message, { status, retryable: false, param, cause, retryAfterMs });
}

/** Throws "overloaded" where nothing more is taken now. */
export function checkRoom({ live, relaying, config, isClosing, tutti }: GatewayContext): void {
  const { isFull } = tutti.backlog;
  if (!isClosing && !isFull && live.size + relaying < config.gateway.maxRunning) return;
  const why = isClosing
    ? "This gateway is shutting down."
    : isFull
      ? "What was asked here cannot be written down at the moment."
      : "As many requests as this gateway takes are running.";
  throw new TuttiError("overloaded", `${why} Try again in a moment.`, {
    retryAfterMs: BUSY_RETRY_MS,
  });
}

function readIdempotencyKey(connection: Connection): string | undefined {
  const value = connection.header("idempotency-key")?.trim();
  if (!value) return undefined;
  if (value.length <= LONGEST_IDEMPOTENCY_KEY) return value;
  throw badRequest(`The idempotency key is longer than ${LONGEST_IDEMPOTENCY_KEY} characters.`);
}

/** The same bytes to the same endpoint are the same request, unless the client says that they are not. */
function toSalt(connection: Connection, dialect: Dialect): string {
  const isApart = connection.header("x-tutti-join") === "off";
  return isApart ? connection.requestId : `${dialect.name} ${connection.header("x-tutti-progress") ?? ""}`;
}
