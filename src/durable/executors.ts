// Which processes perform runs, and which of them have died. Each says every two seconds that it lives, by the server's clock; a
// process that is gone from its machine is known at once, one on another machine when it has been silent for a while. DBOS
// itself knows only executors by name and asks nobody whether they live, so what a dead one left is given back here.

import { hostname } from "node:os";
import { CLAIM_MS, isAlive } from "../store/owner.ts";
import type { PostgresConnection } from "../store/postgres/connection.ts";
import type { Owner } from "../store/types.ts";

const BEAT_MS = 2_000;
/**
 * A process that was taken for dead may only have been stopped for a while, wake up, begin something and die before it has said
 * that it lives: what a dead one has left is looked for this much longer.
 */
const REMEMBERED_MS = 60_000;
const LOOK_AGAIN_MS = 10_000;
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const TABLE = `
  CREATE TABLE IF NOT EXISTS executors (
    id text PRIMARY KEY,
    pid integer NOT NULL,
    host text NOT NULL,
    heartbeat bigint NOT NULL
  );
  ALTER TABLE executors ADD COLUMN IF NOT EXISTS scope text NOT NULL DEFAULT 'tutti';
  ALTER TABLE executors ADD COLUMN IF NOT EXISTS about text`;
/** Two processes that start at once do not both make the table. */
const LOCK = 0x7475_7475;

export interface ExecutorOptions {
  connection: PostgresConnection;
  id: string;
  /** Only executors of one scope can go on with each other's work. */
  scope: string;
  /** Whose death is looked for: those whose scope begins so. By default of its own alone. */
  watched?: string;
  /** What others may know of it, as JSON. */
  about?: string;
  /** Gives back what dead executors were performing. Called more than once for each. */
  recover(dead: DeadExecutor[]): Promise<void>;
  onError(error: unknown): void;
}

export interface DeadExecutor {
  id: string;
  scope: string;
}

export interface Executors {
  /** Nothing is performed by this process any more: others are told so. */
  leave(): Promise<void>;
}

export async function joinExecutors({
  connection,
  id,
  scope,
  about,
  watched = scope,
  recover,
  onError,
}: ExecutorOptions): Promise<Executors> {
  const { query, transact } = connection;
  await transact(async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(TABLE);
  });
  let isBeating = false;
  /** When the dead that were known already were last looked at. */
  let lookedAt = Number.NEGATIVE_INFINITY;
  let hasLeft = false;

  async function beat(): Promise<void> {
    await query(
      `INSERT INTO executors (id, pid, host, heartbeat, scope, about) VALUES ($1, $2, $3, ${NOW}, $4, $5)
       ON CONFLICT (id) DO UPDATE SET heartbeat = excluded.heartbeat`,
      [id, process.pid, hostname(), scope, about ?? null],
    );
    const dead = await findDead();
    if (dead.length === 0 || hasLeft) return;
    await recover(dead);
    await query(
      `DELETE FROM executors WHERE id = ANY ($1::text[]) AND heartbeat < 0 AND -heartbeat <= ${NOW} - ${REMEMBERED_MS}`,
      [dead.map((each) => each.id)],
    );
  }

  /** Those that are silent. One that was only stopped for a while, and comes back, says so with its next beat. */
  async function findDead(): Promise<DeadExecutor[]> {
    const rows = await query<Owner & { scope: string; heartbeatAt: number; now: number }>(
      `SELECT id, scope, pid, host, heartbeat AS "heartbeatAt", ${NOW} AS now FROM executors
       WHERE id <> $1 AND starts_with(scope, $3) AND (host = $2 OR heartbeat <= ${NOW} - ${CLAIM_MS})`,
      [id, hostname(), watched],
    );
    const isLook = performance.now() - lookedAt >= LOOK_AGAIN_MS;
    if (isLook) lookedAt = performance.now();
    const silent = rows.filter(
      ({ now, ...executor }) => !isAlive(executor, now) && (isLook || executor.heartbeatAt >= 0),
    );
    const found = silent.filter(({ heartbeatAt }) => heartbeatAt >= 0);
    if (found.length === 0) return silent;
    // Below 0 is when it was found. Whoever looks at its heartbeat sees that it is dead, too; and one that has just woken up is not.
    const marked = await query<{ id: string }>(
      `UPDATE executors e SET heartbeat = -${NOW} FROM unnest($1::text[], $2::bigint[]) AS found (id, heartbeat)
       WHERE e.id = found.id AND e.heartbeat = found.heartbeat RETURNING e.id`,
      [found.map((each) => each.id), found.map(({ heartbeatAt }) => heartbeatAt)],
    );
    const dead = new Set(marked.map((each) => each.id));
    return silent.filter((each) => each.heartbeatAt < 0 || dead.has(each.id));
  }

  await beat();
  const timer = setInterval(async () => {
    if (isBeating) return;
    isBeating = true;
    await beat().catch(onError);
    isBeating = false;
  }, BEAT_MS);
  timer.unref();

  return {
    async leave() {
      if (hasLeft) return;
      hasLeft = true;
      clearInterval(timer);
      await query("UPDATE executors SET heartbeat = 0 WHERE id = $1", [id]);
    },
  };
}
