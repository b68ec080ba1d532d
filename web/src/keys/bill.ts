// From lines of the bill to bars and sums.

import { toMoney } from "../../../src/base/format.ts";
import type { DayOfWork } from "../../../src/gateway/dashboard/types.ts";
import type { StackedBarsOptions } from "../../../src/report/bar-chart.ts";
import { MOST_COLOURS } from "../../../src/report/drawing.ts";

export type BillGroup = "key" | "model" | "worker";

/** As GET /v1/usage?group=day,key tells it, and for workers GET /v1/pool/days. */
export interface BillLine {
  day: string;
  key?: string;
  model?: string;
  worker?: string;
  runs: number;
  calls: number;
  cost_usd: number;
  /** Bills know them; the journal's days of workers do not. */
  input_tokens?: number;
  output_tokens?: number;
  cached_input_tokens?: number;
  cache_saved_usd?: number;
  simulated: boolean;
}

export type Sum = Required<Omit<BillLine, "day" | BillGroup>> & { value: string };

const DAY_MS = 86_400_000;
const OTHERS = "others";

export function fromDays(days: readonly DayOfWork[]): BillLine[] {
  return days.map(({ day, workerId, runs, calls, costUsd, isSimulated }) => ({
    ...{ day, runs, calls, worker: workerId, cost_usd: costUsd },
    simulated: isSimulated,
  }));
}

/** A bar for each day up to today; those that spent least are together. */
export function toBars(
  lines: readonly BillLine[],
  group: BillGroup,
  days: number,
  now: number,
  nameOf: (value: string) => string,
): StackedBarsOptions {
  const columns = Array.from({ length: days }, (_, i) => toDay(now - (days - 1 - i) * DAY_MS));
  const labelOf = (line: BillLine) => `${nameOf(line[group] ?? "")}${line.simulated ? " (simulated)" : ""}`;
  const totals = new Map<string, number>();
  for (const line of lines) totals.set(labelOf(line), (totals.get(labelOf(line)) ?? 0) + line.cost_usd);
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = ranked.slice(0, MOST_COLOURS);
  const bands = new Map(
    [...shown, ...(ranked.length > shown.length ? [OTHERS] : [])].map((name) => [name, columns.map(() => 0)]),
  );
  for (const line of lines) {
    const band = bands.get(labelOf(line)) ?? bands.get(OTHERS)!;
    const column = columns.indexOf(line.day);
    if (column >= 0) band[column]! += line.cost_usd;
  }
  return {
    title: `Dollars a day by ${group}`,
    columns,
    bands: [...bands].map(([name, values]) => ({ name, values })),
    format: (usd) => toMoney(usd),
  };
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The most expensive first; simulated ones apart. */
export function toSums(lines: readonly BillLine[], group: BillGroup): Sum[] {
  const sums = new Map<string, Sum>();
  for (const line of lines) {
    const { simulated, runs, calls, cost_usd, input_tokens = 0, output_tokens = 0 } = line;
    const { cached_input_tokens = 0, cache_saved_usd = 0 } = line;
    const value = line[group] ?? "";
    const before = sums.get(`${simulated} ${value}`);
    sums.set(`${simulated} ${value}`, {
      ...{ value, simulated },
      runs: (before?.runs ?? 0) + runs,
      calls: (before?.calls ?? 0) + calls,
      cost_usd: (before?.cost_usd ?? 0) + cost_usd,
      input_tokens: (before?.input_tokens ?? 0) + input_tokens,
      output_tokens: (before?.output_tokens ?? 0) + output_tokens,
      cached_input_tokens: (before?.cached_input_tokens ?? 0) + cached_input_tokens,
      cache_saved_usd: (before?.cache_saved_usd ?? 0) + cache_saved_usd,
    });
  }
  return [...sums.values()].sort((a, b) => b.cost_usd - a.cost_usd);
}
