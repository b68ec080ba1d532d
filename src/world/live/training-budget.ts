// Money for a training with a live pool: what it will probably take, told before anybody is asked, and what
// it may take. Every ask first reserves its input and its longest reply, so the budget is never overrun; a
// reply is not shortened to fit, because what is learned from must be what the worker says.

import { TuttiError, usageError } from "../../base/errors.ts";
import { reserveCall } from "../../perform/budget.ts";
import { BYTES_PER_TOKEN, TYPICAL_REPLY_TOKENS } from "../../perform/estimate.ts";
import { type GradedTask, toMessages } from "../../task/types.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { costOf, estimateInputTokens } from "../../worker/price.ts";
import type { Pool, Price } from "../../worker/types.ts";
import { NO_USAGE } from "../../worker/usage.ts";

export interface WantedAsk {
  worker: string;
  price: Price | undefined;
  inputTokens: () => number;
  maxOutputTokens: number;
}

export class TrainingBudget {
  readonly budgetUsd: number;
  readonly #allowUnknownPrice: boolean;
  #spentUsd: number;
  #reservedUsd = 0;
  #underWay = 0;
  #waiting: (() => void)[] = [];

  /** `Infinity` is no limit. `alreadySpentUsd`: by the same training, before it was stopped. */
  constructor(budgetUsd: number, options: { alreadySpentUsd?: number; allowUnknownPrice?: boolean } = {}) {
    if (!(budgetUsd >= 0)) throw usageError(`A budget must be a number of dollars from 0, not ${budgetUsd}`);
    this.budgetUsd = budgetUsd;
    this.#spentUsd = options.alreadySpentUsd ?? 0;
    this.#allowUnknownPrice = options.allowUnknownPrice ?? budgetUsd === Number.POSITIVE_INFINITY;
  }

  get spentUsd(): number {
    return this.#spentUsd;
  }

  get allowsUnknownPrice(): boolean {
    return this.#allowUnknownPrice;
  }

  /**
   * Returns what must be called once with what the ask has cost. What is lacking may come back from asks
   * under way, so they are waited for; then it throws "budget-spent".
   */
  async reserve(wanted: WantedAsk, signal: AbortSignal): Promise<(costUsd: number) => void> {
    const wake = () => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      for (;;) {
        if (signal.aborted) throw new TuttiError("aborted", `Worker "${wanted.worker}" was stopped.`);
        const reservedUsd = this.#tryReserve(wanted);
        if (reservedUsd !== undefined) return this.#take(reservedUsd);
        if (this.#underWay === 0) throw this.#spent(wanted.worker);
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #tryReserve({ price, inputTokens, maxOutputTokens }: WantedAsk): number | undefined {
    const usd = this.budgetUsd - this.#spentUsd - this.#reservedUsd;
    const left = { usd, calls: Number.POSITIVE_INFINITY, tokens: Number.POSITIVE_INFINITY };
    const ask = { price, calls: 1 as const, inputTokens, maxOutputTokens };
    const reservation = reserveCall(left, ask, this.#allowUnknownPrice);
    return reservation.ok && reservation.maxOutputTokens === maxOutputTokens
      ? reservation.amount.usd
      : undefined;
  }

  #take(reservedUsd: number): (costUsd: number) => void {
    this.#reservedUsd += reservedUsd;
    this.#underWay++;
    return (costUsd) => {
      this.#reservedUsd -= reservedUsd;
      this.#underWay--;
      this.#spentUsd += costUsd;
      this.#wake();
    };
  }

  #spent(worker: string): TuttiError {
    const message = `Worker "${worker}" was not asked: of the budget of $${this.budgetUsd} for this training, $${this.#spentUsd.toFixed(4)} are spent, and the rest is less than its longest reply costs`;
    return new TuttiError("budget-spent", message);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

export interface TrainingEstimate {
  /** No more than this: what was asked before is not asked again. */
  asks: number;
  /** With replies of ordinary length, all workers asked equally often. */
  usd: number;
  /** The same, should only the dearest be asked. */
  dearestUsd: number;
  /** Ids of workers whose price nobody knows: they come on top. */
  unpriced: string[];
}

/** What a step is told beside the task and the replies it sees. */
const FRAME_TOKENS = 250;
const STEPS_PER_ROLLOUT = 3;

export function estimateTraining(options: {
  tasks: readonly GradedTask[];
  pool: Pool;
  rollouts: number;
  /** Mean number of asks in a rollout. */
  stepsPerRollout?: number;
}): TrainingEstimate {
  const { tasks, pool, rollouts, stepsPerRollout = STEPS_PER_ROLLOUT } = options;
  const models = modelsOf(pool);
  const bytes = tasks.reduce((sum, task) => sum + estimateInputTokens(toMessages(task)), 0);
  // On average a step sees half of those before it.
  const seen = ((stepsPerRollout - 1) / 2) * TYPICAL_REPLY_TOKENS;
  const inputTokens = bytes / Math.max(1, tasks.length) / BYTES_PER_TOKEN + FRAME_TOKENS + seen;
  const costs = models.flatMap(({ price, maxOutputTokens = TYPICAL_REPLY_TOKENS }) => {
    const outputTokens = Math.min(maxOutputTokens, TYPICAL_REPLY_TOKENS);
    return price ? [costOf({ ...NO_USAGE, inputTokens, outputTokens }, price)] : [];
  });
  const asks = Math.ceil(rollouts * stepsPerRollout);
  const mean = costs.reduce((sum, cost) => sum + cost, 0) / Math.max(1, costs.length);
  return {
    asks,
    // Those without a price are asked too, and take their share of the asks.
    usd: (asks * mean * costs.length) / Math.max(1, models.length),
    dearestUsd: asks * Math.max(0, ...costs),
    unpriced: models.flatMap(({ worker, price }) => (price ? [] : [worker.id])),
  };
}
