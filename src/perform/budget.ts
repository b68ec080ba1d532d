// Budgets that hold. Before anything is asked, its input (an upper bound) and its largest possible
// output are reserved; what is left decides how long the reply may be, or that it cannot be asked.
// Covered: no run goes over its limits as long as providers keep to `maxOutputTokens` and bill what
// they report. Not covered: a provider that bills hidden tokens beyond both; it is shown, not stopped.

import { traitsOf } from "../base/error-codes.ts";
import { cacheSavedOf } from "../store/sums.ts";
import type { Amount, PoolEntry, Spending, StopReason } from "../store/types.ts";
import { isFree, isModel } from "../worker/kinds.ts";
import { addUsage, cacheSavingOf, costOf, mostCostOf, NO_USAGE, ratesFor } from "../worker/price.ts";
import type { Billed, Price, Usage } from "../worker/types.ts";
import type { RunState } from "./state.ts";

/** A shorter reply is not worth its money, unless no more was wanted. */
export const MIN_OUTPUT_TOKENS = 256;

export type Reservation =
  /** `inputTokens` is the bound that it was made with; absent where nothing is limited. */
  | { ok: true; amount: Amount; maxOutputTokens: number; inputTokens?: number }
  | { ok: false; lacking: Extract<StopReason, `budget-${string}`> };

/** What may still be spent, `Infinity` where there is no limit. `pending` is reserved but not yet applied. */
export function remaining(
  { settings: { limits }, spent, spentBefore, reserved }: RunState,
  pending: Amount,
): Amount {
  const left = (key: "usd" | "calls" | "tokens") =>
    (limits[key] ?? Number.POSITIVE_INFINITY) -
    (spent[key] - spentBefore[key]) -
    reserved[key] -
    pending[key];
  return { usd: left("usd"), calls: left("calls"), tokens: left("tokens") };
}

export interface Wanted {
  price: Price | undefined;
  /** The Conductor's own calls are not counted against `limits.calls`. */
  calls: 0 | 1;
  /** An upper bound, computed only where a limit needs it. */
  inputTokens: () => number;
  maxOutputTokens: number;
}

export function reserveCall(left: Amount, wanted: Wanted, allowUnknownPrice: boolean): Reservation {
  const { price, calls, maxOutputTokens } = wanted;
  if (left.calls < calls) return { ok: false, lacking: "budget-calls" };
  const hasDollars = left.usd !== Number.POSITIVE_INFINITY;
  const hasTokens = left.tokens !== Number.POSITIVE_INFINITY;
  if (!hasDollars && !hasTokens) return { ok: true, amount: { usd: 0, calls, tokens: 0 }, maxOutputTokens };
  if (hasDollars && !price && !allowUnknownPrice) return { ok: false, lacking: "budget-usd" };

  const input = wanted.inputTokens();
  const inputUsd = price ? mostCostOf(input, 0, price) + (price.mostCallUsd ?? 0) : 0;
  const outputUsd = price ? ratesFor(price, input).outputUsd / 1e6 : 0;
  const byTokens = Math.floor(left.tokens - input);
  const byDollars =
    hasDollars && price ? affordable(left.usd - inputUsd, outputUsd) : Number.POSITIVE_INFINITY;
  const output = Math.min(maxOutputTokens, byTokens, byDollars);
  if (output < Math.min(maxOutputTokens, MIN_OUTPUT_TOKENS)) {
    return { ok: false, lacking: byTokens < byDollars ? "budget-tokens" : "budget-usd" };
  }
  return {
    ok: true,
    amount: {
      usd: hasDollars ? inputUsd + outputUsd * output : 0,
      calls,
      tokens: hasTokens ? input + output : 0,
    },
    maxOutputTokens: output,
    inputTokens: input,
  };
}

/** A nested run gets an equal share of what is left, so that the steps beside it can still run. */
export function reserveShare(left: Amount, shares: number): Reservation {
  if (left.calls < 1) return { ok: false, lacking: "budget-calls" };
  if (left.usd <= 0) return { ok: false, lacking: "budget-usd" };
  if (left.tokens <= 0) return { ok: false, lacking: "budget-tokens" };
  const share = (value: number) => (value === Number.POSITIVE_INFINITY ? 0 : value / shares);
  const amount = {
    usd: share(left.usd),
    calls: Math.max(1, Math.floor(share(left.calls))),
    tokens: Math.floor(share(left.tokens)),
  };
  // Without a limit nothing has to be reserved.
  if (left.calls === Number.POSITIVE_INFINITY) amount.calls = 0;
  return { ok: true, amount, maxOutputTokens: 0 };
}

/** How long the reply of a step may be, before the budget has its say. */
export function replyLimit(state: RunState, entry: PoolEntry, isLast: boolean): number {
  const wanted = (isLast ? state.task.output?.maxOutputTokens : undefined) ?? state.settings.maxOutputTokens;
  return Math.min(wanted, entry.maxOutputTokens ?? Number.POSITIVE_INFINITY);
}

