// A question to a team or to one model. One flow for all dialects; what differs is the dialect.

import { hash } from "node:crypto";
import { TuttiError } from "../../base/errors.ts";
import { relayTargetOf } from "../../config/endpoint.ts";
import type { Connection } from "../../http/connection.ts";
import type { GatewayContext } from "../context.ts";
import { badRequest, ObjectReader } from "../http/object-reader.ts";
import { parseBody, readBytes, sendError } from "../http/route.ts";
import { toUpstream } from "../relay/target.ts";
import { readPreferences } from "../runs/models.ts";
import { toOverheadMs } from "../runs/outcome.ts";
import { respondStreamed, respondWhole } from "../runs/respond.ts";
import type { Dialect, Handler } from "../types.ts";
import { passThrough, passThroughOnce } from "./pass-through.ts";

const BUSY_RETRY_MS = 1_000;
const LONGEST_IDEMPOTENCY_KEY = 255;

export const ask: Handler = async (context, visit) => {
  const { connection, key, dialect, notes } = visit;
  checkRoom(context);
  const raw = await readBytes(context, visit);
  const body = parseBody(raw);
  const reader = new ObjectReader(body);
  const model = reader.text("model");
  notes.model = model.slice(0, 200);
  const header = (name: string) => connection.header(name);
  const preferences = readPreferences(reader);
  // Found before the rest is read: whoever is passed through speaks for itself.
  const named = await context.models.resolve(model, key, { preferences });
  const target = named.kind === "worker" ? relayTargetOf(named.member.worker) : undefined;
  const upstream = target && toUpstream(target, dialect);
  const idempotencyKey = readIdempotencyKey(connection);
  const hash = () => toHash(connection, raw, dialect);
  if (named.kind === "worker" && target && upstream && dialect.relay) {
    notes.modelKind = "relay";
    const asked = { dialect, reader: dialect.relay, raw, body, member: named.member, target, upstream };
    if (idempotencyKey === undefined) return void (await passThrough(context, visit, asked));
    return passThroughOnce(context, visit, asked, idempotencyKey, hash());
  }
  const whole = (await dialect.expandBody?.(context, visit, body)) ?? body;
  const parsed = dialect.parseRequest(whole, header);
  const request = { ...parsed, showsProgress: parsed.showsProgress && context.config.gateway.progress };
  const destination =
    named.kind === "team" && request.effort !== undefined
      ? await context.models.resolve(model, key, { effort: request.effort, preferences })
      : named;
  notes.modelKind = destination.kind;
  const reply = await context.dispatcher.begin({
    dialect,
    request,
    preferences,
    destination,
    key,
    idempotencyKey,
    hash: hash(),
    admit: async (wantedUsd) => {
      const admission = await context.admission.admit(key, wantedUsd);
      connection.set(admission.headers);
      return admission;
    },
  });
  notes.runId = reply.live.runId;
  if (reply.isJoined) context.metrics.addJoined();
  if (request.isBackground && !request.isStream && dialect.toQueuedReply)
    return connection.json(200, dialect.toQueuedReply(reply.head), { "x-tutti-run-id": reply.head.runId });
  const respond = request.isStream ? respondStreamed : respondWhole;
  const { error, run, firstTokenMs } = await respond(connection, dialect, reply);
  notes.firstTokenMs = firstTokenMs;
  notes.overheadMs = run && toOverheadMs(run);
  if (error && !connection.hasBegun) {
    connection.set({ "x-tutti-run-id": reply.head.runId });
    // A team has worked already: what failed then is not for an SDK to repeat by itself.
    sendError(connection, dialect, unrepeatable(error));
  }
};

function unrepeatable({ code, message, status, param, cause }: TuttiError): TuttiError {
  return new TuttiError(code, message, { status, retryable: false, param, cause });
}

/** Throws "overloaded" where nothing more is taken now. */
export function checkRoom({ live, relaying, config, isClosing }: GatewayContext): void {
  if (!isClosing && live.size + relaying < config.gateway.maxRunning) return;
  const why = isClosing
    ? "This gateway is shutting down."
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
function toHash(connection: Connection, raw: Buffer, dialect: Dialect): string {
  const isApart = connection.header("x-tutti-join") === "off";
  const salt = isApart
    ? connection.requestId
    : `${dialect.name} ${connection.header("x-tutti-progress") ?? ""}`;
  return hash("sha256", Buffer.concat([Buffer.from(`${salt}\n`), raw]));
}
