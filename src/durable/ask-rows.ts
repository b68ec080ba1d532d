// The table of asks that wait for a worker, are under way, or whose replies were not fetched yet. What is said stands here and
// nowhere else: the question until it is answered, the answer until whoever asked has it. DBOS is told the ids alone.
//
// An ask is begun once. Whoever began it and died has lost it: that is told to the asker, who pays for another one or does not.

import type { DBOSClient } from "@dbos-inc/dbos-sdk";
import { CLAIM_MS } from "../store/owner.ts";
import type { PostgresConnection } from "../store/postgres/connection.ts";
import type { EventError } from "../store/types.ts";
import type { WorkerEvent } from "../worker/types.ts";

interface AskRow {
  /** Of its owner, run and name: the same after a restart. */
  id: string;
  /** The bench, recording, training or environment it belongs to: see `ask-owner.ts`. */
  owner: string;
  run: string;
  worker: string;
  /** The name of the DBOS queue: one for each provider. */
  queue: string;
  /** As JSON. */
  request: string;
}

interface BegunAsk {
  worker: string;
  request: string;
}

/** What came of it. A failed ask keeps what had arrived. */
export interface AskReply {
  events: WorkerEvent[];
  failure?: EventError;
  tookMs: number;
}

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
/** "asks" in letters of a phone, for nobody else's lock. */
const LOCK = 0x6173_6b73;
const KEPT_DAYS = 7;

// `skipped`: its asker did not live when its turn came. If it still does, it is put into the queue again.
const TABLE = `
  CREATE TABLE IF NOT EXISTS asks (
    id text PRIMARY KEY,
    owner text NOT NULL,
    run text NOT NULL,
    worker text NOT NULL,
    queue text NOT NULL,
    asker text NOT NULL,
    request text,
    begun_by text,
    skipped boolean NOT NULL DEFAULT false,
    ended boolean NOT NULL DEFAULT false,
    events text,
    failure text,
    took_ms double precision,
    at bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS asks_of_run ON asks (owner, run);
  CREATE INDEX IF NOT EXISTS asks_begun ON asks (begun_by) WHERE NOT ended;
  CREATE INDEX IF NOT EXISTS asks_by_time ON asks (at)`;

/** Where a process hears of its asks: the names of channels are short and without dashes. */
export function toChannel(executor: string): string {
  return `tutti_${executor.replaceAll("-", "")}`;
}
const CHANNEL_OF = (column: string) => `'tutti_' || replace(${column}, '-', '')`;

const LOST: EventError = {
  code: "interrupted",
  message: "The process that asked it ended before the reply was there; what it may have cost is counted",
  retryable: true,
};

export async function prepareAsks({ transact }: PostgresConnection, schema: string): Promise<void> {
  await transact(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const known = await client.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (known.rowCount === 0) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(TABLE);
  });
}

export interface AskRows {
  /** Into the table and the queue. Those that are over already are true. */
  enqueue(rows: readonly AskRow[]): Promise<boolean[]>;
  /** Undefined where it is none of ours to begin: others have begun it, it was cancelled, or its asker is gone. */
  begin(ids: readonly string[]): Promise<(BegunAsk | undefined)[]>;
  end(replies: readonly ({ id: string } & AskReply)[]): Promise<void>;
  /** Those that these processes began and did not end. */
  lose(executors: readonly string[]): Promise<void>;
  fetch(ids: readonly string[]): Promise<Map<string, AskReply>>;
  /** Of these asks those that are over, and those that are gone; those that were skipped get another turn. */
  check(ids: readonly string[]): Promise<{ ended: string[]; gone: string[] }>;
  cancel(ids: readonly string[]): Promise<void>;
  forget(owner: string, runs: readonly string[]): Promise<void>;
  /** What nobody came back for. */
  sweep(): Promise<void>;
}

export interface AskRowsOptions {
  connection: PostgresConnection;
  /** Puts the turn of an ask into its queue, in the transaction of this client. */
  queueIn(client: Parameters<DBOSClient["enqueueInTransaction"]>[0], row: QueuedTurn): Promise<unknown>;
  /** This process, as asker and as taker. */
  executor: string;
}

type QueuedTurn = Pick<AskRow, "id" | "owner" | "queue">;

