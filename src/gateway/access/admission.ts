// Who is let in now: a key's rate, how many of its requests run at once, and its money. What is checked and
// what is taken happens in one go, without a wait between, so that requests that come together cannot all
// take the last place. A request that is refused takes nothing.

import { TuttiError } from "../../base/errors.ts";
import { endOfWindow, startOfWindow, WINDOW_WORDS } from "./budget-window.ts";
import { createKeyAccount, type KeyAccount } from "./key-account.ts";
import type { GatewayKey } from "./keys.ts";
import { createRateWindow, type RateWindow } from "./rate-window.ts";

export interface AdmissionOptions {
  /** What the key's runs that began at this time or later took, in dollars. Running ones may be in it. */
  spentSince: (keyId: string, from: number) => Promise<number>;
  now: () => number;
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
  /** When the run is over and its spending is in the journal. Again is no matter. */
  release(): void;
}

export interface AdmissionControl {
  /**
   * Throws "rate-limited" (429, retryable, with `retryAfterMs`) or "budget-spent" (429, not retryable).
   * `wantedUsd` is what the request would be limited to anyway; undefined wants all that is left.
   */
  admit(key: GatewayKey | undefined, wantedUsd: number | undefined): Promise<Admission>;
  /** Of requests that run now. */
  reservedUsd(keyId: string): number;
  /** The same headers for a request that was refused, or that takes no place. */
  headers(key: GatewayKey | undefined): Record<string, string>;
}

const BUSY_RETRY_MS = 1_000;
/** For so long the journal's sum is taken as it was read, where the request gets all that it wants. */
const FRESH_MS = 1_000;
/** How often the journal is read for one request, when others end meanwhile. */
const MOST_READINGS = 3;
/** Less than a millionth of a dollar asks nobody anything: it counts as spent. */
const LEAST_USD = 1e-6;

interface KeyLoad {
  rate: RateWindow;
  account: KeyAccount;
  running: number;
  /** Requests that wait for a place. */
  waiting: (() => void)[];
}

export function createAdmissionControl(options: AdmissionOptions): AdmissionControl {
  const { spentSince, now, settleMs = 0 } = options;
  const busyErrors = new WeakSet<TuttiError>();
  const states = new Map<string, KeyLoad>();

  function stateOf({ id }: GatewayKey): KeyLoad {
    const known = states.get(id);
    if (known) return known;
    const account = createKeyAccount((from) => spentSince(id, from));
    const state = { rate: createRateWindow(), account, running: 0, waiting: [] };
    states.set(id, state);
    return state;
  }

  function checkPlaces(key: GatewayKey, { rate, running }: KeyLoad): void {
    if (key.concurrency !== undefined && running >= key.concurrency)
      throw busy(`API key "${key.name}" may have ${toRequests(key.concurrency)} running at once.`);
    if (key.requestsPerMinute === undefined) return;
    const waitMs = rate.waitMs(key.requestsPerMinute, now());
    if (waitMs > 0)
      throw rateLimited(
        `API key "${key.name}" may make ${toRequests(key.requestsPerMinute)} a minute. ` +
          `The next one in ${Math.ceil(waitMs / 1000)} s.`,
        waitMs,
      );
  }

  /** The cap of this request. Undefined: the journal must be read first. */
  function capOf(
    key: GatewayKey,
    { account }: KeyLoad,
    wantedUsd: number,
    readings: number,
  ): number | undefined {
    if (!key.budget) return wantedUsd;
    const { usd, window } = key.budget;
    const reading = account.readingSince(startOfWindow(window, now()));
    if (!reading || (readings === 0 && Math.abs(now() - reading.readAt) >= FRESH_MS)) return undefined;
    const { spentUsd, settlingUsd } = reading;
    const leftUsd = usd - spentUsd - settlingUsd - account.reservedUsd();
    if (leftUsd >= LEAST_USD && leftUsd >= wantedUsd) return wantedUsd;
    // It does not get all that it wants: that must not be for a sum that is out of date.
    if (readings === 0 || (settlingUsd > 0 && readings < MOST_READINGS)) return undefined;
    if (leftUsd >= LEAST_USD) return leftUsd;
    if (usd - spentUsd < LEAST_USD) throw budgetSpent(key, key.budget, now());
    throw busy(
      `What is left of the budget of API key "${key.name}" is reserved for requests that are running.`,
    );
  }

  function busy(message: string): TuttiError {
    const error = rateLimited(message, BUSY_RETRY_MS);
    busyErrors.add(error);
    return error;
  }

  /** Until a place is given back, or the time is over. */
  function released(state: KeyLoad): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, settleMs);
      state.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async function enter(key: GatewayKey, state: KeyLoad, wantedUsd: number): Promise<Admission> {
    for (let readings = 0; ; readings++) {
      checkPlaces(key, state); // again after each wait: others were let in meanwhile
      const cap = capOf(key, state, wantedUsd, readings);
      if (cap !== undefined) return take(key, state, cap, cap < wantedUsd);
      await state.account.read(startOfWindow(key.budget!.window, now()), now());
    }
  }

  function headersOf(key: GatewayKey, { rate }: KeyLoad): Record<string, string> {
    const { requestsPerMinute: limit } = key;
    if (limit === undefined) return {};
    return {
      "x-ratelimit-limit-requests": String(limit),
      "x-ratelimit-remaining-requests": String(Math.max(0, limit - rate.count(now()))),
      "x-ratelimit-reset-requests": toDuration(rate.resetMs(now())),
    };
  }

  return {
    async admit(key, wantedUsd) {
      if (!key) return { budgetUsd: wantedUsd, headers: {}, release() {} };
      const state = stateOf(key);
      const wanted = wantedUsd ?? Number.POSITIVE_INFINITY;
      const endsAt = performance.now() + settleMs;
      for (;;) {
        try {
          return await enter(key, state, wanted);
        } catch (error) {
          if (!busyErrors.has(error as TuttiError) || performance.now() >= endsAt) throw error;
          await released(state);
        }
      }
    },
    reservedUsd: (keyId) => states.get(keyId)?.account.reservedUsd() ?? 0,
    headers: (key) => (key ? headersOf(key, stateOf(key)) : {}),
  };

  function take(key: GatewayKey, state: KeyLoad, cap: number, isShort: boolean): Admission {
    const isCapped = Number.isFinite(cap);
    // A key that is given a budget while requests run must know what they may still take.
    state.running++;
    state.rate.add(now());
    const giveBack = state.account.reserve(isCapped ? cap : 0);
    let isReleased = false;
    return {
      budgetUsd: isCapped ? cap : undefined,
      isShort,
      headers: headersOf(key, state),
      release() {
        if (isReleased) return;
        isReleased = true;
        state.running--;
        giveBack();
        for (const wake of state.waiting.splice(0)) wake();
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
