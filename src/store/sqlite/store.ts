// The journal in one SQLite file, the default: it survives the death of the process, and several
// processes may use it at once. Events are the truth; the table of runs is derived from them in the same
// transaction, so that lists of many runs are fast and never disagree with the events.

import { resolve } from "node:path";
import { TuttiError } from "../../base/errors.ts";
import { CLAIM_MS, type Claim, isAlive, runActiveError } from "../owner.ts";
import type { Store } from "../types.ts";
import { createEventTable, toListedRows } from "./events.ts";
import { isBusy, openJournalFile, toFileIdentity, toJournalError, transact } from "./file.ts";
import { createGroupCommit } from "./group-commit.ts";
import { createReservationTable } from "./reservations.ts";
import { createRunTable, listed } from "./runs.ts";
import { createBill } from "./spending.ts";

export interface SqliteStoreOptions {
  /** The file never grows beyond this: appending then fails as on a full disk. */
  maxBytes?: number;
  /** How long a lock of another process is waited for. */
  busyTimeoutMs?: number;
  now?: () => number;
}

/** How much one transaction of `prune` does: others may write in between. */
const PRUNE_RUNS = 200;
const PRUNE_PAGES = 2_000;
/** How often it is looked whether the file is still the one that was opened. */
const LOOK_AGAIN_MS = 1_000;

