// An append-only JSONL file that one process at a time writes: rows are on disk when `append` returns, and a
// last line that a kill has torn is cut off when the file is opened. Replies and rollouts are kept in it.
// Covered: death of the process, a full disk. Not covered: loss of power in the last instant.

import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { TuttiError } from "../base/errors.ts";
import { claimFile } from "./claim-file.ts";
import { Problems } from "./problems.ts";
import { parseRow, readJsonl, type SourceRow } from "./read-jsonl.ts";

export interface AppendFile<Row> {
  readonly file: string;
  append(row: Row): void;
  close(): void;
}

/** `check` says what is wrong with a row; `onRow` gets those that are there, in their order. */
export async function openAppendFile<Row extends object>(
  file: string,
  check: (row: SourceRow) => string | undefined,
  onRow: (row: Row) => void,
): Promise<AppendFile<Row>> {
  mkdirSync(dirname(file), { recursive: true });
  const lock = `${file}.lock`;
  const release = claimFile(lock, () => {
    const message = `${file} is in use by another training. If that is not so, delete ${lock}`;
    return new TuttiError("cache-active", message);
  });
  try {
    mend(file, check);
    if (existsSync(file)) await readRows(file, check, onRow);
    return createAppendFile(file, release);
  } catch (error) {
    release();
    throw error;
  }
}

async function readRows<Row extends object>(
  file: string,
  check: (row: SourceRow) => string | undefined,
  onRow: (row: Row) => void,
): Promise<void> {
  const problems = new Problems();
  await readJsonl(
    file,
    (row, line) => {
      const problem = check(row);
      if (problem !== undefined) problems.add(file, line, problem);
      else onRow(row as unknown as Row);
    },
    problems,
  );
  problems.throwIfAny();
}

function createAppendFile<Row extends object>(file: string, release: () => void): AppendFile<Row> {
  const handle = openSync(file, "a");
  let bytes = fstatSync(handle).size;
  return {
    file,
    append(row) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      let written = 0;
      let cause: unknown;
      try {
        written = writeSync(handle, line);
      } catch (error) {
        cause = error;
      }
      if (written < line.length) {
        // Half a line would spoil the next one.
        if (written > 0) ftruncateSync(handle, bytes);
        throw new TuttiError("cache-failed", `${file} cannot be written: is the disk full?`, { cause });
      }
      bytes += written;
    },
    close() {
      closeSync(handle);
      release();
    },
  };
}

// ---- What a kill leaves behind --------------------------------------------------------------------

const BLOCK_BYTES = 1 << 16;

/** A last line without its end is finished if it is a whole row, and cut off if it is not. */
export function mend(file: string, check: (row: SourceRow) => string | undefined): void {
  if (!existsSync(file)) return;
  const handle = openSync(file, "r+");
  try {
    const { size } = fstatSync(handle);
    let tail = Buffer.alloc(0);
    while (tail.length < size && !tail.includes(0x0a)) {
      const length = Math.min(BLOCK_BYTES, size - tail.length);
      const block = Buffer.alloc(length);
      readSync(handle, block, 0, length, size - tail.length - length);
      tail = Buffer.concat([block, tail]);
    }
    const last = tail.subarray(tail.lastIndexOf(0x0a) + 1);
    if (last.length === 0) return;
    const row = parseRow(last.toString("utf8"));
    const isWhole = typeof row === "object" && !(row instanceof Error) && check(row) === undefined;
    if (isWhole) writeSync(handle, "\n", size);
    else ftruncateSync(handle, size - last.length);
  } finally {
    closeSync(handle);
  }
}
