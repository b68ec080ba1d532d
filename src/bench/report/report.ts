// One page that says it all: what was measured, how sure it is, what it costs, and what could not be
// measured. Self-contained: no script, nothing loaded, light and dark.

import { sideOf } from "../../base/statistics.ts";
import { type Content, html, type Markup } from "../../report/html.ts";
import { STYLE } from "../../report/style.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { SPLIT_SHARES } from "../../world/split.ts";
import type { BenchOutcome } from "../bench.ts";
import type { EqualSpending } from "../equal.ts";
import { compareAccuracy, countAsked, groupBy, isGraded, toRight } from "../results.ts";
import type { BenchResult, BenchRow } from "../types.ts";
import { toBars, toHistogram, toShadedTable } from "./charts.ts";
import { toFront, toFrontChart, toPoints } from "./front-chart.ts";

/** Figures as the command writes them too. */
export interface Figures {
  money(usd: number): string;
  delay(ms: number): string;
  tokens(count: number): string;
}

const BEST_SINGLE = "best-single";
const ORACLE = "oracle";
const MOST_SUBTASKS = 80;

/** `byFamily`: the same on families of tasks that nobody has learned from. */
export function toReport(
  outcome: BenchOutcome,
  figures: Figures,
  command: string,
  byFamily?: BenchOutcome,
): string {
  const { ground, results, isSimulated, rows } = outcome;
  const graded = groupBy(rows.filter(isGraded), ({ conductor }) => conductor);
  const title = `Bench: ${ground.set}`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE }}</style></head><body>
<h1>${title}</h1><p class="soft">${ground.source} · ${outcome.counts.test} test tasks · ${toModels(outcome).length} workers</p>
${isSimulated && html`<p class="simulated">Simulated: workers and tasks are the rehearsal's. Nothing here says anything about a real model.</p>`}
${outcome.isStopped && html`<p class="simulated">Not finished: some runs are missing, so Conductors may have been measured on different tasks.</p>`}
${toHeadline(results)}
<h2>Results</h2>${toResultTable(results, figures, isSimulated)}
<p class="soft">Accuracy with its 95 % interval (bootstrap over tasks). “Against best single” is paired over the same tasks; a star means that its interval does not hold 0 and the sign test agrees (p < 0.05), not corrected for the number of comparisons. Calls, tokens, dollars and delay are means a task.</p>
${
  byFamily &&
  html`<h2>On kinds of tasks never seen in training</h2>${toResultTable(byFamily.results, figures, isSimulated)}
<p class="soft">The same with a split by family: ${byFamily.counts.train} tasks to learn from, ${byFamily.counts.test} test tasks of other subtasks. What is learned about one kind of task need not carry over to another.</p>`
}
<h2>What accuracy costs</h2>${toFronts(results, figures, isSimulated)}
<h2>At equal spending</h2>${toEqualTable(outcome.equal)}
<h2>By category</h2>${toCategories(results)}
<h2>How many calls and steps</h2>${toHistograms(graded)}
<h2>Who was asked</h2>${toAskedTable(outcome, graded)}
<h2>Gain per subtask against the best single worker</h2>${toSubtasks(graded, outcome.seed)}
<h2>How it was measured</h2>${toStatement(outcome, command)}
</body></html>
`;
  return page.markup;
}

function toHeadline(results: readonly BenchResult[]): Content {
  const single = results.find(({ conductor }) => conductor === BEST_SINGLE);
  const methods = results.filter(({ conductor }) => conductor !== ORACLE && conductor !== BEST_SINGLE);
  const best = methods.toSorted((a, b) => b.accuracy - a.accuracy)[0];
  if (!single || !best) return undefined;
  const against = best.against.find(({ conductor }) => conductor === BEST_SINGLE)!;
  const { difference, low, high } = against;
  const side = sideOf(against);
  const verdict = side > 0 ? "better than" : side < 0 ? "worse than" : "not shown to differ from";
  return html`<p>The most accurate here, <b>${best.conductor}</b>, is right on <b>${toPoints(best.accuracy)} %</b> with ${best.calls} calls a task. It is ${verdict} the best single worker (${toPoints(single.accuracy)} % with one call): ${toSigned(difference)} points, 95 % interval ${toSigned(low)} to ${toSigned(high)}.</p>`;
}

function toResultTable(results: readonly BenchResult[], figures: Figures, isSimulated: boolean): Markup {
  const highest = Math.max(
    ...results.filter(({ conductor }) => conductor !== ORACLE).map(({ accuracy }) => accuracy),
  );
  const hasCost = results.some(({ costUsd }) => costUsd > 0);
  const hasDelay = results.some(({ durationMs }) => durationMs >= 1);
  return html`<div class="scroll"><table><thead><tr><th>Conductor</th><th>n</th><th>accuracy %</th><th>95 %</th><th>against best single</th><th>calls</th><th>tokens</th>
