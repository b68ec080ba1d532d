// The table of runs in Postgres: one row a run, derived from its events in the same transaction. Which of them are running
// depends on who lives; the caller says so with `living`, the ids of runs that are not over and whose owner lives.

import { SHADOW_KEY_ID } from "../shadow.ts";
import type { SummaryChange } from "../summary.ts";
import { fromSumColumns, IN_TOTAL, SUMS, type SumColumns, toSumValues } from "../sums.ts";
import type { RunFilter, RunSummary, StopReason } from "../types.ts";
import type { Client } from "./connection.ts";

interface RunRow extends SumColumns {
  id: string;
  parent: string | null;
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

export async function updateRun(client: Client, id: string, change: SummaryChange): Promise<void> {
  if (change.start && (await insertRun(client, id, change))) return;
  const sums = toSumValues(change);
  if (change.end === undefined) {
    if (sums.every((sum) => sum === 0)) return;
    await client.query(
      `UPDATE runs SET ${SUMS.map((column, i) => `${column} = ${column} + $${2 + i}`).join(", ")} WHERE id = $1`,
      [id, ...sums],
    );
    return;
  }
  const { endedAt = null, answer = null, stopReason = null } = change.end ?? {};
  await client.query(
    `UPDATE runs SET ended = $2, answer = $3::text, stop_reason = $4,
       folded = CASE WHEN $3::text IS NULL THEN folded ELSE folded || E'\\n' || $5 END,
       ${SUMS.map((column, i) => `${column} = ${IN_TOTAL.includes(column) ? `CASE WHEN $6 THEN 0 ELSE ${column} END` : column} + $${7 + i}`).join(", ")}
     WHERE id = $1`,
    [id, endedAt, answer, stopReason, (answer ?? "").toLowerCase(), change.isTotal, ...sums],
  );
}

/** False when it is there already. */
async function insertRun(client: Client, id: string, change: SummaryChange): Promise<boolean> {
  const {
    parentId = null,
    startedAt,
    question,
    conductor,
    isSimulated,
    isStripped,
    origin,
    idempotencyKey,
  } = change.start!;
  const { endedAt = null, answer = null, stopReason = null } = change.end ?? {};
  const { rowCount } = await client.query(
    `INSERT INTO runs (id, parent, top, started, question, folded, conductor, simulated, stripped,
       model, dialect, key_id, user_name, metadata, idempotency_key, session,
       ended, answer, stop_reason, ${SUMS.join(", ")})
     VALUES ($1, $2, coalesce((SELECT top FROM runs WHERE id = $2), $2, $1), $3, $4, $5, $6, $7, $8,
       $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, ${SUMS.map((_, i) => `$${19 + i}`).join(", ")})
     ON CONFLICT (id) DO NOTHING`,
    [
      ...[id, parentId, startedAt, question, `${question}\n${answer ?? ""}`.toLowerCase()],
      ...[conductor, isSimulated, isStripped],
      ...[origin?.model, origin?.dialect, origin?.keyId, origin?.user],
      origin?.metadata && toMetadata(origin.metadata),
      ...[idempotencyKey, origin?.session, endedAt, answer, stopReason],
      ...toSumValues(change),
    ],
  );
  return rowCount === 1;
}

/** Halves of surrogate pairs, which jsonb refuses, become what they are in any other column. */
function toMetadata(metadata: Record<string, string>): string {
  const toWellFormed = (text: string) => Buffer.from(text).toString();
  const pairs = Object.entries(metadata).map(([name, value]) => [toWellFormed(name), toWellFormed(value)]);
  return JSON.stringify(Object.fromEntries(pairs));
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
