// How often a key asks and how many of its requests run at once: what is free is taken in one go, so that requests that come
// together cannot all take the last place. Here as one process counts it; several gateways on one Postgres count together
// (../service/shared-turnstile.ts).

import type { GatewayKey } from "./keys.ts";
import { createRateWindow, type RateWindow } from "./rate-window.ts";

/** A request that was let in, or why it was not: then nothing was taken. */
export type Entry =
  | {
      ok: true;
      /** It is over, and its place is free. Call it once, or `undo`. */
      leave(): void;
      /** As if it had never come. */
      undo(): void;
    }
  | { ok: false; reason: "places" }
  | { ok: false; reason: "rate"; waitMs: number };

/** Of the last minute. */
export interface RateUse {
  count: number;
  /** How long until none of them is in it any more. */
  resetMs: number;
}

export interface Turnstile {
  enter(key: GatewayKey): Entry | Promise<Entry>;
  /** As far as it is known here. */
  useOf(key: GatewayKey): RateUse | undefined;
  /** Places become free where nobody here hears of it: how often to try again. */
  lookAgainMs?: number;
}

export function createLocalTurnstile(now: () => number): Turnstile {
  const byKey = new Map<string, { rate: RateWindow; running: number }>();

  function stateOf({ id }: GatewayKey) {
    const known = byKey.get(id);
    if (known) return known;
    const state = { rate: createRateWindow(), running: 0 };
    byKey.set(id, state);
    return state;
  }

  return {
    enter(key) {
      const state = stateOf(key);
      const { rate } = state;
      if (key.concurrency !== undefined && state.running >= key.concurrency)
        return { ok: false, reason: "places" };
      const at = now();
      const waitMs = key.requestsPerMinute === undefined ? 0 : rate.waitMs(key.requestsPerMinute, at);
      if (waitMs > 0) return { ok: false, reason: "rate", waitMs };
      state.running++;
      rate.add(at);
      const leave = () => {
        state.running--;
      };
      return {
        ok: true,
        leave,
        undo() {
          leave();
          rate.remove(at);
        },
      };
    },
    useOf(key) {
      const { rate } = stateOf(key);
      const at = now();
      return { count: rate.count(at), resetMs: rate.resetMs(at) };
    },
  };
}
