// From files to a task set: finds the files, reads their rows, recognises the format, makes the tasks.
// Everything or nothing: a set with a bad row is refused, with the file and the line.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isTuttiError, usageError } from "../../base/errors.ts";
import { badFile, Problems } from "../../files/problems.ts";
import { type OnRow, readJson, readJsonl, type SourceRow } from "../../files/read-jsonl.ts";
import type { GradedTask, TaskSet } from "../types.ts";
import { findFormat, formatOfName, missingColumns, missingFile, recogniseFormat } from "./find-format.ts";
import type { TaskFormat } from "./formats.ts";
import { PLAIN } from "./plain.ts";
import { readCsv } from "./read-csv.ts";
import { readParquet } from "./read-parquet.ts";
import { toGradedTask } from "./to-task.ts";

type Reader = (file: string, onRow: OnRow, problems: Problems) => Promise<void>;

const READERS: readonly [RegExp, Reader][] = [
  [/\.(?:jsonl|ndjson)(?:\.gz)?$/i, readJsonl],
  [/\.json$/i, readJson],
  [/\.csv(?:\.gz)?$/i, readCsv],
  [/\.parquet$/i, (file, onRow) => readParquet(file, onRow)],
];
/** In a folder that is a recording these are not tasks. */
const NOT_TASKS = /^(?:(?:outcomes|ungraded)\.jsonl(?:\.gz)?|task-file\.json)$/;
/** Names that say nothing: the folder is then what a file is called. */
const ANY_NAME = /^(?:test|train|validation|dev|data|tasks|v?\d|0000)/i;

export interface LoadTaskSetOptions {
  /** The format's id, where it cannot be recognised or is not to be. */
  format?: string;
  /** The id of the set; where rows name their own set, only the rows of this one. */
  set?: string;
}

/** `path` is a file, a folder of files, or the name of a published set whose file lies in this folder. */
export async function loadTaskSet(path: string, options: LoadTaskSetOptions = {}): Promise<TaskSet> {
  const named = options.format === undefined ? undefined : findFormat(options.format);
  const source = existsSync(path) ? path : formatOfPlainName(path)?.download?.file;
  if (source === undefined || !existsSync(source)) throw missingFile(path, named ?? formatOfName(path));

  const problems = new Problems();
  const rows: { row: SourceRow; file: string; line: number }[] = [];
  for (const file of filesOf(source)) {
    await readerOf(file)(file, (row, line) => rows.push({ row: toLowerKeys(row), file, line }), problems);
  }
  problems.throwIfAny();
  const [first] = rows;
  if (!first) throw badFile(`${source}: holds no task`);
  const format = named ?? recogniseFormat(first.row) ?? unknownFormat(first.file, first.row);
  const ofSet = format === PLAIN ? chooseSet(source, rows, options.set) : rows;
  const id = options.set ?? (format === PLAIN ? setNameOf(source, ofSet[0]!.row) : format.id);

  const tasks: GradedTask[] = [];
  const lines = new Map<string, string>();
  for (const [position, { row, file, line }] of ofSet.entries()) {
    try {
      const missing = missingColumns(format, row);
      if (missing.length > 0) throw badFile(`has no "${missing[0]}", which a task of ${format.title} needs`);
      const task = toGradedTask(format, row, { name: nameOf(file), position }, id);
      const before = lines.get(task.id);
      if (before !== undefined) throw badFile(`the id "${task.id}" is there twice, first in ${before}`);
      lines.set(task.id, `${file}:${line}`);
      tasks.push(task);
    } catch (error) {
      if (!isTuttiError(error)) throw error;
      problems.add(file, line, error.message);
    }
  }
  problems.throwIfAny();
  return { id, tasks, source };
}

/** "math500", but no path and no file name. */
function formatOfPlainName(path: string): TaskFormat | undefined {
  return /[./]/.test(path) ? undefined : formatOfName(path);
}

function filesOf(source: string): string[] {
  if (!statSync(source).isDirectory()) return [source];
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => READERS.some(([ending]) => ending.test(name)) && !NOT_TASKS.test(basename(name)))
    .sort()
    .map((name) => join(source, name));
  if (files.length === 0) throw usageError(`${source} holds no file of tasks (jsonl, json, csv or parquet)`);
  return files;
}

/** By the ending of its name. */
export function readerOf(file: string): Reader {
  const reader = READERS.find(([ending]) => ending.test(file))?.[1];
  if (reader) return reader;
  throw usageError(`${file} must end in .jsonl, .jsonl.gz, .json, .csv, .csv.gz or .parquet`);
}

function toLowerKeys(row: SourceRow): SourceRow {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key.trim().toLowerCase(), value]));
}

function unknownFormat(file: string, row: SourceRow): never {
  throw badFile(
    `${file}: its columns (${Object.keys(row).join(", ")}) are those of no set we know. Tasks of one's own need "prompt" and "answer"; --format names a published set`,
  );
}

/** Rows may name their set themselves, as those of a recording do. */
function chooseSet<T extends { row: SourceRow }>(source: string, rows: T[], wanted: string | undefined): T[] {
  const sets = new Set(rows.flatMap(({ row }) => (typeof row.set === "string" ? [row.set] : [])));
  if (sets.size === 0 || (sets.size === 1 && wanted === undefined)) return rows;
  const known = [...sets].join(", ");
  if (wanted === undefined) throw usageError(`${source} holds several sets (${known}): name one with --set`);
  if (!sets.has(wanted)) throw usageError(`No set "${wanted}" in ${source} (there are: ${known})`);
  return rows.filter(({ row }) => row.set === wanted);
}

function setNameOf(source: string, row: SourceRow): string {
  return typeof row.set === "string" ? row.set : nameOf(source);
}

function nameOf(file: string): string {
  const stem = basename(file).replace(/\..*$/, "");
  const folder = basename(dirname(file));
  return ANY_NAME.test(stem) && folder !== "." && folder !== "" ? folder : stem;
}
