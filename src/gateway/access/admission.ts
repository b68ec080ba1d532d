// Who is let in now: a key's rate, how many of its requests run at once (turnstile.ts), and its money. A request that is
// refused takes nothing. Money is reserved in the journal, where every gateway on it sees it and a killed one leaves it behind.

import { TuttiError } from "../../base/errors.ts";
import type { Log } from "../../http/log.ts";
import type { Owner, RunEvent, Store } from "../../store/types.ts";
import { endOfWindow, startOfWindow, WINDOW_WORDS } from "./budget-window.ts";
import type { GatewayKey } from "./keys.ts";
import { createLocalTurnstile, type Entry, type Turnstile } from "./turnstile.ts";

export interface AdmissionOptions {
  store: Pick<Store, "reserve" | "unreserve">;
  /** Whose reservations they are. */
  owner: Owner;
  log: Pick<Log, "error">;
  now: () => number;
  /** By default this process counts alone. */
  turnstile?: Turnstile;
  /**
   * How long a request waits for a place that is about to be free: a client has its reply a moment before what it
   * took is in the journal, and its next request must not be sent away for that.
   */
  settleMs?: number;
}

export interface Admission {
  /** The most this request may spend. Undefined: no limit. It is reserved until the release. */
  budgetUsd?: number;
  /** It is less than the request would have had: no more is left of the key's own budget. */
  isShort?: boolean;
  /** What OpenAI's clients read about their rate. Empty where the key has no limit. */
  headers: Record<string, string>;
  /**
   * When the run is over: its place is free. Its money is too when its spending is in the journal, where `written` is
   * waited for. Again is no matter.
   */
  release(written?: Promise<void>): void;
}

/** What a request would spend, and for which run. */
export interface Wanted {
  runId: string;
  /** What the request would be limited to anyway; undefined wants all that is left. */
  usd?: number;
  /** Less than this is of no use to it. */
  leastUsd?: number;
  /** What is journaled if this process dies before it has journaled anything of the run. */
  lostEvents?: RunEvent[];
}

export interface AdmissionControl {
  /**
   * Throws "rate-limited" (429, retryable, with `retryAfterMs`), "budget-spent" (429, not retryable), or "overloaded"
   * (503) where a budget cannot be kept because the journal cannot be written.
   */
  admit(key: GatewayKey | undefined, wanted: Wanted): Promise<Admission>;
  /** The same headers for a request that was refused, or that takes no place. */
  headers(key: GatewayKey | undefined): Record<string, string>;
}

const BUSY_RETRY_MS = 1_000;
const NO_JOURNAL_RETRY_MS = 5_000;
/** How often a reservation that could not be released is tried again. */
const RELEASE_AGAIN_MS = 1_000;
/** Less than a millionth of a dollar asks nobody anything: it counts as spent. */
const LEAST_USD = 1e-6;