${hasCost && html`<th>${isSimulated ? "cost (simulated)" : "cost"}</th>`}${hasDelay && html`<th>delay</th>`}<th>steps</th><th>entropy, bits</th><th>valid</th></tr></thead><tbody>
${results.map((result) => {
  const kind = result.conductor === ORACLE ? "bound" : result.accuracy === highest ? "best" : "";
  const planning = result.conductorCalls > 0 ? ` + ${result.conductorCalls.toFixed(1)} to plan` : "";
  return html`<tr class="${kind}"><td>${result.conductor}</td><td>${result.n}</td><td>${toPoints(result.accuracy)}</td><td>${toPoints(result.low)} – ${toPoints(result.high)}</td><td>${toAgainst(result)}</td><td>${result.calls.toFixed(2)}${planning}</td><td>${figures.tokens(Math.round(result.tokens))}</td>
${hasCost && html`<td>${figures.money(result.costUsd)}</td>`}${hasDelay && html`<td>${figures.delay(result.durationMs)}</td>`}<td>${result.steps.toFixed(2)}</td><td>${result.routingEntropy.toFixed(2)}</td><td>${Math.round(result.validShare * 100)} %</td></tr>`;
})}
</tbody></table></div>`;
}

/** "+2.8 (+1.3 … +4.3) *", or nothing where the best single worker was not measured. */
export function toAgainst({ against }: Pick<BenchResult, "against">): string {
  const single = against.find(({ conductor }) => conductor === BEST_SINGLE);
  if (!single) return "";
  const star = sideOf(single) === 0 ? "" : " *";
  return `${toSigned(single.difference)} (${toSigned(single.low)} … ${toSigned(single.high)})${star}`;
}

function toFronts(results: readonly BenchResult[], figures: Figures, isSimulated: boolean): Content {
  const charts = [
    {
      title: "calls a task, the Conductor's own included",
      of: (result: BenchResult) => result.calls + result.conductorCalls,
      format: (value: number) => String(Math.round(value * 100) / 100),
    },
    {
      title: isSimulated ? "simulated dollars a task" : "dollars a task",
      of: ({ costUsd }: BenchResult) => costUsd,
      format: figures.money,
    },
  ];
  return charts.map(({ title, of, format }) => {
    const points = results
      .filter((result) => of(result) > 0)
      .map((result) => ({
        ...result,
        name: result.conductor,
        spending: of(result),
        isBound: result.conductor === ORACLE,
      }));
    if (points.length < 2) return undefined;
    const names = toFront(points).map(({ name }) => name);
    return html`${toFrontChart(points, { title, format })}<p class="soft">The line joins those that nobody beats at the same or less: ${names.join(", ")}. A hollow circle is an upper bound, not a method.</p>`;
  });
}

function toEqualTable(equal: readonly EqualSpending[]): Content {
  if (equal.length === 0)
    return html`<p class="soft">Nothing to compare: only the best single worker was measured.</p>`;
  return html`<p>Each Conductor against ${equal[0]!.worker}, the best single worker on the training tasks, asked as often as the Conductor calls, its samples put to a vote.</p>
