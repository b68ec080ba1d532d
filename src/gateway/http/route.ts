// What every route has in common: who asks, errors in the dialect's own shape, one line in the log, metrics.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { shorten } from "../../base/format.ts";
import type { Connection } from "../../http/connection.ts";
import { checkSameSite } from "../../http/same-site.ts";
import type { Query } from "../../http/target.ts";
import type { GatewayKey } from "../access/keys.ts";
import { LONGEST_NAME, LONGEST_QUERY_VALUE } from "../access/request-limits.ts";
import type { GatewayContext } from "../context.ts";
import type { Dialect, Handler, RouteAccess } from "../types.ts";
import type { ModelKind } from "./metrics.ts";
import { badRequest } from "./object-reader.ts";

export interface Visit {
  connection: Connection;
  key: GatewayKey | undefined;
  /** What the route speaks: whose shape errors have. */
  dialect: Dialect;
  /** What the address names ("/v1/runs/:id"); empty where it names nothing. */
  id: string;
  query: Query;
  /** For the log and the metrics, filled in by the route as it learns of them. */
  notes: {
    runId?: string;
    model?: string;
    modelKind: ModelKind;
    firstTokenMs?: number;
    overheadMs?: number;
    isCached?: true;
  };
}

export interface ServedRoute {
  /** As it is declared, for metrics. */
  name: string;
  dialect: Dialect;
  access: RouteAccess;
  serve: Handler;
}

export async function serveRoute(
  context: GatewayContext,
  connection: Connection,
  { name, dialect, access, serve }: ServedRoute,
  { id, query }: Pick<Visit, "id" | "query">,
): Promise<void> {
  const { metrics, log } = context;
  const notes: Visit["notes"] = { modelKind: "none" };
  let key: GatewayKey | undefined;
  let failure: unknown;
  metrics.requestStart();
  if (dialect.requestIdHeader) connection.set({ [dialect.requestIdHeader]: connection.requestId });
  try {
    if (access !== "open") key = authenticate(context, connection);
    if (access === "admin" && key && !key.isAdmin) throw notAdmin(key);
    checkAddress({ id, query });
    if (key) connection.outgoing.once("close", context.open.take(key.id));
    await serve(context, { connection, key, dialect, id, query, notes });
  } catch (error) {
    failure = error;
    if (key) connection.set(context.admission.headers(key));
    sendError(connection, dialect, error);
  }
  const status = connection.isGone ? 499 : connection.outgoing.statusCode;
  const durationMs = performance.now() - connection.startedAt;
  const { modelKind, firstTokenMs, overheadMs, runId, model, isCached } = notes;
  metrics.requestEnd({ route: name, status, modelKind, durationMs, firstTokenMs, overheadMs });
  const fields = {
    request: connection.requestId,
    method: connection.incoming.method,
    route: name,
    status,
    durationMs: Math.round(durationMs * 10) / 10,
    key: key?.id,
    model,
    run: runId,
    cached: isCached,
  };
  if (failure === undefined) log.info("request", fields);
  // Its message repeats what the client sent, which is not for a log.
  else if (isTuttiError(failure) && failure.status < 500)
    log.info("request", { ...fields, error: failure.code });
  else log.error("request", { ...fields, error: failure });
}

const REFUSAL =
  "Without keys this gateway is for programs of its own machine only. Create one with: tutti keys create --name me";

/** Without any key this is a gateway for its own machine: then nobody else's page may use it through a browser. */
function authenticate({ keys, config }: GatewayContext, connection: Connection): GatewayKey | undefined {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(connection.header("authorization") ?? "")?.[1];
  const key = keys.identify(bearer ?? connection.header("x-api-key")?.trim());
  // "*" is for gateways with keys: without any, each page may be one that a stranger wrote.
  const allowedOrigins = config.gateway.cors.map((origin) => origin.toLowerCase());
  if (!key) checkSameSite(connection, { allowedOrigins, refusal: REFUSAL });
  return key;
}

function notAdmin({ name }: GatewayKey): TuttiError {
  const remedy = "Create one that is: tutti keys create --name me --admin";
  return new TuttiError("forbidden", `The API key "${name}" is not an admin's. ${remedy}`);
}

export function sendError(connection: Connection, dialect: Dialect, error: unknown): void {
  const known = isTuttiError(error)
    ? error
    : new TuttiError("internal", "Something went wrong here", { cause: error });
  if (known.code === "client-left" && connection.isGone) return;
  if (connection.hasBegun) {
    // Half of a body is out: the client must not take it for a whole one.
    connection.outgoing.destroy();
    return;
  }
  const { status, body } = dialect.toError(known);
  const { retryAfterMs, retryable } = known;
  connection.json(status, body, {
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
    // SDKs repeat 429 and 5xx by themselves; where a team has worked already, that would be paid for again.
    "x-should-retry": String(retryable),
  });
}

// ---- The address ---------------------------------------------------------------------------------

/** What an address names is looked up and repeated in errors, so it is no longer than a name. */
function checkAddress({ id, query }: Pick<Visit, "id" | "query">): void {
  if (id.length > LONGEST_NAME)
    throw new TuttiError("not-found", `Nothing here has a name of ${id.length} characters.`);
  for (const [name, value = ""] of Object.entries(query)) {
    if (value.length <= LONGEST_QUERY_VALUE) continue;
    const param = shorten(name);
    const message = `"${param}" has ${value.length} characters; ${LONGEST_QUERY_VALUE} are allowed.`;
    throw badRequest(message, param);
  }
}

/** Absent and empty are the same. */
export function readWhole(
  text: string | undefined,
  param: string,
  from: number,
  to: number,
): number | undefined {
  if (text === undefined || text === "") return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to) return value;
  throw badRequest(
    `"${param}" must be a whole number from ${from} to ${to}, not "${text.slice(0, 40)}".`,
    param,
  );
}
