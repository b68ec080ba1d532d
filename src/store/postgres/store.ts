// The journal in Postgres: for several gateways, on several machines, that form one service. Events are the truth; the table
// of runs is derived from them in the same transaction.
//
// Guarantees: an append that was done is on the server's disk, and happens once however often it had to be tried; of two
// processes that want a run one gets it, and what the loser of a lease still writes is refused; a key's budget holds between
// processes. Not covered: what the server itself loses (a replica that was behind when it took over).

import { randomUUID } from "node:crypto";
import { TuttiError } from "../../base/errors.ts";
import { FEEDBACK_START, toKeptFeedback, toStrippedRows } from "../event-rows.ts";
import { runActiveError } from "../owner.ts";
import type { RunEvent, Store } from "../types.ts";
import { withoutContent } from "../without-content.ts";
import { createAppends } from "./append.ts";
import { createClaims, NOW } from "./claims.ts";
import { type Client, type ConnectionOptions, openConnection } from "./connection.ts";
import { ensure } from "./ensure.ts";
import { prepareTables } from "./format.ts";
import { type KeptMessage, releaseLists } from "./message-lists.ts";
import { createReservationId, loadAccount, renew, reserve } from "./reservations.ts";
import { areRunning, findOld, type RunRow, stripRuns, toListQuery, toSummary, withNested } from "./runs.ts";
import { keepOnBill, type SumRow, toSpendingRows, toSumQuery } from "./spending.ts";
import { readRows } from "./tail.ts";

export interface PostgresStoreOptions extends Partial<ConnectionOptions> {
  /** By default the server's clock: those of the gateways may differ by minutes. */
  now?: () => number;
}

const PRUNE_RUNS = 200;
/** An append is not tried again after this long. */
const APPEND_KEPT_MS = 600_000;
const CLEAN_MS = 60_000;

const UNRESERVE = "DELETE FROM reservations WHERE id::text = $1";
const IS_FEEDBACK = `left(json, ${FEEDBACK_START.length}) = '${FEEDBACK_START}'`;

export async function openPostgresStore(address: string, options: PostgresStoreOptions = {}): Promise<Store> {
  const { schema = "tutti", maxConnections = 10, patienceMs = 30_000, onWaiting, now } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw new TuttiError(
      "journal-failed",
      `A schema of Postgres is named in small letters, not ${JSON.stringify(schema)}.`,
    );
  const connection = await openConnection(address, { schema, maxConnections, patienceMs, onWaiting });
  const { transact, query } = connection;
  try {
    await prepareTables(connection, schema);
  } catch (error) {
    await connection.close();
    throw error;
  }
  let feedbackIndex: Promise<unknown> | undefined;
  const claims = createClaims(connection, now);
  const { readTime, living: livingRuns } = claims;
  const appends = createAppends(connection, now);
  // Kept for whoever tries again, which is soon over.
  const cleaning = setInterval(() => void cleanAppends().catch(() => {}), CLEAN_MS);
  cleaning.unref();

  async function cleanAppends(): Promise<void> {
    const at = now?.() ?? null;
    await query(`DELETE FROM appends WHERE at <= coalesce($1, ${NOW}) - ${APPEND_KEPT_MS}`, [at]);
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
    append: appends.append,
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
        // Thousands may be running, and few of them be wanted.
        const isOfRunning = filter.state === "running" || filter.state === "interrupted";
        const { sql, values } = toListQuery(filter, isOfRunning ? await livingRuns(client) : []);
        const { rows } = await client.query<RunRow>(sql, values);
        const open = isOfRunning ? [] : rows.filter(({ ended }) => ended === null);
        const heads = open.flatMap(({ id, top }) => [id, top]);
        const living = new Set(open.length > 0 ? await livingRuns(client, heads) : []);
        for (const row of open) row.running = living.has(row.id) || living.has(row.top);
        return rows.map(toSummary);
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
    async reserve(request) {
      const id = createReservationId();
      try {
        return await transact(async (client) =>
          reserve(client, { id, request, now: await readTime(client) }),
        );
      } catch (error) {
        // It may have been committed, and nobody would ever give it back.
        void ensure(connection, UNRESERVE, [id]);
        throw error;
      }
    },
    async unreserve(id) {
      await query(UNRESERVE, [id]);
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
      await transact(claims.prune);
      await cleanAppends();
      return total;
    },
    claim: claims.claim,
    release: claims.release,
    async close() {
      clearInterval(cleaning);
      await appends.written();
      await connection.close();
    },
  };
}
