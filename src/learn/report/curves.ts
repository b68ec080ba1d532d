// Figures over the iterations of a training, as SVG: curves (each iteration faint, their moving mean strong,
// measured points with whiskers) and stacked shares, above bands for the stages. Pure: from numbers to markup.

import { type Content, html, type Markup } from "../../report/html.ts";
import { isWithin, moveMean, type Point, type Span, thin } from "./moving-mean.ts";

/** Measured now and then, with its interval. */
export interface Mark extends Point {
  low: number;
  high: number;
  isBest: boolean;
  said: string;
}

interface Curve {
  name: string;
  points: readonly Point[];
  /** A setting and no measurement: drawn as it is. */
  isExact?: boolean;
}

export interface CurveChart {
  title: string;
  curves: readonly Curve[];
  marks?: { name: string; points: readonly Mark[] };
  spans: readonly Span[];
  format: (value: number) => string;
  /** Where the axis must begin and may end at the most; `span` is the least it shows. */
  axis?: { from?: number; to?: number; most?: number; span?: number };
  isSmall?: boolean;
}

const NORMAL = { width: 460, height: 210 };
const SMALL = { width: 300, height: 140 };
const LEFT = 48;
const RIGHT_GAP = 10;
const TOP = 22;
const FOOT = 24;
const CHARACTER_WIDTH = 6.4;
/** Colours that can be told apart; there are no more. */
export const MOST_COLOURS = 8;

export const colourOf = (number: number) => `var(--series-${Math.min(number, MOST_COLOURS) + 1})`;

export function toCurveChart(chart: CurveChart): Markup {
  const { title, curves, marks, spans, format } = chart;
  const { width, height } = chart.isSmall ? SMALL : NORMAL;
  const lines = curves.map((curve) => ({
    ...curve,
    mean: curve.isExact ? curve.points : moveMean(curve.points, spans),
  }));
  const measured = marks?.points ?? [];
  const values = [
    ...lines.flatMap(({ points }) => points.map(({ y }) => y)),
    ...measured.flatMap(({ low, high }) => [low, high]),
  ].filter(Number.isFinite);
  const x = createScale(domainOf(spans), [LEFT, width - RIGHT_GAP]);
  const y = createScale(rangeOf(values, chart.axis), [height - FOOT, TOP]);
  return html`<figure><figcaption>${title}</figcaption>
${toLegend(
  [
    ...lines.map(({ name, mean }, i) => ({ name, colour: colourOf(i), last: mean.findLast(isThere)?.y })),
    ...(marks && measured.length > 0
      ? [{ name: marks.name, colour: "var(--ink)", last: measured.at(-1)!.y, isPoint: true }]
      : []),
  ],
  format,
)}
${
  values.length === 0
    ? html`<p class="soft">Nothing measured yet.</p>`
    : html`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${toBands(spans, x, y)}
${toGrid(x, y, format)}
${lines.map(({ points, mean, name, isExact }, i) => {
  // Each stage on its own: the same figure means something else in the next.
  const draw = (all: readonly Point[]) =>
    spans.map((span) => toPath(thin(all.filter((point) => isWithin(point.x, span))), x, y)).join("");
  return html`<g style="color:${colourOf(i)}">
${!isExact && html`<path class="raw" d="${draw(points)}"/>`}<path class="mean" d="${draw(mean)}"><title>${name}</title></path></g>`;
})}
${measured.map(({ x: at, y: value, low, high, isBest, said }) => {
  const px = x(at);
  return html`<line class="whisker" x1="${px}" x2="${px}" y1="${y(low)}" y2="${y(high)}"/>
<circle class="${isBest ? "evaluation best" : "evaluation"}" cx="${px}" cy="${y(value)}" r="${isBest ? 4.5 : 3}"><title>${said}</title></circle>`;
})}
</svg>`
}</figure>`;
}

export interface ShareChart {
  title: string;
  /** By iteration; each adds up to 1. */
  rows: readonly { x: number; shares: readonly number[] }[];
  names: readonly string[];
  spans: readonly Span[];
}

/** One area on the other, in the order of the names from below. */
export function toShareChart({ title, rows, names, spans }: ShareChart): Markup {
  const { width, height } = NORMAL;
  const x = createScale(domainOf(spans), [LEFT, width - RIGHT_GAP]);
  const y = createScale([0, 1], [height - FOOT, TOP]);
  const means = names.map((_, i) =>
    moveMean(
      rows.map((row) => ({ x: row.x, y: row.shares[i] ?? 0 })),
      spans,
    ),
  );
  // Each stage on its own: where nobody was asked in between, nothing is drawn.
  const areas = spans.flatMap((span) => {
    const at = rows.flatMap((row, i) => (isWithin(row.x, span) ? [i] : []));
    const shown =
      at.length > MOST_SHOWN ? at.filter((_, i) => i % Math.ceil(at.length / MOST_SHOWN) === 0) : at;
    const floor = shown.map(() => 0);
    return names.map((name, i) => {
      const under = [...floor];
      for (const [k, row] of shown.entries()) floor[k]! += means[i]![row]!.y;
      const over = shown.map((row, k) => `${fixed(x(rows[row]!.x))} ${fixed(y(floor[k]!))}`);
      const back = shown.map((row, k) => `${fixed(x(rows[row]!.x))} ${fixed(y(under[k]!))}`).reverse();
      return (
        shown.length > 1 &&
        html`<path class="area" style="fill:${colourOf(i)}" d="M${[...over, ...back].join("L")}Z"><title>${name}</title></path>`
      );
    });
  });
  return html`<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
${toBands(spans, x, y)}${areas}${toGrid(x, y, (value) => `${Math.round(value * 100)} %`)}
</svg></figure>`;
}

