// The smaller pictures of the report: bars with intervals, histograms, and tables whose cells are shaded.

import { html, type Markup } from "../../report/html.ts";
import { toPoints } from "./front-chart.ts";

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
export function toBars(bars: readonly Bar[]): Markup {
  const height = bars.length * BAR_HEIGHT + 4;
  const x = (value: number) => NAME_WIDTH + value * BAR_WIDTH;
  return html`<svg viewBox="0 0 ${NAME_WIDTH + BAR_WIDTH + 44} ${height}" role="img">
${bars.map(({ name, value, low, high, isMarked }, i) => {
  const top = i * BAR_HEIGHT + 2;
  const middle = top + BAR_HEIGHT / 2 - 1;
  return html`<text x="${NAME_WIDTH - 6}" y="${middle + 4}" text-anchor="end" style="font-size:11px">${shorten(name, 20)}</text>
<rect class="${isMarked ? "bar" : "bar plain"}" x="${NAME_WIDTH}" y="${top}" width="${Math.max(0.5, value * BAR_WIDTH)}" height="${BAR_HEIGHT - 4}"><title>${`${name}: ${toPoints(value)} % (${toPoints(low)} – ${toPoints(high)})`}</title></rect>
<line class="whisker" x1="${x(low)}" x2="${x(high)}" y1="${middle}" y2="${middle}"/>
<text class="soft" x="${NAME_WIDTH + BAR_WIDTH + 40}" y="${middle + 4}" text-anchor="end" style="font-size:11px">${toPoints(value)}</text>`;
})}
</svg>`;
}

/** Standing bars for whole numbers from `from`, with the share of each on hover. */
export function toHistogram(counts: readonly number[], from: number): Markup {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const most = Math.max(...counts, 1);
  const [wide, high] = [16, 34];
  return html`<svg viewBox="0 0 ${counts.length * wide + 4} ${high + 14}" width="${counts.length * wide + 4}" role="img">
${counts.map((count, i) => {
  const tall = (count / most) * high;
  return html`<rect class="bar" x="${i * wide + 2}" y="${high - tall}" width="${wide - 3}" height="${Math.max(tall, 0.5)}"><title>${`${i + from}: ${toPoints(count / total)} %`}</title></rect>
<text class="soft" x="${i * wide + wide / 2}" y="${high + 11}" text-anchor="middle" style="font-size:9px">${i + from}</text>`;
})}
</svg>`;
}

export interface ShadedCell {
  text: string;
  title?: string;
  /** −1 … 1: below 0 in the colour of a loss, above in that of a gain. */
  shade: number;
}

/** Columns have long names, so these are turned. */
export function toShadedTable(
  corner: string,
  columns: readonly string[],
  rows: [string, ShadedCell[]][],
): Markup {
  return html`<div class="scroll"><table class="cells"><thead><tr><th>${corner}</th>
${columns.map((name) => html`<th class="turned"><span>${shorten(name, 30)}</span></th>`)}</tr></thead><tbody>
${rows.map(
  ([name, cells]) =>
    html`<tr><td>${shorten(name, 34)}</td>${cells.map(({ text, title, shade }) => {
      const strength = (Math.min(1, Math.abs(shade)) * 0.65).toFixed(2);
      return html`<td title="${title ?? ""}" style="background:rgb(var(--${shade < 0 ? "bad" : "good"}) / ${strength})">${text}</td>`;
    })}</tr>`,
)}
</tbody></table></div>`;
}

function shorten(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
