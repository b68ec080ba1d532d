// What verbs write to standard output: JSON for machines, lines for people.

import { toJson } from "./sanitise.ts";

export function printJson(value: unknown): void {
  process.stdout.write(`${toJson(value)}\n`);
}

export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}