function affordable(usd: number, usdPerToken: number): number {
  if (usd < 0) return -1;
  if (usdPerToken === 0) return Number.POSITIVE_INFINITY;
  // A hair less than what fits: rounding must never cost a limit.
  return Math.floor(usd / usdPerToken - 1e-6);
}

// ---- Amounts -------------------------------------------------------------------------------------

// Money, calls and tokens of a run: what is reserved becomes what is spent. Pure.

/** What all attempts of a step, or all plans of a round, took together. */
export interface Totals {
  usage: Usage;
  /** Of priced calls. */
  costUsd: number;
  calls: number;
  unpricedCalls: number;
  /** Beside `costUsd`: what it would have been more without the caches of providers. Below 0 where they took more. */
  cacheSavedUsd: number;
}

/** The part of a run's state that is about money. */
interface Account {
  spent: Amount;
  /** ⊂ spent.usd: nobody said what it cost. */
  estimatedUsd: number;
  reserved: Amount;
  unpricedCalls: number;
}

export const NOTHING: Amount = { usd: 0, calls: 0, tokens: 0 };
export const NO_TOTALS: Totals = {
  usage: NO_USAGE,
  costUsd: 0,
  calls: 0,
  unpricedCalls: 0,
  cacheSavedUsd: 0,
};

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
    estimatedUsd: account.estimatedUsd + (spending.estimated ? spent.usd : 0),
    unpricedCalls: account.unpricedCalls + unpriced(spending),
  };
}

/** `price` is that of whoever was asked, where it is known and its calls are its own: for journals of before. */
export function addTotals(totals: Totals, spending: Spending, price?: Price): Totals {
  return {
    usage: addUsage(totals.usage, spending.usage),
    costUsd: totals.costUsd + (spending.costUsd ?? 0),
    calls: totals.calls + spending.calls,
    unpricedCalls: totals.unpricedCalls + unpriced(spending),
    cacheSavedUsd: totals.cacheSavedUsd + cacheSavedOf(spending, price),
  };
}

export function addAmount(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, calls: a.calls + b.calls, tokens: a.tokens + b.tokens };
}

function unpriced({ costUsd, calls, unpricedCalls }: Spending): number {
  return unpricedCalls ?? (costUsd === undefined ? calls : 0);
}

// ---- Spending ------------------------------------------------------------------------------------

// What an ask took: as the provider reports it. A whole reply without a report is counted from its text. Of an ask that
// broke, all that was reserved counts as spent: models that reason bill what nobody has seen, and a provider goes on
// writing for a client that has left.

type BilledWorker = Pick<PoolEntry, "kind" | "price">;

export const NOTHING_SPENT: Spending = { usage: NO_USAGE, costUsd: 0, calls: 0 };

/** What was sent, what came back and what may have: counted where a provider does not say what it bills. */
export interface CallTexts {
  inputTokens: () => number;
  written: string;
  /** The longest reply that was asked for. */
  maxOutputTokens: number;
}

export function toSpending(
  entry: BilledWorker,
  usage: Usage,
  exchange: CallTexts,
  billed?: Billed,
): Spending {
  if (isFree(entry)) return { usage, costUsd: 0, calls: 0 };
  if (billed) return { usage, ...billed, unpricedCalls: billed.costUsd === undefined ? billed.calls : 0 };
  const isSilent = usage.inputTokens === 0 && usage.outputTokens === 0;
  return isSilent ? estimate(entry, exchange, 0) : priced(entry, usage);
}

/** A failed ask is still a call. If it may have been billed, all that it can have cost is counted. */
export function toFailedSpending(
  entry: BilledWorker,
  { code }: { code: string },
  exchange: CallTexts,
): Spending {
  const { billed } = traitsOf(code);
  if (!isModel(entry) || billed === "never") return NOTHING_SPENT;
  if (billed === "if-written" && exchange.written === "") return { usage: NO_USAGE, costUsd: 0, calls: 1 };
  return estimate(entry, exchange, exchange.maxOutputTokens);
}

/** With the longest reply it is the amount that `reserveCall` reserves. */
function estimate(
  entry: BilledWorker,
  { inputTokens, written }: CallTexts,
  leastOutputTokens: number,
): Spending {
  const input = inputTokens();
  const output = Math.max(leastOutputTokens, Buffer.byteLength(written));
  const usage: Usage = { ...NO_USAGE, inputTokens: input, outputTokens: output };
  const costUsd = entry.price && Math.max(0, mostCostOf(input, output, entry.price));
  return { usage, costUsd, calls: 1, estimated: true };
}

function priced({ price }: BilledWorker, usage: Usage): Spending {
  const spending: Spending = { usage, costUsd: price && costOf(usage, price), calls: 1 };
  const isCached = usage.cachedInputTokens > 0 || (usage.cacheWriteTokens ?? 0) > 0;
  // Set only where it is something: it is in the journal of every run.
  if (price && isCached) spending.cacheSavedUsd = cacheSavingOf(usage, price);
  return spending;
}
