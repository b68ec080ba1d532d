// The journal file: where it comes to life, and its failures in words. libsql is loaded here and only when a
// journal is opened, so that commands without one start fast.

import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type Libsql from "libsql";
import { isTuttiError, messageOf, TuttiError } from "../../base/errors.ts";
import { makePrivateFolder, PRIVATE_FILE } from "../../files/private.ts";
import { prepareTables } from "./format.ts";

export type Database = Libsql.Database;

/** A lock is waited for this long inside SQLite, where it blocks the event loop; beyond that, outside. */
const BLOCKING_WAIT_MS = 100;

/** When the write-ahead log goes into the file, which waits for the disk: at 16 MB, so some times a second at the most. */
const LOG_PAGES = 4_000;

/** Opens the file, or makes it for its owner's eyes only. */
export async function openJournalFile(
  path: string,
  options: { busyTimeoutMs: number; maxBytes?: number },
): Promise<Database> {
  const Database = await loadLibsql();
  try {
    makePrivateFolder(dirname(path));
    closeSync(openSync(path, "a", PRIVATE_FILE));
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

/** Which file stands at this path; undefined: none. */
export function toFileIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error).startsWith("SQLITE_BUSY");
}

/** A failure of the journal in words: which file, what happened, what to do. */
export function toJournalError(path: string, error: unknown): TuttiError {
  if (isTuttiError(error)) return error;
  const reason = messageOf(error);
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
    database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
    database.pragma("secure_delete = ON"); // a deleted run is overwritten, not only unlinked
    transact(database, () => prepareTables(database, path));
    return true;
  } catch (error) {
    if (isBusy(error) && Date.now() < deadline) return false;
    throw error;
  }
}
