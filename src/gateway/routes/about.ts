// What the gateway tells of itself: its models, a key's quota, the bill, how it is.

import { TuttiError } from "../../base/errors.ts";
import { parseBillQuery, toBill, toBillCsv, toQuota, toSpentUsd } from "../access/bill.ts";
import { startOfWindow } from "../access/budget-window.ts";
import type { GatewayContext } from "../context.ts";
import type { Query } from "../http/query.ts";
import type { Visit } from "../http/route.ts";
import type { ModelEntry } from "../runs/models.ts";

/** When this list was first offered; the dialects want a date for every model. */
const CREATED = Date.UTC(2026, 10, 17) / 1000;

export async function listModels({ models }: GatewayContext, { connection, key }: Visit): Promise<void> {
  const entries = await models.list(key);
  if (connection.header("anthropic-version") === undefined) {
    connection.json(200, { object: "list", data: entries.map(toOpenAIModel) });
    return;
  }
  const data = entries.map(toAnthropicModel);
  connection.json(200, {
    data,
    has_more: false,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
}

export async function showModel(
  { models }: GatewayContext,
  { connection, key }: Visit,
  id: string,
): Promise<void> {
  const entry = (await models.list(key)).find((each) => each.id === id);
  if (!entry) {
    await models.resolve(id, key, { wishes: {} }); // says what is near
    connection.json(200, toOpenAIModel({ id, ownedBy: id.split("/")[0]! }));
    return;
  }
  const isAnthropic = connection.header("anthropic-version") !== undefined;
  connection.json(200, isAnthropic ? toAnthropicModel(entry) : toOpenAIModel(entry));
}

function toOpenAIModel({ id, ownedBy, isSimulated }: ModelEntry) {
  return { id, object: "model", created: CREATED, owned_by: ownedBy, simulated: isSimulated };
}

function toAnthropicModel({ id }: ModelEntry) {
  return { type: "model", id, display_name: id, created_at: new Date(CREATED * 1000).toISOString() };
}

/** A key's own quota; with a grouping, or as an admin, the bill. */
export async function showUsage(
  context: GatewayContext,
  { connection, key }: Visit,
  query: Query,
): Promise<void> {
  const store = await context.tutti.store();
  if (query.group === undefined && query.format === undefined && key) {
    const from = key.budget ? startOfWindow(key.budget.window, Date.now()) : undefined;
    const rows = await store.sumSpending({ keyId: key.id, ...(from !== undefined && { from }) });
    const reserved = context.gate.reservedUsd(key.id);
    connection.json(200, toQuota(key, toSpentUsd(rows), reserved, Date.now()));
    return;
  }
  const { filter, format } = parseBillQuery(query);
  const isOwn = key && !key.isAdmin;
  if (isOwn && filter.keyId !== undefined && filter.keyId !== key.id)
    throw new TuttiError("forbidden", "A key sees its own bill only.");
  const rows = await store.sumSpending({ ...filter, ...(isOwn && { keyId: key.id }) });
  if (format === "json") return connection.json(200, toBill(rows, filter.groupBy));
  connection.begin(200, {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": 'attachment; filename="tutti-usage.csv"',
  });
  connection.end(toBillCsv(rows, filter.groupBy));
}

export async function showHealth({ isClosing }: GatewayContext, { connection }: Visit): Promise<void> {
  connection.json(200, { status: isClosing ? "closing" : "ok" });
}

/** Ready: there is somebody to ask, and the journal can be written. */
export async function showReadiness(context: GatewayContext, { connection }: Visit): Promise<void> {
  try {
    if (context.isClosing) throw new TuttiError("overloaded", "shutting down");
    await context.tutti.store();
    const { pool } = await context.tutti.pool();
    context.metrics.setWorkers(pool.members.map(({ worker }) => worker.id));
    connection.json(200, { status: "ready", workers: pool.members.length });
  } catch (error) {
    context.log.warn("not ready", { error });
    connection.json(503, { status: "not ready" });
  }
}

export async function showMetrics({ metrics }: GatewayContext, { connection }: Visit): Promise<void> {
  const text = await metrics.text();
  connection.begin(200, { "content-type": metrics.contentType });
  connection.end(text);
}
