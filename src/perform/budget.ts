// Budgets that hold. Before anything is asked, its input (an upper bound) and its largest possible
// output are reserved; what is left decides how long the reply may be, or that it cannot be asked.
// Covered: no run goes over its limits as long as providers keep to `maxOutputTokens` and bill what
// they report. Not covered: a provider that bills hidden tokens beyond both; it is shown, not stopped.

import type { Amount, PoolEntry, StopReason } from "../store/types.ts";
import type { Price } from "../worker/types.ts";
import type { RunState } from "./state.ts";

/** A shorter reply is not worth its money, unless no more was wanted. */
const MIN_OUTPUT_TOKENS = 256;

export type Reservation =
  | { ok: true; amount: Amount; maxOutputTokens: number }
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
  // Some providers write prompts to their cache unasked, at a higher price than plain input.
  const inputUsd = (Math.max(price?.inputUsd ?? 0, price?.cacheWriteUsd ?? 0) * input) / 1e6;
  const outputUsd = (price?.outputUsd ?? 0) / 1e6;
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
