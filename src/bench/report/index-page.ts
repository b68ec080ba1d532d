// The page over several sets: one row for each Conductor, one column for each set, and the way to the report
// of each. Self-contained like the reports themselves.

import { toPoints } from "../../base/format.ts";
import { html, toPage } from "../../report/html.ts";
import { PAGE_STYLE } from "../../report/style.ts";
import { toTable } from "../../report/table.ts";
import type { BenchOutcome } from "../bench.ts";
import type { OverSets } from "../over-sets.ts";
import { toAgainst } from "./view.ts";

interface IndexEntry {
  /** The sub-folder with its report. */
  folder: string;
  outcome: Pick<BenchOutcome, "set" | "results" | "counts" | "isStopped">;
}

export interface IndexOptions {
  entries: readonly IndexEntry[];
  /** How many sets were asked for. */
  total: number;
  over: readonly OverSets[];
  command: string;
}

const MEANS = ["Conductor", "mean over sets %", "95 %", "against best single", "calls"];

export function toIndexPage({ entries, total, over, command }: IndexOptions): string {
  const isStopped = entries.length < total || entries.some(({ outcome }) => outcome.isStopped);
  const names = new Set(entries.flatMap(({ outcome }) => outcome.results.map(({ conductor }) => conductor)));
  const rows = [...names].map((name) => {
    const mean = over.find(({ conductor }) => conductor === name);
    const means = mean
      ? [
          ...[toPoints(mean.accuracy), `${toPoints(mean.low)} – ${toPoints(mean.high)}`],
          ...[toAgainst(mean), mean.calls.toFixed(2)],
        ]
      : ["", "", "", ""];
    const accuracies = entries.map(({ outcome }) => {
      const found = outcome.results.find(({ conductor }) => conductor === name);
      return found ? toPoints(found.accuracy) : "";
    });
    return { cells: [name, ...means, ...accuracies] };
  });
  const table = {
    label: "Results by Conductor and set",
    columns: [
      ...MEANS.map((title) => ({ title })),
      ...entries.map(({ folder, outcome }) => ({
        title: outcome.set.id,
        href: `./${encodeURIComponent(folder)}/report.html`,
      })),
    ],
    rows: [
      ...rows,
      { cells: ["test tasks", "", "", "", "", ...entries.map(({ outcome }) => String(outcome.counts.test))] },
    ],
  };
  return toPage(
    `Bench: ${total} sets`,
    PAGE_STYLE,
    html`<p class="muted">${entries[0]?.outcome.set.source}</p>
${isStopped && html`<p class="notice">Not finished: some runs are missing, so there is no mean over the sets yet.</p>`}
${toTable(table)}
<p class="muted">Each set counts the same in the mean, whatever its size; tasks are resampled within their set for its interval. A star means that the interval of the paired difference does not hold 0 and the sign test agrees (p < 0.05). The mean is there for Conductors that were measured on all sets. The link of a set leads to its report.</p>
<p class="muted">${command}</p>`,
  );
}
