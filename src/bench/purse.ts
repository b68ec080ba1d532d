// Money for many runs at a time. Each run is given a share of what is left before it starts and gives back
// what it did not use, so that all together never spend more than there was.

/** What one run may spend. */
export interface Allowance {
  usd: number;
  giveBack(spentUsd: number): void;
}

export class Purse {
  readonly #budgetUsd: number;
  #spentUsd = 0;
  #givenUsd = 0;
  #lanes = 0;
  #isClosed = false;
  #isNarrow = false;

  constructor(budgetUsd: number, alreadySpentUsd = 0) {
    this.#budgetUsd = budgetUsd;
    this.#spentUsd = alreadySpentUsd;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** There is only enough for one run at a time. */
  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  /** A share of what is left, for one of `lanes` runs at a time. Nothing once it is empty or closed. */
  take(lanes: number): Allowance | undefined {
    const leftUsd = this.#budgetUsd - this.#spentUsd - this.#givenUsd;
    if (leftUsd <= 0) this.#isClosed = true;
    if (this.#isClosed) return undefined;
    const usd = leftUsd / Math.max(1, lanes - this.#lanes);
    this.#givenUsd += usd;
    this.#lanes++;
    return {
      usd,
      giveBack: (spentUsd) => {
        this.#givenUsd -= usd;
        this.#spentUsd += spentUsd;
        this.#lanes--;
      },
    };
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
