// What accuracy costs: every Conductor with its interval, and the front of those that nobody beats at their
// spending or below.

import { toMoney, toPercent, toPoints } from "../../base/format.ts";
import { circle, type Drawing, line, path, type Shape, text } from "../../report/drawing.ts";
import { linearScale, logScale, logTicks, ticksOf } from "../../report/scale.ts";
import type { BenchResult } from "../types.ts";
import { ORACLE } from "./view.ts";

/** What is spent per task. */
export type SpendingUnit = "calls" | "cost";

export interface FrontPoint {
  name: string;
  /** Calls or dollars per task, above 0. */
  spending: number;
  accuracy: number;
  low: number;
  high: number;
  /** An upper bound, not a method: shown, never on the front. */
  isBound: boolean;
}

const WIDTH = 940;
const HEIGHT = 460;
const LEFT = 52;
const RIGHT = WIDTH - 10;
/** Points end here: names need room beside them. */
const RIGHTMOST = RIGHT - 110;
const TOP = 16;
const BOTTOM = HEIGHT - 46;
const LINE_HEIGHT = 14;
const NEAR = 5;
/** Who is so far below the best is named under the chart: it would press all others together. */
const FAR_BELOW = 0.15;
const CHARACTER_WIDTH = 6.7;
const BOLD = 1.12;
/** A line is seen as boxes so far apart: less than a label is high. */
const LINE_PART = 4;

/** Points that nobody reaches with the same or less spending, by spending. */
export function toFront(points: readonly FrontPoint[]): FrontPoint[] {
  const methods = points.filter(({ isBound }) => !isBound);
  const isBeaten = ({ spending, accuracy }: FrontPoint) =>
    methods.some(
      (other) =>
        other.spending <= spending &&
        other.accuracy >= accuracy &&
        (other.spending < spending || other.accuracy > accuracy),
    );
  return methods.filter((point) => !isBeaten(point)).sort((a, b) => a.spending - b.spending);
}

export interface FrontView {
  drawing: Drawing;
  caption: string;
}

/** Undefined where fewer than two spend anything. `marked` are those that are compared. */
export function toFrontView(
  results: readonly BenchResult[],
  unit: SpendingUnit,
  marked: readonly string[] = [],
): FrontView | undefined {
  const all = results.map((result): FrontPoint => {
    const { conductor, calls, conductorCalls, costUsd, accuracy, low, high } = result;
    // Of an unknown cost there is no place on the axis.
    const spent = unit === "calls" ? calls + conductorCalls : (costUsd ?? Number.NaN);
    return { name: conductor, spending: spent, accuracy, low, high, isBound: conductor === ORACLE };
  });
  const spending = all.filter((point) => point.spending > 0);
  if (spending.length < 2) return undefined;
  const best = Math.max(...spending.filter(({ isBound }) => !isBound).map(({ accuracy }) => accuracy), 0);
  const isNear = ({ name, accuracy }: FrontPoint) => accuracy >= best - FAR_BELOW || marked.includes(name);
  const isSimulated = results.some((result) => result.isSimulated);
  const isListed = results.some(({ costSource }) => costSource?.startsWith("list"));
  const [title, format] =
    unit === "calls"
      ? ["calls per task, the Conductor's own included", toShort]
      : [
          `${isSimulated ? "simulated dollars" : "dollars"} per task${isListed ? " at list prices" : ""}`,
          (usd: number) => toMoney(usd),
        ];
  const below = spending.filter((point) => !isNear(point)).map((point) => toWords(point, format));
  const free = all.filter((point) => point.spending === 0).map(({ name }) => name);
  const unknown = all.filter((point) => Number.isNaN(point.spending)).map(({ name }) => name);
  const front = toFront(spending).map(({ name }) => name);
  return {
    drawing: drawFront(spending.filter(isNear), `${title} (logarithmic)`, format, marked),
    caption: [
      `Bars are 95 % intervals over tasks. The line joins those that nobody beats at the same or less: ${front.join(", ")}.`,
      "A hollow circle is an upper bound, not a method.",
      ...(below.length > 0 ? [`Too far below to be drawn: ${below.join(", ")}.`] : []),
      ...(free.length > 0 ? [`Without any ${unit}: ${free.join(", ")}.`] : []),
      ...(unknown.length > 0 ? [`Of unknown cost: ${unknown.join(", ")}.`] : []),
    ].join(" "),
  };
}

