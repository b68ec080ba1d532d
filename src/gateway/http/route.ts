// What every route has in common: who asks, errors in the dialect's own shape, one line in the log, metrics.

import { isUtf8 } from "node:buffer";
import { isTuttiError, TuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import type { GatewayKey } from "../access/keys.ts";
import type { GatewayContext } from "../context.ts";
import type { Dialect, Handler, RouteAccess } from "../types.ts";
import type { ModelKind } from "./metrics.ts";
import { badRequest, type Fields, isFields } from "./object-reader.ts";

export interface Visit {
  connection: Connection;
  key: GatewayKey | undefined;
  /** What the route speaks: whose shape errors have. */
  dialect: Dialect;
  /** What the address names ("/v1/runs/:id"); empty where it names nothing. */
  id: string;
  query: Query;
  /** For the log and the metrics, filled in by the route as it learns of them. */
  notes: { runId?: string; model?: string; modelKind: ModelKind; firstTokenMs?: number; overheadMs?: number };
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
    await serve(context, { connection, key, dialect, id, query, notes });
  } catch (error) {
    failure = error;
    if (key) connection.set(context.admission.headers(key));
    sendError(connection, dialect, error);
  }
  const status = connection.isGone ? 499 : connection.outgoing.statusCode;
  const durationMs = performance.now() - connection.startedAt;
  const { modelKind, firstTokenMs, overheadMs, runId, model } = notes;
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
  };
  if (failure === undefined) log.info("request", fields);
  // Its message repeats what the client sent, which is not for a log.
  else if (isTuttiError(failure) && failure.status < 500)
    log.info("request", { ...fields, error: failure.code });
  else log.error("request", { ...fields, error: failure });
}

/** Without any key this is a gateway for its own machine: then nobody else's page may use it through a browser. */
function authenticate({ keys }: GatewayContext, connection: Connection): GatewayKey | undefined {
  const bearer = /^bearer\s+(\S+)\s*$/i.exec(connection.header("authorization") ?? "")?.[1];
  const key = keys.identify(bearer ?? connection.header("x-api-key")?.trim());
  if (!key) checkSameSite(connection);
  return key;
}

function notAdmin({ name }: GatewayKey): TuttiError {
  const remedy = "Create one that is: tutti keys create --name me --admin";
  return new TuttiError("forbidden", `The API key "${name}" is not an admin's. ${remedy}`);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** Covered: pages of other sites, also where their name was made to point here. Not covered: programs on this machine. */
function checkSameSite(connection: Connection): void {
  const host = connection.header("host") ?? "";
  const origin = connection.header("origin");
  const isOwn = LOOPBACK.test(host) && (origin === undefined || isSameHost(origin, host));
  if (isOwn && connection.header("sec-fetch-site") !== "cross-site") return;
  throw new TuttiError(
    "forbidden",
    "Without keys this gateway is for programs of its own machine only. Create one with: tutti keys create --name me",
  );
}

function isSameHost(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host.toLowerCase() === host.toLowerCase();
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

// What an address says: its path, and what stands behind the question mark.

export type Query = Readonly<Record<string, string | undefined>>;

const NO_QUERY: Query = {};

/** Of a name that is there twice the first value counts. */
export function toTarget(url: string): { path: string; query: Query } {
  // A proxy may send the whole address.
  const target = url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = target.indexOf("?");
  if (mark < 0) return { path: target, query: NO_QUERY };
  const pairs = [...new URLSearchParams(target.slice(mark + 1))].reverse();
  return { path: target.slice(0, mark), query: Object.fromEntries(pairs) };
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

// ---- The body ------------------------------------------------------------------------------------

// A request's body as a JSON object, or an error that says what is wrong with it.

const DEEPEST = 200;

export function readBytes({ config }: GatewayContext, { connection }: Visit): Promise<Buffer> {
  return connection.readBody(config.gateway.maxBodyBytes);
}

export async function readBody(context: GatewayContext, visit: Visit): Promise<Fields> {
  return parseBody(await readBytes(context, visit));
}

export function parseBody(raw: Buffer): Fields {
  let body: unknown;
  // Read all the same, every bad byte would become another character, and with it another question.
  if (!isUtf8(raw)) throw badRequest("The body is not UTF-8.");
  try {
    body = JSON.parse(raw.toString("utf8"));
  } catch (error) {
    const why = raw.length === 0 ? "it is empty" : (error as Error).message.slice(0, 120);
    throw badRequest(`The body is not JSON: ${why}`);
  }
  if (!isFields(body)) throw badRequest("The body must be a JSON object.");
  if (isDeep(body)) throw badRequest(`The body is nested more than ${DEEPEST} levels deep.`);
  return body;
}

/** What is parsed is also written again, into the journal and to providers, which ends at some depth of the stack. */
function isDeep(body: object): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    const below: object[] = [];
    for (const value of level)
      for (const child of Object.values(value)) if (typeof child === "object" && child) below.push(child);
    level = below;
  }
  return false;
}
