// Tables as plain data, written as HTML here and drawn by the dashboard there.

import { html, type Markup } from "./html.ts";

export interface TableView {
  /** What it shows, for those who do not see it. */
  label: string;
  /** Numbers stand on the right; the first column and `isText` on the left, with a width for words or for sentences. */
  columns: { title: string; isText?: boolean | "short"; href?: string }[];
  rows: ViewRow[];
}

export interface ViewRow {
  /** The first is its name. What follows a line break stands small below, such as an interval. */
  cells: string[];
  /** best: nobody is above it. bound: an upper bound, not a method. */
  kind?: "best" | "bound";
}

/** A table whose cells are shaded by their value. */
export interface HeatView {
  label: string;
  corner: string;
  columns: readonly string[];
  rows: { name: string; cells: HeatCell[] }[];
}

interface HeatCell {
  text: string;
  /** Said on hover. */
  title?: string;
  /** −1 … 1: below 0 in the colour of a loss, above in that of a gain. */
  shade: number;
}

/** As much of a colour as text stays readable on, light and dark. */
const DEEPEST = 50;

/** The background of a cell, for a style. */
export function toShade(shade: number): string {
  const depth = Math.min(1, Math.abs(shade)) * DEEPEST;
  return `color-mix(in srgb, var(--${shade < 0 ? "loss" : "gain"}) ${depth.toFixed(0)}%, transparent)`;
}

export function toTable({ columns, rows }: TableView): Markup {
  const kinds = columns.map(
    ({ isText }, i) => html`${isText && i > 0 && html` class="left${isText === "short" && " short"}"`}`,
  );
  return html`<div class="scroll"><table><thead><tr>${columns.map(
    ({ title, href }, i) =>
      html`<th${kinds[i]}>${href === undefined ? title : html`<a href="${href}">${title}</a>`}</th>`,
  )}</tr></thead><tbody>
${rows.map(
  ({
    cells,
    kind,
  }) => html`<tr${kind && html` class="${kind}"`}>${cells.map((cell, i) => html`<td${kinds[i]}>${toCell(cell)}</td>`)}</tr>
`,
)}</tbody></table></div>`;
}

function toCell(text: string): Markup {
  const [first, ...below] = text.split("\n");
  return html`${first}${below.map((line) => html`<br><small>${line}</small>`)}`;
}

/** Columns have long names, so these are turned. */
export function toHeatTable({ corner, columns, rows }: HeatView): Markup {
  return html`<div class="scroll"><table class="cells"><thead><tr><th>${corner}</th>
${columns.map((name) => html`<th class="turned"><span>${shorten(name, 30)}</span></th>`)}</tr></thead><tbody>
${rows.map(
  ({ name, cells }) =>
    html`<tr><td>${shorten(name, 34)}</td>${cells.map(({ text, title, shade }) => html`<td title="${title}" style="background:${toShade(shade)}">${text}</td>`)}</tr>`,
)}
</tbody></table></div>`;
}

export function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
