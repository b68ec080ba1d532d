// The journal in Postgres: for several gateways, on several machines, that form one service. Events are the truth; the table
// of runs is derived from them in the same transaction.
//
// Guarantees: an append that was done is on the server's disk, and happens once however often it had to be tried; of two
// processes that want a run one gets it, and what the loser of a lease still writes is refused; a key's budget holds between
// processes. Not covered: what the server itself loses (a replica that was behind when it took over).

import { randomUUID } from "node:crypto";
import { TuttiError } from "../../base/errors.ts";
import { FEEDBACK_START, groupByRun, toKeptFeedback, toStrippedRows } from "../event-rows.ts";
import { type ListedEvents, takeLists, toListedJson } from "../listed-rows.ts";
import { CLAIM_MS, type Claim, isAlive, runActiveError } from "../owner.ts";
import { type SummaryChange, toSummaryChange } from "../summary.ts";
import type { Owner, RunEvent, Store } from "../types.ts";
import { withoutContent } from "../without-content.ts";
import { type Client, type ConnectionOptions, openConnection } from "./connection.ts";
import { prepareTables } from "./format.ts";
import { type KeptMessage, keepLists, releaseLists, toListKeys } from "./message-lists.ts";
import { createReservationId, loadAccount, renew, reserve } from "./reservations.ts";
import { areRunning, findOld, stripRuns, toListQuery, toSummary, updateRun, withNested } from "./runs.ts";
import { keepOnBill, type SumRow, toSpendingRows, toSumQuery } from "./spending.ts";
import { readRows } from "./tail.ts";

export interface PostgresStoreOptions extends Partial<ConnectionOptions> {
  /** By default the server's clock: those of the gateways may differ by minutes. */
  now?: () => number;
}

const PRUNE_RUNS = 200;
/** An append is not tried again after this long. */
const APPEND_KEPT_MS = 3_600_000;
/** Its process may live, and have been unable to say so: a claim that is gone is a run that was lost. */
const CLAIM_KEPT_MS = 3_600_000;
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const CLAIM = 'run, owner AS id, pid, host, heartbeat AS "heartbeatAt"';

const IS_FEEDBACK = `left(json, ${FEEDBACK_START.length}) = '${FEEDBACK_START}'`;

type ClaimRow = Claim & { run: string };

/** An append that waits for its transaction. Its id makes it happen once, however often it is tried. */
interface Waiting {
  id: string;
  rows: (ListedEvents & { runId: string; change: SummaryChange })[];
  resolve(): void;
  reject(error: unknown): void;
}

