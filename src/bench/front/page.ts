// A front as a page of its own: the sentences, the picture in dollars and in calls, and the table behind it.

import { toCostWords } from "../../recording/costs.ts";
import { toSvg } from "../../report/drawing.ts";
import { html, type Markup, SIMULATED, toPage } from "../../report/html.ts";
import { PAGE_STYLE } from "../../report/style.ts";
import { toTable } from "../../report/table.ts";
import { drawFrontCurves } from "./chart.ts";
import type { FrontResult } from "./front.ts";
import { FRONT_COLUMNS, toFrontRows, toFrontSentences } from "./words.ts";

/** The picture in dollars with its caption, also for the report of a bench. */
export function toFrontPicture(front: FrontResult): Markup {
  return html`${toSvg(drawFrontCurves(front, "cost"))}
<p class="muted">Each line is a Conductor at all prices of a dollar, its band the 95 % intervals over tasks; each circle a single worker, the ringed one the best of the training tasks. Workers more than 30 points below the best are not drawn.</p>`;
}

export function toFrontPage(front: FrontResult, command: string): string {
  const costs = front.costs && toCostWords(front.costs);
  const [first, ...sentences] = toFrontSentences(front);
  return toPage(
    `What quality costs: ${front.set}`,
    PAGE_STYLE,
    html`<p class="muted">${front.n} test tasks · ${front.singles.length} workers</p>
${front.isSimulated && html`<p class="notice">${SIMULATED}</p>`}
${costs !== undefined && html`<p class="notice">${costs}</p>`}
<p>${first}</p><ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>
<h2>In dollars</h2>${toFrontPicture(front)}
<h2>In calls</h2>${toSvg(drawFrontCurves(front, "calls"))}
<h2>All points</h2>
${toTable({
  label: "All points of the front",
  columns: FRONT_COLUMNS.map((title) => ({ title })),
  rows: toFrontRows(front).map(({ cells, isSingle }) => ({ cells, kind: isSingle ? "bound" : undefined })),
})}
<p class="muted"><code>${command}</code></p>`,
  );
}