const MOST_SHOWN = 300;

interface LegendEntry {
  name: string;
  colour: string;
  last?: number | undefined;
  isPoint?: boolean;
}

function toLegend(entries: readonly LegendEntry[], format: (value: number) => string): Content {
  return html`<p class="legend">${entries.map(
    ({ name, colour, last, isPoint = false }) =>
      html`<span><i class="${isPoint ? "dot" : "dash"}" style="background:${colour}"></i>${name}${last !== undefined && html` <b>${format(last)}</b>`}</span>`,
  )}</p>`;
}

// ---- Axes -------------------------------------------------------------------------------------

type Pair = readonly [number, number];

interface Scale {
  (value: number): number;
  domain: Pair;
  /** Where both ends are drawn. */
  range: Pair;
}

function createScale(domain: Pair, range: Pair): Scale {
  const [[low, high], [from, to]] = [domain, range];
  const scale = (value: number) => from + ((value - low) / (high - low || 1)) * (to - from);
  return Object.assign(scale, { domain, range });
}

function domainOf(spans: readonly Span[]): [number, number] {
  const from = spans[0]?.from ?? 0;
  return [from, Math.max(spans.at(-1)?.to ?? 1, from + 1)];
}

/** What is there, with a little air, but never beyond where values can be. */
function rangeOf(values: readonly number[], axis: CurveChart["axis"] = {}): [number, number] {
  const least = values.reduce((low, value) => Math.min(low, value), axis.from ?? Number.POSITIVE_INFINITY);
  const most = values.reduce((high, value) => Math.max(high, value), axis.to ?? Number.NEGATIVE_INFINITY);
  const air = Math.max(
    ((axis.span ?? 0) - (most - least)) / 2,
    (most - least) * 0.06,
    most === least ? 0.5 : 0,
  );
  const low = axis.from ?? least - air;
  const high = axis.to ?? Math.min(most + air, axis.most ?? Number.POSITIVE_INFINITY);
  return [axis.most !== undefined ? Math.max(0, low) : low, high > low ? high : low + 1];
}

/** Round numbers, about so many units of the drawing apart. */
function ticksOf({ domain: [low, high], range: [from, to] }: Scale, apart: number, smallest = 0): number[] {
  const rough = ((high - low) * apart) / Math.abs(to - from);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(smallest, ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10) * power);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, i) => (first + i) * step);
}

function toGrid(x: Scale, y: Scale, format: (value: number) => string): Content {
  const [[left, right], [bottom]] = [x.range, y.range];
  return html`${ticksOf(y, 28).map(
    (tick) => html`<line class="grid" x1="${left}" x2="${right}" y1="${y(tick)}" y2="${y(tick)}"/>
<text class="soft" x="${left - 6}" y="${y(tick) + 4}" text-anchor="end">${format(tick)}</text>`,
  )}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>
${ticksOf(x, 60, 1).map(
  (tick) => html`<text class="soft" x="${x(tick)}" y="${bottom + 16}" text-anchor="middle">${tick}</text>`,
)}`;
}

function toBands(spans: readonly Span[], x: Scale, y: Scale): Content {
  const [bottom, top] = y.range;
  return spans.map(({ stage, from, to }, i) => {
    const [left, right] = [x(from), x(to)];
    const isNamed = stage.length * CHARACTER_WIDTH + 4 <= right - left;
    return html`<rect class="${i % 2 === 0 ? "band" : "band other"}" x="${left}" y="${top - 16}" width="${Math.max(0.5, right - left)}" height="${bottom - top + 16}"><title>${stage}</title></rect>
${isNamed && html`<text class="stage" x="${(left + right) / 2}" y="${top - 5}" text-anchor="middle">${stage}</text>`}`;
  });
}

function toPath(points: readonly Point[], x: Scale, y: Scale): string {
  let path = "";
  let isDown = false;
  for (const point of points) {
    if (isThere(point)) path += `${isDown ? "L" : "M"}${fixed(x(point.x))} ${fixed(y(point.y))}`;
    isDown = isThere(point);
  }
  return path;
}

function isThere({ y }: Point): boolean {
  return Number.isFinite(y);
}

function fixed(value: number): string {
  return value.toFixed(1);
}