<div class="scroll"><table><thead><tr><th>Conductor</th><th>equal in</th><th>samples of the best</th><th>their accuracy %</th><th class="left">Conductor less that</th></tr></thead><tbody>
${equal.map(({ conductor, by, samples, outcome }) => {
  if (outcome.type === "not-compared")
    return html`<tr><td>${conductor}</td><td>${by}</td><td>${samples}</td><td></td><td class="wide soft">${outcome.reason}</td></tr>`;
  const { mean, low, high } = outcome.difference;
  return html`<tr><td>${conductor}</td><td>${by}</td><td>${samples}</td><td>${toPoints(outcome.accuracy.mean)}</td><td class="left">${toSigned(mean)} (${toSigned(low)} … ${toSigned(high)})${sideOf(outcome.difference) === 0 ? "" : " *"}</td></tr>`;
})}
</tbody></table></div>`;
}

function toCategories(results: readonly BenchResult[]): Content {
  const names = [
    ...new Set(results.flatMap(({ byCategory }) => byCategory.map(({ category }) => category))),
  ].sort();
  if (names.length < 2) return html`<p class="soft">There is one category only.</p>`;
  return html`<div class="panels">${names.map((name) => {
    const bars = results.flatMap(({ conductor, byCategory }) => {
      const found = byCategory.find(({ category }) => category === name);
      if (!found) return [];
      return [
        {
          name: conductor,
          value: found.accuracy,
          low: found.low,
          high: found.high,
          n: found.n,
          isMarked: conductor !== BEST_SINGLE && conductor !== ORACLE,
        },
      ];
    });
    return html`<div><h3>${name} <small>n = ${bars[0]?.n}</small></h3>${toBars(bars)}</div>`;
  })}</div>`;
}

function toHistograms(graded: ReadonlyMap<string, BenchRow[]>): Markup {
  const count = (values: readonly number[], most: number) => {
    const counts = new Array<number>(most).fill(0);
    for (const value of values) counts[Math.min(most, Math.max(1, value)) - 1]!++;
    return counts;
  };
  const rows = [...graded.values()].flat();
  const [mostCalls, mostSteps] = [rows.map(({ calls }) => calls), rows.map(({ steps }) => steps)].map(
    (values) =>
      Math.min(
        16,
        values.reduce((most, value) => Math.max(most, value), 1),
      ),
  ) as [number, number];
  return html`<div class="scroll"><table><thead><tr><th>Conductor</th><th class="left">calls</th><th class="left">steps of the last workflow</th></tr></thead><tbody>
${[...graded].map(
  ([name, own]) =>
    html`<tr><td>${name}</td><td>${toHistogram(
      count(
        own.map(({ calls }) => calls),
        mostCalls,
      ),
      1,
    )}</td><td>${toHistogram(
      count(
        own.map(({ steps }) => steps),
        mostSteps,
      ),
      1,
    )}</td></tr>`,
)}
</tbody></table></div>`;
}

function toAskedTable(outcome: BenchOutcome, graded: ReadonlyMap<string, BenchRow[]>): Markup {
  const workers = toModels(outcome).map(({ worker }) => worker.id);
  const table = toShadedTable(
    "share of calls, %",
    workers,
    [...graded].map(([name, own]) => {
      const counts = countAsked(own);
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0) || 1;
      const cells = workers.map((worker) => {
        const share = (counts.get(worker) ?? 0) / total;
        return {
          text: share === 0 ? "" : String(Math.round(share * 100)),
          title: `${name} → ${worker}`,
          shade: share,
        };
      });
      return [name, cells];
    }),
  );
  return table;
}

function toSubtasks(graded: ReadonlyMap<string, BenchRow[]>, seed: number): Content {
  const single = graded.get(BEST_SINGLE);
  const others = [...graded].filter(([name]) => name !== BEST_SINGLE);
  if (!single || others.length === 0)
    return html`<p class="soft">The best single worker was not among those measured.</p>`;
  const bySubtask = groupBy(single, ({ subtask }) => subtask);
  const rightOf = ([name, own]: (typeof others)[number]) =>
    name === ORACLE ? -1 : own.reduce((sum, row) => sum + toRight(row), 0);
  const leader = others.reduce((best, other, i) => (rightOf(other) > rightOf(others[best]!) ? i : best), 0);
  const rows = [...bySubtask].map(([subtask, own]) => {
    const cells = others.map(([name, theirs]) => {
      const same = theirs.filter((row) => row.subtask === subtask);
      const { mean, low, high, n } = compareAccuracy(same, own, seed);
      const title = `${name} on ${subtask}: ${toSigned(mean)} points (${toSigned(low)} … ${toSigned(high)}), n = ${n}`;
      return {
        text: n === 0 || mean === 0 ? "" : String(Math.round(mean * 100)),
        title,
        shade: mean * 2,
        mean,
      };
    });
    return { name: `${subtask} (${own.length})`, cells, gain: cells[leader]?.mean ?? 0 };
  });
  const shown = rows.toSorted((a, b) => b.gain - a.gain).slice(0, MOST_SUBTASKS);
  return html`<p class="soft">Points of accuracy more (green) or less (red) than the best single worker; in brackets how many test tasks. Sorted by the gain of ${others[leader]![0]}. Few tasks make large swings: the interval is shown on hover.${rows.length > MOST_SUBTASKS && ` The first ${MOST_SUBTASKS} of ${rows.length} subtasks.`}</p>
