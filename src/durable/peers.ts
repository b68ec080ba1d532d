// Who else takes part in the queue, and whether it means the same workers.

import { type Claim, isAlive } from "../store/owner.ts";
import type { PostgresConnection } from "../store/postgres/connection.ts";

/** Another process that asks or takes. */
export interface Peer {
  pid: number;
  host: string;
  /** What it asks for, for people. Absent: it only takes. */
  title?: string;
  /** Its workers are these ones. */
  isSame: boolean;
  digests: Record<string, string>;
}

const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

export async function findPeers(
  { query }: PostgresConnection,
  { executor, scope }: { executor: string; scope: string },
): Promise<Peer[]> {
  const rows = await query<Claim & { scope: string; about: string; now: number }>(
    `SELECT id, pid, host, scope, about, heartbeat AS "heartbeatAt", ${NOW} AS now FROM executors
     WHERE id <> $1 AND starts_with(scope, 'asks ')`,
    [executor],
  );
  return rows
    .filter(({ now, ...claim }) => isAlive(claim, now))
    .map(({ pid, host, scope: other, about }) => ({
      ...{ pid, host, isSame: other === scope },
      ...(JSON.parse(about) as Pick<Peer, "title" | "digests">),
    }));
}

/** Why these two cannot work together; workers that only one has are named, and those that differ. */
export function toDifference(here: Readonly<Record<string, string>>, { digests }: Peer): string {
  const names = (ids: string[]) => ids.slice(0, 5).join(", ") + (ids.length > 5 ? ", …" : "");
  const missing = Object.keys(digests).filter((id) => here[id] === undefined);
  const added = Object.keys(here).filter((id) => digests[id] === undefined);
  const other = Object.keys(here).filter((id) => digests[id] !== undefined && digests[id] !== here[id]);
  return [
    missing.length > 0 && `${names(missing)} ${missing.length === 1 ? "is" : "are"} not here`,
    added.length > 0 && `${names(added)} ${added.length === 1 ? "is" : "are"} here only`,
    other.length > 0 && `${names(other)} ${other.length === 1 ? "is" : "are"} set otherwise here`,
  ]
    .filter(Boolean)
    .join("; ");
}
