// Loads a recording folder: tasks first, then outcomes, then what replies looked like, all as streams. All or nothing: whatever is wrong
// is said by file and line, and nothing is loaded half.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { usageError } from "../base/errors.ts";
import { badFile, Problems } from "../files/problems.ts";
import { readJsonl } from "../files/read-jsonl.ts";
import type { GradedTask, TaskSet } from "../task/types.ts";
import { OutcomeTable } from "./outcome-table.ts";
import { readPrices } from "./prices.ts";
import { readReplies } from "./replies.ts";
import { checkOutcome, checkTask, toOutcome, toRecordedTask } from "./rows.ts";
import type { Recording } from "./types.ts";

interface TaskEntry {
  task: GradedTask;
  line: number;
}

export interface LoadOptions {
  /** One set, or some of them; by default all that are there. */
  set?: string;
  sets?: readonly string[];
}

export async function loadRecording(folder: string, options: LoadOptions = {}): Promise<Recording> {
  const wanted = options.sets ?? (options.set === undefined ? undefined : [options.set]);
  const problems = new Problems();
  const tasksFile = findRecordingFile(folder, "tasks");
  const outcomesFile = findRecordingFile(folder, "outcomes");

  const prices = readPrices(folder, problems);
  const entries = new Map<string, TaskEntry & { number: number }>();
  await readJsonl(tasksFile, (row, line) => addTask(entries, row, line, tasksFile, problems), problems);
  problems.throwIfAny();
  const sets = toSets(folder, entries, wanted);
  const isWanted = (task: GradedTask) => wanted === undefined || wanted.includes(task.set);

  const workers = new Map<string, number>();
  const table = new OutcomeTable();
  await readJsonl(
    outcomesFile,
    (row, line) => {
      const problem = checkOutcome(row);
      if (problem) return problems.add(outcomesFile, line, problem);
      const outcome = toOutcome(row);
      const entry = entries.get(outcome.task);
      if (!entry) return problems.add(outcomesFile, line, `no task "${outcome.task}" in ${tasksFile}`);
      if (!isWanted(entry.task)) return;
      let worker = workers.get(outcome.worker);
      if (worker === undefined) {
        worker = workers.size;
        workers.set(outcome.worker, worker);
      }
      table.add(entry.number, worker, line, outcome);
    },
    problems,
  );
  const names = [...workers.keys()];
  const all = [...entries.values()];
  for (const { line, task, worker, sample, kind } of table.seal(all.length)) {
    const who = `${names[worker]} on task "${all[task]!.task.id}"`;
    problems.add(
      outcomesFile,
      line,
      kind === "duplicate"
        ? `sample ${sample} of ${who} is there twice`
        : `sample ${sample} of ${who} is there, but not sample ${sample - 1}`,
    );
  }
  for (const { worker, line } of table.findMissingCosts())
    problems.add(
      outcomesFile,
      line,
      `"costUsd" is missing, though other outcomes of ${names[worker]} have it: give it for all of them or for none`,
    );
  problems.throwIfAny();
  const repliesFile = findPacked(folder, "replies");
  if (repliesFile !== undefined)
    await readReplies(
      repliesFile,
      {
        taskOf: (id) => entries.get(id)?.number,
        workerOf: (id) => workers.get(id),
        isWanted: (number) => isWanted(all[number]!.task),
        table,
      },
      problems,
    );
  problems.throwIfAny();
  // Seen last: a file that is broken should not also be called unfinished.
  for (const { task, line, number } of all) {
    if (isWanted(task) && !table.has(number))
      problems.add(
        tasksFile,
        line,
        `no outcome of any worker for task "${task.id}"; finish the recording first`,
      );
  }
  problems.throwIfAny();
  return { ...toRecording(folder, sets, entries, workers, table), prices };
}

function addTask(
  entries: Map<string, TaskEntry & { number: number }>,
  row: Record<string, unknown>,
  line: number,
  file: string,
  problems: Problems,
): void {
  const problem = checkTask(row);
  if (problem) {
    problems.add(file, line, problem);
    return;
  }
  const task: GradedTask = { ...toRecordedTask(row), grader: "recorded" };
  const before = entries.get(task.id);
  if (before) problems.add(file, line, `the id "${task.id}" is there twice, first in line ${before.line}`);
  else entries.set(task.id, { task, line, number: entries.size });
}

function toSets(
  folder: string,
  entries: ReadonlyMap<string, TaskEntry>,
  wanted: readonly string[] | undefined,
): TaskSet[] {
  const sets = new Map<string, TaskSet>();
  for (const { task } of entries.values()) {
    const set = sets.get(task.set);
    if (set) set.tasks.push(task);
    else sets.set(task.set, { id: task.set, tasks: [task], source: folder });
  }
  if (sets.size === 0) throw badFile(`${folder}: holds no task`);
  if (wanted === undefined) return [...sets.values()];
  return wanted.map((name) => {
    const found = sets.get(name);
    if (found) return found;
    throw unknownSet(folder, name, [...sets.keys()]);
  });
}

function toRecording(
  folder: string,
  sets: TaskSet[],
  entries: ReadonlyMap<string, { number: number }>,
  workers: ReadonlyMap<string, number>,
  table: OutcomeTable,
): Omit<Recording, "prices"> {
  const names = [...workers.keys()];
  const tasksOf = (id: string) => {
    const found = sets.find((set) => set.id === id);
    if (found) return found.tasks;
    throw unknownSet(
      folder,
      id,
      sets.map((set) => set.id),
    );
  };
  return {
    folder,
    sets,
    tasksOf,
    outcomesOf(task, worker) {
      const entry = entries.get(task);
      const number = workers.get(worker);
      if (!entry || number === undefined) return [];
      return table.outcomesOf(entry.number, number, { task, worker });
    },
    hasReplies(task) {
      const entry = entries.get(task);
      return entry !== undefined && table.hasReplies(entry.number);
    },
    workersOf(set, { all } = { all: true }) {
      const tasks = tasksOf(set);
      const answered = new Array<number>(names.length).fill(0);
      for (const { id } of tasks)
        for (const worker of table.workersOf(entries.get(id)!.number)) answered[worker]!++;
      const needed = all ? tasks.length : 1;
      return names.filter((_, worker) => answered[worker]! >= needed);
    },
  };
}

function unknownSet(folder: string, set: string, known: string[]): Error {
  return usageError(`No set "${set}" in ${folder} (there are: ${known.join(", ")})`);
}

/** Packed or not; undefined where there is none. */
function findPacked(folder: string, name: string): string | undefined {
  const found = [`${name}.jsonl`, `${name}.jsonl.gz`].map((file) => join(folder, file)).filter(existsSync);
  if (found.length > 1) throw badFile(`${folder}: holds both ${name}.jsonl and ${name}.jsonl.gz; keep one`);
  return found[0];
}

/** Packed or not; throws where there is none, or both. */
export function findRecordingFile(folder: string, name: "tasks" | "outcomes"): string {
  const found = findPacked(folder, name);
  if (found !== undefined) return found;
  if (!existsSync(folder)) throw usageError(`There is no recording ${folder}: it must be a folder`);
  throw usageError(`${folder} is no recording: it has no ${name}.jsonl or ${name}.jsonl.gz`);
}