export async function openPostgresStore(address: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const { schema = "tutti", maxConnections = 10, patienceMs = 30_000, now } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TuttiError(
      "journal-failed",
      `A schema of Postgres is named in small letters, not ${JSON.stringify(schema)}.`,
    );
  const connection = await openConnection(address, { schema, maxConnections, patienceMs });
  const { transact, query } = connection;
  try {
    await prepareTables(connection, schema);
  } catch (error) {
    await connection.close();
    throw error;
  }
  let feedbackIndex: Promise<unknown> | undefined;
  /** Runs that this process has claimed, by the owner that it claimed them for. */
  const claimed = new Map<string, string>();

  async function readTime(client: Pick<Client, "query">): Promise<number> {
    if (now) return now();
    return (await client.query<{ now: number }>(`SELECT ${NOW} AS now`)).rows[0]!.now;
  }

  /** Runs that are not over and whose owner lives. */
  async function livingRuns(client: Pick<Client, "query">): Promise<string[]> {
    const at = await readTime(client);
    const { rows } = await client.query<ClaimRow>(
      `SELECT ${CLAIM} FROM claims LEFT JOIN runs ON runs.id = run WHERE heartbeat > $1 AND ended IS NULL`,
      [at - CLAIM_MS],
    );
    return rows.filter((claim) => isAlive(claim, at)).map(({ run }) => run);
  }

  /** Reads see one moment, and are tried again as a whole. */
  const read = transact;

  async function loadEvents(client: Pick<Client, "query">, id: string): Promise<RunEvent[]> {
    const { rows } = await client.query<{ json: string }>(
      "SELECT json FROM events WHERE run = $1 ORDER BY seq",
      [id],
    );
    const read = await readRows(
      async (sql, values) => (await client.query<KeptMessage>(sql, values)).rows,
      rows.map(({ json }, i) => ({ json, where: `Row ${i} of run ${id} in ${connection.name}` })),
    );
    return read.flat();
  }

  // Whoever appends while a transaction is under way waits for the next one, together: a transaction costs more than a row.
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await writeBatch(batch);
        for (const each of batch) each.resolve();
      } catch (error) {
        if (batch.length === 1) {
          batch[0]!.reject(error);
          continue;
        }
        // One of them may be to blame: each alone.
        for (const each of batch) await writeBatch([each]).then(each.resolve, each.reject);
      }
    }
    writing = undefined;
  }

  async function writeBatch(batch: readonly Waiting[]): Promise<void> {
    await transact(async (client) => {
      const inserted = await client.query<{ id: string }>(
        "INSERT INTO appends SELECT unnest($1::uuid[]), $2 ON CONFLICT DO NOTHING RETURNING id",
        [batch.map(({ id }) => id), await readTime(client)],
      );
      // Those that are there were committed, and the answer was lost.
      const fresh = new Set(inserted.rows.map(({ id }) => id));
      const rows = batch.flatMap(({ id, rows }) => (fresh.has(id) ? rows : []));
      await refuseLost(
        client,
        rows.map(({ runId }) => runId),
      );
      await keepLists(client, rows);
      await client.query(
        `INSERT INTO events (run, json)
         SELECT run, json FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS added (run, json, place) ORDER BY place`,
        [rows.map(({ runId }) => runId), rows.map((row) => toListedJson(row, toListKeys(row.lists)))],
      );
      for (const { runId, change } of rows) await updateRun(client, runId, change);
    });
  }

  /** A process that was stopped for a while may have lost its lease without knowing. */
  async function refuseLost(client: Client, runs: readonly string[]): Promise<void> {
    const ours = [...new Set(runs)].filter((run) => claimed.has(run));
    if (ours.length === 0) return;
    const { rows } = await client.query<ClaimRow>(
      `SELECT ${CLAIM} FROM claims WHERE run = ANY ($1::text[]) FOR SHARE`,
      [ours],
    );
    const owners = new Map(rows.map(({ run, id }) => [run, id]));
    // No row: the other one was done with it, and has given it back.
    const lost = ours.find((run) => owners.get(run) !== claimed.get(run));
    if (lost !== undefined)
      throw new TuttiError("run-busy", `Run ${lost} was taken over by another process.`);
  }

  async function remove(client: Client, ids: string[]): Promise<boolean> {
    await keepOnBill(client, ids);
    await releaseLists(client, ids);
    let removed = 0;
    for (const rows of ["events WHERE run", "runs WHERE id"])
      removed += (await client.query(`DELETE FROM ${rows} = ANY ($1::text[])`, [ids])).rowCount ?? 0;
    await client.query("DELETE FROM claims WHERE run = ANY ($1::text[])", [ids]);
    return removed > 0;
  }

  /** Changes a run and its nested ones, unless any of them is performed. */
  async function changeAtRest(
    id: string,
    change: (client: Client, ids: string[]) => Promise<boolean>,
  ): Promise<boolean> {
    return transact(async (client) => {
      const ids = await withNested(client, [id]);
      if (await areRunning(client, ids, await livingRuns(client))) throw runActiveError(id);
      return change(client, ids);
    });
  }

  async function stripEvents(client: Client, id: string): Promise<boolean> {
    const events = await loadEvents(client, id);
    if (events.length === 0) return false;
    await client.query("DELETE FROM events WHERE run = $1", [id]);
    await releaseLists(client, [id]);
    const kept = events.flatMap((event) => withoutContent(event) ?? []);
    for (const row of toStrippedRows(kept))
      await client.query("INSERT INTO events (run, json) VALUES ($1, $2)", [id, row]);
    return true;
  }

  return {
    append(added) {
      // Made into text now, so that an event that cannot be text fails alone.
      const rows = groupByRun(added).map(({ runId, events }) => ({
        runId,
        ...takeLists(events),
        change: toSummaryChange(events),
      }));
      if (rows.length === 0) return;
      return new Promise<void>((resolve, reject) => {
        waiting.push({ id: randomUUID(), rows, resolve, reject });
        writing ??= Promise.resolve().then(writeAll);
      });
    },
    async listFeedback({ limit, after = 0 }) {
      // Made when it is first wanted. Of two that make it at once one fails, and both can go on.
      feedbackIndex ??= query(
        `CREATE INDEX IF NOT EXISTS events_feedback ON events (seq) WHERE ${IS_FEEDBACK}`,
      ).catch(() => {});
      await feedbackIndex;
      return toKeptFeedback(
        await query<{ place: number; json: string }>(
          `SELECT seq AS place, json FROM events WHERE ${IS_FEEDBACK} AND seq > $1 ORDER BY seq DESC LIMIT $2`,
          [after, limit],
        ),
      );
    },
    loadRun: (id) => read((client) => loadEvents(client, id)),
    listRuns: (filter = {}) =>
      read(async (client) => {
        const { sql, values } = toListQuery(filter, await livingRuns(client));
        return (await client.query(sql, values)).rows.map(toSummary);
      }),
    deleteRun: (id) => changeAtRest(id, remove),
    // Edge: the server overwrites what was said when it next cleans the table (VACUUM), and keeps it in its own log and
    // backups for as long as it is set to.
    stripRun: (id) =>
      changeAtRest(id, async (client, ids) => {
        await stripRuns(client, ids);
        let any = false;
        for (const each of ids) any = (await stripEvents(client, each)) || any;
        return any;
      }),
    async sumSpending(filter = {}) {
      const { sql, values } = toSumQuery(filter);
      return toSpendingRows(await query<SumRow>(sql, values), filter.groupBy ?? []);
    },
    loadAccount: (keyId, from) => read((client) => loadAccount(client, keyId, from)),
    reserve(request) {
      const id = createReservationId();
      return transact(async (client) => reserve(client, { id, request, now: await readTime(client) }));
    },
    async unreserve(id) {
      await query("DELETE FROM reservations WHERE id::text = $1", [id]);
    },
    renewReservations: (owner) => transact(async (client) => renew(client, owner, await readTime(client))),
    async checkWritable() {
      const id = randomUUID();
      await transact(async (client) => {
        await client.query("INSERT INTO appends VALUES ($1, 0)", [id]);
        await client.query("DELETE FROM appends WHERE id = $1", [id]);
      });
    },
    async prune(startedBefore) {
      let total = 0;
      let count: number;
      do {
        count = await transact(async (client) => {
          const living = await livingRuns(client);
          const ids = await findOld(client, { startedBefore, limit: PRUNE_RUNS, living });
          await remove(client, await withNested(client, ids));
          return ids.length;
        });
        total += count;
      } while (count === PRUNE_RUNS);
      await transact(async (client) => {
        const at = await readTime(client);
        await client.query("DELETE FROM claims WHERE heartbeat <= $1", [at - CLAIM_KEPT_MS]);
        await client.query("DELETE FROM appends WHERE at <= $1", [at - APPEND_KEPT_MS]);
      });
      return total;
    },
    async claim(runId, owner) {
      const got = await transact((client) => claim(client, runId, owner));
      if (got) claimed.set(runId, owner.id);
      return got;
    },
    async release(runId, owner) {
      claimed.delete(runId);
      await query("DELETE FROM claims WHERE run = $1 AND owner = $2", [runId, owner.id]);
    },
    async close() {
      while (writing) await writing;
      await connection.close();
    },
  };

  /** The lock of the run makes looking and taking one: of two processes one wins. */
  async function claim(client: Client, runId: string, owner: Owner): Promise<boolean> {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [runId]);
    const at = await readTime(client);
    const { rows } = await client.query<ClaimRow>(`SELECT ${CLAIM} FROM claims WHERE run = $1`, [runId]);
    const [holder] = rows;
    if (holder && holder.id !== owner.id && isAlive(holder, at)) return false;
    // Said again by whoever has lost it meanwhile.
    if (claimed.get(runId) === owner.id && holder?.id !== owner.id) return false;
    await client.query(
      `INSERT INTO claims VALUES ($1, $2, $3, $4, $5) ON CONFLICT (run) DO UPDATE
       SET owner = excluded.owner, pid = excluded.pid, host = excluded.host, heartbeat = excluded.heartbeat`,
      [runId, owner.id, owner.pid, owner.host, at],
    );
    return true;
  }
}
