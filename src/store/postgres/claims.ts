// Who performs which run, in Postgres: leases by the server's clock. Those of one process are taken, renewed and given back many
// at a time: each of thousands of runs says every five seconds that it lives.

import { createBatch } from "../../base/batch.ts";
import { CLAIM_MS, type Claim, isAlive } from "../owner.ts";
import type { Owner } from "../types.ts";
import type { Client, PostgresConnection } from "./connection.ts";

export const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const CLAIM = 'run, owner AS id, pid, host, heartbeat AS "heartbeatAt"';
/**
 * Does not wait for the server's disk. Whatever is appended to the run later is there after its claim; and a claim that a server
 * forgot when it crashed is one that runs out.
 */
const QUICKLY = "(SELECT set_config('synchronous_commit', 'off', true) AS set) AS quickly";
/** A renewal is due every five seconds, for a lease of fifteen. */
const RENEW_LINGER_MS = 250;
/** Its process may live, and have been unable to say so: a claim that is gone is a run that was lost. */
const CLAIM_KEPT_MS = 3_600_000;

type ClaimRow = Claim & { run: string };
interface Wanted {
  run: string;
  owner: Owner;
}

export interface Claims {
  claim(runId: string, owner: Owner): Promise<boolean>;
  release(runId: string, owner: Owner): Promise<void>;
  /** Runs that are not over and whose owner lives; `among` these, or of all of them. */
  living(client: Pick<Client, "query">, among?: readonly string[]): Promise<string[]>;
  prune(client: Client): Promise<void>;
  readTime(client: Pick<Client, "query">): Promise<number>;
}

/** `now`: by default the server's clock, those of the gateways may differ by minutes. */
export function createClaims({ query, transact }: PostgresConnection, now?: () => number): Claims {
  /** What this process has claimed, for whom: an owner that loses a run does not get it back by saying that it lives. */
  const claimed = new Set<string>();
  const nameOf = ({ run, owner }: Wanted) => `${owner.id} ${run}`;

  const take = createBatch(async (wanted: Wanted[]) => {
    // In one order for everybody: two processes that want the same runs wait for each other, and not in a circle.
    const sorted = wanted.toSorted((a, b) => (a.run < b.run ? -1 : 1));
    // Of two that want one run in this very batch the second finds it taken.
    const first = sorted.filter(({ run }, i) => run !== sorted[i - 1]?.run);
    const asked = new Set(first);
    const rows = await query<{ run: string }>(
      `INSERT INTO claims AS c
       SELECT run, owner, pid, host, coalesce($5, ${NOW}) FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[])
         AS w (run, owner, pid, host), ${QUICKLY} WHERE quickly.set IS NOT NULL
       ON CONFLICT (run) DO UPDATE SET heartbeat = excluded.heartbeat WHERE c.owner = excluded.owner RETURNING run`,
      [
        first.map(({ run }) => run),
        first.map(({ owner }) => owner.id),
        first.map(({ owner }) => owner.pid),
        first.map(({ owner }) => owner.host),
        now?.() ?? null,
      ],
    );
    const taken = new Set(rows.map(({ run }) => run));
    return wanted.map((each) => taken.has(each.run) && asked.has(each));
  });

  const renew = createBatch(
    async (wanted: Wanted[]) => {
      const rows = await query<{ run: string; owner: string }>(
        `WITH held AS (
           SELECT c.run FROM claims c JOIN unnest($1::text[], $2::text[]) AS w (run, owner)
             ON w.run = c.run AND w.owner = c.owner, ${QUICKLY} WHERE quickly.set IS NOT NULL
           ORDER BY c.run FOR NO KEY UPDATE OF c
         ) UPDATE claims c SET heartbeat = coalesce($3, ${NOW}) FROM held WHERE held.run = c.run RETURNING c.run, c.owner`,
        [...toPairs(wanted), now?.() ?? null],
      );
      const held = new Map(rows.map(({ run, owner }) => [run, owner]));
      return wanted.map(({ run, owner }) => held.get(run) === owner.id);
    },
    { most: 5_000, lingerMs: RENEW_LINGER_MS },
  );

  const release = createBatch(async (given: Wanted[]) => {
    await query(
      `WITH held AS (
         SELECT c.run FROM claims c JOIN unnest($1::text[], $2::text[]) AS w (run, owner)
           ON w.run = c.run AND w.owner = c.owner, ${QUICKLY} WHERE quickly.set IS NOT NULL
         ORDER BY c.run FOR UPDATE OF c
       ) DELETE FROM claims c USING held WHERE held.run = c.run`,
      toPairs(given),
    );
    return given.map(() => undefined);
  });

  async function readTime(client: Pick<Client, "query">): Promise<number> {
    if (now) return now();
    return (await client.query<{ now: number }>(`SELECT ${NOW} AS now`)).rows[0]!.now;
  }

  /** From an owner that may have died. The lock of the run makes looking and taking one: of two processes one wins. */
  async function takeOver(client: Client, { run, owner }: Wanted): Promise<boolean> {
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 1))", [run]);
    const at = await readTime(client);
    const { rows } = await client.query<ClaimRow>(`SELECT ${CLAIM} FROM claims WHERE run = $1 FOR UPDATE`, [
      run,
    ]);
    const [holder] = rows;
    if (holder && holder.id !== owner.id && isAlive(holder, at)) return false;
    const { rowCount } = await client.query(
      `INSERT INTO claims AS c VALUES ($1, $2, $3, $4, $5) ON CONFLICT (run) DO UPDATE
       SET owner = excluded.owner, pid = excluded.pid, host = excluded.host, heartbeat = excluded.heartbeat
       WHERE c.owner = $6`,
      [run, owner.id, owner.pid, owner.host, at, holder?.id ?? owner.id],
    );
    return rowCount === 1;
  }

  return {
    readTime,
    async claim(run, owner) {
      // Said again by whoever has lost it meanwhile, it stays lost.
      if (claimed.has(nameOf({ run, owner }))) return renew({ run, owner });
      const got =
        (await take({ run, owner })) || (await transact((client) => takeOver(client, { run, owner })));
      if (got) claimed.add(nameOf({ run, owner }));
      return got;
    },
    async release(run, owner) {
      claimed.delete(nameOf({ run, owner }));
      await release({ run, owner });
    },
    async living(client, among) {
      const at = await readTime(client);
      const { rows } = await client.query<ClaimRow>(
        `SELECT ${CLAIM} FROM claims LEFT JOIN runs ON runs.id = run
         WHERE heartbeat > $1 AND ended IS NULL AND ($2::text[] IS NULL OR run = ANY ($2))`,
        [at - CLAIM_MS, among ?? null],
      );
      return rows.filter((claim) => isAlive(claim, at)).map(({ run }) => run);
    },
    async prune(client) {
      await client.query("DELETE FROM claims WHERE heartbeat <= $1", [
        (await readTime(client)) - CLAIM_KEPT_MS,
      ]);
    },
  };
}

function toPairs(wanted: readonly Wanted[]): [runs: string[], owners: string[]] {
  return [wanted.map(({ run }) => run), wanted.map(({ owner }) => owner.id)];
}
