// Workflows as they were sampled early and late, beside each other, on the same question where there is one, as plain
// data. What models write is text, whatever it looks like.

import { toCount, toStepNumbers } from "../../base/format.ts";
import { groupBy } from "../../bench/results.ts";
import { RIGHT } from "../../recording/types.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import type { Access } from "../../workflow/types.ts";
import { toPositions } from "../../workflow/waves.ts";
import type { Sample } from "../types.ts";

const MOST_PAIRS = 6;
const LONGEST_ANSWER = 400;
/** The pool of a sample is not kept, so any number is taken for a worker's. */
const LIMITS = { workers: 1_000, maxSteps: 100, allowEmpty: true };

export interface SamplePair {
  early: Sample;
  late: Sample;
}

/** The earliest against the latest of each question; where none came twice, of different ones. */
export function pairSamples(samples: readonly Sample[]): SamplePair[] {
  const ordered = samples.toSorted((a, b) => a.iteration - b.iteration);
  const same = [...groupBy(ordered, ({ task }) => task).values()]
    .map((own) => ({ early: own[0]!, late: own.at(-1)! }))
    .filter(isApart)
    .sort((a, b) => b.late.iteration - b.early.iteration - (a.late.iteration - a.early.iteration));
  if (same.length > 0) return same.slice(0, MOST_PAIRS);
  const count = Math.min(MOST_PAIRS / 2, Math.floor(ordered.length / 2));
  return Array.from({ length: count }, (_, i) => ({
    early: ordered[i]!,
    late: ordered.at(i - count)!,
  })).filter(isApart);
}

function isApart({ early, late }: SamplePair): boolean {
  return early.iteration < late.iteration;
}

export const SAMPLES_NOTE =
  "A worker is numbered by its place in the pool of that question, from 0; the order differs from question to question.";

/** One sample as it is shown. */
export interface SampleView {
  heading: string;
  calls: string;
  rounds: SampledRound[];
  isRight: boolean;
  verdict: string;
  answer: string;
  /** "" where no run was kept. */
  runId: string;
}

export type SampledRound =
  | { type: "steps"; steps: { worker: string; sight: string; subtask: string }[] }
  | { type: "accepts" }
  | { type: "invalid"; message: string; text: string };

export function toSampleView({ iteration, stage, texts, answer, score, calls, runId }: Sample): SampleView {
  const isRight = score >= RIGHT;
  const trimmed = answer.trim();
  return {
    heading: `iteration ${iteration}, ${stage}`,
    calls: toCount(calls, "call"),
    rounds: texts.map(toRound),
    isRight,
    verdict: isRight ? "right" : score > 0 ? `score ${score.toFixed(2)}` : "wrong",
    answer: trimmed === "" ? "no answer" : cut(trimmed),
    runId,
  };
}

function toRound(text: string): SampledRound {
  const parsed = parseWorkflow(text, LIMITS);
  if (!parsed.ok) return { type: "invalid", message: parsed.error.message, text };
  const { steps } = parsed.workflow;
  if (steps.length === 0) return { type: "accepts" };
  return {
    type: "steps",
    steps: steps.map(({ worker, subtask, access }, i) => ({
      ...{ worker: `worker ${worker}`, sight: toSight(access, i), subtask },
    })),
  };
}

function toSight(access: Access, position: number): string {
  const seen = toPositions(access, position);
  if (seen.length === 0) return "sees the question only";
  if (typeof access === "string" && position > 1) return "sees all before";
  return `sees ${toStepNumbers(seen)}`;
}

function cut(text: string): string {
  return text.length > LONGEST_ANSWER ? `${text.slice(0, LONGEST_ANSWER)}…` : text;
}
