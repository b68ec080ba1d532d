// What a chart is to whoever shows it: a title, a legend, a sentence, and a drawing of any size. The kinds of charts
// are line-chart.ts, area-chart.ts and bar-chart.ts.

import { type Drawing, line, type Shape, type Size, text, toSvg } from "./drawing.ts";
import { html, type Markup } from "./html.ts";
import { type Scale, ticksOf } from "./scale.ts";

export interface Chart {
  title: string;
  /** What it means, in a sentence. */
  hint?: string;
  legend: LegendEntry[];
  /** Undefined where there is nothing to draw yet. */
  draw(size: Size): Drawing | undefined;
}

export interface LegendEntry {
  name: string;
  colour: string;
  /** Where it stands at the end. */
  value?: string;
  /** Drawn as points, not as a line. */
  isPoint?: boolean;
}

export type Format = (value: number) => string;

export const EDGES = { left: 48, right: 16, top: 22, bottom: 24 };

export function toFigure({ title, hint, legend, draw }: Chart, size: Size): Markup {
  const drawing = draw(size);
  return html`<figure><figcaption>${title}</figcaption>
${toLegend(legend)}
${drawing ? toSvg(drawing) : html`<p class="muted">Nothing measured yet.</p>`}
${hint !== undefined && html`<p class="hint">${hint}</p>`}</figure>`;
}

function toLegend(entries: readonly LegendEntry[]): Markup {
  return html`<p class="legend">${entries.map(
    ({ name, colour, value, isPoint }) =>
      html`<span><i class="${isPoint ? "dot" : "dash"}" style="background:${colour}"></i>${name}${value !== undefined && html` <b>${value}</b>`}</span>`,
  )}</p>`;
}

/** The lines of both axes and their numbers. */
export function toGrid(x: Scale, y: Scale, format: Format): Shape[] {
  const [[left, right], [bottom]] = [x.range, y.range];
  return [
    ...ticksOf(y, 28).flatMap((tick) => [
      line("grid", left, y(tick), right, y(tick)),
      text("tick", left - 6, y(tick) + 4, format(tick), "end"),
    ]),
    line("axis", left, bottom, right, bottom),
    ...ticksOf(x, 60, 1).map((tick) => text("tick", x(tick), bottom + 16, String(tick), "middle")),
  ];
}

export function fixed(value: number): string {
  return value.toFixed(1);
}
