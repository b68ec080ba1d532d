// Money for rollouts: so much in all and so much a day, kept as exactly as a training's budget, of which it
// is made. Days are those of the world's clock (UTC). What was spent is read from the kept replies, so a
// restart does not begin to count anew.

import type { Purse } from "../world/live/caching-worker.ts";
import { toDay } from "../world/live/reply-cache.ts";
import { TrainingBudget, type WantedAsk } from "../world/live/training-budget.ts";

export interface RolloutBudgetOptions {
  /** `Infinity` is no limit. */
  totalUsd: number;
  dailyUsd: number;
  spentUsd: number;
  spentOn: (day: string) => number;
  now: () => number;
}

export class RolloutBudget implements Purse {
  readonly #options: RolloutBudgetOptions;
  readonly #total: TrainingBudget;
  #day: { name: string; budget: TrainingBudget };

  constructor(options: RolloutBudgetOptions) {
    this.#options = options;
    this.#total = new TrainingBudget(options.totalUsd, { alreadySpentUsd: options.spentUsd });
    this.#day = this.#openDay(toDay(options.now()));
  }

  get spentUsd(): number {
    return this.#total.spentUsd;
  }

  get totalUsd(): number {
    return this.#total.budgetUsd;
  }

  get allowsUnknownPrice(): boolean {
    return this.#total.allowsUnknownPrice && this.#day.budget.allowsUnknownPrice;
  }

  async reserve(wanted: WantedAsk, signal: AbortSignal): Promise<(costUsd: number) => void> {
    const settleTotal = await this.#total.reserve(wanted, signal);
    try {
      // A reply that comes after midnight is paid by the day it was asked on.
      const settleDay = await this.#today().reserve(wanted, signal);
      return (costUsd) => {
        settleDay(costUsd);
        settleTotal(costUsd);
      };
    } catch (error) {
      settleTotal(0);
      throw error;
    }
  }

  #today(): TrainingBudget {
    const name = toDay(this.#options.now());
    if (name !== this.#day.name) this.#day = this.#openDay(name);
    return this.#day.budget;
  }

  #openDay(name: string): { name: string; budget: TrainingBudget } {
    const alreadySpentUsd = this.#options.spentOn(name);
    return { name, budget: new TrainingBudget(this.#options.dailyUsd, { alreadySpentUsd }) };
  }
}
