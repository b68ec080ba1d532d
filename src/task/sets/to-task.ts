// From a row of a file to a task: takes the columns that a format names, and checks that a task can be made
// of them. What is wrong is thrown with the column's name; the loader adds file and line.

import { isObject } from "../../base/fields.ts";
import { badFile, quote } from "../../files/problems.ts";
import type { SourceRow } from "../../files/read-jsonl.ts";
import type { GradedTask } from "../types.ts";
import type { TaskFormat } from "./formats.ts";

/** Where a row stands. */
export interface RowPlace {
  /** What the file (or, where that says nothing, its folder) is called: the family in BBH. */
  name: string;
  /** From 0, over all files of the set. */
  position: number;
}

/** A column by name (with points: inside of it), or what is made of several. */
export type SourceColumn = string | ((row: SourceRow, place: RowPlace) => unknown);

export function toGradedTask(format: TaskFormat, row: SourceRow, place: RowPlace, set: string): GradedTask {
  const { fields, grader: wanted } = format;
  const take = (column: SourceColumn | undefined) =>
    typeof column === "function" ? column(row, place) : column && lookUp(row, column);
  const prompt = toText(take(fields.prompt)).trim();
  if (prompt === "") throw badFile(`${nameOf(fields.prompt, "the prompt")} must be a text, not empty`);
  const choices = toChoices(take(fields.choices), fields.choices);
  const tests = fields.tests?.(row);
  const grader = typeof wanted === "function" ? wanted(row) : wanted;
  const given = take(fields.answer);
  const answer = choices ? toLetter(given, choices) : toText(given).trim();
  if (answer === "" && grader !== "code" && grader !== "judge")
    throw badFile(`${nameOf(fields.answer, "the answer")} must not be empty`);
  const tolerance = take(fields.tolerance);
  const category = toText(take(fields.category)).trim() || format.id;
  return {
    id: toText(take(fields.id)).trim() || `${set}/${place.position}`,
    set,
    category,
    family: toText(take(fields.family)).trim() || category,
    prompt,
    choices,
    answer,
    grader,
    tolerance: typeof tolerance === "number" ? tolerance : undefined,
    tests,
  };
}

function nameOf(column: SourceColumn | undefined, otherwise: string): string {
  return typeof column === "string" ? `"${column}"` : otherwise;
}

function lookUp(row: SourceRow, path: string): unknown {
  if (Object.hasOwn(row, path)) return row[path];
  let value: unknown = row;
  for (const key of path.split("."))
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Numbers and truth values as JSON writes them; lists and objects as JSON. */
function toText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A list, or (in CSV) a list as JSON. */
function toChoices(value: unknown, column: SourceColumn | undefined): string[] | undefined {
  if (column === undefined || value === undefined || value === null || value === "") return undefined;
  let list = value;
  try {
    if (typeof value === "string") list = JSON.parse(value);
  } catch {
    // Said below, as for any other value that is no list.
  }
  if (Array.isArray(list) && list.length >= 2 && list.length <= 26) return list.map(toText);
  throw badFile(
    `${nameOf(column, "the choices")} must be a list of 2 to 26 options as JSON, not ${quote(value)}`,
  );
}

/** The letter of an option that is named by its letter, its position from 0, or its text. */
function toLetter(answer: unknown, choices: readonly string[]): string {
  const text = toText(answer).trim();
  const letter = /^\(?([A-Za-z])\)?$/.exec(text)?.[1]?.toUpperCase();
  let position = letter === undefined ? -1 : letter.charCodeAt(0) - 65;
  if (typeof answer === "number") position = answer;
  else if (letter === undefined || position >= choices.length) position = choices.indexOf(text);
  if (Number.isInteger(position) && position >= 0 && position < choices.length)
    return String.fromCharCode(65 + position);
  throw badFile(`the answer ${quote(answer)} names none of the ${choices.length} choices`);
}
