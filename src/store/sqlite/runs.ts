// The table of runs in the journal file: one row a run, derived from its events, for lists, filters and
// paging over many runs. Which of them are running depends on who lives; the caller says so with `living`,
// the ids of runs that are not over and whose owner lives.

import { SHADOW_KEY_ID } from "../shadow.ts";
import type { SummaryChange } from "../summary.ts";
import { fromSumColumns, IN_TOTAL, SUMS, type SumColumns, toSumValues } from "../sums.ts";
import type { RunFilter, RunSummary, StopReason } from "../types.ts";
import type { Database } from "./file.ts";

export interface RunTable {
  update(id: string, change: SummaryChange): void;
  list(filter: RunFilter, living: string[]): RunSummary[];
  /** These runs with all that are nested in them, known or not. */
  withNested(ids: string[]): string[];
  areRunning(ids: string[], living: string[]): boolean;
  /** Top-level runs that started before this time and are not running, oldest first. */
  findOld(startedBefore: number, limit: number, living: string[]): string[];
  /** Takes the beginnings of questions and answers away. */
  strip(ids: string[]): void;
}

interface RunRow extends SumColumns {
  id: string;
  parent: string | null;
  started: number;
  ended: number | null;
  question: string;
  answer: string | null;
  conductor: string;
  simulated: number;
  stop_reason: StopReason | null;
  stripped: number;
  model: string | null;
  dialect: string | null;
  key_id: string | null;
  user: string | null;
  metadata: string | null;
  session: string | null;
  running: number;
}

/** Lists of ids travel as one JSON parameter: `IN ${listed("ids")}`. */
export function listed(parameter: string): string {
  return `(SELECT value FROM json_each(:${parameter}))`;
}

// A nested run lives with the run at its head.
const RUNNING = `(ended IS NULL AND (id IN ${listed("living")} OR top IN ${listed("living")}))`;

export function createRunTable(database: Database): RunTable {
  // A run that arrives whole is this one statement: most runs of the gateway's relay do, by the thousand.
  const insert = database.prepare(
    `INSERT INTO runs (id, parent, top, started, question, folded, conductor, simulated, stripped,
       model, dialect, key_id, user, metadata, idempotency_key, session,
       ended, answer, stop_reason, ${SUMS.join(", ")})
     VALUES (?1, ?2, coalesce((SELECT top FROM runs WHERE id = ?2), ?2, ?1), ?3, ?4, ?5, ?6, ?7, ?8,
       ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ${SUMS.map((_, i) => `?${19 + i}`).join(", ")})
     ON CONFLICT (id) DO NOTHING`,
  );
  const spend = database.prepare(
    `UPDATE runs SET ${SUMS.map((column) => `${column} = ${column} + ?`).join(", ")} WHERE id = ?`,
  );
  const end = database.prepare(
    `UPDATE runs SET ended = ?2, answer = ?3, stop_reason = ?4,
       folded = iif(?5 IS NULL, folded, coalesce(folded, '') || char(10) || ?5),
       ${SUMS.map((column, i) => `${column} = ${IN_TOTAL.includes(column) ? `iif(?6, 0, ${column})` : column} + ?${7 + i}`).join(", ")}
     WHERE id = ?1`,
  );
  const nested = database.prepare(
    `WITH RECURSIVE tree (id) AS (
       SELECT value FROM json_each(:ids) UNION SELECT runs.id FROM runs JOIN tree ON runs.parent = tree.id
     ) SELECT id FROM tree`,
  );
  // A claimed run that has not started yet has no row.
  const anyRunning = database.prepare(
    `SELECT count(*) AS count FROM json_each(:ids) AS wanted LEFT JOIN runs ON runs.id = wanted.value
     WHERE ended IS NULL AND (wanted.value IN ${listed("living")} OR top IN ${listed("living")})`,
  );
  const old = database.prepare(
    `SELECT id FROM runs WHERE parent IS NULL AND started < :startedBefore
       AND id NOT IN (SELECT top FROM runs WHERE ${RUNNING}) ORDER BY started LIMIT :limit`,
  );
  const strip = database.prepare(
    `UPDATE runs SET question = '', answer = iif(answer IS NULL, NULL, ''), folded = NULL, stripped = 1
     WHERE id IN ${listed("ids")}`,
  );

  /** False when it is there already. */
  function start(id: string, change: SummaryChange): boolean {
    const { start, end } = change;
    const { parentId = null, startedAt, question, conductor, isSimulated, isStripped, origin } = start!;
    const { endedAt = null, answer = null, stopReason = null } = end ?? {};
    const folded = [question, answer ?? ""].flatMap((text) => toFolded(text) ?? []).join("\n") || null;
    const { changes } = insert.run([
      id,
      parentId,
      startedAt,
      question,
      folded,
      conductor,
      Number(isSimulated),
      Number(isStripped),
      origin?.model ?? null,
      origin?.dialect ?? null,
      origin?.keyId ?? null,
      origin?.user ?? null,
      origin?.metadata ? JSON.stringify(origin.metadata) : null,
      start!.idempotencyKey ?? null,
      origin?.session ?? null,
      endedAt,
      answer,
      stopReason,
      ...toSumValues(change),
    ]);
    return changes > 0;
  }

  return {
    update(id, change) {
      if (change.start && start(id, change)) return;
      const sums = toSumValues(change);
      if (change.end === undefined) {
        if (sums.some((sum) => sum !== 0)) spend.run(...sums, id);
        return;
      }
      const { endedAt: ended = null, answer = null, stopReason = null } = change.end ?? {};
      const folded = toFolded(answer ?? "");
      end.run([id, ended, answer, stopReason, folded, Number(change.isTotal), ...sums]);
    },
    list(filter, living) {
      const { sql, parameters } = toListQuery(filter);
      const rows = database.prepare(sql).all({ ...parameters, living: JSON.stringify(living) });
      return (rows as RunRow[]).map(toSummary);
    },
    withNested(ids) {
      return (nested.all({ ids: JSON.stringify(ids) }) as { id: string }[]).map((run) => run.id);
    },
    areRunning(ids, living) {
      const parameters = { ids: JSON.stringify(ids), living: JSON.stringify(living) };
      return (anyRunning.get(parameters) as { count: number }).count > 0;
    },
    findOld(startedBefore, limit, living) {
      const rows = old.all({ startedBefore, limit, living: JSON.stringify(living) });
      return (rows as { id: string }[]).map((run) => run.id);
    },
    strip(ids) {
      strip.run({ ids: JSON.stringify(ids) });
    },
  };
}

