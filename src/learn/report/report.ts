// The page of a training: how it learned, whom it came to ask, what it wrote early and late, how well it does
// on tasks it has never seen, and the command that repeats it. Self-contained: no script, nothing loaded,
// light and dark; it can be made at any moment of a training.

import { toBars } from "../../bench/report/charts.ts";
import { toPoints } from "../../bench/report/front-chart.ts";
import type { Figures } from "../../bench/report/report.ts";
import { type Content, html, type Markup } from "../../report/html.ts";
import { STYLE } from "../../report/style.ts";
import type { TestResult, Training } from "../folder.ts";
import type { TrainingStatement } from "../statement.ts";
import type { IterationMetrics, ValidationMetrics } from "../types.ts";
import { colourOf, type Mark, MOST_COLOURS, toCurveChart, toShareChart } from "./curves.ts";
import { meanOf, type Span, toSpans } from "./moving-mean.ts";
import { toSamples } from "./samples.ts";
import { TRAINING_STYLE } from "./style.ts";

type MoneyAndDelay = Pick<Figures, "money" | "delay">;

export function toTrainingReport(training: Training, figures: MoneyAndDelay): string {
  const { statement, iterations, validations, samples, results } = training;
  const spans = toSpans(iterations);
  const isSimulated = statement?.isSimulated ?? false;
  const title = `Training: ${statement?.world ?? training.path}`;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE + TRAINING_STYLE }}</style></head><body>
