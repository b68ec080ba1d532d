// The rows of a recording, checked. By hand and not by a schema: there are a million of them, and a message
// must name the field, its value and what would be right.

import { checkReplyFeatures } from "../belief/reply-features.ts";
import { quote } from "../files/problems.ts";
import type { SourceRow } from "../files/read-jsonl.ts";
import { isDecidedInside } from "../task/decided-inside.ts";
import type { GradedTask } from "../task/types.ts";
import type { RecordedOutcome, RecordedTask, TaskRow } from "./types.ts";

/** What is wrong with a row of `tasks.jsonl`, or nothing. */
export function checkTask(row: SourceRow): string | undefined {
  for (const field of ["id", "set", "category", "subtask", "prompt"]) {
    const value = row[field];
    if (typeof value !== "string" || value === "") return must(field, "be a text, not empty", value);
  }
  if (typeof row.answer !== "string") return must("answer", "be a text", row.answer);
  const { choices } = row;
  const isList = Array.isArray(choices) && choices.every((choice) => typeof choice === "string");
  if (choices !== undefined && !isList) return must("choices", "be a list of texts", choices);
  const { decidedIn } = row;
  if (decidedIn !== undefined && decidedIn !== "program")
    return must("decidedIn", 'be "program" where it is given', decidedIn);
  return undefined;
}

/** The same for `outcomes.jsonl`. */
export function checkOutcome(row: SourceRow): string | undefined {
  const { task, worker, sample, answer, score, tokens, reply } = row;
  if (typeof task !== "string") return must("task", "be the id of a task", task);
  if (typeof worker !== "string" || worker === "") return must("worker", "be a text, not empty", worker);
  if (!Number.isInteger(sample) || (sample as number) < 0 || (sample as number) > 0x7fffffff)
    return must("sample", "be a whole number from 0", sample);
  if (typeof answer !== "string" && answer !== null) return must("answer", "be a text or null", answer);
  if (typeof score !== "number" || !(score >= 0 && score <= 1))
    return must("score", "be a number from 0 to 1", score);
  if (typeof tokens !== "number" || !(tokens >= 0)) return must("tokens", "be a number from 0", tokens);
  if (reply !== undefined && typeof reply !== "string") return must("reply", "be a text", reply);
  return checkSpending(row);
}

/** More is no reply of a model but a wrong unit: cents, tokens, another currency. */
const MOST = { costUsd: 1000, calls: 100_000, inputTokens: 1e9, outputTokens: 1e9, durationMs: 1e9 } as const;
const SPENDING = Object.entries(MOST);

function checkSpending(row: SourceRow): string | undefined {
  for (const [field, most] of SPENDING) {
    const value = row[field];
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value >= 0)) return must(field, "be a number from 0", value);
    if (value > most)
      return must(field, `be at most ${most.toLocaleString("en")} (in which unit is it?)`, value);
  }
  const features = row.features === undefined ? undefined : checkReplyFeatures(row.features);
  if (features !== undefined) return must("features", `be ${features}`, row.features);
  // Dollars in any other field would be taken for unknown, in silence.
  for (const field in row)
    if (field.startsWith("cost") && field !== "costUsd")
      return `"${field}" is not known: what a reply cost is in dollars, as "costUsd"`;
  const { currency } = row;
  if (currency !== undefined && currency !== "USD") return must("currency", "be USD", currency);
  return undefined;
}

/** Only after it was checked. The file's `subtask` is the task's family. */
export function toRecordedTask(row: SourceRow): RecordedTask {
  const { subtask: family, ...rest } = row as unknown as TaskRow;
  const { id, set, category, prompt, choices, answer, decidedIn } = rest;
  return { id, set, category, family, prompt, choices, answer, decidedIn };
}

export function toTaskRow(task: RecordedTask & Pick<GradedTask, "tests">): TaskRow {
  const { id, set, category, family, prompt, choices, answer } = task;
  const decidedIn = isDecidedInside(task) ? "program" : undefined;
  return { id, set, category, subtask: family, prompt, choices, answer, decidedIn };
}

export function toOutcome(row: SourceRow): RecordedOutcome {
  return row as unknown as RecordedOutcome;
}

function must(field: string, rule: string, value: unknown): string {
  return `"${field}" must ${rule}, not ${quote(value)}`;
}
