// The files of a recording while it is made. Rows are appended one by one, each in one write; after a kill
// the last line may be torn, and is dropped when the recording goes on. One process at a time may write.
// Covered: death of the process. Not covered: loss of power in the last instant.

import { appendFileSync, closeSync, existsSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { TuttiError, usageError } from "../base/errors.ts";
import { mend } from "../files/append-file.ts";
import { claimFile } from "../files/claim-file.ts";
import { Problems } from "../files/problems.ts";
import { parseRow, readLines, type SourceRow } from "../files/read-jsonl.ts";
import type { GradedTask } from "../task/types.ts";
import { checkOutcome, checkTask, toOutcome, toTaskRow } from "./rows.ts";
import type { Outcome } from "./types.ts";

/** How many samples of a worker for a task are there. */
export type Recorded = (task: string, worker: string) => number;

export interface RecordingFiles {
  recorded: Recorded;
  append(outcome: Outcome): void;
  close(): void;
}

/** What a folder holds already. Changes nothing; nothing there is nothing recorded. */
export async function readRecorded(folder: string, tasks: readonly GradedTask[]): Promise<Recorded> {
  await findMissing(folder, tasks);
  const counts = new Map<string, Map<string, number>>();
  await readWhole(join(folder, "outcomes.jsonl"), checkOutcome, (row) => {
    const { task, worker, sample } = toOutcome(row);
    const ofTask = counts.get(task) ?? new Map<string, number>();
    counts.set(task, ofTask.set(worker, Math.max(ofTask.get(worker) ?? 0, sample + 1)));
  });
  return (task, worker) => counts.get(task)?.get(worker) ?? 0;
}

/** Claims the folder, mends what a kill has torn, and adds the tasks that are not there yet. */
export async function openRecordingFiles(
  folder: string,
  tasks: readonly GradedTask[],
): Promise<RecordingFiles> {
  mkdirSync(folder, { recursive: true });
  const release = claim(folder);
  try {
    const [tasksFile, outcomesFile] = [join(folder, "tasks.jsonl"), join(folder, "outcomes.jsonl")];
    mend(tasksFile, checkTask);
    mend(outcomesFile, checkOutcome);
    const recorded = await readRecorded(folder, tasks);
    const missing = await findMissing(folder, tasks);
    const rows = missing.map((task) => `${JSON.stringify(toTaskRow(task))}\n`);
    appendFileSync(tasksFile, rows.join(""));
    const file = openSync(outcomesFile, "a");
    return {
      recorded,
      append: (outcome) => void writeSync(file, `${JSON.stringify(outcome)}\n`),
      close() {
        closeSync(file);
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Tasks without a row. One of the same id that asks something else means another set is recorded here. */
async function findMissing(folder: string, tasks: readonly GradedTask[]): Promise<GradedTask[]> {
  for (const name of ["tasks.jsonl.gz", "outcomes.jsonl.gz"]) {
    if (existsSync(join(folder, name)))
      throw usageError(
        `${folder} is a finished recording: ${name} cannot be added to. Unpack it with gunzip`,
      );
  }
  const file = join(folder, "tasks.jsonl");
  const there = new Map<string, string>();
  await readWhole(file, checkTask, (row) => there.set(String(row.id), toKey(row)));
  return tasks.filter((task) => {
    const key = there.get(task.id);
    if (key !== undefined && key !== toKey({ ...task }))
      throw usageError(`${file} has another task "${task.id}": record this set into another folder`);
    return key === undefined;
  });
}

function toKey({ set, prompt, choices, answer }: SourceRow): string {
  return JSON.stringify([set, prompt, choices ?? null, answer]);
}

async function readWhole(
  file: string,
  check: (row: SourceRow) => string | undefined,
  onRow: (row: SourceRow) => void,
): Promise<void> {
  if (!existsSync(file)) return;
  const problems = new Problems();
  let torn: { line: number; problem: string } | undefined;
  await readLines(file, (text, line) => {
    // Only the last line may be torn: one that is followed by another is broken.
    if (torn) problems.add(file, torn.line, torn.problem);
    torn = undefined;
    const row = parseRow(text);
    if (row === "blank") return;
    const problem = row instanceof Error ? row.message : check(row);
    if (problem !== undefined) torn = { line, problem };
    else onRow(row as SourceRow);
  });
  problems.throwIfAny();
}

function claim(folder: string): () => void {
  const file = join(folder, "record.lock");
  return claimFile(file, () => {
    const message = `${folder} is being recorded by another process. If that is not so, delete ${file}`;
    return new TuttiError("recording-active", message);
  });
}
