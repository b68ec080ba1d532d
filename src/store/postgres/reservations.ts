// The money of keys in Postgres: what each has spent, and what its requests under way have reserved, at whichever gateway.
// Two reservations of one key wait for each other, so a budget holds however many processes ask at once.

import { randomUUID } from "node:crypto";
import { CLAIM_MS, type Claim, isAlive, isPerforming } from "../owner.ts";
import {
  type KeyAccount,
  type LostReservation,
  type ReservationReply,
  type ReservationRequest,
  toReserved,
} from "../reservation.ts";
import type { Owner, RunEvent } from "../types.ts";
import type { Client } from "./connection.ts";

const DAY_MS = 86_400_000;

export async function loadAccount(
  client: Pick<Client, "query">,
  keyId: string,
  from: number,
): Promise<KeyAccount> {
  const { rows } = await client.query<KeyAccount>(
    `SELECT
       (SELECT coalesce(sum(cost_usd), 0) FROM key_days WHERE key_id = $1 AND day >= $2) AS "spentUsd",
       (SELECT coalesce(sum(usd), 0) FROM reservations WHERE key_id = $1) AS "reservedUsd"`,
    [keyId, Math.floor(from / DAY_MS)],
  );
  return rows[0]!;
}

/** Under the lock of its key until the transaction ends. `id` is the same where this is tried again. */
export async function reserve(
  client: Client,
  { id, request, now }: { id: string; request: ReservationRequest; now: number },
): Promise<ReservationReply> {
  const { runId, keyId, from, owner, lostEvents } = request;
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [keyId]);
  // Tried again although it was committed: nobody had heard of it.
  await client.query("DELETE FROM reservations WHERE id = $1", [id]);
  const account = await loadAccount(client, keyId, from);
  const usd = toReserved(request, account);
  if (usd === undefined) return { ok: false, ...account };
  await client.query("INSERT INTO reservations VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)", [
    ...[id, runId, keyId, usd, owner.id, owner.pid, owner.host, now],
    lostEvents ? JSON.stringify(lostEvents) : null,
  ]);
  return { ok: true, id, usd };
}

export const createReservationId = randomUUID;

export async function renew(client: Client, owner: Owner, now: number): Promise<LostReservation[]> {
  await client.query("UPDATE reservations SET heartbeat = $1 WHERE owner = $2", [now, owner.id]);
  const { rows } = await client.query<Claim & { run: string; lost: string | null; claimedAt: number | null }>(
    `SELECT r.id, r.run, lost, r.owner, r.pid, r.host, r.heartbeat AS "heartbeatAt", c.heartbeat AS "claimedAt"
     FROM reservations r LEFT JOIN claims c ON c.run = r.run AND c.pid = r.pid AND c.host = r.host
     WHERE r.owner <> $1 AND (r.host = $2 OR r.heartbeat <= $3)`,
    [owner.id, owner.host, now - CLAIM_MS],
  );
  return rows
    .filter((row) => {
      const { claimedAt } = row;
      const claim = claimedAt === null ? undefined : { ...row, heartbeatAt: claimedAt };
      return !isAlive(row, now) && !isPerforming(row, claim, now);
    })
    .map(({ id, run, lost }) => ({
      id,
      runId: run,
      lostEvents: lost === null ? [] : (JSON.parse(lost) as RunEvent[]),
    }));
}
