// What accuracy costs: every Conductor with its interval, and the front of those that nobody beats at their
// price or below. Pure: from numbers to SVG.

import { type Content, html, type Markup } from "../../report/html.ts";

export interface FrontPoint {
  name: string;
  /** Calls or dollars a task, above 0. */
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
const RIGHT_EDGE = WIDTH - 120;
const TOP = 16;
const BOTTOM = HEIGHT - 46;
const LINE_HEIGHT = 14;
const NEAR = 5;
/** Who is so far below the best is named under the chart: it would press all others together. */
const FAR_BELOW = 0.15;
const CHARACTER_WIDTH = 6.7;

/** Points that nobody reaches with the same or less spending, by spending. */
export function toFront(points: readonly FrontPoint[]): FrontPoint[] {
  const methods = points.filter(({ isBound }) => !isBound);
  return methods
    .filter(
      (point) =>
        !methods.some(
          (other) =>
            other.spending <= point.spending &&
            other.accuracy >= point.accuracy &&
            (other.spending < point.spending || other.accuracy > point.accuracy),
        ),
    )
    .sort((a, b) => a.spending - b.spending);
}

export function toFrontChart(
  all: readonly FrontPoint[],
  unit: { title: string; format: (value: number) => string },
): Markup {
  const best = Math.max(...all.filter(({ isBound }) => !isBound).map(({ accuracy }) => accuracy), 0);
  const points = all.filter(({ accuracy }) => accuracy >= best - FAR_BELOW);
  const below = all.filter((point) => !points.includes(point));
  const x = logScale(points.map(({ spending }) => spending));
  const y = accuracyScale(points);
  const front = toFront(points);
  const placed = spread(points.map((point) => ({ point, x: x.at(point.spending), y: y.at(point.accuracy) })));
  const path = front
    .map(({ spending, accuracy }, i) => {
      const [px, py] = [x.at(spending).toFixed(1), y.at(accuracy).toFixed(1)];
      return i === 0 ? `M${px} ${py}` : `H${px} V${py}`;
    })
    .join(" ");
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${`Accuracy against ${unit.title}`}">
${y.ticks.map(
  (
    tick,
  ) => html`<line class="grid" x1="${LEFT}" x2="${RIGHT_EDGE + 110}" y1="${y.at(tick)}" y2="${y.at(tick)}"/>
<text class="soft" x="${LEFT - 8}" y="${y.at(tick) + 4}" text-anchor="end">${Math.round(tick * 100)} %</text>`,
)}
${x.ticks.map(
  (tick) => html`<line class="axis" x1="${x.at(tick)}" x2="${x.at(tick)}" y1="${BOTTOM}" y2="${BOTTOM + 5}"/>
<text class="soft" x="${x.at(tick)}" y="${BOTTOM + 19}" text-anchor="middle">${unit.format(tick)}</text>`,
)}
<line class="axis" x1="${LEFT}" x2="${RIGHT_EDGE + 110}" y1="${BOTTOM}" y2="${BOTTOM}"/>
<text class="soft" x="${(LEFT + RIGHT_EDGE) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${unit.title}</text>
${
  below.length > 0 &&
  html`<text class="label soft" x="${LEFT + 8}" y="${BOTTOM - 8}">${`below: ${below.map(({ name, accuracy, spending }) => `${name} ${toPoints(accuracy)} % at ${unit.format(spending)}`).join(", ")}`}</text>`
}
<path class="front" d="${path} H${RIGHT_EDGE + 110}"/>
${placed.map(({ point, x: px, y: py }) => {
  const kind = point.isBound ? "point bound" : front.includes(point) ? "point best" : "point";
  const said = `${point.name}: ${toPoints(point.accuracy)} % (${toPoints(point.low)} – ${toPoints(point.high)}) at ${unit.format(point.spending)}`;
  return html`<line class="whisker" x1="${px}" x2="${px}" y1="${y.at(point.low)}" y2="${y.at(point.high)}"/>
<circle class="${kind}" cx="${px}" cy="${py}" r="4.5"><title>${said}</title></circle>`;
})}
${placeLabels(placed.map((each) => ({ name: each.point.name, x: each.x, y: each.y })))}
</svg>`;
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

/** Beside its point where there is room, else moved up or down and tied to it by a line. */
function placeLabels(points: { name: string; x: number; y: number }[]): Content {
  const boxes = points.map(({ x, y }) => ({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 }));
  return [...points]
    .sort((a, b) => a.y - b.y)
    .map(({ name, x, y }) => {
      const width = name.length * CHARACTER_WIDTH;
      const spots = Array.from({ length: 40 }, (_, i) => {
        const dy = (i % 2 === 0 ? 1 : -1) * Math.ceil(i / 2) * (LINE_HEIGHT / 2);
        return [
          { left: x + 10, top: y + dy - LINE_HEIGHT / 2, side: 1 },
          { left: x - 10 - width, top: y + dy - LINE_HEIGHT / 2, side: -1 },
        ];
      }).flat();
      const fits = ({ left, top }: { left: number; top: number }) =>
        left >= LEFT + 2 &&
        top >= 0 &&
        top + LINE_HEIGHT <= BOTTOM - LINE_HEIGHT &&
        !boxes.some(
          (box) =>
            left < box.right && left + width > box.left && top < box.bottom && top + LINE_HEIGHT > box.top,
        );
      const { left, top, side } = spots.find(fits) ?? spots[0]!;
      boxes.push({ left, right: left + width, top, bottom: top + LINE_HEIGHT });
      const middle = top + LINE_HEIGHT / 2;
      const isMoved = Math.abs(middle - y) > LINE_HEIGHT / 2;
      const edge = side > 0 ? left - 2 : left + width + 2;
      return html`${isMoved && html`<line class="leader" x1="${x + side * 5}" y1="${y}" x2="${edge}" y2="${middle}"/>`}
<text class="label" x="${left}" y="${middle + 4}">${name}</text>`;
    });
}

/** Spendings differ by factors, so equal factors are equally far apart. */
function logScale(values: readonly number[]) {
  const low = Math.min(...values) / 1.15;
  const high = Math.max(...values, low * 2) * 1.05;
  const at = (value: number) =>
    LEFT + 24 + (Math.log(value / low) / Math.log(high / low)) * (RIGHT_EDGE - LEFT - 24);
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const digit of [1, 2, 3, 5]) {
      const tick = Number((digit * 10 ** power).toPrecision(1));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  return { at, ticks };
}

function accuracyScale(points: readonly FrontPoint[]) {
  const low = Math.max(0, Math.min(...points.map((point) => point.low)) - 0.02);
  const high = Math.min(1, Math.max(...points.map((point) => point.high), low + 0.1) + 0.02);
  const step = [0.02, 0.05, 0.1, 0.2].find((size) => (high - low) / size <= 8) ?? 0.2;
  const at = (value: number) => BOTTOM - ((value - low) / (high - low)) * (BOTTOM - TOP);
  const first = Math.ceil(low / step);
  const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
  return { at, ticks };
}

/** 0.6123 → "61.2". */
export function toPoints(share: number): string {
  return (share * 100).toFixed(1);
}
