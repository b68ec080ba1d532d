// Shares that add up to 1, one area on the other, above bands for the stages.

import { toPercent } from "../base/format.ts";
import { type Chart, EDGES, fixed, toGrid } from "./chart.ts";
import { colourOf, path } from "./drawing.ts";
import { toBands } from "./line-chart.ts";
import { linearScale } from "./scale.ts";
import { isWithin, moveMean, type Span } from "./series.ts";

export interface ShareChartOptions {
  title: string;
  hint?: string;
  /** In the order of the names; each row adds up to 1. */
  rows: readonly { x: number; shares: readonly number[] }[];
  /** From below. */
  names: readonly string[];
  spans: readonly Span[];
}

const MOST_SHOWN = 300;

export function toShareChart({ title, hint, rows, names, spans }: ShareChartOptions): Chart {
  const means = names.map((_, i) =>
    moveMean(
      rows.map(({ x, shares }) => ({ x, y: shares[i]! })),
      spans,
    ),
  );
  const part = Math.max(1, Math.ceil(rows.length / 10));
  const meanOver = (some: typeof rows, i: number) =>
    toPercent(some.reduce((sum, { shares }) => sum + shares[i]!, 0) / some.length);
  const legend = names.map((name, i) => ({
    ...{ name, colour: colourOf(i) },
    value: `${meanOver(rows.slice(0, part), i)} → ${meanOver(rows.slice(-part), i)}`,
  }));
  return {
    title,
    hint,
    legend,
    draw({ width, height }) {
      if (rows.length === 0) return undefined;
      const [from, to] = [rows[0]!.x, spans.at(-1)!.to];
      const x = linearScale([from, Math.max(to, from + 1)], [EDGES.left, width - EDGES.right]);
      const y = linearScale([0, 1], [height - EDGES.bottom, EDGES.top]);
      // Each stage on its own: where nobody was asked in between, nothing is drawn.
      const areas = spans.flatMap((span) => {
        const own = rows.flatMap((row, i) => (isWithin(row.x, span) ? [i] : []));
        const shown = own.filter((_, i) => i % Math.ceil(own.length / MOST_SHOWN) === 0);
        if (shown.length < 2) return [];
        const floor = shown.map(() => 0);
        const edge = () => shown.map((row, k) => `${fixed(x(rows[row]!.x))} ${fixed(y(floor[k]!))}`);
        return names.map((name, i) => {
          const below = edge().reverse();
          for (const [k, row] of shown.entries()) floor[k]! += means[i]![row]!.y;
          return path("area", `M${[...edge(), ...below].join("L")}Z`, colourOf(i), name);
        });
      });
      const readout = (place: number) => {
        const share = (place - EDGES.left) / (width - EDGES.left - EDGES.right);
        const at = rows.findIndex((row) => row.x >= Math.round(from + share * (to - from)));
        if (at < 0) return [];
        return [
          `iteration ${rows[at]!.x}`,
          ...names.map((name, i) => `${name} ${toPercent(means[i]![at]!.y)}`),
        ];
      };
      const label = `${title}: ${legend.map(({ name, value }) => `${name} ${value}`).join(", ")}`;
      return {
        width,
        height,
        label,
        shapes: [...toBands(spans, x, y), ...areas, ...toGrid(x, y, toPercent)],
        readout,
      };
    },
  };
}
