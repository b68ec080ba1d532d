// A recording as a calibration: every outcome counts, also of one that was cut short, because it was paid for.
// (`loadRecording` wants all of it, since what is replayed must not have holes.)

import { join } from "node:path";
import { labelAnswers } from "../answer/label.ts";
import { topicOf } from "../calibration/rates.ts";
import type { Calibration } from "../calibration/types.ts";
import { readRows } from "../files/read-jsonl.ts";
import { checkOutcome, checkTask, toOutcome, toRecordedTask } from "./rows.ts";
import { type RecordedTask, RIGHT } from "./types.ts";

export interface RecordedCalibration extends Calibration {
  /** By worker, of all its replies; undefined where a price was not known. */
  costsUsd: readonly (number | undefined)[];
}

interface WorkerColumn {
  /** Right or wrong by number of the task, one entry for each sample. */
  scores: Map<number, number[]>;
  /** First sample by number of the task. */
  answers: Map<number, string | null>;
  delaysMs: number[];
  costUsd: number | undefined;
}

/** Tasks nobody has answered are left out. */
export async function toCalibration(folder: string, source: string): Promise<RecordedCalibration> {
  const tasks: RecordedTask[] = [];
  const numbers = new Map<string, number>();
  await readRows(join(folder, "tasks.jsonl"), checkTask, (row) => {
    const task = toRecordedTask(row);
    numbers.set(task.id, tasks.length);
    tasks.push(task);
  });
  const columns = new Map<string, WorkerColumn>();
  await readRows(join(folder, "outcomes.jsonl"), checkOutcome, (row) => {
    const { task, worker, sample, answer, score, durationMs, costUsd } = toOutcome(row);
    const number = numbers.get(task);
    if (number === undefined) return;
    const column: WorkerColumn = columns.get(worker) ?? {
      scores: new Map(),
      answers: new Map(),
      delaysMs: [],
      costUsd: 0,
    };
    columns.set(worker, column);
    column.scores.set(number, [...(column.scores.get(number) ?? []), score >= RIGHT ? 1 : 0]);
    if (sample === 0) column.answers.set(number, answer);
    if (durationMs !== undefined) column.delaysMs.push(durationMs);
    column.costUsd =
      column.costUsd === undefined || costUsd === undefined ? undefined : column.costUsd + costUsd;
  });
  // Replies arrive in any order; the same replies must make the same file.
  const workers = [...columns.keys()].sort();
  const all = workers.map((id) => columns.get(id)!);
  const answered = [...tasks.keys()].filter((task) => all.some(({ scores }) => scores.has(task)));
  return {
    workers,
    tasks: answered.map((task) => toCalibrationTask(tasks[task]!)),
    scores: answered.map((task) => all.map(({ scores }) => meanOf(scores.get(task)))),
    answers: answered.map((task) => labelAnswers(all.map(({ answers }) => answers.get(task)))),
    source,
    delaysMs: all.map(({ delaysMs }) => medianOf(delaysMs)),
    costsUsd: all.map(({ costUsd }) => costUsd),
  };
}

/** As a person would ask it: without the words on how to state the answer, which only our tasks have. */
function toCalibrationTask({ prompt, choices = [], category, family }: RecordedTask) {
  const options = choices.map((choice, i) => `(${String.fromCharCode(65 + i)}) ${choice}`);
  return { text: [prompt, ...options].join("\n"), topic: topicOf(category), category, family };
}

function meanOf(values: readonly number[] | undefined): number | undefined {
  return values && values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
