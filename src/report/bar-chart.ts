// Bars: lying ones with intervals, small histograms, and stacked ones day by day.

import { toPercent, toPoints } from "../base/format.ts";
import { type Chart, EDGES, type Format } from "./chart.ts";
import { colourOf, type Drawing, inColour, line, rect, text } from "./drawing.ts";
import { linearScale, ticksOf } from "./scale.ts";
import { shorten } from "./table.ts";

export interface Bar {
  name: string;
  value: number;
  low: number;
  high: number;
  /** Drawn in the accent's colour. */
  isMarked: boolean;
}

const BAR_HEIGHT = 15;
const NAME_WIDTH = 128;
const BAR_WIDTH = 158;

/** Shares from 0 to 1, lying. */
export function drawBars(label: string, bars: readonly Bar[]): Drawing {
  const x = linearScale([0, 1], [NAME_WIDTH, NAME_WIDTH + BAR_WIDTH]);
  const width = NAME_WIDTH + BAR_WIDTH + 44;
  const shapes = bars.flatMap(({ name, value, low, high, isMarked }, i) => {
    const top = i * BAR_HEIGHT + 2;
    const middle = top + BAR_HEIGHT / 2 - 1;
    const size = { width: Math.max(0.5, value * BAR_WIDTH), height: BAR_HEIGHT - 4 };
    const title = `${name}: ${toPoints(value)} % (${toPoints(low)} – ${toPoints(high)})`;
    return [
      text("name", NAME_WIDTH - 6, middle + 4, shorten(name, 20), "end"),
      rect(isMarked ? "share" : "share plain", NAME_WIDTH, top, size, title),
      line("whisker", x(low), middle, x(high), middle),
      text("tick", width - 4, middle + 4, toPoints(value), "end"),
    ];
  });
  return { width, height: bars.length * BAR_HEIGHT + 4, label, shapes };
}

/** Standing bars for whole numbers from 1, with the share of each on hover. */
export function drawHistogram(label: string, counts: readonly number[]): Drawing {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const most = Math.max(...counts, 1);
  const [wide, high] = [16, 34];
  const shapes = counts.flatMap((count, i) => {
    const height = Math.max((count / most) * high, 0.5);
    const title = `${i + 1}: ${toPercent(count / total)}`;
    return [
      rect("share", i * wide + 2, high - height, { width: wide - 3, height }, title),
      text("tick small", i * wide + wide / 2, high + 11, String(i + 1), "middle"),
    ];
  });
  return { width: counts.length * wide + 4, height: high + 14, label, shapes };
}

export interface StackedBarsOptions {
  title: string;
  /** One bar each, from left to right: days as 2026-11-18. */
  columns: readonly string[];
  /** From below, with a value for each column. */
  bands: readonly { name: string; values: readonly number[] }[];
  format: Format;
}

export function toStackedBars({ title, columns, bands, format }: StackedBarsOptions): Chart {
  const legend = bands.map(({ name }, i) => ({ name, colour: colourOf(i) }));
  const sums = columns.map((_, column) => bands.reduce((sum, { values }) => sum + values[column]!, 0));
  const [most, all] = [Math.max(...sums, 0) || 1, sums.reduce((sum, value) => sum + value, 0)];
  return {
    title,
    legend,
    draw({ width, height }) {
      const y = linearScale([0, most * 1.08], [height - EDGES.bottom, EDGES.top]);
      const ticks = ticksOf(y, 28).map((tick) => ({ at: y(tick), name: format(tick) }));
      const left = Math.max(EDGES.left, ...ticks.map(({ name }) => 7 * name.length + 12));
      const slot = (width - left - EDGES.right) / columns.length;
      const floor = columns.map(() => 0);
      const bars = bands.flatMap(({ name, values }, i) =>
        values.map((value, column) => {
          const low = floor[column]!;
          const high = low + value;
          floor[column] = high;
          const size = { width: Math.min(slot * 0.7, 40), height: y(low) - y(high) };
          const x = left + slot * (column + 0.5) - size.width / 2;
          return inColour(
            colourOf(i),
            rect("stack", x, y(high), size, `${columns[column]}, ${name}: ${format(value)}`),
          );
        }),
      );
      // Every label has about 48 units of room.
      const every = Math.ceil(48 / slot);
      const shapes = [
        ...ticks.flatMap(({ at, name }) => [
          line("grid", left, at, width - EDGES.right, at),
          text("tick", left - 6, at + 4, name, "end"),
        ]),
        ...bars.filter(({ attributes }) => Number(attributes.height) > 0),
        ...columns.flatMap((name, i) =>
          (columns.length - 1 - i) % every === 0
            ? [text("tick", left + slot * (i + 0.5), height - 8, name.slice(5), "middle")]
            : [],
        ),
      ];
      const readout = (place: number) => {
        const column = Math.floor((place - left) / slot);
        const own = bands.filter(({ values }) => (values[column] ?? 0) > 0);
        return own.length === 0
          ? []
          : [columns[column]!, ...own.map(({ name, values }) => `${name} ${format(values[column]!)}`)];
      };
      return { width, height, label: `${title}: ${format(all)}`, shapes, readout };
    },
  };
}
