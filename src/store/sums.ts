// What runs took, as lists, bills and tables have it. A line here is a column of every store: whoever adds one gives the
// tables a format that has it (sqlite/format.ts, postgres/format.ts).

import { cacheSavingOf } from "../worker/price.ts";
import type { Price } from "../worker/types.ts";
import { type RelayedFacts, toRelayedEvents } from "./relayed-run.ts";
import type { RunEvent, Spending, Sums } from "./types.ts";

/** The columns of the tables of runs and of the bill, in the order in which they are written. */
export const SUM_COLUMNS = {
  costUsd: "cost_usd",
  estimatedUsd: "estimated_usd",
  calls: "calls",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  cachedInputTokens: "cached_input_tokens",
  cacheWriteTokens: "cache_write_tokens",
  cacheSavedUsd: "cache_saved_usd",
} as const satisfies Record<keyof Sums, string>;

export type SumColumns = Record<(typeof SUM_COLUMNS)[keyof Sums], number>;
export const SUMS: readonly string[] = Object.values(SUM_COLUMNS);
/** Those that the end of a run tells whole. */
export const IN_TOTAL: readonly string[] = [SUM_COLUMNS.costUsd, SUM_COLUMNS.calls];

export const SUM_NAMES = Object.keys(SUM_COLUMNS) as (keyof Sums)[];

export const NO_SUMS: Readonly<Sums> = {
  costUsd: 0,
  estimatedUsd: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cacheSavedUsd: 0,
};

/** In the order of the columns. */
export function toSumValues(sums: Sums): number[] {
  return SUM_NAMES.map((name) => sums[name]);
}

/** Of a row or a run, what it took and nothing else. */
export function toSums(taken: Sums): Sums {
  const sums = { ...NO_SUMS };
  for (const name of SUM_NAMES) sums[name] = taken[name];
  return sums;
}

export function fromSumColumns(row: SumColumns): Sums {
  const sums = { ...NO_SUMS };
  for (const name of SUM_NAMES) sums[name] = row[SUM_COLUMNS[name]];
  return sums;
}

export function addSums(to: Sums, added: Sums): void {
  for (const name of SUM_NAMES) to[name] += added[name];
}

/** Journals of before did not keep it: there it is as the price of whoever was asked tells. */
export function cacheSavedOf({ usage, cacheSavedUsd }: Spending, price: Price | undefined): number {
  return cacheSavedUsd ?? (price ? cacheSavingOf(usage, price) : 0);
}

type CacheSums = Pick<Sums, "cachedInputTokens" | "cacheWriteTokens" | "cacheSavedUsd">;

/**
 * From a run's rows of the journal, for formats that had no such columns. What its Conductor's cache saved cannot be told any
 * more, nor what is in a row that is torn.
 */
export function toCacheSums(rows: readonly string[]): CacheSums {
  const sums = { cachedInputTokens: 0, cacheWriteTokens: 0, cacheSavedUsd: 0 };
  const events = rows.flatMap(parseRow);
  const pool = events.find((event) => event.type === "run-start")?.pool ?? [];
  for (const event of events) {
    if (!("spending" in event)) continue;
    const { usage } = event.spending;
    sums.cachedInputTokens += usage.cachedInputTokens;
    // Of an ask that broke it was made up: the most that it can have cost was counted.
    if (event.spending.estimated) continue;
    sums.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
    const price = "worker" in event ? pool[event.worker]?.price : undefined;
    sums.cacheSavedUsd += cacheSavedOf(event.spending, price);
  }
  return sums;
}

/** Of every form that a store has written: a compact one, events beside long lists, several events, one. */
type Row = { relayed: RelayedFacts } | { events: RunEvent | RunEvent[] } | RunEvent[] | RunEvent;

function parseRow(json: string): RunEvent[] {
  try {
    const row = JSON.parse(json) as Row;
    if ("relayed" in row) return toRelayedEvents(row.relayed);
    return "events" in row ? [row.events].flat() : [row].flat();
  } catch {
    return [];
  }
}
