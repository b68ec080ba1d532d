// What callers hand in, checked once at the door: the question and the numbers beside it.

import { usageError } from "../base/errors.ts";
import { createGrowingList } from "../base/growing-fold.ts";
import { LIMIT_KINDS } from "../store/limits.ts";
import type { Message, Task } from "../worker/types.ts";

/** Larger inputs are an accident more often than a question, and no model takes them. */
const MAX_QUESTION_BYTES = 4_000_000;

export function toTask(input: string | Message[] | Task): Task {
  const task: Task =
    typeof input === "string"
      ? { messages: [{ role: "user", content: input }] }
      : Array.isArray(input)
        ? { messages: input }
        : input;
  if (!Array.isArray(task?.messages) || task.messages.length === 0) {
    throw usageError("There is no question: give a text, a list of messages, or a task with messages.");
  }
  let bytes = 0;
  let hasContent = false;
  for (const measured of measureAll(task.messages)) {
    bytes += measured.bytes;
    hasContent ||= measured.hasContent;
  }
  if (!hasContent) throw usageError("The question is empty.");
  if (bytes > MAX_QUESTION_BYTES) {
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    throw usageError(`The question has ${size}; at most ${MAX_QUESTION_BYTES / 1e6} MB are taken.`);
  }
  return task;
}

/** Of a conversation that goes on only what is new is looked at. */
const measureAll = createGrowingList((message: Message) => [measure(message)]);

function measure({ role, content }: Message): { bytes: number; hasContent: boolean } {
  if (!["system", "user", "assistant", "tool"].includes(role)) {
    throw usageError(`A message has the role "${role}": it must be system, user, assistant or tool.`);
  }
  let bytes = 0;
  let hasContent = false;
  for (const part of typeof content === "string" ? [{ type: "text" as const, text: content }] : content) {
    const text = part.type === "text" ? part.text : part.type === "image" ? part.image : part.file;
    // Images are bounded by the providers; text is what fills every prompt of the team.
    if (part.type === "text") bytes += Buffer.byteLength(text);
    if (role === "user" && text.trim() !== "") hasContent = true;
  }
  return { bytes, hasContent };
}

/** Inclusive. Whole unless it says otherwise. */
const RANGES: Record<string, { min: number; max: number; isWhole: boolean }> = {
  rounds: { min: 1, max: 100, isWhole: true },
  ...Object.fromEntries(
    Object.values(LIMIT_KINDS).map(({ option, min, isWhole }) => [
      option,
      { min, max: Number.MAX_SAFE_INTEGER, isWhole },
    ]),
  ),
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER, isWhole: true },
};

export function checkNumbers(options: object): void {
  for (const [name, { min, max, isWhole }] of Object.entries(RANGES)) {
    const value: unknown = (options as Record<string, unknown>)[name];
    if (value === undefined || (name === "budgetUsd" && value === null)) continue;
    const isNumber = typeof value === "number" && value >= min && value <= max;
    if (isNumber && (!isWhole || Number.isInteger(value))) continue;
    const upTo = max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : "";
    throw usageError(
      `${name} must be a ${isWhole ? "whole number" : "number"} from ${min}${upTo}, not ${String(value)}.`,
    );
  }
}