export function createAdmissionControl(options: AdmissionOptions): AdmissionControl {
  const { store, owner, log, now, turnstile = createLocalTurnstile(now), settleMs = 0 } = options;
  const { lookAgainMs = settleMs } = turnstile;
  const busyErrors = new WeakSet<TuttiError>();
  /** Requests that wait for a place, by key. */
  const waitingOf = new Map<string, Set<() => void>>();

  function toRefusal(key: GatewayKey, refused: Entry & { ok: false }): TuttiError {
    if (refused.reason === "places")
      return busy(`API key "${key.name}" may have ${toRequests(key.concurrency!)} running at once.`);
    const { waitMs } = refused;
    return rateLimited(
      `API key "${key.name}" may make ${toRequests(key.requestsPerMinute!)} a minute. ` +
        `The next one in ${Math.ceil(waitMs / 1000)} s.`,
      waitMs,
    );
  }

  /** Reserves money, or says why there is none. */
  async function reserve(key: GatewayKey, wanted: Wanted): Promise<{ id: string; usd: number }> {
    const { usd: budgetUsd, window } = key.budget!;
    const { runId, usd: wantedUsd = Number.POSITIVE_INFINITY, leastUsd = 0, lostEvents } = wanted;
    const reply = await store
      .reserve({
        runId,
        keyId: key.id,
        wantedUsd,
        leastUsd: Math.max(LEAST_USD, leastUsd),
        budgetUsd,
        from: startOfWindow(window, now()),
        owner,
        lostEvents,
      })
      .catch((error: unknown) => {
        log.error("a budget cannot be kept: the journal cannot be written", { key: key.id, error });
        throw noJournal(error);
      });
    if (reply.ok) return reply;
    const leftUsd = budgetUsd - reply.spentUsd;
    if (leftUsd < LEAST_USD) throw budgetSpent(key, key.budget!, now());
    if (leftUsd < leastUsd) throw budgetShort(leftUsd, leastUsd);
    throw busy(
      `What is left of the budget of API key "${key.name}" is reserved for requests that are running.`,
    );
  }

  /** On the safe side: what cannot be released yet stays reserved. */
  function unreserve(id: string): void {
    store.unreserve(id).catch(() => setTimeout(() => unreserve(id), RELEASE_AGAIN_MS).unref());
  }

  function busy(message: string): TuttiError {
    const error = rateLimited(message, BUSY_RETRY_MS);
    busyErrors.add(error);
    return error;
  }

  /** Until a place is given back, or the time is over. */
  function released({ id }: GatewayKey): Promise<void> {
    return new Promise((resolve) => {
      const waiting = waitingOf.get(id) ?? new Set();
      waitingOf.set(id, waiting);
      const go = () => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.min(lookAgainMs, settleMs));
      waiting.add(go);
    });
  }

  function wake({ id }: GatewayKey): void {
    const waiting = waitingOf.get(id);
    waitingOf.delete(id);
    for (const resume of waiting ?? []) resume();
  }

  async function enter(key: GatewayKey, wanted: Wanted): Promise<Admission> {
    const entry = await turnstile.enter(key);
    if (!entry.ok) throw toRefusal(key, entry);
    if (!key.budget) return take(key, entry, wanted.usd);
    try {
      const { id, usd } = await reserve(key, wanted);
      const isShort = usd < (wanted.usd ?? Number.POSITIVE_INFINITY);
      return take(key, entry, usd, { id, isShort });
    } catch (error) {
      entry.undo();
      wake(key);
      throw error;
    }
  }

  function headersOf(key: GatewayKey): Record<string, string> {
    const { requestsPerMinute: limit } = key;
    if (limit === undefined) return {};
    const { count = 0, resetMs = 0 } = turnstile.useOf(key) ?? {};
    return {
      "x-ratelimit-limit-requests": String(limit),
      "x-ratelimit-remaining-requests": String(Math.max(0, limit - count)),
      "x-ratelimit-reset-requests": toDuration(resetMs),
    };
  }

  return {
    async admit(key, wanted) {
      if (!key) return { budgetUsd: wanted.usd, headers: {}, release() {} };
      const endsAt = performance.now() + settleMs;
      for (;;) {
        try {
          return await enter(key, wanted);
        } catch (error) {
          if (!busyErrors.has(error as TuttiError) || performance.now() >= endsAt) throw error;
          await released(key);
        }
      }
    },
    headers: (key) => (key ? headersOf(key) : {}),
  };

  function take(
    key: GatewayKey,
    entry: Entry & { ok: true },
    budgetUsd: number | undefined,
    reserved?: { id: string; isShort: boolean },
  ): Admission {
    let isReleased = false;
    return {
      budgetUsd,
      isShort: reserved?.isShort,
      headers: headersOf(key),
      release(written) {
        if (isReleased) return;
        isReleased = true;
        entry.leave();
        wake(key);
        if (!reserved) return;
        if (!written) return unreserve(reserved.id);
        void written.then(() => {
          unreserve(reserved.id);
          wake(key);
        });
      },
    };
  }
}

function toRequests(count: number): string {
  return `${count} ${count === 1 ? "request" : "requests"}`;
}

function rateLimited(message: string, retryAfterMs: number): TuttiError {
  return new TuttiError("rate-limited", message, { retryAfterMs });
}

/** Whoever has a budget is told why nothing is asked now; the reason is for the log. */
function noJournal(cause: unknown): TuttiError {
  const message =
    "What this key spends cannot be written down now, so its budget cannot be kept. Try again later.";
  return new TuttiError("overloaded", message, {
    cause,
    retryAfterMs: NO_JOURNAL_RETRY_MS,
  });
}

function budgetShort(leftUsd: number, leastUsd: number): TuttiError {
  return new TuttiError(
    "budget-spent",
    `What is left of this key's budget ($${leftUsd.toFixed(4)}) is less than the longest reply could cost ($${leastUsd.toFixed(4)}). Ask for a shorter one.`,
  );
}

function budgetSpent(key: GatewayKey, budget: NonNullable<GatewayKey["budget"]>, now: number): TuttiError {
  const end = endOfWindow(budget.window, now);
  const then =
    end === undefined
      ? "It does not begin anew: ask for a key with a larger one."
      : `It begins anew at ${new Date(end).toISOString()}.`;
  return new TuttiError(
    "budget-spent",
    `API key "${key.name}" has spent its budget of $${budget.usd} ${WINDOW_WORDS[budget.window]}. ${then}`,
  );
}

/** As OpenAI writes it: "120ms", "1.5s", "6m0s". */
function toDuration(ms: number): string {
  if (ms < 1000) return `${Math.ceil(ms)}ms`;
  const seconds = Math.ceil(ms) / 1000;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${Number((seconds % 60).toFixed(3))}s`;
}
