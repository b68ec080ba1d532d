// The page over several sets: one row for each Conductor, one column for each set, and the way to the report
// of each. Self-contained like the reports themselves.

import { html } from "../../report/html.ts";
import { STYLE } from "../../report/style.ts";
import type { BenchOutcome } from "../bench.ts";
import type { OverSets } from "../over-sets.ts";
import { toPoints } from "./front-chart.ts";
import { toAgainst } from "./report.ts";

interface IndexEntry {
  /** The sub-folder with its report. */
  folder: string;
  outcome: Pick<BenchOutcome, "ground" | "results" | "counts" | "isStopped">;
}

export interface IndexOptions {
  entries: readonly IndexEntry[];
  /** How many sets were asked for. */
  total: number;
  over: readonly OverSets[];
  command: string;
}

export function toIndexPage({ entries, total, over, command }: IndexOptions): string {
  const source = entries[0]?.outcome.ground.source ?? "";
  const isStopped = entries.length < total || entries.some(({ outcome }) => outcome.isStopped);
  const names = [
    ...new Set(entries.flatMap(({ outcome }) => outcome.results.map(({ conductor }) => conductor))),
  ];
  const title = `Bench: ${total} sets`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE }}</style></head><body>
<h1>${title}</h1><p class="soft">${source}</p>
${isStopped && html`<p class="simulated">Not finished: some runs are missing, so there is no mean over the sets yet.</p>`}
<div class="scroll"><table><thead><tr><th>Conductor</th><th>mean over sets %</th><th>95 %</th><th>against best single</th><th>calls</th>
${entries.map(({ folder, outcome: { ground } }) => html`<th><a href="./${encodeURIComponent(folder)}/report.html">${ground.set}</a></th>`)}</tr></thead><tbody>
${names.map(
  (
    name,
  ) => html`<tr><td>${name}</td>${toMeanCells(over.find(({ conductor }) => conductor === name))}${entries.map(({ outcome }) => html`<td>${toAccuracy(outcome, name)}</td>`)}</tr>
`,
)}<tr><td class="soft">test tasks</td><td></td><td></td><td></td><td></td>${entries.map(({ outcome }) => html`<td class="soft">${outcome.counts.test}</td>`)}</tr>
</tbody></table></div>
<p class="soft">Each set counts the same in the mean, whatever its size; tasks are drawn again within their set for its interval. A star means that the interval of the paired difference does not hold 0 and the sign test agrees (p < 0.05). The mean is there for Conductors that were measured on all sets. The link of a set leads to its report.</p>
<p class="soft">${command}</p>
</body></html>
`;
  return page.markup;
}

function toMeanCells(row: OverSets | undefined) {
  if (!row) return html`<td></td><td></td><td></td><td></td>`;
  return html`<td>${toPoints(row.accuracy)}</td><td>${toPoints(row.low)} – ${toPoints(row.high)}</td><td>${toAgainst(row)}</td><td>${row.calls.toFixed(2)}</td>`;
}

function toAccuracy({ results }: IndexEntry["outcome"], name: string): string {
  const found = results.find(({ conductor }) => conductor === name);
  return found ? toPoints(found.accuracy) : "";
}