export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const file = resolve(path);
  const { busyTimeoutMs = 10_000, now = Date.now, maxBytes } = options;
  const database = await openJournalFile(file, { busyTimeoutMs, maxBytes });
  const { commit } = createGroupCommit({
    transact: (work) => transact(database, work),
    isBusy,
    busyTimeoutMs,
  });
  const runs = createRunTable(database);
  const events = createEventTable(database, file);
  const bill = createBill(database);
  const reservations = createReservationTable(database);
  const identity = toFileIdentity(file);
  let lookedAt = now();
  let closed = false;

  const CLAIM = "run, owner AS id, pid, host, heartbeat AS heartbeatAt";
  const selectClaim = database.prepare(`SELECT ${CLAIM} FROM claims WHERE run = ?`);
  const selectOpenClaims = database.prepare(
    `SELECT ${CLAIM} FROM claims LEFT JOIN runs ON runs.id = run WHERE heartbeat > ? AND ended IS NULL`,
  );
  const insertClaim = database.prepare("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)");
  const deleteClaim = database.prepare("DELETE FROM claims WHERE run = ? AND owner = ?");
  const deleteDeadClaims = database.prepare("DELETE FROM claims WHERE heartbeat <= ?");
  const fillPage = database.prepare("INSERT INTO events (run, json) VALUES ('', hex(zeroblob(4096)))");
  const emptyPage = database.prepare("DELETE FROM events WHERE run = ''");
  const removals = ["events WHERE run", "runs WHERE id", "claims WHERE run"].map((rows) =>
    database.prepare(`DELETE FROM ${rows} IN ${listed("ids")}`),
  );

  // Every use of the file goes through `write` or `read`: a failure names the file and says what to do.
  async function write<T>(job: () => T): Promise<T> {
    if (closed) throw closedError();
    try {
      checkFile(LOOK_AGAIN_MS);
      return await commit(job);
    } catch (error) {
      throw toJournalError(file, error);
    }
  }
  function read<T>(query: () => T): T {
    if (closed) throw closedError();
    try {
      return query();
    } catch (error) {
      throw toJournalError(file, error);
    }
  }
  /** SQLite goes on writing into a file that was deleted; what it writes is gone when the process ends. */
  function checkFile(everyMs: number): void {
    if (Math.abs(now() - lookedAt) < everyMs) return;
    if (toFileIdentity(file) !== identity) {
      const message = `The journal ${file} was deleted or replaced while it was open. Put it back, or start again.`;
      throw new TuttiError("journal-failed", message);
    }
    lookedAt = now();
  }
  function closedError(): TuttiError {
    return new TuttiError("journal-failed", `The journal ${file} is closed. Open it again to use it.`);
  }

  /** Runs that are not over and whose owner lives. */
  function livingRuns(): string[] {
    const fresh = selectOpenClaims.all(now() - CLAIM_MS) as (Claim & { run: string })[];
    return fresh.filter((claim) => isAlive(claim, now())).map((claim) => claim.run);
  }

  /** False when nothing of these runs was there. */
  function remove(ids: string[]): boolean {
    bill.keep(ids);
    events.release(ids);
    const [eventRows, runRows] = removals.map((removal) => removal.run({ ids: JSON.stringify(ids) }).changes);
    return eventRows! + runRows! > 0;
  }

  /** Changes a run and its nested ones, unless any of them is performed. */
  async function changeAtRest(id: string, change: (ids: string[]) => boolean): Promise<boolean> {
    const outcome = await write(() => {
      const ids = runs.withNested([id]);
      return runs.areRunning(ids, livingRuns()) ? "active" : change(ids);
    });
    if (outcome === "active") throw runActiveError(id);
    return outcome;
  }

  /** Gives pages that deleted runs have left back to the disk, some at a time. False when none is left. */
  function givePagesBack(): boolean {
    database.prepare(`PRAGMA incremental_vacuum(${PRUNE_PAGES})`).all();
    const { freelist_count } = database.prepare("PRAGMA freelist_count").get() as { freelist_count: number };
    return freelist_count > 0;
  }

  /** What was deleted is in the log until then. */
  function emptyLog(): void {
    try {
      database.pragma("wal_checkpoint(TRUNCATE)");
    } catch {
      // Somebody else is reading: whoever opens the file next, or fills the log, goes on from there.
    }
  }

  return {
    async append(added) {
      // Made into text now, so that an event that cannot be text fails alone and not with its whole group.
      const rows = toListedRows(added);
      if (rows.length === 0) return;
      await write(() => {
        for (const row of rows) {
          events.insert(row);
          runs.update(row.runId, row.change);
        }
      });
    },

    async loadRun(id) {
      return read(() => events.load(id));
    },

    isAtHand: events.isAtHand,

    async listFeedback(filter) {
      return read(() => events.listFeedback(filter));
    },

    async listRuns(filter = {}) {
      return read(() => runs.list(filter, livingRuns()));
    },

    deleteRun: (id) => changeAtRest(id, remove),

    // Edge: what was said is gone from the file at once, and from the log beside it when that is written over (after
    // 16 MB), or when runs are pruned or the journal is closed.
    stripRun: (id) =>
      changeAtRest(id, (ids) => {
        runs.strip(ids);
        return ids.map(events.strip).some(Boolean);
      }),

    async sumSpending(filter = {}) {
      return read(() => bill.sum(filter));
    },

    async loadAccount(keyId, from) {
      return read(() => reservations.account(keyId, from));
    },

    reserve: (request) => write(() => reservations.reserve(request, now())),
    unreserve: (id) => write(() => reservations.unreserve(id)),
    renewReservations: (owner) => write(() => reservations.renew(owner, now())),

    // A page is taken and given back: on a full disk the small change of a row could still succeed.
    async checkWritable() {
      read(() => checkFile(0));
      await write(() => {
        fillPage.run();
        emptyPage.run();
      });
    },

    async prune(startedBefore) {
      let total = 0;
      let count: number;
      do {
        count = await write(() => {
          const ids = runs.findOld(startedBefore, PRUNE_RUNS, livingRuns());
          remove(runs.withNested(ids));
          return ids.length;
        });
        total += count;
      } while (count === PRUNE_RUNS);
      await write(() => deleteDeadClaims.run(now() - CLAIM_MS));
      while (total > 0 && (await write(givePagesBack)));
      if (total > 0) read(emptyLog);
      return total;
    },

    // Looking and claiming share a transaction that holds the lock of the file: of two processes one wins.
    claim: (runId, owner) =>
      write(() => {
        const holder = selectClaim.get(runId) as Claim | undefined;
        if (holder && holder.id !== owner.id && isAlive(holder, now())) return false;
        insertClaim.run(runId, owner.id, owner.pid, owner.host, now());
        return true;
      }),

    async release(runId, owner) {
      await write(() => deleteClaim.run(runId, owner.id));
    },

    async close() {
      if (closed) return;
      closed = true;
      await commit(() => {}).catch(() => {}); // what was appended before is written first
      emptyLog(); // leaves one whole file
      database.close();
    },
  };
}