export function drawFront(
  points: readonly FrontPoint[],
  title: string,
  format: (value: number) => string,
  marked: readonly string[],
): Drawing {
  const spendings = points.map(({ spending }) => spending);
  const cheapest = Math.min(...spendings) / 1.15;
  const x = logScale([cheapest, Math.max(...spendings, cheapest * 2) * 1.05], [LEFT + 24, RIGHTMOST]);
  const low = Math.max(0, Math.min(...points.map((point) => point.low)) - 0.02);
  const high = Math.min(1, Math.max(...points.map((point) => point.high), low + 0.1) + 0.02);
  const y = linearScale([low, high], [BOTTOM, TOP]);
  const front = toFront(points);
  const placed = spread(points.map((point) => ({ point, x: x(point.spending), y: y(point.accuracy) })));
  const corners = front.flatMap(({ spending, accuracy }, i) => {
    const corner = { x: x(spending), y: y(accuracy) };
    return i === 0 ? [corner] : [{ x: corner.x, y: y(front[i - 1]!.accuracy) }, corner];
  });
  if (corners.length > 0) corners.push({ x: RIGHT, y: corners.at(-1)!.y });
  const shapes = [
    ...ticksOf(y, 45).flatMap((tick) => [
      line("grid", LEFT, y(tick), RIGHT, y(tick)),
      text("tick", LEFT - 8, y(tick) + 4, toPercent(tick), "end"),
    ]),
    ...logTicks(x).flatMap((tick) => [
      line("axis", x(tick), BOTTOM, x(tick), BOTTOM + 5),
      text("tick", x(tick), BOTTOM + 19, format(tick), "middle"),
    ]),
    line("axis", LEFT, BOTTOM, RIGHT, BOTTOM),
    text("tick", (LEFT + RIGHTMOST) / 2, HEIGHT - 6, title, "middle"),
    path(
      "front",
      `M${corners.map((corner) => `${corner.x.toFixed(1)} ${corner.y.toFixed(1)}`).join(" L")}`,
      "var(--accent)",
    ),
    ...placed.flatMap(({ point, x: px, y: py }) => {
      const isMarked = marked.includes(point.name);
      const kind = point.isBound ? " bound" : front.includes(point) ? " best" : "";
      const said = `${toWords(point, format)} (${toPoints(point.low)} – ${toPoints(point.high)})`;
      return [
        line("whisker", px, y(point.low), px, y(point.high)),
        circle(`point${kind}${isMarked ? " marked" : ""}`, px, py, isMarked ? 6 : 4.5, said),
      ];
    }),
    ...placeLabels(
      placed.map((each) => ({ ...each, name: each.point.name })),
      marked,
      { left: LEFT, right: WIDTH, bottom: BOTTOM, taken: lineBoxes(corners) },
    ),
  ];
  const names = front.map(({ name }) => name).join(", ");
  return { width: WIDTH, height: HEIGHT, label: `Accuracy against ${title}. On the front: ${names}`, shapes };
}

function toWords({ name, accuracy, spending }: FrontPoint, format: (value: number) => string): string {
  return `${name} ${toPoints(accuracy)} % at ${format(spending)}`;
}

/** Points of one column stand a little beside each other, or their intervals would be one line. */
function spread<T extends { x: number; y: number }>(points: readonly T[]): T[] {
  const columns: T[][] = [];
  for (const point of points.toSorted((a, b) => a.x - b.x || a.y - b.y)) {
    const column = columns.at(-1);
    if (column && point.x - column[0]!.x < NEAR) column.push(point);
    else columns.push([point]);
  }
  return columns.flatMap((column) =>
    column.map((point, i) => ({ ...point, x: point.x + (i - (column.length - 1) / 2) * NEAR })),
  );
}

interface LabelBox {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Where labels may be, and what is there already. */
interface LabelRoom {
  left: number;
  right: number;
  bottom: number;
  taken?: readonly LabelBox[];
}

/** A line through these corners as boxes, so that no label is put across it. */
export function lineBoxes(corners: readonly { x: number; y: number }[]): LabelBox[] {
  return corners.slice(1).flatMap((to, i) => {
    const from = corners[i]!;
    const parts = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / LINE_PART));
    return Array.from({ length: parts + 1 }, (_, part) => {
      const x = from.x + ((to.x - from.x) * part) / parts;
      const y = from.y + ((to.y - from.y) * part) / parts;
      return { left: x - 2, right: x + 2, top: y - 2, bottom: y + 2 };
    });
  });
}

/** Beside its point where there is room, else moved up or down and tied to it by a line. */
export function placeLabels(
  points: { name: string; x: number; y: number }[],
  strong: readonly string[],
  { left: leftmost, right: rightmost, bottom, taken = [] }: LabelRoom,
): Shape[] {
  const boxes: LabelBox[] = [...taken];
  for (const box of points.map(({ x, y }) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 })))
    boxes.push(box);
  return points
    .toSorted((a, b) => a.y - b.y)
    .flatMap(({ name, x, y }) => {
      const width = name.length * CHARACTER_WIDTH * (strong.includes(name) ? BOLD : 1);
      const spots = Array.from({ length: 40 }, (_, i) => {
        const top = y + (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * (LINE_HEIGHT / 2) - LINE_HEIGHT / 2;
        return [
          { left: x + 10, top, side: 1 },
          { left: x - 10 - width, top, side: -1 },
        ];
      }).flat();
      const fits = ({ left, top }: { left: number; top: number }) =>
        left >= leftmost + 2 &&
        left + width <= rightmost &&
        top >= 0 &&
        top + LINE_HEIGHT <= bottom - LINE_HEIGHT &&
        !boxes.some(
          (box) =>
            left < box.right && left + width > box.left && top < box.bottom && top + LINE_HEIGHT > box.top,
        );
      const { left, top, side } = spots.find(fits) ?? spots[0]!;
      boxes.push({ left, right: left + width, top, bottom: top + LINE_HEIGHT });
      const middle = top + LINE_HEIGHT / 2;
      const isMoved = Math.abs(middle - y) > LINE_HEIGHT / 2;
      const edge = side > 0 ? left - 2 : left + width + 2;
      return [
        ...(isMoved ? [line("leader", x + side * 5, y, edge, middle)] : []),
        text(strong.includes(name) ? "label strong" : "label", left, middle + 4, name),
      ];
    });
}

function toShort(value: number): string {
  return String(Math.round(value * 100) / 100);
}
