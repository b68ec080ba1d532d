// What the gateway tells of itself: its models, a key's quota, the bill, how it is.

import { TuttiError } from "../../base/errors.ts";
import type { Connection } from "../../http/connection.ts";
import { parseBillQuery, toQuota } from "../access/bill.ts";
import { startOfWindow } from "../access/budget-window.ts";
import type { GatewayContext } from "../context.ts";
import type { Dialect, Handler, ListedModel, ModelListing } from "../types.ts";

/** When this list was first offered; the dialects want a date for every model. */
const CREATED_AT = Date.UTC(2026, 10, 17);

export const listModels: Handler = async ({ models, dialects }, { connection, key }) => {
  connection.json(200, listingOf(dialects, connection).toList((await models.list(key)).map(toEntry)));
};

export const showModel: Handler = async ({ models, dialects }, { connection, key, id }) => {
  const entry = (await models.list(key)).find((each) => each.id === id);
  if (!entry) await models.resolve(id, key, { preferences: {} }); // says what is near
  const shown = toEntry(entry ?? { id, ownedBy: id.split("/")[0]! });
  connection.json(200, listingOf(dialects, connection).toModel(shown));
};

function toEntry(entry: Omit<ListedModel, "createdAt">): ListedModel {
  return { ...entry, createdAt: CREATED_AT };
}

/** Dialects share this address, so a header says which one is meant. */
function listingOf(dialects: readonly Dialect[], connection: Connection): ModelListing {
  const meant = dialects.find(({ models }) => models && connection.header(models.header) !== undefined);
  return meant?.models ?? OPENAI_LISTING;
}

const OPENAI_LISTING: ModelListing = {
  toList: (entries) => ({ object: "list", data: entries.map(OPENAI_LISTING.toModel) }),
  toModel: ({ id, ownedBy, createdAt, isSimulated }) => ({
    id,
    object: "model",
    created: createdAt / 1000,
    owned_by: ownedBy,
    simulated: isSimulated,
  }),
};

/** A key's own quota; with a grouping, or as an admin, the bill. */
export const showUsage: Handler = async (context, { connection, key, query }) => {
  const { reader } = context;
  if (query.group === undefined && query.format === undefined && key) {
    const from = key.budget ? startOfWindow(key.budget.window, Date.now()) : 0;
    const { spentUsd, reservedUsd } = await (await context.tutti.store()).loadAccount(key.id, from);
    connection.json(200, toQuota(key, spentUsd, reservedUsd, Date.now()));
    return;
  }
  const { filter, format } = parseBillQuery(query);
  const isOwn = key && !key.isAdmin;
  if (isOwn && filter.keyId !== undefined && filter.keyId !== key.id)
    throw new TuttiError("forbidden", "A key sees its own bill only.");
  const wanted = { ...filter, keyId: isOwn ? key.id : filter.keyId };
  if (format === "json") return connection.jsonBytes(200, await reader.bytes(key, "toBill", wanted));
  const csv = await reader.bytes(key, "toBillCsv", wanted);
  connection.begin(200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="tutti-usage.csv"',
  });
  connection.outgoing.end(csv);
};

export const showHealth: Handler = async ({ isClosing }, { connection }) => {
  connection.json(200, { status: isClosing ? "closing" : "ok" });
};

/** Anybody may ask whether it is ready: the journal is written for it once a second at the most. */
const CHECK_MS = 1_000;
const checks = new WeakMap<GatewayContext, { at: number; done: Promise<void> }>();

function checkJournal(context: GatewayContext): Promise<void> {
  const known = checks.get(context);
  if (known && performance.now() - known.at < CHECK_MS) return known.done;
  const done = context.tutti.store().then((store) => store.checkWritable());
  checks.set(context, { at: performance.now(), done });
  return done;
}

/** Ready: there is somebody to ask, and the journal can be written. */
export const showReadiness: Handler = async (context, { connection }) => {
  try {
    if (context.isClosing) throw new TuttiError("overloaded", "shutting down");
    await checkJournal(context);
    const { pool } = await context.tutti.pool();
    context.metrics.setWorkers(pool.members.map(({ worker }) => worker.id));
    connection.json(200, { status: "ready", workers: pool.members.length });
  } catch (error) {
    context.log.warn("not ready", { error });
    connection.json(503, { status: "not ready" });
  }
};

export const showMetrics: Handler = async ({ metrics, live, relaying, dispatcher }, { connection }) => {
  metrics.setRuns({ running: live.size + relaying, waiting: dispatcher.queued.size });
  const text = await metrics.text();
  connection.begin(200, { "content-type": metrics.contentType });
  connection.end(text);
};