${toShadedTable(
  "subtask",
  others.map(([name]) => name),
  shown.map(({ name, cells }) => [name, cells]),
)}`;
}

function toStatement(outcome: BenchOutcome, command: string): Markup {
  const { ground, counts, seed, splitBy, splitSeed, refused, results, budget, isSimulated } = outcome;
  const { train, validation, test } = SPLIT_SHARES;
  const by =
    splitBy === "family"
      ? "the subtask, so that no family is on both sides"
      : "the normalised prompt with its choices";
  const apart = results.filter(({ outages, ungraded }) => outages + ungraded > 0);
  return html`<dl>
<dt>command</dt><dd><code>${command}</code></dd>
<dt>tasks</dt><dd>${ground.set} from ${ground.source}</dd>
<dt>kind</dt><dd>${{ recording: "a recording: real models, replayed; hand-offs between workers cannot be", tasks: "live workers", rehearsal: "the rehearsal: simulated workers and tasks" }[ground.kind]}${isSimulated && " (simulated)"}</dd>
<dt>split</dt><dd>${train * 100} / ${validation * 100} / ${test * 100} % by a hash of ${by} (split seed ${splitSeed}): ${counts.train} for training, ${counts.validation} for validation (not used here), ${counts.test} for the test. Profiles, vote weights and every baseline are fitted on training tasks alone; a test task in training ends the bench.</dd>
<dt>seed</dt><dd>${seed}</dd>
<dt>intervals</dt><dd>95 %, bootstrap over tasks with 2,000 resamples; below 30 tasks, or where all agree, Wilson's for a share and Agresti and Min's for a difference</dd>
<dt>pool</dt><dd>${toModels(outcome)
    .map(
      ({ worker, profile }) =>
        `${worker.id}${profile ? ` (${toPoints(profile.success)} % on training tasks)` : ""}`,
    )
    .join(", ")}</dd>
<dt>refused</dt><dd>${refused.length === 0 ? "nobody" : refused.map(({ conductor, reason }) => html`${conductor}: ${reason}<br>`)}</dd>
<dt>counted apart</dt><dd>${apart.length === 0 ? "no outage, nothing that could not be graded" : apart.map(({ conductor, outages, ungraded }) => html`${conductor}: ${outages} outages, ${ungraded} not graded<br>`)}</dd>
${budget && html`<dt>budget</dt><dd>$${budget.usd}, of which $${budget.spentUsd.toFixed(4)} were spent${budget.isUsedUp && ": it was used up"}</dd>`}
${ground.kind === "recording" && html`<dt>tokens</dt><dd>as recorded; hidden reasoning is often not in them, so calls are the honest cost</dd>`}
</dl>`;
}

function toModels({ pool }: BenchOutcome) {
  return modelsOf(pool);
}

function toSigned(share: number): string {
  const points = (share * 100).toFixed(1);
  return share > 0 && points !== "0.0" ? `+${points}` : points.replace(/^-0\.0$/, "0.0");
}
