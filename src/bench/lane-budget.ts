// Money for many runs at a time. Each run is given a share of what is left before it starts and gives back
// what it did not use, so that all together never spend more than there was.

import { Ledger } from "../perform/ledger.ts";

/** What one run may spend. */
export interface Allowance {
  usd: number;
  giveBack(spentUsd: number): void;
}

export class LaneBudget {
  readonly #ledger: Ledger;
  #isClosed = false;
  #isNarrow = false;

  constructor(budgetUsd: number, spentUsd = 0) {
    this.#ledger = new Ledger(budgetUsd, spentUsd);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** There is only enough for one run at a time. */
  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  get spentUsd(): number {
    return this.#ledger.spentUsd;
  }

  /** A share of what is left, for one of `lanes` runs at a time. Nothing once it is empty or closed. */
  take(lanes: number): Allowance | undefined {
    const { leftUsd, holders } = this.#ledger;
    if (leftUsd <= 0) this.#isClosed = true;
    if (this.#isClosed) return undefined;
    const usd = leftUsd / Math.max(1, lanes - holders);
    return { usd, giveBack: this.#ledger.reserve(usd) };
  }

  /**
   * A share for one of `lanes` was not enough. From now on one run at a time gets all that is left; if that
   * was so already, nothing more is given to anybody. Returns whether it is worth another try.
   */
  narrow(lanes: number): boolean {
    if (lanes === 1) this.#isClosed = true;
    this.#isNarrow = true;
    return !this.#isClosed;
  }
}
