// The money of one key: what the journal says was spent, what running requests have reserved, and what was
// released so lately that the journal's sum may not have it yet. The three together never exceed the budget.
// Not covered: another gateway on the same journal, whose reservations are not seen here, only its spending.

/** What was spent in a window, as it was read last. */
interface Account {
  spentUsd: number;
  /** Released since the reading began: whatever of it was spent may be missing in `spentUsd`. */
  settlingUsd: number;
  readAt: number;
}

export interface Purse {
  /** Undefined: never read for the window that began then. */
  accountSince(from: number): Account | undefined;
  read(from: number, now: number): Promise<void>;
  reservedUsd(): number;
  reserve(usd: number): void;
  /** After the run's spending is in the journal. */
  release(usd: number): void;
}

export function createPurse(spentSince: (from: number) => Promise<number>): Purse {
  let account: { from: number; usd: number; at: number; releasedBefore: number } | undefined;
  let reading: { from: number; done: Promise<void> } | undefined;
  let reserved = 0;
  let holders = 0;
  /** Of all time: two sums, one list less. */
  let released = 0;

  async function readNow(from: number, at: number): Promise<void> {
    const releasedBefore = released;
    const usd = await spentSince(from);
    account = { from, usd, at, releasedBefore };
  }

  return {
    accountSince(from) {
      if (account?.from !== from) return undefined;
      const { usd, at, releasedBefore } = account;
      return { spentUsd: usd, settlingUsd: released - releasedBefore, readAt: at };
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
    reservedUsd: () => reserved,
    reserve(usd) {
      reserved += usd;
      holders++;
    },
    release(usd) {
      holders--;
      // Sums of many fractions drift; nobody left means nothing left.
      reserved = holders === 0 ? 0 : reserved - usd;
      released += usd;
    },
  };
}
