// The journal in memory: for rollouts, for tests, and for people who want nothing on disk.
// Appending is a push and done when it returns; summaries are made only when somebody asks for a list.

import { randomUUID } from "node:crypto";
import { type Claim, isAlive, isPerforming, runActiveError } from "./owner.ts";
import { type KeyAccount, type LostReservation, type ReservationRequest, toReserved } from "./reservation.ts";
import { SHADOW_KEY_ID } from "./shadow.ts";
import { type BillEntry, sumEntries } from "./spending.ts";
import { toSummaryChange } from "./summary.ts";
import type { KeptFeedback, Origin, RunEvent, RunFilter, RunSummary, Store } from "./types.ts";
import { toKept } from "./upgrade.ts";
import { withoutContent } from "./without-content.ts";

export interface MemoryStoreOptions {
  /** Forgets the oldest ended runs beyond this number: training makes millions. Default: keeps all. */
  keepEnded?: number;
  now?: () => number;
}

const DAY_MS = 86_400_000;

interface Kept {
  events: RunEvent[];
  nested: string[];
  parentId?: string;
  /** The run at the head of a nested one, itself for others. */
  topId: string;
  ended: boolean;
  origin?: Origin;
  startedAt: number;
  /** Of runs of a key: what is in `keyDays` of it. */
  costUsd: number;
}

export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  const { keepEnded = Number.POSITIVE_INFINITY, now = Date.now } = options;
  const runs = new Map<string, Kept>();
  const claims = new Map<string, Claim>();
  /** Ended top-level runs, oldest first. */
  const ended = new Set<string>();
  /** Of ratings: how many were journaled up to each. */
  const places = new WeakMap<RunEvent, number>();
  let lastPlace = 0;
  /** Of deleted runs. */
  const bill: BillEntry[] = [];
  /** What each key has spent, by the day on which its runs began. */
  const keyDays = new Map<string, Map<number, number>>();
  const reservations = new Map<
    string,
    Claim & Pick<ReservationRequest, "runId" | "keyId" | "lostEvents"> & { usd: number }
  >();

  function countForKey(run: Kept, events: RunEvent[]): void {
    const keyId = run.origin?.keyId;
    if (keyId === undefined || run.parentId !== undefined) return;
    const { costUsd, isTotal } = toSummaryChange(events);
    const addedUsd = isTotal ? costUsd - run.costUsd : costUsd;
    run.costUsd += addedUsd;
    const days = keyDays.get(keyId) ?? new Map<number, number>();
    const day = Math.floor(run.startedAt / DAY_MS);
    keyDays.set(keyId, days.set(day, (days.get(day) ?? 0) + addedUsd));
  }

  function accountOf(keyId: string, from: number): KeyAccount {
    let spentUsd = 0;
    for (const [day, usd] of keyDays.get(keyId) ?? []) if (day >= Math.floor(from / DAY_MS)) spentUsd += usd;
    let reservedUsd = 0;
    for (const held of reservations.values()) if (held.keyId === keyId) reservedUsd += held.usd;
    return { spentUsd, reservedUsd };
  }

  function append(events: RunEvent[]): void {
    for (const event of events) {
      const kept = toKept(event);
      if (!kept) continue;
      let run = runs.get(kept.runId);
      if (!run) {
        run = { events: [], nested: [], topId: kept.runId, ended: false, startedAt: kept.at, costUsd: 0 };
        runs.set(kept.runId, run);
      }
      run.events.push(kept);
      if (kept.type === "run-feedback") places.set(kept, ++lastPlace);
      if (kept.type === "run-start") run.origin ??= kept.origin;
      if (kept.type === "run-start" && kept.parent) {
        run.parentId = kept.parent.runId;
        const parent = runs.get(run.parentId);
        parent?.nested.push(kept.runId);
        run.topId = parent?.topId ?? run.parentId;
      } else if (kept.type === "run-resume") {
        run.ended = false;
        ended.delete(kept.runId);
      } else if (kept.type === "run-end") {
        run.ended = true;
        if (run.parentId === undefined) ended.add(kept.runId);
        if (ended.size > keepEnded) forget(ended.values().next().value!);
      }
      countForKey(run, [kept]);
    }
  }

  function tree(id: string): string[] {
    return [id, ...(runs.get(id)?.nested ?? []).flatMap(tree)];
  }

  function forget(id: string): void {
    const entry = toBillEntry(id, runs.get(id)!);
    if (entry) bill.push(entry);
    for (const each of tree(id)) {
      runs.delete(each);
      claims.delete(each);
      ended.delete(each);
    }
  }

  function hasLivingOwner(id: string): boolean {
    const claim = claims.get(id);
    return claim !== undefined && !runs.get(id)?.ended && isAlive(claim, now());
  }

  /** A nested run lives with the run at its head. */
  function isRunning(id: string): boolean {
    const run = runs.get(id);
    return !run?.ended && (hasLivingOwner(id) || (run !== undefined && hasLivingOwner(run.topId)));
  }

  function toSummary(id: string, run: Kept): RunSummary | undefined {
    const { start, end, isTotal: _, ...sums } = toSummaryChange(run.events);
    if (!start) return undefined;
    const { idempotencyKey: __, ...head } = start;
    const state = run.ended ? "ended" : isRunning(id) ? "running" : "interrupted";
    return { id, ...head, ...end, state, ...sums };
  }

  /** Nested runs are on the bill with the run at their head. */
  function toBillEntry(id: string, run: Kept): BillEntry | undefined {
    if (!run.origin || run.parentId !== undefined) return undefined;
    const { origin, ...summary } = toSummary(id, run)!;
    return { ...summary, origin: origin! };
  }

  return {
    append,
    async listFeedback({ limit, after = 0 }) {
      const found: KeptFeedback[] = [];
      for (const { events } of runs.values())
        for (const event of events) {
          const place = event.type === "run-feedback" ? (places.get(event) ?? 0) : 0;
          if (event.type === "run-feedback" && place > after) found.push({ place, event });
        }
      return found.sort((a, b) => b.place - a.place).slice(0, limit);
    },
    loadRun: async (id) => runs.get(id)?.events.slice() ?? [],
    isAtHand: () => true,
    async listRuns(filter = {}) {
      const found: RunSummary[] = [];
      for (const [id, run] of runs) {
        const isWanted = (run.parentId === undefined || filter.nested) && isOfOrigin(run.origin, filter);
        const summary = isWanted ? toSummary(id, run) : undefined;
        if (summary && matches(summary, filter)) found.push(summary);
      }
      found.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1));
      return found.slice(0, filter.limit ?? 50);
    },
    async deleteRun(id) {
      if (tree(id).some(isRunning)) throw runActiveError(id);
      if (!runs.has(id)) return false;
      forget(id);
      return true;
    },
    async prune(startedBefore) {
      let count = 0;
      for (const [id, run] of runs) {
        const start = run.events.find((event) => event.type === "run-start");
        if (!start || start.at >= startedBefore || run.parentId !== undefined) continue;
        if (!tree(id).some(isRunning)) {
          forget(id);
          count++;
        }
      }
      return count;
    },
    async stripRun(id) {
      const ids = tree(id);
      if (ids.some(isRunning)) throw runActiveError(id);
      if (!runs.has(id)) return false;
      for (const each of ids) {
        const run = runs.get(each)!;
        run.events = run.events.flatMap((event) => {
          const stripped = withoutContent(event);
          if (stripped?.type === "run-feedback") places.set(stripped, ++lastPlace);
          return stripped ?? [];
        });
      }
      return true;
    },
    async sumSpending(filter = {}) {
      const kept = [...runs].flatMap(([id, run]) => toBillEntry(id, run) ?? []);
      return sumEntries([...bill, ...kept], filter);
    },
    loadAccount: async (keyId, from) => accountOf(keyId, from),
    async reserve(request) {
      const { runId, keyId, from, owner, lostEvents } = request;
      const account = accountOf(keyId, from);
      const usd = toReserved(request, account);
      if (usd === undefined) return { ok: false, ...account };
      const id = randomUUID();
      reservations.set(id, { ...owner, heartbeatAt: now(), runId, keyId, usd, lostEvents });
      return { ok: true, id, usd };
    },
    async unreserve(id) {
      reservations.delete(id);
    },
    async renewReservations(owner) {
      const lost: LostReservation[] = [];
      for (const [id, held] of reservations) {
        if (held.id === owner.id) held.heartbeatAt = now();
        else if (!isAlive(held, now()) && !isPerforming(held, claims.get(held.runId), now()))
          lost.push({ id, runId: held.runId, lostEvents: held.lostEvents ?? [] });
      }
      return lost;
    },
    checkWritable: async () => {},
    async claim(runId, owner) {
      const holder = claims.get(runId);
      if (holder && holder.id !== owner.id && isAlive(holder, now())) return false;
      claims.set(runId, { ...owner, heartbeatAt: now() });
      return true;
    },
    async release(runId, owner) {
      if (claims.get(runId)?.id === owner.id) claims.delete(runId);
    },
    close: async () => {},
  };
}

