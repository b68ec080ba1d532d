// What a turn costs at a worker, with what its provider keeps of the prefix in its cache: as the worker has reported it in
// this conversation, else as its price says. A prefix that is not there is read anew, at the full price.

import { ratesFor } from "../worker/price.ts";
import type { Price, Usage } from "../worker/types.ts";
import type { CacheRead } from "./types.ts";

/** Providers forget a prefix that nobody reads: after five minutes most of them have. */
const KEPT_MS = 300_000;
/** Shorter prompts are cached by few: that nothing was reported for them says nothing. */
const LEAST_TOKENS = 1_024;

export interface TurnSize {
  /** What the next turn reads that an earlier one has read already. */
  prefixTokens: number;
  /** What tools have returned since. */
  newTokens: number;
  replyTokens: number;
}

export interface TurnCost {
  /** Of one more turn once the prefix is in the cache. */
  turnUsd: number;
  /** On top, once. */
  missUsd: number;
}

export function costOfTurn(
  price: Price,
  { prefixTokens, newTokens, replyTokens }: TurnSize,
  read: CacheRead | undefined,
  now: number,
): TurnCost {
  const {
    inputUsd,
    outputUsd,
    cachedInputUsd = inputUsd,
    cacheWriteUsd = inputUsd,
  } = ratesFor(price, prefixTokens + newTokens);
  const share = cachedInputUsd < inputUsd ? (read?.share ?? 1) : 0;
  const kept = read && now - read.at < KEPT_MS ? Math.min(read.tokens, prefixTokens) : 0;
  // Who keeps nothing writes nothing to a cache either.
  const anewUsd = share > 0 ? Math.max(inputUsd, cacheWriteUsd) : inputUsd;
  const cachedUsd = share * cachedInputUsd + (1 - share) * inputUsd;
  const turnUsd = (prefixTokens * cachedUsd + newTokens * anewUsd + replyTokens * outputUsd) / 1e6;
  return { turnUsd, missUsd: ((prefixTokens - kept) * Math.max(0, anewUsd - cachedUsd)) / 1e6 };
}

/** After a turn of this worker: what it leaves in the cache, and how much of what was there it has found. */
export function toCacheRead(before: CacheRead | undefined, usage: Usage, at: number): CacheRead {
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  const tokens = inputTokens + outputTokens;
  const could = before && at - before.at < KEPT_MS ? Math.min(before.tokens, inputTokens) : 0;
  if (could < LEAST_TOKENS) return { tokens, at, share: before?.share };
  return { tokens, at, share: Math.min(1, cachedInputTokens / could) };
}
