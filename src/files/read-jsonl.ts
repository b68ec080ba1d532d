// Lines and JSON rows of a file, also of a compressed one (by its ending), as a stream: a file may be
// larger than memory. Rows go to a function and not through an iterator, because a promise for each of a
// million rows would cost more than reading them.

import { createReadStream, existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { badFile, Problems } from "./problems.ts";

export type SourceRow = Record<string, unknown>;
/** `line` counts from 1: where the row stands, for messages. */
export type OnRow = (row: SourceRow, line: number) => void;

const CHUNK_BYTES = 1 << 18;

export async function readJsonl(file: string, onRow: OnRow, problems: Problems): Promise<void> {
  await readLines(file, (text, line) => {
    const value = parseRow(text);
    if (value === "blank") return;
    if (value instanceof Error) problems.add(file, line, value.message);
    else onRow(value, line);
  });
}

/** What is wrong with a row; nothing where it is right. */
export type CheckRow = (row: SourceRow) => string | undefined;

/** Every row, checked, or an error that names lines; no file, no rows. `mayBeTorn`: a broken last line is left out. */
export async function readRows(
  file: string,
  check: CheckRow,
  onRow: OnRow,
  { mayBeTorn = false } = {},
): Promise<void> {
  if (!existsSync(file)) return;
  const problems = new Problems();
  let broken: { line: number; problem: string } | undefined;
  const report = () => {
    if (broken) problems.add(file, broken.line, broken.problem);
    broken = undefined;
  };
  await readLines(file, (text, line) => {
    const row = parseRow(text);
    if (row === "blank") return;
    report();
    const problem = row instanceof Error ? row.message : check(row);
    if (problem === undefined) onRow(row as SourceRow, line);
    else broken = { line, problem };
  });
  if (!mayBeTorn) report();
  problems.throwIfAny();
}

/** One line of a JSONL file. */
export function parseRow(
  text: string,
  revive?: (key: string, value: unknown) => unknown,
): SourceRow | "blank" | Error {
  if (text.trim() === "") return "blank";
  try {
    const value: unknown = JSON.parse(text, revive);
    return isRow(value) ? value : new Error(`a row must be a JSON object, not ${text.slice(0, 40)}`);
  } catch (error) {
    return new Error(`not JSON: ${(error as Error).message}`);
  }
}

/** A JSON file of rows: a list, or an object that holds one (BBH's own files: `{ "examples": […] }`). */
export async function readJson(file: string, onRow: OnRow, problems: Problems): Promise<void> {
  let value: unknown;
  try {
    value = JSON.parse((await readFile(file, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    throw badFile(`${file}: not JSON: ${(error as Error).message}`, error);
  }
  const lists = Array.isArray(value)
    ? [value]
    : isRow(value)
      ? Object.values(value).filter(Array.isArray)
      : [];
  const [rows] = lists;
  if (lists.length !== 1 || rows === undefined)
    throw badFile(`${file}: must hold one list of rows, as [ { … }, … ]`);
  for (const [index, row] of rows.entries()) {
    if (isRow(row)) onRow(row, index + 1);
    else problems.add(file, index + 1, "a row must be a JSON object");
  }
}

function isRow(value: unknown): value is SourceRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Lines end with \n, \r\n or \r, also mixed in one file: none of them can stand inside a JSON text. */
async function readLines(file: string, onLine: (text: string, line: number) => void): Promise<void> {
  await readChunks(file, async (chunks) => {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let line = 0;
    // Parts of a line that has not ended yet: joined once, however many chunks it has.
    let open: string[] = [];
    const take = (text: string) => {
      const lines = text.includes("\r") ? text.split(/\r\n|\n|\r/) : text.split("\n");
      const last = lines.pop()!;
      if (lines.length === 0) return void open.push(last);
      lines[0] = open.join("") + lines[0]!;
      open = [last];
      for (const each of lines) onLine(each, ++line);
    };
    let held = "";
    for await (const chunk of chunks) {
      const text = held + decoder.decode(chunk, { stream: true });
      // Whether a \r ends a line alone or with the \n after it is seen with the next chunk.
      held = text.endsWith("\r") ? "\r" : "";
      take(held === "" ? text : text.slice(0, -1));
    }
    take(held + decoder.decode());
    const rest = open.join("");
    if (rest !== "") onLine(rest, ++line);
  });
}

/** The bytes of a file, decompressed by its ending; failures say what is wrong with the file. */
export async function readChunks(
  file: string,
  consume: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  try {
    if (file.endsWith(".gz")) await pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), consume);
    else await pipeline(source, consume);
  } catch (error) {
    throw toFileError(file, error);
  }
}

function toFileError(file: string, error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "Z_BUF_ERROR")
    return badFile(`${file}: its gzip data ends too early; the file is not complete`, error);
  if (code.startsWith("Z_")) return badFile(`${file}: not valid gzip data: ${message}`, error);
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return badFile(`${file}: not UTF-8 text`, error);
  if (/^E[A-Z]+$/.test(code)) return badFile(`${file}: cannot be read: ${message}`, error);
  return error;
}
