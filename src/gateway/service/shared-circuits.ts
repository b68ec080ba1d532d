// Circuits of workers, told among gateways: what has opened at one opens at all of them, for as long as is left of it by the
// server's clock, and what a try has closed closes. Failures that have not opened anything yet are each gateway's own.

import type { CircuitBreaker, CircuitChange } from "../../perform/retry.ts";
import type { PostgresConnection } from "../../store/postgres/connection.ts";
import { CHANNEL } from "../../store/postgres/listener.ts";

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export interface CircuitRow {
  worker: string;
  openMs: number;
  version: number;
  owner: string;
}

/** Of the statement that is asked every second: all of them, as JSON. */
export const CIRCUITS = `(SELECT coalesce(json_agg(json_build_object(
  'worker', worker, 'openMs', greatest(0, open_until - ${NOW}), 'version', version, 'owner', owner)), '[]') FROM circuits)`;

export interface SharedCircuits {
  /** What stands in the table now. */
  look(rows: readonly CircuitRow[]): void;
}

export function shareCircuits(
  breaker: CircuitBreaker,
  {
    connection,
    owner,
    onError,
  }: { connection: Pick<PostgresConnection, "query">; owner: string; onError(error: unknown): void },
): SharedCircuits {
  /** By worker, the newest that is known here. */
  const known = new Map<string, number>();
  let telling: Promise<unknown> = Promise.resolve();

  async function tell({ workerId, openMs }: CircuitChange): Promise<void> {
    const until = openMs > 0 ? `${NOW} + $2` : "$2";
    await connection.query(
      `WITH told AS (
         INSERT INTO circuits VALUES ($1, ${until}, nextval('circuit_versions'), $3)
         ON CONFLICT (worker) DO UPDATE
         SET open_until = excluded.open_until, version = excluded.version, owner = excluded.owner
       ) SELECT pg_notify($4, $5)`,
      [workerId, openMs, owner, CHANNEL, JSON.stringify({ about: "circuits" })],
    );
  }

  breaker.onChange = (change) => {
    // One after the other: what was said last must stand in the end.
    telling = telling.then(() => tell(change)).catch(onError);
  };

  return {
    look(rows) {
      for (const { worker, openMs, version, owner: by } of rows) {
        if (version <= (known.get(worker) ?? 0)) continue;
        const isFirst = !known.has(worker);
        known.set(worker, version);
        // Closed before this gateway had started: there is nothing to close.
        if (by !== owner && !(isFirst && openMs === 0)) breaker.heard({ workerId: worker, openMs });
      }
    },
  };
}
