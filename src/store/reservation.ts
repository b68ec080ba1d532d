// Money of keys that is reserved beside the journal: what a store is asked and answers, and the one rule under every
// store, how much of a budget a request gets.

import type { Owner, RunEvent } from "./types.ts";

/**
 * Money of a key's budget for one request. It is kept beside the journal, so that every process on the journal sees it,
 * and counts as spent until it is released: also when its process is killed.
 */
export interface ReservationRequest {
  runId: string;
  keyId: string;
  /** `Infinity`: all that is left. */
  wantedUsd: number;
  /** Less is of no use to anybody: then nothing is reserved. */
  leastUsd: number;
  budgetUsd: number;
  /** When the budget's window began, milliseconds since 1970: the start of a day in UTC, or 0. */
  from: number;
  owner: Owner;
  /** What is journaled where the process dies before it has journaled anything of this run. */
  lostEvents?: RunEvent[];
}

/** What a key has spent since a time, and what its requests under way may still take. */
export interface KeyAccount {
  spentUsd: number;
  reservedUsd: number;
}

export type ReservationReply = { ok: true; id: string; usd: number } | ({ ok: false } & KeyAccount);

/** A reservation whose process is dead. */
export interface LostReservation {
  id: string;
  runId: string;
  lostEvents: RunEvent[];
}

/** Undefined: nothing is left that would be of use. */
export function toReserved(
  { budgetUsd, wantedUsd, leastUsd }: Pick<ReservationRequest, "budgetUsd" | "wantedUsd" | "leastUsd">,
  { spentUsd, reservedUsd }: KeyAccount,
): number | undefined {
  const leftUsd = budgetUsd - spentUsd - reservedUsd;
  return leftUsd >= leastUsd ? Math.min(wantedUsd, leftUsd) : undefined;
}
