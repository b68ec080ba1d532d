// The page of a training: how it learned, whom it came to ask, what it wrote early and late, how well it does
// on tasks it has never seen, and the command that repeats it. Self-contained: no script, nothing loaded,
// light and dark; it can be made at any moment of a training.

import { drawBars } from "../../report/bar-chart.ts";
import { toFigure } from "../../report/chart.ts";
import { toSvg } from "../../report/drawing.ts";
import { type Content, html, type Markup, SIMULATED, toPage } from "../../report/html.ts";
import { toSpans } from "../../report/series.ts";
import { PAGE_STYLE } from "../../report/style.ts";
import { toTable } from "../../report/table.ts";
import type { TestResult, Training } from "../folder.ts";
import type { TrainingStatement } from "../statement.ts";
import type { Sample } from "../types.ts";
import { toInstructionsView } from "./instructions.ts";
import { pairSamples, SAMPLES_NOTE, type SampledRound, toSampleView } from "./samples.ts";
import { toAskedChart, toCharts, toFacts, toHeadline, toStages, toTestTables } from "./view.ts";

const SIZE = { width: 460, height: 210 };
const SMALL = { width: 300, height: 140 };

export function toTrainingReport(training: Training): string {
  const { statement, iterations, validations, samples, results } = training;
  const headline = toHeadline(validations);
  const { charts, small } = toCharts([{ ...training, name: "" }]);
  const asked = toAskedChart(iterations);
  return toPage(
    `Training: ${statement?.world ?? training.path}`,
    PAGE_STYLE,
    html`<p class="muted">${toFacts(iterations, statement).join(" · ")}</p>
${statement?.isSimulated && html`<p class="notice">${toSimulatedNotice(statement)}</p>`}
${statement && toState(statement)}
${headline !== undefined && html`<p>${headline}</p>`}
${results.length > 0 && html`<p>How well it does on tasks that it has never seen stands <a href="#results">below</a>.</p>`}
<h2>How it learned</h2>
${
  iterations.length === 0
    ? html`<p class="muted">No iteration is finished yet.</p>`
    : html`<p class="muted">${toStages(toSpans(iterations))}</p>
<div class="charts">${charts.map((chart) => toFigure(chart, SIZE))}</div>
<div class="charts small">${small.map((chart) => toFigure(chart, SMALL))}</div>`
}
<h2>Who is asked</h2>${asked ? toFigure(asked, { width: 940, height: 240 }) : html`<p class="muted">Nobody was asked yet.</p>`}
<h2>What it wrote, early and late</h2>${toSamples(samples)}
${toInstructions(training)}
<h2 id="results">On test tasks that it has never seen</h2>${toResults(results, statement?.isSimulated ?? false)}
<h2>How it was made</h2>${toStatement(training)}`,
  );
}

function toSimulatedNotice({ parts = [] }: TrainingStatement): string {
  const namesOf = (wanted: boolean) =>
    parts.flatMap(({ name, isSimulated }) => (isSimulated === wanted ? [name] : [])).join(", ");
  const real = namesOf(false);
  if (real === "") return SIMULATED;
  return `Partly simulated: what it reaches in ${namesOf(true)} says nothing about a real model; ${real} does.`;
}

function toState({ state, problem }: TrainingStatement): Content {
  const words = {
    done: undefined,
    running: "Not finished: this is how far it was when the page was written.",
    stopped: "Not finished: it was stopped, and can go on from its checkpoint.",
    failed: `Not finished: it failed${problem === undefined ? "" : `. ${problem}`}`,
  }[state];
  return words !== undefined && html`<p class="notice">${words}</p>`;
}

function toSamples(samples: readonly Sample[]): Markup {
  const pairs = pairSamples(samples);
  if (pairs.length === 0) return html`<p class="muted">There are none to compare yet.</p>`;
  const isSame = pairs[0]!.early.task === pairs[0]!.late.task;
  return html`<p class="muted">${isSame ? "The same questions, early and late in the training." : "No question came twice: these are different ones."} ${SAMPLES_NOTE}</p>
${pairs.map(
  ({ early, late }) => html`<div class="sample">${isSame && toQuestion(late)}
<div class="pair">${[early, late].map((sample) => toSide(sample, !isSame && toQuestion(sample)))}</div></div>`,
)}`;
}

function toQuestion({ question }: Sample): Markup {
  return html`<p class="sample-question">${question}</p>`;
}

function toSide(sample: Sample, question: Content): Markup {
  const { heading, calls, rounds, isRight, verdict, answer, runId } = toSampleView(sample);
  return html`<div><h3>${heading}<small>${calls}</small></h3>${question}
${rounds.map((round, i) => html`${rounds.length > 1 && html`<small>round ${i + 1}</small>`}${toRound(round)}`)}
<p class="reply"><span class="${isRight ? "right" : "wrong"}-answer">${verdict}</span> ${answer}</p>
${runId !== "" && html`<small><code>tutti runs show ${runId}</code></small>`}</div>`;
}

function toRound(round: SampledRound): Markup {
  switch (round.type) {
    case "invalid":
      return html`<p class="reply muted">Not a workflow: ${round.message}</p><pre>${round.text}</pre>`;
    case "accepts":
      return html`<p class="reply muted">Accepts what the team has answered.</p>`;
    case "steps":
      return html`<ol class="steps">${round.steps.map(
        ({ worker, sight, subtask }, i) =>
          html`<li><span>${i + 1}</span><div><b>${worker}</b> <small>${sight}</small><br>${subtask}</div></li>`,
      )}</ol>`;
  }
}

function toInstructions(training: Training): Content {
  const view = toInstructionsView(training);
  if (!view) return false;
  const { headline, uses, proposals } = view;
  return html`<h2>Instructions</h2><p class="muted">What the steps of the last evaluation's plans were told. ${headline} Gains are of accuracy, in the same plans for the same training questions, with 95 % intervals; what seemed better was measured anew on fresh ones.</p>
${uses && toTable(uses)}${proposals && html`<h3>Proposals</h3>${toTable(proposals)}`}`;
}

function toResults(results: readonly TestResult[], isSimulated: boolean): Markup {
  if (results.length === 0) return html`<p class="muted">Not measured yet.</p>`;
  return html`${toTestTables(results, isSimulated).map(({ world, results: own, table }) => {
    const bars = own.map((result, i) => ({
      ...result,
      value: result.accuracy,
      isMarked: table.rows[i]!.kind === "best",
    }));
    return html`${world !== undefined && html`<h3>${world}</h3>`}${toTable(table)}<div class="panels" style="margin-top:1rem">${toSvg(drawBars(table.label, bars))}</div>`;
  })}`;
}

function toStatement({ statement, path }: Training): Markup {
  if (!statement) return html`<p class="muted">Nothing is written about it in ${path}.</p>`;
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
${notices.length > 0 && html`<dt>notices</dt><dd>${notices.map((notice) => html`${notice}<br>`)}</dd>`}
</dl>`;
}
