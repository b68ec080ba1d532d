// The one reservation of money. A budget that several spend from at the same time holds because each reserves
// the most it can take before it starts and settles what it took afterwards. Benches, trainings, rollouts,
// recordings and gateway keys keep their budgets with it; a run keeps the same sums in its journaled state
// (budget.ts). Not covered: who settles more than was reserved; that is counted, not stopped.

import { TuttiError, usageError } from "../base/errors.ts";
import type { Price } from "../worker/types.ts";
import { reserveCall } from "./budget.ts";

/** To be called once, with what was really taken. */
export type Settle = (costUsd: number) => void;

export class Ledger {
  readonly budgetUsd: number;
  #spentUsd: number;
  #reservedUsd = 0;
  #holders = 0;

  /** `Infinity` is no limit. */
  constructor(budgetUsd = Number.POSITIVE_INFINITY, spentUsd = 0) {
    if (!(budgetUsd >= 0)) throw usageError(`A budget must be a number of dollars from 0, not ${budgetUsd}`);
    this.budgetUsd = budgetUsd;
    this.#spentUsd = spentUsd;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  get reservedUsd(): number {
    return this.#reservedUsd;
  }

  /** How many reservations are not settled yet. */
  get holders(): number {
    return this.#holders;
  }

  get leftUsd(): number {
    return this.budgetUsd - this.#spentUsd - this.#reservedUsd;
  }

  /** Whether there is enough is the caller's to check. */
  reserve(usd: number): Settle {
    this.#reservedUsd += usd;
    this.#holders++;
    return (costUsd) => {
      this.#holders--;
      // Sums of many fractions drift; nobody left means nothing left.
      this.#reservedUsd = this.#holders === 0 ? 0 : this.#reservedUsd - usd;
      this.#spentUsd += costUsd;
    };
  }
}

/** An ask of a worker that is to be paid. */
export interface WantedAsk {
  worker: string;
  price: Price | undefined;
  /** An upper bound, computed only where there is a limit. */
  inputTokens: () => number;
  maxOutputTokens: number;
}

/**
 * Money for asks, out of one ledger or several at once (in all, and of the day). A reply is never shortened to
 * fit: what is recorded or learned from must be what the worker says.
 */
export class AskBudget {
  readonly allowsUnknownPrice: boolean;
  readonly #ledgers: () => readonly [Ledger, ...Ledger[]];
  #waiting: (() => void)[] = [];

  /** Unknown prices are allowed where there is no limit, unless said otherwise. */
  constructor(ledgers: Ledger | (() => readonly [Ledger, ...Ledger[]]), allowUnknownPrice?: boolean) {
    this.#ledgers = typeof ledgers === "function" ? ledgers : () => [ledgers];
    this.allowsUnknownPrice =
      allowUnknownPrice ?? this.#ledgers().every(({ budgetUsd }) => budgetUsd === Number.POSITIVE_INFINITY);
  }

  /** Of the first ledger. */
  get budgetUsd(): number {
    return this.#ledgers()[0].budgetUsd;
  }

  get spentUsd(): number {
    return this.#ledgers()[0].spentUsd;
  }

  /** What is lacking may come back from asks under way, so they are waited for; then it throws "budget-spent". */
  async reserve(wanted: WantedAsk, signal: AbortSignal): Promise<Settle> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      for (;;) {
        if (signal.aborted) throw new TuttiError("aborted", `Worker "${wanted.worker}" was stopped.`);
        const shares = this.#ledgers().map((ledger) => ({ ledger, usd: this.#priceOf(wanted, ledger) }));
        if (shares.every(({ usd }) => usd !== undefined)) return this.#take(shares);
        const short = shares.find(({ ledger, usd }) => usd === undefined && ledger.holders === 0);
        if (short) throw budgetSpent(wanted.worker, short.ledger);
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  /** The most the ask can cost; undefined where the ledger has less. */
  #priceOf({ price, inputTokens, maxOutputTokens }: WantedAsk, { leftUsd }: Ledger): number | undefined {
    const left = { usd: leftUsd, calls: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY };
    const ask = { price, calls: 1 as const, inputTokens, maxOutputTokens };
    const reservation = reserveCall(left, ask, this.allowsUnknownPrice);
    return reservation.ok && reservation.maxOutputTokens === maxOutputTokens
      ? reservation.amount.usd
      : undefined;
  }

  #take(shares: readonly { ledger: Ledger; usd: number | undefined }[]): Settle {
    const settles = shares.map(({ ledger, usd = 0 }) => ledger.reserve(usd));
    return (costUsd) => {
      for (const settle of settles) settle(costUsd);
      this.#wake();
    };
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function budgetSpent(worker: string, { budgetUsd, spentUsd }: Ledger): TuttiError {
  const message = `Worker "${worker}" was not asked: of the budget of $${budgetUsd}, $${spentUsd.toFixed(4)} are spent, and the rest is less than its longest reply costs`;
  return new TuttiError("budget-spent", message);
}
