// Curves over iterations: each iteration faint, their moving mean strong, measured points with whiskers, above bands
// for the stages.

import { type Chart, EDGES, type Format, fixed, type LegendEntry, toGrid } from "./chart.ts";
import {
  circle,
  colourOf,
  type Drawing,
  inColour,
  line,
  path,
  rect,
  type Shape,
  type Size,
  text,
} from "./drawing.ts";
import { linearScale, type Range, type Scale } from "./scale.ts";
import { isMeasured, isWithin, moveMean, type Point, type Span, thin } from "./series.ts";

interface Curve {
  name: string;
  points: readonly Point[];
  /** Its own stages: lines and means do not cross them. */
  spans: readonly Span[];
  /** A setting and no measurement: drawn as it is. */
  isExact?: boolean;
}

/** Measured now and then, with its interval. */
export interface Mark extends Point {
  low: number;
  high: number;
  isBest: boolean;
  title: string;
}

export interface LineChartOptions {
  title: string;
  hint?: string;
  curves: readonly Curve[];
  marks?: readonly { name: string; points: readonly Mark[] }[];
  /** Bands behind all of it. */
  spans: readonly Span[];
  format: Format;
  /** Where the axis must begin and may end at the most; `span` is the least it shows. */
  axis?: { from?: number; to?: number; most?: number; span?: number };
}

const CHARACTER_WIDTH = 6.4;

export function toLineChart({ title, hint, format, axis, ...options }: LineChartOptions): Chart {
  const curves = options.curves.map((curve, i) => {
    const mean = curve.isExact ? curve.points : moveMean(curve.points, curve.spans);
    return { ...curve, mean, colour: colourOf(i), last: mean.findLast(isMeasured) };
  });
  const marks = (options.marks ?? [])
    .filter(({ points }) => points.length > 0)
    .map((group, i) => ({ ...group, colour: i === 0 ? "var(--ink)" : colourOf(curves.length + i) }));
  const legend: LegendEntry[] = [
    ...curves.map(({ name, colour, last }) => ({ name, colour, value: last && format(last.y) })),
    ...marks.map(({ name, colour, points }) => ({
      ...{ name, colour, isPoint: true },
      value: format(points.at(-1)!.y),
    })),
  ];
  const measured = [
    ...curves.flatMap(({ points }) => points.filter(isMeasured)),
    ...marks.flatMap(({ points }) =>
      points.flatMap(({ x, low, high }) => [low, high].map((y) => ({ x, y }))),
    ),
  ];
  const label = `${title}: ${legend.map(({ name, value }) => `${name} ${value ?? "–"}`.trim()).join(", ")}`;

  const draw = ({ width, height }: Size): Drawing | undefined => {
    if (measured.length === 0) return undefined;
    // Where nothing was measured at the beginning, an empty half of a chart would say nothing.
    const first = least(measured.map(({ x }) => x));
    const end = Math.max(first + 1, -least(options.spans.map(({ to }) => -to)));
    const x = linearScale([first, end], [EDGES.left, width - EDGES.right]);
    const y = linearScale(rangeOf(measured, axis), [height - EDGES.bottom, EDGES.top]);
    const shapes = [
      ...toBands(options.spans, x, y),
      ...toGrid(x, y, format),
      ...curves.flatMap(({ points, mean, name, spans, colour, isExact }) => {
        // Each stage on its own: the same metric means something else in the next.
        const trace = (all: readonly Point[]) =>
          spans.map((span) => toPath(thin(all.filter((point) => isWithin(point.x, span))), x, y)).join("");
        return [
          ...(isExact ? [] : [path("raw", trace(points), colour)]),
          path("mean", trace(mean), colour, name),
        ];
      }),
      ...marks.flatMap(({ points, colour }) =>
        points.flatMap((mark) => {
          const kind = mark.isBest ? "mark best" : "mark";
          return [
            line("whisker", x(mark.x), y(mark.low), x(mark.x), y(mark.high)),
            inColour(colour, circle(kind, x(mark.x), y(mark.y), mark.isBest ? 4.5 : 3, mark.title)),
          ];
        }),
      ),
    ];
    const readout = (place: number) => {
      const share = (place - EDGES.left) / (width - EDGES.left - EDGES.right);
      const at = Math.round(first + share * (end - first));
      const values = [...curves.map(({ name, mean }) => ({ name, points: mean })), ...marks].flatMap(
        ({ name, points }) => {
          const point = points.find((each) => each.x === at);
          return point && isMeasured(point) ? [`${name} ${format(point.y)}`.trim()] : [];
        },
      );
      return values.length === 0 ? [] : [`iteration ${at}`, ...values];
    };
    return { width, height, label, shapes, readout };
  };
  return { title, hint, legend, draw };
}

/** What is there, with a little air, but never beyond where values can be. */
function rangeOf(points: readonly Point[], axis: LineChartOptions["axis"] = {}): Range {
  const values = points.map(({ y }) => y);
  const lowest = Math.min(least(values), axis.from ?? Number.POSITIVE_INFINITY);
  const highest = Math.max(-least(values.map((value) => -value)), axis.to ?? Number.NEGATIVE_INFINITY);
  const span = highest - lowest;
  const air = Math.max(((axis.span ?? 0) - span) / 2, span * 0.06, span === 0 ? 0.5 : 0);
  const low = axis.from ?? lowest - air;
  const high = axis.to ?? Math.min(highest + air, axis.most ?? Number.POSITIVE_INFINITY);
  return [axis.most !== undefined ? Math.max(0, low) : low, high > low ? high : low + 1];
}

export function toBands(spans: readonly Span[], x: Scale, y: Scale): Shape[] {
  const [bottom, top] = y.range;
  return spans.flatMap(({ stage, from, to }, i) => {
    const [left, right] = [from, to].map((at) => x(Math.max(at, x.domain[0]))) as [number, number];
    if (right <= left) return [];
    const size = { width: right - left, height: bottom - top + 16 };
    const band = rect(i % 2 === 0 ? "band" : "band other", left, top - 16, size, stage);
    const isNamed = stage.length * CHARACTER_WIDTH + 4 <= right - left;
    return isNamed ? [band, text("stage", (left + right) / 2, top - 5, stage, "middle")] : [band];
  });
}

function toPath(points: readonly Point[], x: Scale, y: Scale): string {
  let result = "";
  let isDown = false;
  for (const point of points) {
    if (isMeasured(point)) result += `${isDown ? "L" : "M"}${fixed(x(point.x))} ${fixed(y(point.y))}`;
    isDown = isMeasured(point);
  }
  return result;
}

/** Math.min of so many values would be too many arguments. */
function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
}
