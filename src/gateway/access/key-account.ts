// The money of one key: what the journal says was spent, what running requests have reserved, and what was
// released so lately that the journal's sum may not have it yet. The three together never exceed the budget.
// Not covered: another gateway on the same journal, whose reservations are not seen here, only its spending.

import { Ledger } from "../../perform/ledger.ts";

/** What was spent in a window, as it was read last. */
interface AccountReading {
  spentUsd: number;
  /** Released since the reading began: whatever of it was spent may be missing in `spentUsd`. */
  settlingUsd: number;
  readAt: number;
}

export interface KeyAccount {
  /** Undefined: never read for the window that began then. */
  readingSince(from: number): AccountReading | undefined;
  read(from: number, now: number): Promise<void>;
  reservedUsd(): number;
  /** Returns the release, for when the run's spending is in the journal. */
  reserve(usd: number): () => void;
}

export function createKeyAccount(spentSince: (from: number) => Promise<number>): KeyAccount {
  let last: { from: number; usd: number; at: number; releasedBefore: number } | undefined;
  let reading: { from: number; done: Promise<void> } | undefined;
  /** What was taken stands in the journal: here all that was reserved counts as spent once it is released. */
  const ledger = new Ledger();

  async function readNow(from: number, at: number): Promise<void> {
    const releasedBefore = ledger.spentUsd;
    const usd = await spentSince(from);
    last = { from, usd, at, releasedBefore };
  }

  return {
    readingSince(from) {
      if (last?.from !== from) return undefined;
      const { usd, at, releasedBefore } = last;
      return { spentUsd: usd, settlingUsd: ledger.spentUsd - releasedBefore, readAt: at };
    },
    read(from, now) {
      // Requests that arrive together share one reading.
      if (reading?.from === from) return reading.done;
      const done = readNow(from, now).finally(() => {
        if (reading?.done === done) reading = undefined;
      });
      reading = { from, done };
      return done;
    },
    reservedUsd: () => ledger.reservedUsd,
    reserve(usd) {
      const settle = ledger.reserve(usd);
      return () => settle(usd);
    },
  };
}
