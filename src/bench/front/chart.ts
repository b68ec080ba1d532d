// The picture of a front: the curve of each Conductor with the band of its intervals, every single worker as a point, accuracy
// against dollars or calls per question on a logarithmic axis. As data; the page and the file draw the same.

import { toMoney, toPercent, toPoints } from "../../base/format.ts";
import {
  circle,
  colourOf,
  type Drawing,
  inColour,
  line,
  path,
  type Shape,
  text,
  toSvg,
} from "../../report/drawing.ts";
import { linearScale, logScale, logTicks, type Scale, ticksOf } from "../../report/scale.ts";
import { SHARED_STYLE } from "../../report/style.ts";
import { lineBoxes, placeLabels, type SpendingUnit } from "../report/front-chart.ts";
import type { FrontCurve, FrontResult, MeasuredPoint } from "./front.ts";
import { distinct } from "./words.ts";

const SIZE = { width: 1000, height: 520 };
const PLOT = { left: 56, right: 990, rightmost: 850, top: 16, bottom: 474 };
const LEGEND_LINE = 17;
/** Width of a character of a tick. */
const TICK_CHARACTER = 6.6;
/** Workers so far below the best press all others together: they are in the table. */
const FAR_BELOW = 0.3;

export function drawFrontCurves(front: FrontResult, unit: SpendingUnit): Drawing {
  const spendingOf = ({ costUsd, calls }: MeasuredPoint) => (unit === "cost" ? costUsd : calls);
  const isShown = (point: MeasuredPoint) => spendingOf(point) > 0;
  const best = Math.max(...front.singles.map(({ accuracy }) => accuracy.mean));
  const singles = front.singles.filter(isShown).filter(({ accuracy }) => accuracy.mean >= best - FAR_BELOW);
  const curves = front.curves.map((curve) => ({ ...curve, points: distinct(curve).filter(isShown) }));
  const all = [...singles, ...curves.flatMap(({ points }) => points)];
  const spendings = all.map(spendingOf);
  const x = logScale(
    [Math.min(...spendings) / 1.2, Math.max(...spendings) * 1.05],
    [PLOT.left + 20, PLOT.rightmost],
  );
  const low = Math.max(0, Math.min(...all.map(({ accuracy }) => accuracy.low)) - 0.01);
  const high = Math.min(1, Math.max(...all.map(({ accuracy }) => accuracy.high)) + 0.01);
  const y = linearScale([low, high], [PLOT.bottom, PLOT.top]);
  const format =
    unit === "cost"
      ? (usd: number) => toMoney(usd)
      : (calls: number) => String(Math.round(calls * 100) / 100);
  const title =
    unit === "cost" ? `${toDollarWords(front)} a question (logarithmic)` : "calls a question (logarithmic)";
  const placed = singles.map((point) => ({
    point,
    name: point.name,
    x: x(spendingOf(point)),
    y: y(point.accuracy.mean),
  }));
  const shapes = [
    ...toAxes(x, y, format, title),
    ...curves.flatMap((curve, number) =>
      drawCurve(curve, colourOf(number), (point) => x(spendingOf(point)), y),
    ),
    ...placed.flatMap(({ point, x: px, y: py }) => {
      const said = `${point.name} ${toPoints(point.accuracy.mean)} % at ${format(spendingOf(point))}`;
      const isBest = point.name === front.single.name;
      return [
        line("whisker", px, y(point.accuracy.low), px, y(point.accuracy.high)),
        circle(`point${isBest ? " marked" : ""}`, px, py, isBest ? 6 : 4.5, said),
      ];
    }),
    ...placeLabels(placed, [front.single.name], {
      ...{ left: PLOT.left, right: SIZE.width, bottom: PLOT.bottom },
      taken: [
        ...legendBoxes(curves),
        ...curves.flatMap(({ points }) =>
          lineBoxes(
            alongSpending(points).map((point) => ({ x: x(spendingOf(point)), y: y(point.accuracy.mean) })),
          ),
        ),
      ],
    }),
    ...toLegend(curves),
  ];
  return {
    ...SIZE,
    label: `Accuracy against ${title}: ${curves.map(({ conductor }) => conductor).join(", ")} and single workers`,
    shapes,
  };
}

