// What an ask took: as the provider reports it, or, where it broke, counted from the text.

import type { TuttiError } from "../errors.ts";
import type { PoolEntry, Spending } from "../store/types.ts";
import { costOf } from "../worker/price.ts";
import type { Usage } from "../worker/types.ts";
import { NO_USAGE } from "../worker/usage.ts";

export const NOTHING_SPENT: Spending = { usage: NO_USAGE, costUsd: 0, calls: 0 };

export function toSpending({ kind, price }: Pick<PoolEntry, "kind" | "price">, usage: Usage): Spending {
  if (kind === "tool") return { usage, costUsd: 0, calls: 0 };
  return { usage, ...(price && { costUsd: costOf(usage, price) }), calls: 1 };
}

/** Refused before any work was done: nothing is billed for these. */
const FREE = new Set([
  "auth",
  "rate-limited",
  "provider-error",
  "bad-request",
  "bad-response",
  "unreachable",
]);

/** A failed ask is still a call. If it may have been billed, it is counted on the high side. */
export function toFailedSpending(
  entry: Pick<PoolEntry, "kind" | "price">,
  error: Pick<TuttiError, "code">,
  inputTokens: number,
  written: string,
): Spending {
  if (entry.kind !== "model") return NOTHING_SPENT;
  if (FREE.has(error.code) && written === "") return { usage: NO_USAGE, costUsd: 0, calls: 1 };
  const usage = { ...NO_USAGE, inputTokens, outputTokens: Buffer.byteLength(written) };
  return { ...toSpending(entry, usage), estimated: true };
}
