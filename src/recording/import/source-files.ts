// The files of a source: a file itself, or all of a folder with a wanted name; rows of tables, and JSON as a whole.

import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { isTuttiError, usageError } from "../../base/errors.ts";
import { checkJsonFits, readWhole } from "../../files/bounds.ts";
import { badFile, Problems } from "../../files/problems.ts";
import type { OnRow } from "../../files/read-jsonl.ts";
import { readerOf } from "../../task/sets/load.ts";

const TABLE = /\.(?:jsonl|ndjson|csv|jsonl\.gz|csv\.gz|parquet|json)$/i;
const PICKLE = /\.(?:pkl|pickle)$/i;

/** Of a folder all files below it whose name fits, sorted; a file is taken as it is. */
export function sourceFiles(source: string, name: RegExp, what: string): string[] {
  if (!existsSync(source)) throw usageError(`There is no ${source}: give a file or folder`);
  if (!statSync(source).isDirectory()) {
    refusePickle(source);
    return [source];
  }
  // Hidden ones are notes of other programs, or this very recording while it is made.
  const all = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => !path.split(sep).some((part) => part.startsWith(".")))
    .sort();
  const files = all.filter((path) => name.test(basename(path))).map((path) => join(source, path));
  if (files.length > 0) return files;
  const pickle = all.find((path) => PICKLE.test(path));
  if (pickle !== undefined) refusePickle(join(source, pickle));
  throw usageError(`${source} holds no ${what}`);
}

/** A pickle runs whatever its maker wrote: it is converted by whoever trusts it. */
function refusePickle(file: string): void {
  if (!PICKLE.test(file)) return;
  const parquet = file.replace(PICKLE, ".parquet");
  throw usageError(
    `${file} is a pickle, which is a program and no data: it is not read. If you trust it, convert it: python3 -c "import pandas, sys; pandas.read_pickle(sys.argv[1]).to_parquet(sys.argv[2])" ${file} ${parquet} (or to JSON, where it is no table: docs/record-import.md)`,
  );
}

export function tableFiles(source: string): string[] {
  return sourceFiles(source, TABLE, "table (jsonl, csv or parquet)");
}

/** Throws what is not a row by file and line, after all rows. */
export async function readTable(file: string, onRow: OnRow): Promise<void> {
  const problems = new Problems();
  let failure: unknown;
  const guarded: OnRow = (row, line) => {
    try {
      if (failure === undefined) onRow(row, line);
    } catch (error) {
      failure = error;
    }
  };
  await readerOf(file)(file, guarded, problems);
  // A stream that is torn down would hide why.
  if (failure !== undefined) throw failure;
  problems.throwIfAny();
}

export function readJsonFile(file: string): unknown {
  try {
    const text = readWhole(file).toString("utf8");
    checkJsonFits(file, 0, text);
    return JSON.parse(text);
  } catch (error) {
    if (isTuttiError(error)) throw error;
    if (!existsSync(file)) throw badFile(`${file}: is not there, and the layout needs it`, error);
    throw badFile(`${file}: not JSON that can be read: ${(error as Error).message}`, error);
  }
}

/** Which side of a split a published file is on, by its name; validation counts as training. */
export function splitOfName(path: string): "train" | "test" | undefined {
  const name = basename(path).toLowerCase();
  if (/(?:^|[^a-z])(?:train|val|validation|dev)(?:[^a-z]|$)/.test(name)) return "train";
  return /(?:^|[^a-z])test(?:[^a-z]|$)/.test(name) ? "test" : undefined;
}
