// The table of runs in the journal file: one row a run, derived from its events, for lists, filters and
// paging over many runs. Which of them are running depends on who lives; the caller says so with `living`,
// the ids of runs that are not over and whose owner lives.

import type { Database } from "./sqlite-file.ts";
import { toSummaryChange } from "./summary.ts";
import type { RunEvent, RunFilter, RunSummary, StopReason } from "./types.ts";

export interface RunTable {
  update(event: RunEvent): void;
  list(filter: RunFilter, living: string[]): RunSummary[];
  /** These runs with all that are nested in them, known or not. */
  withNested(ids: string[]): string[];
  areRunning(ids: string[], living: string[]): boolean;
  /** Top-level runs that started before this time and are not running, oldest first. */
  findOld(startedBefore: number, limit: number, living: string[]): string[];
}

interface RunRow {
  id: string;
  parent: string | null;
  started: number;
  ended: number | null;
  question: string;
  answer: string | null;
  conductor: string;
  simulated: number;
  stop_reason: StopReason | null;
  cost_usd: number;
  calls: number;
  running: number;
}

/** Lists of ids travel as one JSON parameter: `IN ${listed("ids")}`. */
export function listed(parameter: string): string {
  return `(SELECT value FROM json_each(:${parameter}))`;
}

// A nested run lives with the run at its head.
const RUNNING = `(ended IS NULL AND (id IN ${listed("living")} OR top IN ${listed("living")}))`;

export function createRunTable(database: Database): RunTable {
  const start = database.prepare(
    `INSERT INTO runs (id, parent, top, started, question, folded, conductor, simulated)
     VALUES (:id, :parent, coalesce((SELECT top FROM runs WHERE id = :parent), :parent, :id),
       :started, :question, :folded, :conductor, :simulated)
     ON CONFLICT (id) DO NOTHING`,
  );
  const spend = database.prepare("UPDATE runs SET cost_usd = cost_usd + ?, calls = calls + ? WHERE id = ?");
  const end = database.prepare(
    `UPDATE runs SET ended = :ended, answer = :answer, stop_reason = :stopReason, cost_usd = :costUsd,
       calls = :calls, folded = iif(:folded IS NULL, folded, coalesce(folded, '') || char(10) || :folded)
     WHERE id = :id`,
  );
  const resume = database.prepare(
    "UPDATE runs SET ended = NULL, answer = NULL, stop_reason = NULL WHERE id = ?",
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

  return {
    update(event) {
      const change = toSummaryChange(event);
      const id = event.runId;
      if (change?.type === "start") {
        const { parentId: parent = null, startedAt: started, question, conductor } = change;
        const simulated = Number(change.isSimulated);
        start.run({ id, parent, started, question, folded: toFolded(question), conductor, simulated });
      } else if (change?.type === "spend") {
        if (change.costUsd !== 0 || change.calls !== 0) spend.run(change.costUsd, change.calls, id);
      } else if (change?.type === "resume") {
        resume.run(id);
      } else if (change?.type === "end") {
        const { endedAt: ended, answer, stopReason, costUsd, calls } = change;
        end.run({ id, ended, answer, stopReason, costUsd, calls, folded: toFolded(answer) });
      }
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
  };
}

function toListQuery(filter: RunFilter): { sql: string; parameters: Record<string, string | number> } {
  const { limit = 50, startedBefore, beforeId = "", state, idPrefix, text, nested } = filter;
  const parameters: Record<string, string | number> = { limit: Math.min(limit, Number.MAX_SAFE_INTEGER) };
  const conditions = ["TRUE"];
  if (!nested) conditions.push("parent IS NULL");
  if (startedBefore !== undefined) {
    conditions.push("(started, id) < (:startedBefore, :beforeId)");
    Object.assign(parameters, { startedBefore, beforeId });
  }
  if (state === "ended") conditions.push("ended IS NOT NULL");
  if (state === "running") conditions.push(RUNNING);
  if (state === "interrupted") conditions.push(`ended IS NULL AND NOT ${RUNNING}`);
  if (idPrefix) {
    conditions.push("substr(id, 1, length(:idPrefix)) = :idPrefix");
    parameters.idPrefix = idPrefix;
  }
  if (text) {
    conditions.push(
      "(question LIKE :like ESCAPE '\\' OR answer LIKE :like ESCAPE '\\' OR instr(folded, :text) > 0)",
    );
    parameters.text = text.toLowerCase();
    parameters.like = `%${parameters.text.replace(/[\\%_]/g, "\\$&")}%`;
  }
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
    costUsd: row.cost_usd,
    calls: row.calls,
  };
}
