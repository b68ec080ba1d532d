// One page that says it all: what was measured, how sure it is, what it costs, and what could not be
// measured. Self-contained: no script, nothing loaded, light and dark.

import { toCount, toPoints } from "../../base/format.ts";
import { toCostWords } from "../../recording/costs.ts";
import { toSvg } from "../../report/drawing.ts";
import { type Content, html, type Markup, SIMULATED, toPage } from "../../report/html.ts";
import { PAGE_STYLE } from "../../report/style.ts";
import { toHeatTable, toTable } from "../../report/table.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { SPLIT_SHARES } from "../../world/split.ts";
import type { BenchOutcome } from "../bench.ts";
import type { EqualSpending } from "../equal.ts";
import type { FrontResult } from "../front/front.ts";
import { toFrontPicture } from "../front/page.ts";
import { toFrontSentences } from "../front/words.ts";
import { toChosenWords } from "../price-point.ts";
import { groupBy, isGraded } from "../results.ts";
import type { BenchResult } from "../types.ts";
import { toFrontView } from "./front-chart.ts";
import { toAsked, toFamilyGains, toHistograms } from "./rows-view.ts";
import { RESULTS_NOTE, toCategories, toDifference, toFitLine, toHeadline, toResultTable } from "./view.ts";

export interface ReportParts {
  /** The same on families of tasks that nobody has learned from. */
  byFamily?: BenchOutcome;
  /** The curve of each that has a price. */
  front?: FrontResult;
}

export function toReport(
  outcome: BenchOutcome,
  command: string,
  { byFamily, front }: ReportParts = {},
): string {
  const { set, results, isSimulated, rows, counts, seed, isStopped, equal } = outcome;
  const graded = groupBy(rows.filter(isGraded), ({ conductor }) => conductor);
  const workers = toModels(outcome).map(({ worker }) => worker.id);
  const headline = toHeadline(results);
  const costWords = set.costs && toCostWords(set.costs);
  const gains = toFamilyGains(graded, seed);
  return toPage(
    `Bench: ${set.id}`,
    PAGE_STYLE,
    html`<p class="muted">${set.source} · ${toCount(counts.test, "test task")} · ${toCount(workers.length, "worker")}</p>
${isSimulated && html`<p class="notice">${SIMULATED}</p>`}
${isStopped && html`<p class="notice">Not finished: some runs are missing, so Conductors may have been measured on different tasks.</p>`}
${headline !== undefined && html`<p>${headline}</p>`}
<h2>Results</h2>${toTable(toResultTable(results))}<p class="muted">${RESULTS_NOTE}${costWords && ` ${costWords}`}</p>
${
  byFamily &&
  html`<h2>On families of tasks never seen in training</h2>${toTable(toResultTable(byFamily.results))}
<p class="muted">The same with a split by family: ${toCount(byFamily.counts.train, "task")} to learn from, ${toCount(byFamily.counts.test, "test task")} of other families. What is learned about one family need not carry over to another.</p>`
}
<h2>What accuracy costs</h2>${toFronts(results)}
${front && toFrontSection(front)}
<h2>At equal spending</h2>${toEqualTable(equal)}
<h2>By category</h2>${toPanels(results)}
<h2>How many calls and steps</h2>
<div class="scroll"><table><thead><tr><th>Conductor</th><th class="left">calls</th><th class="left">steps of the last workflow</th></tr></thead><tbody>
${toHistograms(graded).map(({ name, calls, steps }) => html`<tr><td>${name}</td><td>${toSvg(calls, true)}</td><td>${toSvg(steps, true)}</td></tr>`)}
</tbody></table></div>
<h2>Who was asked</h2>${toHeatTable(toAsked(graded, workers))}
<h2>Gain by family against the best single worker</h2>
${gains ? html`<p class="muted">${gains.caption}</p>${toHeatTable(gains.heat)}` : html`<p class="muted">The best single worker was not among those measured.</p>`}
<h2>How it was measured</h2>${toStatement(outcome, command)}`,
  );
}

function toFrontSection(front: FrontResult): Markup {
  const sentences = toFrontSentences(front);
  return html`<h2>The whole curve in dollars</h2><ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>${toFrontPicture(front)}`;
}

function toFronts(results: readonly BenchResult[]): Content {
  return (["calls", "cost"] as const).map((unit) => {
    const front = toFrontView(results, unit);
    return front && html`${toSvg(front.drawing)}<p class="muted">${front.caption}</p>`;
  });
}

