// The journal file: where it comes to life, its tables, and its failures in words. libsql is loaded here
// and only when a journal is opened, so that commands without one start fast.

import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type Libsql from "libsql";
import { isTuttiError, TuttiError } from "../errors.ts";

export type Database = Libsql.Database;

/** Raised when the tables change; older journals are then brought up to it in `prepareTables`. */
const VERSION = 1;

/** A lock is waited for this long inside SQLite, where it blocks the event loop; beyond that, outside. */
const BLOCKING_WAIT_MS = 100;

// `top` is the run at the head of a nested one, itself for others. `folded` is for searching: see
// `toFolded`. Claims are apart: a run is claimed before it starts, and a heartbeat need not rewrite its
// row. `seq` orders the events of all runs.
const TABLES = `
  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    parent TEXT,
    top TEXT NOT NULL,
    started INTEGER NOT NULL,
    ended INTEGER,
    question TEXT NOT NULL,
    answer TEXT,
    folded TEXT,
    conductor TEXT NOT NULL,
    simulated INTEGER NOT NULL,
    stop_reason TEXT,
    cost_usd REAL NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX runs_by_start ON runs (started, id);
  CREATE INDEX runs_top_level ON runs (started, id) WHERE parent IS NULL;
  CREATE INDEX runs_open ON runs (started, id) WHERE ended IS NULL;
  CREATE INDEX runs_nested ON runs (parent) WHERE parent IS NOT NULL;
  CREATE TABLE claims (
    run TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    heartbeat INTEGER NOT NULL
  );
  CREATE TABLE events (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, json TEXT NOT NULL);
  CREATE INDEX events_of_run ON events (run);
`;

/** Opens the file, or makes it for its owner's eyes only. */
export async function openJournalFile(
  path: string,
  options: { busyTimeoutMs: number; maxBytes?: number },
): Promise<Database> {
  const Database = await loadLibsql();
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, "a", 0o600));
    const database = new Database(path);
    const deadline = Date.now() + options.busyTimeoutMs;
    while (!isReady(database, path, deadline))
      await new Promise((done) => setTimeout(done, BLOCKING_WAIT_MS));
    if (options.maxBytes !== undefined) {
      const { page_size } = database.prepare("PRAGMA page_size").get() as { page_size: number };
      database.pragma(`max_page_count = ${Math.max(1, Math.floor(options.maxBytes / page_size))}`);
    }
    return database;
  } catch (error) {
    throw toJournalError(path, error);
  }
}

/** One transaction, rolled back as a whole when anything in it fails. */
export function transact<T>(database: Database, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // A full disk has already rolled it back.
    if (database.inTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith("SQLITE_BUSY");
}

/** A failure of the journal in words: which file, what happened, what to do. */
export function toJournalError(path: string, error: unknown): TuttiError {
  if (isTuttiError(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new TuttiError("journal-failed", `The journal ${path} failed: ${reason}. ${toAdvice(error)}`, {
    cause: error,
  });
}

function toAdvice(error: unknown): string {
  const elsewhere = "set TUTTI_HOME to another folder";
  if (isBusy(error)) return `Another process keeps it locked: end that process, or ${elsewhere}.`;
  switch (sqliteCode(error)) {
    case "SQLITE_FULL":
    case "ENOSPC":
      return `Free space on the disk, or ${elsewhere}.`;
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
      return `Move this file away (a new one is made), or ${elsewhere}.`;
    default:
      return `Check that the file and its folder can be written, or ${elsewhere}.`;
  }
}

function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "";
}

async function loadLibsql(): Promise<typeof Libsql> {
  try {
    return (await import("libsql")).default;
  } catch (error) {
    throw new TuttiError(
      "journal-failed",
      `libsql, which keeps the journal, cannot be loaded on ${process.platform}-${process.arch}. ` +
        'Install again with optional packages, or keep runs in memory (store "memory").',
      { cause: error },
    );
  }
}

/** False while another process holds the lock that is needed. */
function isReady(database: Database, path: string, deadline: number): boolean {
  try {
    database.pragma(`busy_timeout = ${BLOCKING_WAIT_MS}`);
    database.pragma("auto_vacuum = INCREMENTAL"); // for new files: pruning gives space back to the disk
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = NORMAL");
    database.pragma("secure_delete = ON"); // a deleted run is overwritten, not only unlinked
    transact(database, () => prepareTables(database, path));
    return true;
  } catch (error) {
    if (isBusy(error) && Date.now() < deadline) return false;
    throw error;
  }
}

function prepareTables(database: Database, path: string): void {
  const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === VERSION) return;
  if (version > VERSION) {
    throw new TuttiError(
      "journal-version",
      `The journal ${path} was written by a newer Tutti (format ${version}, this one knows ${VERSION}). ` +
        "Update Tutti, or set TUTTI_HOME to another folder.",
    );
  }
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as {
    tables: number;
  };
  if (tables > 0) {
    throw new TuttiError("journal-version", `${path} is a database of another program. Name another file.`);
  }
  database.exec(TABLES);
  database.exec(`PRAGMA user_version = ${VERSION}`);
}
