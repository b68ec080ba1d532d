// An append-only JSONL file: rows are on disk when `append` returns, and a last line that a kill has torn is
// mended when the file is opened. Recordings, kept replies, rollouts, bench rows and the curves of a training
// are such files. Covered: death of the process, a full disk. Not covered: loss of power in the last instant.

import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { ErrorCode } from "../base/error-codes.ts";
import { TuttiError } from "../base/errors.ts";
import { MOST_LINE_CHARACTERS, readWhole } from "./bounds.ts";
import { claimFile } from "./claim-file.ts";
import { makePrivateFolder, PRIVATE_FILE } from "./private.ts";
import { badFile } from "./problems.ts";
import { type CheckRow, parseRow, readRows, type SourceRow } from "./read-jsonl.ts";

interface AppendOptions {
  /** Decides whether a last line without its end is a whole row. By default any JSON object is. */
  check?: CheckRow;
  /** Of the error when it cannot be written. */
  failure?: ErrorCode;
  onClose?: () => void;
}

/** One process at a time may have it open: see `openAppendFile`, or claim the folder. */
export class AppendFile<Row extends object> {
  readonly file: string;
  readonly #options: AppendOptions;
  readonly #handle: number;
  #bytes: number;

  constructor(file: string, options: AppendOptions = {}) {
    this.file = file;
    this.#options = options;
    try {
      mend(file, options.check ?? (() => undefined));
      this.#handle = openSync(file, "a", PRIVATE_FILE);
    } catch (error) {
      throw cannotWrite(file, error, options.failure);
    }
    this.#bytes = fstatSync(this.#handle).size;
  }

  append(row: Row): void {
    const line = Buffer.from(`${JSON.stringify(row)}\n`);
    let written = 0;
    let cause: unknown;
    try {
      written = writeSync(this.#handle, line);
    } catch (error) {
      cause = error;
    }
    if (written < line.length) {
      // Half a line would spoil the next one.
      if (written > 0) ftruncateSync(this.#handle, this.#bytes);
      throw cannotWrite(this.file, cause, this.#options.failure);
    }
    this.#bytes += written;
  }

  close(): void {
    closeSync(this.#handle);
    this.#options.onClose?.();
  }
}

/** A write that was cut short has no cause but a full disk. */
export function cannotWrite(file: string, cause: unknown, code: ErrorCode = "cannot-write"): TuttiError {
  const { code: reason = "ENOSPC", message } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  const why = reason === "ENOSPC" ? "the disk is full" : message;
  return new TuttiError(code, `${file} cannot be written: ${why}`, { cause });
}

/** Claims the file and reads it: `check` says what is wrong with a row, `onRow` gets all rows in their order. */
export async function openAppendFile<Row extends object>(
  file: string,
  check: CheckRow,
  onRow: (row: Row) => void,
): Promise<AppendFile<Row>> {
  makePrivateFolder(dirname(file));
  const lock = `${file}.lock`;
  const release = claimFile(lock, () => {
    const message = `${file} is in use by another training. If that is not so, delete ${lock}`;
    return new TuttiError("cache-active", message);
  });
  try {
    const opened = new AppendFile<Row>(file, { check, failure: "cache-failed", onClose: release });
    await readRows(file, check, (row) => onRow(row as unknown as Row)).catch((error) => {
      opened.close();
      throw error;
    });
    return opened;
  } catch (error) {
    release();
    throw error;
  }
}

/** At once, and whatever can be read of it: half a line that a kill left, here or in the middle, is passed over. */
export function readAppended(file: string, revive?: (key: string, value: unknown) => unknown): SourceRow[] {
  if (!existsSync(file)) return [];
  return readWhole(file)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const row = parseRow(line, revive);
      return row === "blank" || row instanceof Error ? [] : [row];
    });
}

const BLOCK_BYTES = 1 << 16;

/** A last line without its end is finished if it is a whole row, and cut off if it is not. */
function mend(file: string, check: CheckRow): void {
  if (!existsSync(file)) return;
  const handle = openSync(file, "r+");
  try {
    const { size } = fstatSync(handle);
    let tail = Buffer.alloc(0);
    while (tail.length < size && !tail.includes(0x0a)) {
      if (tail.length > MOST_LINE_CHARACTERS) throw badFile(`${file}: its last line is too long to be read`);
      // Twice as much each time: a long line is not copied for every block.
      const length = Math.min(Math.max(BLOCK_BYTES, tail.length), size - tail.length);
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
