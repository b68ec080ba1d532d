// JSON rows of a file, as a stream. Rows go to a function and not through an iterator, because a promise for each of
// a million rows would cost more than reading them.

import { existsSync } from "node:fs";
import { DEEPEST_LEVEL, isDeep } from "../base/deep.ts";
import { isTuttiError } from "../base/errors.ts";
import { checkJsonFits, readWhole } from "./bounds.ts";
import { badFile, Problems } from "./problems.ts";
import { readLines } from "./read-lines.ts";

export type SourceRow = Record<string, unknown>;
/** `line` counts from 1: where the row stands, for messages. */
export type OnRow = (row: SourceRow, line: number) => void;

export async function readJsonl(file: string, onRow: OnRow, problems: Problems): Promise<void> {
  await readLines(file, (text, line) => {
    checkJsonFits(file, line, text);
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
    checkJsonFits(file, line, text);
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

const TOO_DEEP = `nested more than ${DEEPEST_LEVEL} levels deep`;

/** One line of a JSONL file. */
export function parseRow(
  text: string,
  revive?: (key: string, value: unknown) => unknown,
): SourceRow | "blank" | Error {
  if (text.trim() === "") return "blank";
  try {
    const plain: unknown = JSON.parse(text);
    // What is deeper is longer than that. Before it is revived, which walks it by calls.
    if (text.length > 2 * DEEPEST_LEVEL && isDeep(plain)) return new Error(TOO_DEEP);
    const value = revive ? JSON.parse(text, revive) : plain;
    return isRow(value) ? value : new Error(`a row must be a JSON object, not ${text.slice(0, 40)}`);
  } catch (error) {
    return new Error(`not JSON: ${(error as Error).message}`);
  }
}

/** A JSON file of rows: a list, or an object that holds one (BBH's own files: `{ "examples": […] }`). */
export async function readJson(file: string, onRow: OnRow, problems: Problems): Promise<void> {
  let value: unknown;
  try {
    const text = readWhole(file)
      .toString("utf8")
      .replace(/^\uFEFF/, "");
    checkJsonFits(file, 0, text);
    value = JSON.parse(text);
  } catch (error) {
    if (isTuttiError(error)) throw error;
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
    if (isRow(row) && isDeep(row)) problems.add(file, index + 1, TOO_DEEP);
    else if (isRow(row)) onRow(row, index + 1);
    else problems.add(file, index + 1, "a row must be a JSON object");
  }
}

function isRow(value: unknown): value is SourceRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
