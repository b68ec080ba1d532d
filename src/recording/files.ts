// The files of a recording while it is made. One process at a time may write; what a kill has torn is mended
// when the recording goes on.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { TuttiError, usageError } from "../base/errors.ts";
import { AppendFile } from "../files/append-file.ts";
import { claimFile } from "../files/claim-file.ts";
import { makePrivateFolder } from "../files/private.ts";
import { readRows, type SourceRow } from "../files/read-jsonl.ts";
import type { GradedTask, TaskSet } from "../task/types.ts";
import { checkOutcome, checkTask, toOutcome, toTaskRow } from "./rows.ts";
import { markTaskFile, refuseOtherTaskFile } from "./task-file.ts";
import type { RecordedOutcome, TaskRow } from "./types.ts";

const TASKS = "tasks.jsonl";
const OUTCOMES = "outcomes.jsonl";
/** A plan reads the files without mending them: a torn last line counts as not there. */
const TORN = { mayBeTorn: true };

/** How many samples of a worker for a task are there. */
export type Recorded = (task: string, worker: string) => number;

export interface RecordingFiles {
  recorded: Recorded;
  append(outcome: RecordedOutcome): void;
  close(): void;
}

/** What a folder holds already. Changes nothing; nothing there is nothing recorded. */
export async function readRecorded(folder: string, tasks: readonly GradedTask[]): Promise<Recorded> {
  refusePacked(folder);
  await findMissing(folder, tasks);
  return countRecorded(folder);
}

/** Claims the folder, mends what a kill has torn, and adds the tasks that are not there yet. */
export async function openRecordingFiles(
  folder: string,
  tasks: readonly GradedTask[],
  taskFile?: TaskSet,
): Promise<RecordingFiles> {
  makePrivateFolder(folder);
  const release = claim(folder);
  try {
    refusePacked(folder);
    if (taskFile) {
      await refuseOtherTasks(folder, taskFile);
      await markTaskFile(folder, taskFile);
    }
    const tasksFile = new AppendFile<TaskRow>(join(folder, TASKS), { check: checkTask });
    try {
      for (const task of await findMissing(folder, tasks)) tasksFile.append(toTaskRow(task));
    } finally {
      tasksFile.close();
    }
    const outcomes = new AppendFile<RecordedOutcome>(join(folder, OUTCOMES), {
      check: checkOutcome,
      onClose: release,
    });
    const recorded = await countRecorded(folder);
    return {
      recorded,
      append: (outcome) => outcomes.append(outcome),
      close: () => outcomes.close(),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Two task files in one folder would be one recording of neither. The result: how many tasks the folder's own file has
 * grown by.
 */
export async function refuseOtherTasks(folder: string, set: TaskSet): Promise<number> {
  refusePacked(folder);
  const ids: string[] = [];
  await readRows(join(folder, TASKS), checkTask, (row) => void ids.push(String(row.id)), TORN);
  return refuseOtherTaskFile(folder, set, ids);
}

async function countRecorded(folder: string): Promise<Recorded> {
  const counts = new Map<string, Map<string, number>>();
  const count = (row: SourceRow) => {
    const { task, worker, sample } = toOutcome(row);
    const ofTask = counts.get(task) ?? new Map<string, number>();
    counts.set(task, ofTask.set(worker, Math.max(ofTask.get(worker) ?? 0, sample + 1)));
  };
  await readRows(join(folder, OUTCOMES), checkOutcome, count, TORN);
  return (task, worker) => counts.get(task)?.get(worker) ?? 0;
}

function refusePacked(folder: string): void {
  for (const name of [`${TASKS}.gz`, `${OUTCOMES}.gz`])
    if (existsSync(join(folder, name)))
      throw usageError(
        `${folder} is a finished recording: ${name} cannot be added to. Unpack it with gunzip`,
      );
}

/** Tasks without a row. One of the same id that asks something else means another set is recorded here. */
async function findMissing(folder: string, tasks: readonly GradedTask[]): Promise<GradedTask[]> {
  const file = join(folder, TASKS);
  const there = new Map<string, string>();
  await readRows(file, checkTask, (row) => void there.set(String(row.id), toKey(row)), TORN);
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

function claim(folder: string): () => void {
  const file = join(folder, "record.lock");
  return claimFile(file, () => {
    const message = `${folder} is being recorded by another process. If that is not so, delete ${file}`;
    return new TuttiError("recording-active", message);
  });
}