<h1>${title}</h1><p class="soft">${toFacts(training, figures).join(" · ")}</p>
${isSimulated && html`<p class="simulated">Simulated: workers and tasks are the rehearsal's. Nothing here says anything about a real model.</p>`}
${statement && toState(statement)}
${toHeadline(validations)}
${results.length > 0 && html`<p>How well it does on tasks that it has never seen stands <a href="#results">below</a>.</p>`}
<h2>How it learned</h2>${toStages(spans)}
${iterations.length === 0 ? html`<p class="soft">No iteration is finished yet.</p>` : toCurves(iterations, validations, spans)}
<h2>Who is asked</h2>${toAsked(iterations, spans)}
<h2>What it wrote, early and late</h2>${toSamples(samples)}
<h2 id="results">On test tasks that it has never seen</h2>${toResults(results, figures, isSimulated)}
<h2>How it was made</h2>${toStatement(training)}
</body></html>
`;
  return page.markup;
}

function toFacts({ iterations, statement }: Training, { delay, money }: MoneyAndDelay): string[] {
  const last = iterations.at(-1);
  const seconds = sumOf(iterations.map((figures) => figures.seconds));
  const costUsd = sumOf(iterations.map((figures) => figures.costUsd));
  const outages = sumOf(iterations.map((figures) => figures.outages));
  return [
    ...(last
      ? [`${iterations.length}${last.isTiming ? "" : ` of ${last.total}`} iterations`, delay(seconds * 1000)]
      : []),
    ...(costUsd > 0 ? [`${money(costUsd)}${statement?.isSimulated ? " simulated" : ""}`] : []),
    ...(outages > 0 ? [`${outages} rollouts lost to outages and not taught`] : []),
    ...(statement ? [`seed ${statement.seed}`] : []),
    ...(statement?.engine ? [statement.engine] : []),
  ];
}

function toState({ state, problem }: TrainingStatement): Content {
  const words = {
    done: undefined,
    running: "Not finished: this is how far it was when the page was written.",
    stopped: "Not finished: it was stopped, and can go on from its checkpoint.",
    failed: `Not finished: it failed${problem === undefined ? "" : `. ${problem}`}`,
  }[state];
  return words !== undefined && html`<p class="simulated">${words}</p>`;
}

/** The one that is kept: marked as best last, else the most accurate. */
function findBest(validations: readonly ValidationMetrics[]): ValidationMetrics | undefined {
  const most = (best: ValidationMetrics | undefined, validation: ValidationMetrics) =>
    best && best.accuracy >= validation.accuracy ? best : validation;
  return (
    validations.findLast(({ isBest }) => isBest) ??
    validations.reduce(most, undefined as ValidationMetrics | undefined)
  );
}

function toHeadline(validations: readonly ValidationMetrics[]): Content {
  const [first, best] = [validations[0], findBest(validations)];
  if (!first || !best || best === first) return undefined;
  return html`<p>On ${best.tasks} validation questions it was right on ${toPoints(first.accuracy)} % at the first evaluation (iteration ${first.iteration}) and on <b>${toPoints(best.accuracy)} %</b> at the best (iteration ${best.iteration}; 95 % interval ${toPoints(best.low)} – ${toPoints(best.high)}), then with ${best.calls.toFixed(2)} calls a question and ${Math.round(best.validShare * 100)} % valid workflows. The best one was picked on these very questions, so it flatters.</p>`;
}

function toStages(spans: readonly Span[]): Content {
  if (spans.length === 0) return undefined;
  const list = spans.map(({ stage, from, to }) => `${stage} (${from} – ${to - 1})`).join(", ");
  return html`<p class="soft">Stages and their iterations: ${list}. Faint: each iteration; strong: the moving mean within a stage. Validation metrics are greedy and without any mask.</p>`;
}

function toCurves(
  iterations: readonly IterationMetrics[],
  validations: readonly ValidationMetrics[],
  spans: Span[],
): Markup {
  /** Without rollouts, as in the warm-up, there is nothing to show of them. */
  const of = (value: (figures: IterationMetrics) => number) =>
    iterations.map((figures) => ({ x: figures.iteration, y: figures.asked ? value(figures) : Number.NaN }));
  const always = (value: (figures: IterationMetrics) => number) =>
    iterations.map((figures) => ({ x: figures.iteration, y: value(figures) }));
  const best = findBest(validations);
  const marks = validations.map(
    (validation): Mark => ({
      ...{
        x: validation.iteration,
        y: validation.accuracy,
        low: validation.low,
        high: validation.high,
        isBest: validation === best,
      },
      said: `iteration ${validation.iteration}: ${toPoints(validation.accuracy)} % (${toPoints(validation.low)} – ${toPoints(validation.high)}) of ${validation.tasks} validation questions`,
    }),
  );
  const [share, wide] = [
    { most: 1, span: 0.2 },
    { from: 0, to: 1 },
  ];
  const charts = [
    {
      title: "Reward",
      curves: [{ name: "mean of the rollouts", points: of(({ reward }) => reward) }],
      format: two,
      axis: share,
    },
    {
      title: "Accuracy",
      curves: [
        { name: "rollouts", points: of(({ accuracy }) => accuracy) },
        { name: "valid ones only", points: of(({ accuracyIfValid }) => accuracyIfValid) },
      ],
      marks: { name: "validation, 95 %", points: marks },
      format: percent,
      axis: share,
    },
    {
      title: "Valid workflows",
      curves: [{ name: "share", points: of(({ validShare }) => validShare) }],
      format: percent,
      axis: wide,
    },
    {
      title: "Groups that teach nothing",
      curves: [{ name: "all rollouts got the same reward", points: of(({ flatShare }) => flatShare) }],
      format: percent,
      axis: wide,
    },
    {
      title: "Entropy of the decisions, nats",
      curves: [{ name: "how undecided it is", points: of(({ decisionEntropy }) => decisionEntropy) }],
      format: two,
      axis: { from: 0 },
    },
    {
      title: "Entropy of the routing, bits",
      curves: [{ name: "how evenly workers are asked", points: of(({ routingEntropy }) => routingEntropy) }],
      format: two,
      axis: { from: 0 },
    },
    {
      title: "Calls and steps a question",
      curves: [
        { name: "calls", points: of(({ calls }) => calls) },
        { name: "steps", points: of(({ steps }) => steps) },
      ],
      format: one,
      axis: { from: 0 },
    },
    {
      title: "Loss",
      curves: [{ name: "of the step", points: always(({ loss }) => loss) }],
      format: short,
      axis: {},
    },
  ];
  const small = [
    {
      title: "Gradient norm",
      curves: [{ name: "", points: always(({ gradientNorm }) => gradientNorm) }],
      format: short,
      axis: { from: 0 },
    },
    {
      title: "Learning rate",
      curves: [{ name: "", points: always(({ learningRate }) => learningRate), isExact: true }],
      format: short,
      axis: { from: 0 },
    },
    {
      title: "Seconds an iteration",
      curves: [{ name: "", points: always(({ seconds }) => seconds) }],
      format: short,
      axis: { from: 0 },
    },
  ];
  return html`<div class="charts">${charts.map((chart) => toCurveChart({ ...chart, spans }))}</div>