function toEqualTable(equal: readonly EqualSpending[]): Markup {
  if (equal.length === 0)
    return html`<p class="muted">Nothing to compare: only the best single worker was measured.</p>`;
  return html`<p>Each Conductor against ${equal[0]!.worker}, the best single worker on the training tasks, asked as often as the Conductor calls, its samples put to a vote.</p>
${toTable({
  label: "At equal spending",
  columns: [
    ...["Conductor", "equal in", "samples of the best", "their accuracy %"].map((title) => ({ title })),
    { title: "Conductor less that", isText: true },
  ],
  rows: equal.map(({ conductor, by, samples, outcome }) => ({
    cells: [
      ...[conductor, by, String(samples)],
      ...(outcome.type === "not-compared"
        ? ["", outcome.reason]
        : [toPoints(outcome.accuracy.mean), toDifference(outcome.difference)]),
    ],
  })),
})}`;
}

function toPanels(results: readonly BenchResult[]): Markup {
  const categories = toCategories(results);
  if (categories.length < 2) return html`<p class="muted">There is one category only.</p>`;
  return html`<div class="panels">${categories.map(
    ({ name, n, bars }) => html`<div><h3>${name} <small>n = ${n}</small></h3>${toSvg(bars)}</div>`,
  )}</div>`;
}

function toStatement(outcome: BenchOutcome, command: string): Markup {
  const { set, seed, refused, results, budget, isSimulated, fittedOn, chosen } = outcome;
  const apart = results.filter(({ outages, ungraded }) => outages + ungraded > 0);
  const pool = toModels(outcome).map(
    ({ worker, profile }) =>
      `${worker.id}${profile ? ` (${toPoints(profile.success)} % on training tasks)` : ""}`,
  );
  return html`<dl>
<dt>command</dt><dd><code>${command}</code></dd>
<dt>tasks</dt><dd>${set.id} from ${set.source}</dd>
<dt>kind</dt><dd>${KINDS[set.kind]}${isSimulated && " (simulated)"}</dd>
<dt>split</dt><dd>${toSplit(outcome)} Profiles, vote weights and every baseline are fitted on training tasks alone; a test task in training ends the bench.</dd>
${fittedOn && html`<dt>fitted on</dt><dd>${toFitLine(fittedOn)}</dd>`}
${chosen && html`<dt>prices</dt><dd>${chosen.map((each) => html`${toChosenWords(each)}<br>`)}</dd>`}
<dt>seed</dt><dd>${seed}</dd>
<dt>intervals</dt><dd>95 %, bootstrap over tasks with 2,000 resamples; below 30 tasks, or where all agree, Wilson's for a share and Agresti and Min's for a difference</dd>
<dt>pool</dt><dd>${pool.join(", ")}</dd>
<dt>refused</dt><dd>${refused.length === 0 ? "nobody" : refused.map(({ conductor, reason }) => html`${conductor}: ${reason}<br>`)}</dd>
<dt>counted apart</dt><dd>${apart.length === 0 ? "no outage, nothing that could not be graded" : apart.map(({ conductor, outages, ungraded }) => html`${conductor}: ${outages} outages, ${ungraded} not graded<br>`)}</dd>
${budget && html`<dt>budget</dt><dd>$${budget.usd}, of which $${budget.spentUsd.toFixed(4)} were spent${budget.isUsedUp && ": it was used up"}</dd>`}
${set.costs && html`<dt>dollars</dt><dd>${toCostWords(set.costs) ?? "as recorded with each reply"}</dd>`}
${set.kind === "recording" && html`<dt>tokens</dt><dd>as recorded; hidden reasoning is often not in them</dd>`}
</dl>`;
}

function toSplit({ counts, splitBy, splitSeed, fittedOn, chosen }: BenchOutcome): string {
  if (fittedOn?.folder !== undefined)
    return `None: ${counts.train} training tasks of another recording, ${counts.test} test tasks.`;
  const { train, validation, test } = SPLIT_SHARES;
  const by =
    splitBy === "family"
      ? "the family, so that none is on both sides"
      : "the normalised prompt with its choices";
  return `${train * 100} / ${validation * 100} / ${test * 100} % by a hash of ${by} (split seed ${splitSeed}): ${counts.train} for training, ${counts.validation} for validation (${chosen ? "prices are chosen on them and the training tasks" : "not used here"}), ${counts.test} for the test.`;
}

const KINDS: Record<BenchOutcome["set"]["kind"], string> = {
  recording: "a recording: real models, replayed; hand-offs between workers cannot be",
  tasks: "live workers",
  rehearsal: "the rehearsal: simulated workers and tasks",
};

function toModels({ pool }: BenchOutcome) {
  return modelsOf(pool);
}
