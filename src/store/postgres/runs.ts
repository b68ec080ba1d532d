// The table of runs in Postgres: one row a run, derived from its events in the same statement. Which of them are running
// depends on who lives; the caller says so with `living`, the ids of runs that are not over and whose owner lives.

import { SHADOW_KEY_ID } from "../shadow.ts";
import type { SummaryChange } from "../summary.ts";
import { fromSumColumns, SUM_COLUMNS, SUM_NAMES, type SumColumns } from "../sums.ts";
import type { RunFilter, RunSummary, StopReason } from "../types.ts";
import type { Client } from "./connection.ts";

export interface RunRow extends SumColumns {
  id: string;
  parent: string | null;
  /** The run at its head, or itself. */
  top: string;
  started: number;
  ended: number | null;
  question: string;
  answer: string | null;
  conductor: string;
  simulated: boolean;
  stop_reason: StopReason | null;
  stripped: boolean;
  model: string | null;
  dialect: string | null;
  key_id: string | null;
  user_name: string | null;
  metadata: Record<string, string> | null;
  session: string | null;
  running: boolean;
}

/** What `append_events` (append-format.ts) reads of a change; undefined where nothing changes. */
export function toChangeRecord(
  id: string,
  { start, end, isTotal, ...sums }: SummaryChange,
): object | undefined {
  if (!start && end === undefined && Object.values(sums).every((sum) => sum === 0)) return undefined;
  const { endedAt, answer, stopReason } = end ?? {};
  const { question, origin } = start ?? {};
  return {
    id,
    starts: start !== undefined,
    parent: start?.parentId,
    started: start?.startedAt,
    question,
    folded: start && `${question}\n${answer ?? ""}`.toLowerCase(),
    conductor: start?.conductor,
    simulated: start?.isSimulated,
    stripped: start?.isStripped,
    model: origin?.model,
    dialect: origin?.dialect,
    key_id: origin?.keyId,
    user_name: origin?.user,
    metadata: origin?.metadata,
    idempotency_key: start?.idempotencyKey,
    session: origin?.session,
    ends: end !== undefined,
    ended: endedAt,
    answer,
    stop_reason: stopReason,
    end_folded: answer?.toLowerCase(),
    total: isTotal,
    ...Object.fromEntries(SUM_NAMES.map((name) => [SUM_COLUMNS[name], sums[name]])),
  };
}

/** Halves of surrogate pairs, which Postgres refuses in JSON, become what they are in any other column. */
export function toWellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud") ? JSON.stringify(value, (_, part) => toWellFormed(part)) : json;
}

function toWellFormed(part: unknown): unknown {
  if (typeof part === "string") return Buffer.from(part).toString();
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => [Buffer.from(name).toString(), value]),
  );
}

/** These runs with all that are nested in them, known or not. */
export async function withNested(client: Client, ids: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `WITH RECURSIVE tree (id) AS (
       SELECT unnest($1::text[]) COLLATE "C" UNION SELECT runs.id FROM runs JOIN tree ON runs.parent = tree.id
     ) SELECT id FROM tree`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function areRunning(
  client: Client,
  ids: readonly string[],
  living: readonly string[],
): Promise<boolean> {
  // A claimed run that has not started yet has no row.
  const { rows } = await client.query(
    `SELECT 1 FROM unnest($1::text[]) AS wanted (run) LEFT JOIN runs ON runs.id = wanted.run
     WHERE ended IS NULL AND (wanted.run = ANY ($2::text[]) OR top = ANY ($2::text[])) LIMIT 1`,
    [ids, living],
  );
  return rows.length > 0;
}

/** A nested run lives with the run at its head. */
const toRunning = (living: string) =>
  `(ended IS NULL AND (id = ANY (${living}::text[]) OR top = ANY (${living}::text[])))`;

/** Top-level runs that started before this time and are not running, oldest first. */
export async function findOld(
  client: Client,
  { startedBefore, limit, living }: { startedBefore: number; limit: number; living: readonly string[] },
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM runs WHERE parent IS NULL AND started < $1
       AND id NOT IN (SELECT top FROM runs WHERE ${toRunning("$2")}) ORDER BY started LIMIT $3`,
    [startedBefore, living, limit],
  );
  return rows.map(({ id }) => id);
}

/** Takes the beginnings of questions and answers away. */
export async function stripRuns(client: Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `UPDATE runs SET question = '', answer = CASE WHEN answer IS NULL THEN NULL ELSE '' END, folded = '', stripped = true
     WHERE id = ANY ($1::text[])`,
    [ids],
  );
}

export function toListQuery(
  filter: RunFilter,
  living: readonly string[],
): { sql: string; values: unknown[] } {
  const { limit = 50, startedBefore, startedFrom, beforeId = "", state, idPrefix, text, nested } = filter;
  const { keyId, model, stopReason, session, idempotencyKey, shadows } = filter;
  const values: unknown[] = [living];
  const running = toRunning("$1");
  const conditions = ["TRUE"];
  /** Each `?` is the next value. */
  const want = (condition: string, ...wanted: unknown[]) => {
    conditions.push(condition.replace(/\?/g, () => `$${values.push(wanted.shift())}`));
  };
  if (!nested) want("parent IS NULL");
  if (startedBefore !== undefined) want("(started, id) < (?, ?)", startedBefore, beforeId);
  if (startedFrom !== undefined) want("started >= ?", startedFrom);
  if (state === "ended") want("ended IS NOT NULL");
  if (state === "running") want(running);
  if (state === "interrupted") want(`ended IS NULL AND NOT ${running}`);
  if (idPrefix) want("starts_with(id, ?)", idPrefix);
  if (text) want("strpos(folded, ?) > 0", text.toLowerCase());
  if (model !== undefined) want("model = ?", model);
  if (stopReason !== undefined) want("stop_reason = ?", stopReason);
  if (session !== undefined) want("session = ?", session);
  if (idempotencyKey !== undefined)
    want("idempotency_key = ? AND key_id IS NOT DISTINCT FROM ?", idempotencyKey, keyId ?? null);
  else if (keyId !== undefined) want("key_id = ?", keyId);
  else if (!shadows) want("key_id IS DISTINCT FROM ?", SHADOW_KEY_ID);
  values.push(Math.min(limit, Number.MAX_SAFE_INTEGER));
  const sql = `SELECT *, ${running} AS running FROM runs WHERE ${conditions.join(" AND ")}
    ORDER BY started DESC, id DESC LIMIT $${values.length}`;
  return { sql, values };
}

export function toSummary(row: RunRow): RunSummary {
  const { model, dialect, key_id, user_name, metadata, session } = row;
  return {
    id: row.id,
    parentId: row.parent ?? undefined,
    startedAt: row.started,
    endedAt: row.ended ?? undefined,
    question: row.question,
    answer: row.answer ?? undefined,
    conductor: row.conductor,
    isSimulated: row.simulated,
    state: row.ended !== null ? "ended" : row.running ? "running" : "interrupted",
    stopReason: row.stop_reason ?? undefined,
    ...fromSumColumns(row),
    origin:
      model === null
        ? undefined
        : {
            model,
            dialect: dialect!,
            keyId: key_id ?? undefined,
            user: user_name ?? undefined,
            metadata: metadata ?? undefined,
            session: session ?? undefined,
          },
    isStripped: row.stripped,
  };
}