function toDollarWords({ isSimulated, costs }: FrontResult): string {
  if (isSimulated) return "simulated dollars";
  return costs?.source.startsWith("list") ? "dollars at list prices" : "dollars";
}

function toAxes(x: Scale, y: Scale, format: (value: number) => string, title: string): Shape[] {
  const { left, right, rightmost, bottom } = PLOT;
  // Where the tick before ends: of two that would touch, the second has no words.
  let end = Number.NEGATIVE_INFINITY;
  return [
    ...ticksOf(y, 45).flatMap((tick) => [
      line("grid", left, y(tick), right, y(tick)),
      text("tick", left - 8, y(tick) + 4, toPercent(tick), "end"),
    ]),
    ...logTicks(x).flatMap((tick) => {
      const words = format(tick);
      const half = (words.length * TICK_CHARACTER) / 2;
      const hasRoom = x(tick) - half > end + TICK_CHARACTER;
      if (hasRoom) end = x(tick) + half;
      return [
        line("axis", x(tick), bottom, x(tick), bottom + 5),
        ...(hasRoom ? [text("tick", x(tick), bottom + 19, words, "middle")] : []),
      ];
    }),
    line("axis", left, bottom, right, bottom),
    text("tick", (left + rightmost) / 2, SIZE.height - 6, title, "middle"),
  ];
}

function alongSpending(points: readonly MeasuredPoint[]): MeasuredPoint[] {
  return points.toSorted((a, b) => a.costUsd - b.costUsd);
}

/** Along the spending, with the band of the intervals; a Conductor without a knob is one point. */
function drawCurve(
  { conductor, points }: FrontCurve,
  color: string,
  x: (point: MeasuredPoint) => number,
  y: Scale,
): Shape[] {
  const along = alongSpending(points);
  const at = (point: MeasuredPoint, value: number) => `${x(point).toFixed(1)} ${y(value).toFixed(1)}`;
  const upper = along.map((point) => at(point, point.accuracy.high));
  const lower = along.toReversed().map((point) => at(point, point.accuracy.low));
  const said = (point: MeasuredPoint) =>
    `${conductor}${point.costPerUsd === undefined ? "" : `@${point.costPerUsd}/usd`}: ${toPoints(point.accuracy.mean)} % at ${toMoney(point.costUsd)}`;
  return [
    ...(along.length > 1
      ? [
          path("reach", `M${[...upper, ...lower].join(" L")} Z`, color),
          path(
            "mean",
            `M${along.map((point) => at(point, point.accuracy.mean)).join(" L")}`,
            color,
            conductor,
          ),
        ]
      : []),
    ...along.map((point) =>
      inColour(
        color,
        circle("mark best", x(point), y(point.accuracy.mean), along.length > 1 ? 2.5 : 5, said(point)),
      ),
    ),
  ];
}

// ---- Who is who ----------------------------------------------------------------------------------------

function legendBoxes(curves: readonly FrontCurve[]) {
  const height = curves.length * LEGEND_LINE;
  const bottom = PLOT.bottom - 10;
  return [{ left: PLOT.right - 190, right: PLOT.right, top: bottom - height - 4, bottom }];
}

/** In the lower right corner, where nothing good is. */
function toLegend(curves: readonly FrontCurve[]): Shape[] {
  const [box] = legendBoxes(curves);
  return curves.flatMap(({ conductor }, number) => {
    const middle = box!.top + number * LEGEND_LINE + 12;
    return [
      path("mean", `M${box!.left} ${middle - 4} H${box!.left + 22}`, colourOf(number)),
      text("label", box!.left + 28, middle, conductor.length > 24 ? `${conductor.slice(0, 23)}…` : conductor),
    ];
  });
}

/** A file of its own, with its colours in it. */
export function toSvgFile(drawing: Drawing): string {
  const paper: Shape = {
    tag: "rect",
    attributes: { className: "paper", x: 0, y: 0, width: drawing.width, height: drawing.height },
  };
  const style = `<style>${SHARED_STYLE} svg { font-family: system-ui, sans-serif } svg .paper { fill: var(--card); }</style>`;
  const body = toSvg({ ...drawing, shapes: [paper, ...drawing.shapes] }, true).markup;
  return body.replace(/^<svg /, '<svg xmlns="http://www.w3.org/2000/svg" ').replace(">", `>${style}`);
}
