// What is wrong with a file, said by file and line. Problems are collected, so that somebody who mends a
// file sees several at once; the first ones are shown, the rest are counted. Nothing is loaded half.

import { TuttiError } from "../base/errors.ts";

const MOST_SHOWN = 5;

export class Problems {
  readonly #shown: string[] = [];
  #count = 0;

  /** `line` counts from 1; 0 for the file as a whole. */
  add(file: string, line: number, problem: string): void {
    this.#count++;
    if (this.#shown.length < MOST_SHOWN)
      this.#shown.push(line > 0 ? `${file}:${line}: ${problem}` : `${file}: ${problem}`);
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    const more = this.#count - this.#shown.length;
    throw badFile([...this.#shown, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n"));
  }
}

export function badFile(message: string, cause?: unknown): TuttiError {
  return new TuttiError("bad-file", message, { cause });
}

/** For messages: a value as JSON, never longer than a line. */
export function quote(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
