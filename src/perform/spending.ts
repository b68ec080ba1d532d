// What an ask took: as the provider reports it, or, where it broke, counted from the text.

import { traitsOf } from "../base/error-codes.ts";
import type { PoolEntry, Spending } from "../store/types.ts";
import { isFree, isModel } from "../worker/kinds.ts";
import { costOf } from "../worker/price.ts";
import type { Usage } from "../worker/types.ts";
import { NO_USAGE } from "../worker/usage.ts";

type BilledWorker = Pick<PoolEntry, "kind" | "price">;

export const NOTHING_SPENT: Spending = { usage: NO_USAGE, costUsd: 0, calls: 0 };

/** What was sent and what came back: counted where a provider does not say what it bills. */
export interface CallTexts {
  inputTokens: () => number;
  written: string;
}

export function toSpending(entry: BilledWorker, usage: Usage, exchange: CallTexts): Spending {
  if (isFree(entry)) return { usage, costUsd: 0, calls: 0 };
  const isSilent = usage.inputTokens === 0 && usage.outputTokens === 0;
  return isSilent ? estimate(entry, exchange) : priced(entry, usage);
}

/** A failed ask is still a call. If it may have been billed, it is counted on the high side. */
export function toFailedSpending(
  entry: BilledWorker,
  { code }: { code: string },
  exchange: CallTexts,
): Spending {
  const { billed } = traitsOf(code);
  if (!isModel(entry) || billed === "never") return NOTHING_SPENT;
  if (billed === "if-written" && exchange.written === "") return { usage: NO_USAGE, costUsd: 0, calls: 1 };
  return estimate(entry, exchange);
}

function estimate(entry: BilledWorker, { inputTokens, written }: CallTexts): Spending {
  const usage = { ...NO_USAGE, inputTokens: inputTokens(), outputTokens: Buffer.byteLength(written) };
  return { ...priced(entry, usage), estimated: true };
}

function priced({ price }: BilledWorker, usage: Usage): Spending {
  return { usage, costUsd: price && costOf(usage, price), calls: 1 };
}
