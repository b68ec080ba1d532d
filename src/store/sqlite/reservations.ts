// The money of keys in the journal file: what each has spent, and what its requests under way have reserved. Looking and
// taking share a transaction that holds the lock of the file, so a budget holds between processes too.

import { randomUUID } from "node:crypto";
import { type Claim, isAlive, isPerforming } from "../owner.ts";
import {
  type KeyAccount,
  type LostReservation,
  type ReservationReply,
  type ReservationRequest,
  toReserved,
} from "../reservation.ts";
import type { Owner, RunEvent } from "../types.ts";
import type { Database } from "./file.ts";

const DAY_MS = 86_400_000;

export interface ReservationTable {
  account(keyId: string, from: number): KeyAccount;
  reserve(request: ReservationRequest, now: number): ReservationReply;
  unreserve(id: string): void;
  renew(owner: Owner, now: number): LostReservation[];
}

export function createReservationTable(database: Database): ReservationTable {
  const spent = database.prepare("SELECT total(cost_usd) AS usd FROM key_days WHERE key_id = ? AND day >= ?");
  const reserved = database.prepare("SELECT total(usd) AS usd FROM reservations WHERE key_id = ?");
  const insert = database.prepare("INSERT INTO reservations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const remove = database.prepare("DELETE FROM reservations WHERE id = ?");
  const beat = database.prepare("UPDATE reservations SET heartbeat = ? WHERE owner = ?");
  const others = database.prepare(
    "SELECT id, run, lost, owner, pid, host, heartbeat AS heartbeatAt FROM reservations WHERE owner <> ?",
  );
  const claimOf = database.prepare(
    "SELECT owner AS id, pid, host, heartbeat AS heartbeatAt FROM claims WHERE run = ?",
  );

  function account(keyId: string, from: number): KeyAccount {
    const { usd: spentUsd } = spent.get(keyId, Math.floor(from / DAY_MS)) as { usd: number };
    const { usd: reservedUsd } = reserved.get(keyId) as { usd: number };
    return { spentUsd, reservedUsd };
  }

  return {
    account,
    reserve(request, now) {
      const { runId, keyId, from, owner, lostEvents } = request;
      const found = account(keyId, from);
      const usd = toReserved(request, found);
      if (usd === undefined) return { ok: false, ...found };
      const id = randomUUID();
      const lost = lostEvents ? JSON.stringify(lostEvents) : null;
      insert.run(id, runId, keyId, usd, owner.id, owner.pid, owner.host, now, lost);
      return { ok: true, id, usd };
    },
    unreserve(id) {
      remove.run(id);
    },
    renew(owner, now) {
      beat.run(now, owner.id);
      type Row = Claim & { run: string; lost: string | null };
      const dead = (others.all(owner.id) as Row[]).filter(
        (row) => !isAlive(row, now) && !isPerforming(row, claimOf.get(row.run) as Claim | undefined, now),
      );
      return dead.map(({ id, run, lost }) => ({
        id,
        runId: run,
        lostEvents: lost === null ? [] : (JSON.parse(lost) as RunEvent[]),
      }));
    },
  };
}
