// Workflows as they were written early and late, side by side, on the same question where there is one.
// What models write is shown as text, whatever it looks like.

import { groupBy } from "../../bench/results.ts";
import { RIGHT } from "../../recording/types.ts";
import { type Content, html, type Markup } from "../../report/html.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import type { Access, Step } from "../../workflow/types.ts";
import type { Sample } from "../types.ts";

const MOST_PAIRS = 6;
const LONGEST_ANSWER = 400;
/** The pool of a sample is not kept, so any number is taken for a worker's. */
const MOST_WORKERS = 1_000;
const MOST_STEPS = 100;

export interface SamplePair {
  early: Sample;
  late: Sample;
}

/** The earliest against the latest of each question; where none came twice, of different ones. */
export function pairSamples(samples: readonly Sample[]): SamplePair[] {
  const ordered = samples.toSorted((a, b) => a.iteration - b.iteration);
  const byTask = groupBy(ordered, ({ task }) => task);
  const same = [...byTask.values()]
    .map((own) => ({ early: own[0]!, late: own.at(-1)! }))
    .filter(({ early, late }) => early.iteration < late.iteration)
    .sort((a, b) => distanceOf(b) - distanceOf(a));
  if (same.length > 0) return same.slice(0, MOST_PAIRS);
  const count = Math.min(MOST_PAIRS / 2, Math.floor(ordered.length / 2));
  return Array.from({ length: count }, (_, i) => ({
    early: ordered[i]!,
    late: ordered.at(i - count)!,
  })).filter(({ early, late }) => early.iteration < late.iteration);
}

export function toSamples(samples: readonly Sample[]): Content {
  const pairs = pairSamples(samples);
  if (pairs.length === 0) return html`<p class="soft">There are none to compare yet.</p>`;
  const isSame = pairs[0]!.early.task === pairs[0]!.late.task;
  return html`<p class="soft">${isSame ? "The same questions, early and late in the training." : "No question came twice: these are different ones."} A worker is numbered by its place in the pool of that question, from 0; the order differs from question to question.</p>
${pairs.map(({ early, late }) =>
  isSame
    ? html`<div class="sample">${toQuestion(late)}<div class="pair">${toSide(early)}${toSide(late)}</div></div>`
    : html`<div class="sample"><div class="pair">${[early, late].map((sample) => toSide(sample, toQuestion(sample)))}</div></div>`,
)}`;
}

function toQuestion({ question }: Sample): Markup {
  return html`<p class="question">${question}</p>`;
}

function toSide(sample: Sample, question?: Markup): Markup {
  const { iteration, stage, texts, answer, score, calls, runId } = sample;
  const verdict =
    score >= RIGHT
      ? html`<span class="right">right</span>`
      : html`<span class="wrong">${score > 0 ? `score ${score.toFixed(2)}` : "wrong"}</span>`;
  return html`<div><h3>iteration ${iteration}, ${stage}<small>${calls} ${calls === 1 ? "call" : "calls"}</small></h3>
${question}${texts.map((text, round) => toRound(text, texts.length > 1 ? round : undefined))}
<p class="answer">${verdict} ${answer.trim() === "" ? "no answer" : shorten(answer)}</p>
${runId !== "" && html`<small><code>tutti runs show ${runId}</code></small>`}</div>`;
}

function toRound(text: string, round: number | undefined): Markup {
  const heading = round !== undefined && html`<small>round ${round + 1}</small>`;
  const parsed = parseWorkflow(text, { workers: MOST_WORKERS, maxSteps: MOST_STEPS, allowEmpty: true });
  if (!parsed.ok)
    return html`${heading}<p class="answer soft">Not a workflow: ${parsed.error.message}</p><pre>${text}</pre>`;
  const { steps } = parsed.workflow;
  if (steps.length === 0)
    return html`${heading}<p class="answer soft">Accepts what the team has answered.</p>`;
  return html`${heading}<ol class="steps">${steps.map(toStep)}</ol>`;
}

function toStep({ worker, subtask, access }: Step, position: number): Markup {
  return html`<li><span>${position + 1}</span><div><b>worker ${worker}</b> <small>${toSight(access, position)}</small><br>${subtask}</div></li>`;
}

function toSight(access: Access, position: number): string {
  if (position === 0 || (access !== "all" && access.length === 0)) return "sees the question only";
  if (access === "all" && position > 1) return "sees all before";
  const seen = access === "all" ? [0] : access;
  return `sees ${seen.length > 1 ? "steps" : "step"} ${seen.map((step) => step + 1).join(", ")}`;
}

function distanceOf({ early, late }: SamplePair): number {
  return late.iteration - early.iteration;
}

function shorten(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > LONGEST_ANSWER ? `${trimmed.slice(0, LONGEST_ANSWER)}…` : trimmed;
}
