// What verbs write to standard output: JSON for machines, lines and tables for people.

import { toJson } from "./sanitise.ts";
import { columnsOf, type Style } from "./style.ts";
import { type Column, toTable } from "./table.ts";

export function printJson(value: unknown): void {
  process.stdout.write(`${toJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** As wide as the terminal is, or as a readable default where there is none. */
export function printTable(columns: readonly Column[], rows: readonly string[][], style: Style): void {
  printLines(toTable(columns, rows, columnsOf(process.stdout) - 1, style));
}
