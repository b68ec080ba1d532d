// From lines of the bill to bars and sums. Pure.

import type { DayOfWork } from "../../../src/gateway/dashboard/types.ts";
import type { Line } from "../chart/line-chart.tsx";

export type Group = "key" | "model" | "worker";

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
  simulated: boolean;
}

export type Sum = Required<Omit<BillLine, "day" | Group>> & { value: string };

const DAY_S = 86_400;
const MOST_NAMED = 7;
const OTHERS = "others";

export function fromDays(days: readonly DayOfWork[]): BillLine[] {
  return days.map(({ day, workerId, runs, calls, costUsd, isSimulated }) => ({
    ...{ day, runs, calls, worker: workerId, cost_usd: costUsd },
    simulated: isSimulated,
  }));
}

/** Stacked from the top, as `area` is: each bar is the sum of itself and those that follow. */
export function toBars(
  lines: readonly BillLine[],
  group: Group,
  days: number,
  now: number,
  nameOf: (value: string) => string,
): { x: number[]; lines: Line[] } {
  const today = Math.floor(now / 1000 / DAY_S) * DAY_S;
  const x = Array.from({ length: days }, (_, i) => today - (days - 1 - i) * DAY_S);
  const labelOf = (line: BillLine) => `${nameOf(line[group] ?? "")}${line.simulated ? " (simulated)" : ""}`;
  const totals = new Map<string, number>();
  for (const line of lines) totals.set(labelOf(line), (totals.get(labelOf(line)) ?? 0) + line.cost_usd);
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = ranked.slice(0, MOST_NAMED);
  const bands = ranked.length > shown.length ? [...shown, OTHERS] : shown;
  const spent = (band: string, day: string) =>
    lines.reduce((sum, line) => {
      const label = labelOf(line);
      const isIn = band === OTHERS ? !shown.includes(label) : label === band;
      return isIn && line.day === day ? sum + line.cost_usd : sum;
    }, 0);
  const stacked = bands.map(
    (name, i): Line => ({
      name,
      colour: name === OTHERS ? "--line-strong" : `--series-${i}`,
      look: "bars",
      values: x.map((at) => {
        const day = new Date(at * 1000).toISOString().slice(0, 10);
        return bands.slice(i).reduce((sum, band) => sum + spent(band, day), 0);
      }),
    }),
  );
  return { x, lines: stacked };
}

/** The dearest first; simulated ones apart. */
export function toSums(lines: readonly BillLine[], group: Group): Sum[] {
  const sums = new Map<string, Sum>();
  for (const line of lines) {
    const { simulated, runs, calls, cost_usd, input_tokens = 0, output_tokens = 0 } = line;
    const value = line[group] ?? "";
    const before = sums.get(`${simulated} ${value}`);
    sums.set(`${simulated} ${value}`, {
      ...{ value, simulated },
      runs: (before?.runs ?? 0) + runs,
      calls: (before?.calls ?? 0) + calls,
      cost_usd: (before?.cost_usd ?? 0) + cost_usd,
      input_tokens: (before?.input_tokens ?? 0) + input_tokens,
      output_tokens: (before?.output_tokens ?? 0) + output_tokens,
    });
  }
  return [...sums.values()].sort((a, b) => b.cost_usd - a.cost_usd);
}
