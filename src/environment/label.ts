// Labels: a text that an engine carries beside a prompt and gives back with the completion. It passes through
// Arrow, so it is a string always; everything that a reward depends on is found by it alone.

import { hash } from "node:crypto";
import { TuttiError } from "../base/errors.ts";
import type { GradedTask } from "../task/types.ts";

export type QuestionLabel = (
  | { world: "rehearsal"; pools: "fixed" | "random"; seed: number; split: "train" | "test"; number: number }
  /** The digest is of all questions of the set: a file whose questions changed since the export is another set. */
  | { world: "tasks"; digest: string; task: string; pool: readonly string[] }
) & {
  /** What was written for the rounds before, where the completion is a later round. */
  before?: readonly string[];
};

/** The same label is the same text, so that equal submissions have an equal key. */
export function toLabelText(label: QuestionLabel): string {
  const { before } = label;
  const rounds = before && before.length > 0 ? { before } : {};
  if (label.world === "rehearsal") {
    const { world, pools, seed, split, number } = label;
    return JSON.stringify({ world, pools, seed, split, number, ...rounds });
  }
  const { world, digest, task, pool } = label;
  return JSON.stringify({ world, digest, task, pool, ...rounds });
}

/** Its longest part is what was written for the rounds before. */
const MOST_LABEL_CHARACTERS = 1_000_000;

/** A text, or what an engine has made of it: some parse JSON that they should carry. */
export function parseLabel(value: unknown): QuestionLabel {
  if (typeof value === "string" && value.length > MOST_LABEL_CHARACTERS) throw tooLong(value);
  const fields = typeof value === "string" ? parseText(value) : value;
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) throw unknownLabel(value);
  const { world, before } = fields as Record<string, unknown>;
  if (before !== undefined && !isTexts(before)) throw unknownLabel(value);
  const label = world === "rehearsal" ? toRehearsal(fields) : world === "tasks" ? toTask(fields) : undefined;
  if (!label) throw unknownLabel(value);
  const read = { ...label, ...(before !== undefined && before.length > 0 && { before }) };
  if (typeof value !== "string" && toLabelText(read).length > MOST_LABEL_CHARACTERS) throw tooLong(value);
  return read;
}

function tooLong(value: unknown): TuttiError {
  return unknownLabel(value, `it has more than ${MOST_LABEL_CHARACTERS} characters`);
}

export function unknownLabel(value: unknown, why = "it was not written by tutti rl export"): TuttiError {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const shown = text.length > 80 ? `${text.slice(0, 79)}…` : text;
  return new TuttiError("unknown-label", `Nothing fits the label ${JSON.stringify(shown)}: ${why}`);
}

/** Of what is asked, for labels: it says nothing of the answers, which whoever has a small set could try out. */
export function digestQuestions(tasks: readonly GradedTask[]): string {
  return digest(tasks.map(({ id, prompt, choices }) => [id, prompt, choices ?? null]));
}

/** Of everything a grade depends on. It never leaves the server: with it, answers could be tried out. */
export function digestTasks(tasks: readonly GradedTask[]): string {
  return digest(
    tasks.map(({ id, prompt, choices, answer, grader, tolerance, tests }) => [
      ...[id, prompt, choices ?? null, answer, grader],
      ...[tolerance ?? null, tests ?? null],
    ]),
  );
}

function digest(parts: unknown): string {
  return hash("sha256", JSON.stringify(parts), "hex").slice(0, 16);
}

function toRehearsal(fields: object): QuestionLabel | undefined {
  const { pools, seed, split, number } = fields as Record<string, unknown>;
  const isNumber = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (pools !== "fixed" && pools !== "random") return undefined;
  if (split !== "train" && split !== "test") return undefined;
  return isNumber(seed) && isNumber(number) ? { world: "rehearsal", pools, seed, split, number } : undefined;
}

function toTask(fields: object): QuestionLabel | undefined {
  const { digest, task, pool } = fields as Record<string, unknown>;
  if (typeof digest !== "string" || typeof task !== "string" || !isTexts(pool)) return undefined;
  return pool.length > 0 ? { world: "tasks", digest, task, pool } : undefined;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
