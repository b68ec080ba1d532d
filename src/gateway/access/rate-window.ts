// Requests of the last minute, each by its time, so that no sixty seconds ever hold more than the limit:
// counters that begin anew on the minute let twice as many through around it.

const MINUTE_MS = 60_000;
/** What has left the window is cut off in one go, not one by one. */
const LOOSE_ENTRIES = 256;

export type RateWindow = ReturnType<typeof createRateWindow>;

export function createRateWindow() {
  /** Oldest first. Those before `first` have left. */
  let times: number[] = [];
  let first = 0;

  function leave(now: number): void {
    // After the clock was set back nobody waits for more than a minute.
    if ((times.at(-1) ?? 0) > now) times = times.map((time) => Math.min(time, now));
    while (first < times.length && times[first]! <= now - MINUTE_MS) first++;
    if (first < LOOSE_ENTRIES && first < times.length) return;
    times = times.slice(first);
    first = 0;
  }

  return {
    /** How long until one more may come; 0: now. */
    waitMs(limit: number, now: number): number {
      leave(now);
      const tooMany = times.length - first - limit;
      // The limit may have been lowered meanwhile: then more than one must leave first.
      return tooMany < 0 ? 0 : times[first + tooMany]! + MINUTE_MS - now;
    },
    add(now: number): void {
      times.push(now);
    },
    /** One that came at this time came to nothing. */
    remove(time: number): void {
      const at = times.lastIndexOf(time);
      if (at >= first) times.splice(at, 1);
    },
    count(now: number): number {
      leave(now);
      return times.length - first;
    },
    /** How long until the window is empty again. */
    resetMs(now: number): number {
      leave(now);
      return first < times.length ? times.at(-1)! + MINUTE_MS - now : 0;
    },
  };
}
