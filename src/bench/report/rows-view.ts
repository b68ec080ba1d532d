// What only the rows of a bench can show: how many calls and steps, who was asked, and the gain by family of tasks.

import { toSignedPoints } from "../../base/format.ts";
import { drawHistogram } from "../../report/bar-chart.ts";
import type { Drawing } from "../../report/drawing.ts";
import type { HeatView } from "../../report/table.ts";
import { compareAccuracy, countAsked, groupBy, toRight } from "../results.ts";
import type { BenchRow } from "../types.ts";
import { BEST_SINGLE, ORACLE } from "./view.ts";

/** Rows that were graded, by Conductor. */
type Graded = ReadonlyMap<string, readonly BenchRow[]>;

const MOST_FAMILIES = 80;
const MOST_COUNTED = 16;

/** For each Conductor how often it made so many calls, and how often its workflow had so many steps. */
export function toHistograms(graded: Graded): { name: string; calls: Drawing; steps: Drawing }[] {
  const all = [...graded.values()].flat();
  const count = (own: readonly BenchRow[], field: "calls" | "steps", name: string) => {
    const most = Math.min(
      MOST_COUNTED,
      all.reduce((highest, row) => Math.max(highest, row[field]), 1),
    );
    const counts = new Array<number>(most).fill(0);
    for (const row of own) counts[Math.min(most, Math.max(1, row[field])) - 1]!++;
    return drawHistogram(`${name}: ${field}`, counts);
  };
  return [...graded].map(([name, own]) => ({
    name,
    calls: count(own, "calls", name),
    steps: count(own, "steps", name),
  }));
}

export function toAsked(graded: Graded, workers: readonly string[]): HeatView {
  const rows = [...graded].map(([name, own]) => {
    const counts = countAsked(own);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0) || 1;
    const cells = workers.map((worker) => {
      const share = (counts.get(worker) ?? 0) / total;
      const text = share === 0 ? "" : String(Math.round(share * 100));
      return { text, title: `${name} → ${worker}`, shade: share };
    });
    return { name, cells };
  });
  return { label: "Share of calls by worker", corner: "share of calls, %", columns: workers, rows };
}

/** Undefined where the best single worker was not measured. */
export function toFamilyGains(graded: Graded, seed: number): { heat: HeatView; caption: string } | undefined {
  const single = graded.get(BEST_SINGLE);
  const others = [...graded].filter(([name]) => name !== BEST_SINGLE);
  if (!single || others.length === 0) return undefined;
  const rightOf = ([name, own]: (typeof others)[number]) =>
    name === ORACLE ? -1 : own.reduce((sum, row) => sum + toRight(row), 0);
  const leader = others.reduce((best, other, i) => (rightOf(other) > rightOf(others[best]!) ? i : best), 0);
  const rows = [...groupBy(single, ({ family }) => family)].map(([family, own]) => {
    const cells = others.map(([name, theirs]) => {
      const same = theirs.filter((row) => row.family === family);
      const { mean, low, high, n } = compareAccuracy(same, own, seed);
      const interval = `${toSignedPoints(mean)} points (${toSignedPoints(low)} … ${toSignedPoints(high)})`;
      const text = n === 0 || mean === 0 ? "" : String(Math.round(mean * 100));
      return { text, title: `${name} on ${family}: ${interval}, n = ${n}`, shade: mean * 2, mean };
    });
    return { name: `${family} (${own.length})`, cells, gain: cells[leader]!.mean };
  });
  const cut = rows.length > MOST_FAMILIES ? ` The first ${MOST_FAMILIES} of ${rows.length} families.` : "";
  return {
    heat: {
      label: "Gain by family and Conductor",
      corner: "family",
      columns: others.map(([name]) => name),
      rows: rows.toSorted((a, b) => b.gain - a.gain).slice(0, MOST_FAMILIES),
    },
    caption: `Points of accuracy more (green) or less (red) than the best single worker; in brackets how many test tasks. Sorted by the gain of ${others[leader]![0]}. Few tasks make large swings: the interval is shown on hover.${cut}`,
  };
}
