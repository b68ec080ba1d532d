// Money, calls and tokens of a run: what is reserved becomes what is spent. Pure, and apart from the state so
// that the fold of events stays readable.

import type { Amount, Spending } from "../store/types.ts";
import type { Usage } from "../worker/types.ts";
import { addUsage, NO_USAGE } from "../worker/usage.ts";

/** What all attempts of a step, or all plans of a round, took together. */
export interface Totals {
  usage: Usage;
  /** Of priced calls. */
  costUsd: number;
  calls: number;
  unpricedCalls: number;
}

/** The part of a run's state that is about money. */
interface Account {
  spent: Amount;
  reserved: Amount;
  unpricedCalls: number;
}

export const NOTHING: Amount = { usd: 0, calls: 0, tokens: 0 };
export const NO_TOTALS: Totals = { usage: NO_USAGE, costUsd: 0, calls: 0, unpricedCalls: 0 };

export function reserve<T extends Account>(account: T, amount: Amount): T {
  return { ...account, reserved: addAmount(account.reserved, amount) };
}

/** What was reserved becomes what was spent. The Conductor's calls are counted apart from `spent.calls`. */
export function settle<T extends Account>(
  account: T,
  reserved: Amount,
  spending: Spending,
  isPlan = false,
): T {
  const { usage, costUsd, calls } = spending;
  const spent: Amount = {
    usd: costUsd ?? 0,
    calls: isPlan ? 0 : calls,
    tokens: usage.inputTokens + usage.outputTokens,
  };
  return {
    ...account,
    // Clamped: floating point must not leave a crumb that looks like a running step.
    reserved: {
      usd: Math.max(0, account.reserved.usd - reserved.usd),
      calls: account.reserved.calls - reserved.calls,
      tokens: account.reserved.tokens - reserved.tokens,
    },
    spent: addAmount(account.spent, spent),
    unpricedCalls: account.unpricedCalls + unpriced(spending),
  };
}

export function addTotals(totals: Totals, spending: Spending): Totals {
  return {
    usage: addUsage(totals.usage, spending.usage),
    costUsd: totals.costUsd + (spending.costUsd ?? 0),
    calls: totals.calls + spending.calls,
    unpricedCalls: totals.unpricedCalls + unpriced(spending),
  };
}

function addAmount(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, calls: a.calls + b.calls, tokens: a.tokens + b.tokens };
}

function unpriced({ costUsd, calls, unpricedCalls }: Spending): number {
  return unpricedCalls ?? (costUsd === undefined ? calls : 0);
}