<div class="charts small">${small.map((chart) => toCurveChart({ ...chart, spans, isSmall: true }))}</div>`;
}

function toAsked(iterations: readonly IterationMetrics[], spans: Span[]): Content {
  const rows = iterations.filter(({ asked }) => asked && Object.keys(asked).length > 0);
  if (rows.length === 0) return html`<p class="soft">Nobody was asked yet.</p>`;
  const totals = new Map<string, number>();
  for (const { asked } of rows)
    for (const [id, share] of Object.entries(asked!)) totals.set(id, (totals.get(id) ?? 0) + share);
  const byShare = [...totals].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  const isMany = byShare.length > MOST_COLOURS;
  const named = byShare.slice(0, isMany ? MOST_COLOURS : byShare.length);
  const names = isMany ? [...named, `${byShare.length - named.length} others`] : named;
  const shares = rows.map(({ iteration, asked }) => {
    const own = named.map((id) => asked![id] ?? 0);
    return { x: iteration, shares: isMany ? [...own, Math.max(0, 1 - sumOf(own))] : own };
  });
  const part = Math.max(1, Math.ceil(rows.length / 10));
  const over = (some: typeof shares, i: number) => percent(meanOf(some.map((row) => row.shares[i]!)));
  return html`<div class="charts">${toShareChart({ title: "Share of the calls", rows: shares, names, spans })}
<div class="scroll"><table><thead><tr><th>worker</th><th>first tenth</th><th>last tenth</th></tr></thead><tbody>
${names
  .map(
    (name, i) =>
      html`<tr><td><i class="dash tall" style="background:${colourOf(i)}"></i>${name}</td><td>${over(shares.slice(0, part), i)}</td><td>${over(shares.slice(-part), i)}</td></tr>`,
  )
  .reverse()}
</tbody></table></div></div>`;
}

function toResults(results: readonly TestResult[], { money }: MoneyAndDelay, isSimulated: boolean): Content {
  if (results.length === 0) return html`<p class="soft">Not measured yet.</p>`;
  const highest = Math.max(...results.map(({ accuracy }) => accuracy));
  const hasNotes = results.some(({ note }) => note !== undefined);
  const bars = results.map((result) => ({
    ...result,
    value: result.accuracy,
    isMarked: result.accuracy === highest,
  }));
  return html`<div class="scroll"><table><thead><tr><th></th><th>accuracy %</th><th>95 %</th><th>calls a task</th><th>${isSimulated ? "simulated dollars" : "dollars"} per 1,000 tasks</th>${hasNotes && html`<th class="left">note</th>`}</tr></thead><tbody>
${results.map(
  ({ name, accuracy, low, high, calls, costUsd, note }) =>
    html`<tr class="${accuracy === highest ? "best" : ""}"><td>${name}</td><td>${toPoints(accuracy)}</td><td>${toPoints(low)} – ${toPoints(high)}</td><td>${calls.toFixed(2)}</td><td>${money(costUsd * 1000)}</td>${hasNotes && html`<td class="wide">${note}</td>`}</tr>`,
)}
</tbody></table></div><div class="panels" style="margin-top:1rem">${toBars(bars)}</div>`;
}

function toStatement({ statement, path }: Training): Content {
  if (!statement) return html`<p class="soft">Nothing is written about it in ${path}.</p>`;
  const { command, world, seed, engine, settings, startedAt, endedAt, notices } = statement;
  const at = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return html`<dl>
<dt>command</dt><dd><code>${command}</code></dd>
<dt>world</dt><dd>${world}</dd><dt>seed</dt><dd>${String(seed)}</dd>
${engine !== undefined && html`<dt>engine</dt><dd>${engine}</dd>`}
<dt>started</dt><dd>${at(startedAt)}${endedAt !== undefined && `, ended ${at(endedAt)}`}</dd>
${Object.entries(settings)
  .filter(([name]) => name !== "world" && name !== "seed")
  .map(
    ([name, value]) =>
      html`<dt>${name}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`,
  )}
${notices.length > 0 && html`<dt>told</dt><dd>${notices.map((notice) => html`${notice}<br>`)}</dd>`}
</dl>`;
}

function sumOf(values: readonly number[]): number {
  return values.filter(Number.isFinite).reduce((sum, value) => sum + value, 0);
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
const one = (value: number) => value.toFixed(1);
const two = (value: number) => value.toFixed(2);
/** Figures of any size: 0.25, 3e-4. */
const short = (value: number) =>
  value === 0 || Math.abs(value) >= 0.01
    ? String(Number(value.toPrecision(2)))
    : value.toExponential(1).replace(".0", "");