/** Before the summary is made, which is work. */
function isOfOrigin(
  origin: Origin | undefined,
  { keyId, model, session, idempotencyKey, shadows }: RunFilter,
): boolean {
  if (keyId === undefined && !shadows && origin?.keyId === SHADOW_KEY_ID) return false;
  if (model !== undefined && origin?.model !== model) return false;
  if (session !== undefined && origin?.session !== session) return false;
  if (idempotencyKey !== undefined)
    return origin?.idempotencyKey === idempotencyKey && origin.keyId === keyId;
  return keyId === undefined || origin?.keyId === keyId;
}

function matches(run: RunSummary, filter: RunFilter): boolean {
  const {
    startedBefore = Number.POSITIVE_INFINITY,
    startedFrom = Number.NEGATIVE_INFINITY,
    beforeId = "",
    state = run.state,
    stopReason = run.stopReason,
    idPrefix = "",
    text = "",
  } = filter;
  if (run.startedAt < startedFrom) return false;
  if (run.startedAt > startedBefore || (run.startedAt === startedBefore && run.id >= beforeId)) return false;
  const wanted = text.toLowerCase();
  return (
    state === run.state &&
    stopReason === run.stopReason &&
    run.id.startsWith(idPrefix) &&
    [run.question, run.answer ?? ""].some((part) => part.toLowerCase().includes(wanted))
  );
}