export function createAskRows({ connection, queueIn, executor }: AskRowsOptions): AskRows {
  const { query, transact } = connection;
  return {
    enqueue: (rows) =>
      transact(async (client) => {
        const column = (name: keyof AskRow) => rows.map((row) => row[name]);
        const { rows: kept } = await client.query<{ id: string; ended: boolean; isOpen: boolean }>(
          `INSERT INTO asks (id, owner, run, worker, queue, asker, request, at)
           SELECT u.id, u.owner, u.run, u.worker, u.queue, $1, u.request, ${NOW}
           FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
             AS u (id, owner, run, worker, queue, request)
           ON CONFLICT (id) DO UPDATE SET asker = excluded.asker, skipped = false
           RETURNING id, ended, begun_by IS NULL AND NOT ended AS "isOpen"`,
          [executor, column("id"), column("owner"), column("run"), column("worker")].concat([
            column("queue"),
            column("request"),
          ]),
        );
        const byId = new Map(kept.map((row) => [row.id, row]));
        for (const row of rows) if (byId.get(row.id)!.isOpen) await queueIn(client, row);
        return rows.map(({ id }) => byId.get(id)!.ended);
      }),

    async begin(ids) {
      const rows = await query<BegunAsk & { id: string; begun: boolean }>(
        `UPDATE asks SET begun_by = CASE WHEN living THEN $1 END, skipped = NOT living
         FROM (SELECT a.id, EXISTS (SELECT 1 FROM executors e WHERE e.id = a.asker AND e.heartbeat > ${NOW} - ${CLAIM_MS}) AS living
               FROM asks a WHERE a.id = ANY ($2::text[]) AND (a.begun_by IS NULL OR a.begun_by = $1) AND NOT a.ended FOR UPDATE) u
         WHERE asks.id = u.id
         RETURNING asks.id, worker, request, living AS begun`,
        [executor, ids],
      );
      const byId = new Map(rows.filter(({ begun }) => begun).map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },

    async end(replies) {
      await query(
        `WITH done AS (
           UPDATE asks SET ended = true, request = NULL, events = u.events, failure = u.failure, took_ms = u.took_ms
           FROM unnest($2::text[], $3::text[], $4::text[], $5::double precision[]) AS u (id, events, failure, took_ms)
           WHERE asks.id = u.id AND begun_by = $1 AND NOT ended RETURNING asks.id, asker
         ) SELECT pg_notify(${CHANNEL_OF("asker")}, 'ended ' || id) FROM done`,
        [
          executor,
          replies.map(({ id }) => id),
          replies.map(({ events }) => JSON.stringify(events)),
          replies.map(({ failure }) => (failure ? JSON.stringify(failure) : null)),
          replies.map(({ tookMs }) => tookMs),
        ],
      );
    },

    async lose(executors) {
      await query(
        `WITH lost AS (
           UPDATE asks SET ended = true, request = NULL, events = '[]', failure = $2, took_ms = 0
           WHERE begun_by = ANY ($1::text[]) AND NOT ended RETURNING id, asker
         ) SELECT pg_notify(${CHANNEL_OF("asker")}, 'ended ' || id) FROM lost`,
        [executors, JSON.stringify(LOST)],
      );
    },

    async fetch(ids) {
      const rows = await query<{ id: string; events: string; failure: string | null; tookMs: number }>(
        `SELECT id, events, failure, took_ms AS "tookMs" FROM asks WHERE id = ANY ($1::text[]) AND ended`,
        [ids],
      );
      return new Map(
        rows.map(({ id, events, failure, tookMs }) => [
          id,
          { events: JSON.parse(events), failure: failure ? JSON.parse(failure) : undefined, tookMs },
        ]),
      );
    },

    check: (ids) =>
      transact(async (client) => {
        const { rows: skipped } = await client.query<QueuedTurn>(
          `UPDATE asks SET skipped = false, asker = $1 WHERE id = ANY ($2::text[]) AND skipped RETURNING id, owner, queue`,
          [executor, ids],
        );
        for (const row of skipped) await queueIn(client, row);
        const { rows } = await client.query<{ id: string; ended: boolean }>(
          "SELECT id, ended FROM asks WHERE id = ANY ($1::text[])",
          [ids],
        );
        const known = new Set(rows.map(({ id }) => id));
        return {
          ended: rows.filter(({ ended }) => ended).map(({ id }) => id),
          gone: ids.filter((id) => !known.has(id)),
        };
      }),

    async cancel(ids) {
      await query(
        `WITH gone AS (DELETE FROM asks WHERE id = ANY ($1::text[]) RETURNING id, begun_by, ended)
         SELECT pg_notify(${CHANNEL_OF("begun_by")}, 'stop ' || id) FROM gone WHERE begun_by IS NOT NULL AND NOT ended`,
        [ids],
      );
    },

    async forget(owner, runs) {
      await query("DELETE FROM asks WHERE owner = $1 AND run = ANY ($2::text[])", [owner, runs]);
    },

    async sweep() {
      const living = `EXISTS (SELECT 1 FROM executors e WHERE e.id = asks.asker AND e.heartbeat > ${NOW} - ${CLAIM_MS})`;
      const old = `${NOW} - ${KEPT_DAYS * 86_400_000}`;
      await query(`DELETE FROM asks WHERE at < ${old} AND NOT ${living}`);
    },
  };
}
