// Whether what a provider reports can be true. A report that cannot be is taken as not given: then what was sent and
// written is counted instead, on the high side, and no bill becomes smaller by it. An output that is too large to be true
// is counted as the largest that can be. Whoever wants to know is told.

import { NO_USAGE } from "./price.ts";
import type { Usage } from "./types.ts";

/** No context is that long. */
const MOST_TOKENS = 100_000_000;
/** Models that think may go beyond the reply that was asked for, but not by so much. */
const LONGEST_REPLIES = 8;
const EXTRA_TOKENS = 65_536;

/** A reported count: zero where it is absent, NaN for what is none. */
export function toCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : Number.NaN;
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

/** The same usage where it can be true. `longestReply`: tokens that were asked for at the most. */
export function toPlausible(usage: Usage, longestReply = MOST_TOKENS): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens, cacheWriteTokens = 0 } = usage;
  const { hourWriteTokens = 0 } = usage;
  const isCounted =
    isCount(inputTokens) &&
    isCount(outputTokens) &&
    isCount(cachedInputTokens) &&
    isCount(reasoningTokens) &&
    isCount(cacheWriteTokens) &&
    isCount(hourWriteTokens) &&
    hourWriteTokens <= cacheWriteTokens;
  if (!isCounted) return undefined;
  if (inputTokens > MOST_TOKENS || cachedInputTokens + cacheWriteTokens > inputTokens) return undefined;
  const most = Math.min(MOST_TOKENS, longestReply * LONGEST_REPLIES + EXTRA_TOKENS);
  if (outputTokens <= most) return usage;
  return { ...usage, outputTokens: most, reasoningTokens: Math.min(reasoningTokens, most) };
}

/** The same usage, the most that it can be, or none. */
export function acceptUsage(workerId: string, usage: Usage, longestReply?: number): Usage {
  const plausible = toPlausible(usage, longestReply);
  if (plausible !== usage) tellRefusedUsage(workerId);
  return plausible ?? NO_USAGE;
}

// ---- Who is told ---------------------------------------------------------------------------------

// For the whole process: a worker does not know in which gateway it is asked.

type Listener = (workerId: string) => void;
const listeners = new Set<Listener>();

/** Until what is returned is called. */
export function onRefusedUsage(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function tellRefusedUsage(workerId: string): void {
  for (const listener of listeners) listener(workerId);
}