type Parameters = Record<string, string | number | null>;

function toListQuery(filter: RunFilter): { sql: string; parameters: Parameters } {
  const { limit = 50, startedBefore, startedFrom, beforeId = "", state, idPrefix, text, nested } = filter;
  const { keyId, model, stopReason, session, idempotencyKey, shadows } = filter;
  const parameters: Parameters = { limit: Math.min(limit, Number.MAX_SAFE_INTEGER) };
  const conditions = ["TRUE"];
  const want = (condition: string, values: Parameters = {}) => {
    conditions.push(condition);
    Object.assign(parameters, values);
  };
  if (!nested) want("parent IS NULL");
  if (startedBefore !== undefined)
    want("(started, id) < (:startedBefore, :beforeId)", { startedBefore, beforeId });
  if (startedFrom !== undefined) want("started >= :startedFrom", { startedFrom });
  if (state === "ended") want("ended IS NOT NULL");
  if (state === "running") want(RUNNING);
  if (state === "interrupted") want(`ended IS NULL AND NOT ${RUNNING}`);
  if (idPrefix) want("substr(id, 1, length(:idPrefix)) = :idPrefix", { idPrefix });
  if (text) {
    const lower = text.toLowerCase();
    const like = `%${lower.replace(/[\\%_]/g, "\\$&")}%`;
    want("(question LIKE :like ESCAPE '\\' OR answer LIKE :like ESCAPE '\\' OR instr(folded, :lower) > 0)", {
      like,
      lower,
    });
  }
  if (model !== undefined) want("model = :model", { model });
  if (stopReason !== undefined) want("stop_reason = :stopReason", { stopReason });
  if (session !== undefined) want("session = :session", { session });
  if (idempotencyKey !== undefined) {
    // The plus keeps SQLite from going through all runs of the key: fewer have the same idempotency key.
    want("idempotency_key = :idempotencyKey AND +key_id IS :keyId", { idempotencyKey, keyId: keyId ?? null });
  } else if (keyId !== undefined) want("key_id = :keyId", { keyId });
  else if (!shadows) want("+key_id IS NOT :shadow", { shadow: SHADOW_KEY_ID });
  const sql = `SELECT *, ${RUNNING} AS running FROM runs WHERE ${conditions.join(" AND ")}
    ORDER BY started DESC, id DESC LIMIT :limit`;
  return { sql, parameters };
}

/** The text in lower case where SQLite's LIKE, which folds ASCII only, would miss a letter of it. */
function toFolded(text: string): string | null {
  const lower = text.toLowerCase();
  return lower === text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ? null : lower;
}

function toSummary(row: RunRow): RunSummary {
  const origin = toOrigin(row);
  return {
    id: row.id,
    parentId: row.parent ?? undefined,
    startedAt: row.started,
    endedAt: row.ended ?? undefined,
    question: row.question,
    answer: row.answer ?? undefined,
    conductor: row.conductor,
    isSimulated: row.simulated === 1,
    state: row.ended !== null ? "ended" : row.running ? "running" : "interrupted",
    stopReason: row.stop_reason ?? undefined,
    ...fromSumColumns(row),
    origin,
    isStripped: row.stripped === 1,
  };
}

function toOrigin({ model, dialect, key_id, user, metadata, session }: RunRow): RunSummary["origin"] {
  if (model === null) return undefined;
  return {
    model,
    dialect: dialect!,
    keyId: key_id ?? undefined,
    user: user ?? undefined,
    session: session ?? undefined,
    metadata: metadata === null ? undefined : (JSON.parse(metadata) as Record<string, string>),
  };
}
