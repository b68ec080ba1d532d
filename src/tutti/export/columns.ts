// What an exported run tells, as one row: the columns in their order, each with its type and its meaning. JSON lines and
// Parquet are written from this list, and docs/scale.md is checked against it.

import { redactRegistered } from "../../base/redact.ts";
import type { Run, RunStep } from "../../perform/run.ts";
import type { RunSummary } from "../../store/types.ts";
import { textOf } from "../../worker/brief.ts";

export type ColumnType = "text" | "integer" | "number" | "boolean" | "time" | "json";

export interface ExportColumn {
  name: string;
  type: ColumnType;
  /** Never null. */
  isRequired?: boolean;
  /** One line for docs. */
  meaning: string;
  /** `time` as milliseconds since 1970, `json` as a value. Undefined is null. */
  read(run: Run, state: RunSummary["state"]): unknown;
}

/** By name, in the order of the columns. */
export type ExportRow = Record<string, unknown>;

const required = { isRequired: true };

export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { name: "run_id", type: "text", ...required, meaning: "its id", read: ({ id }) => id },
  {
    name: "continues",
    type: "text",
    meaning: "the run before it in a conversation",
    read: ({ continues }) => continues,
  },
  {
    name: "started_at",
    type: "time",
    ...required,
    meaning: "when it was asked",
    read: ({ startedAt }) => startedAt,
  },
  {
    name: "duration_ms",
    type: "integer",
    meaning: "from start to end; null while it is not over",
    read: ({ stopReason, durationMs }) => (stopReason === undefined ? undefined : durationMs),
  },
  {
    name: "state",
    type: "text",
    ...required,
    meaning: "ended, running or interrupted",
    read: (_, state) => state,
  },
  {
    name: "stop_reason",
    type: "text",
    meaning: "why it ended: done, budget, deadline, failed, …",
    read: ({ stopReason }) => stopReason,
  },
  {
    name: "error_code",
    type: "text",
    meaning: "of a run that failed (errors.md)",
    read: ({ error }) => error?.code,
  },
  {
    name: "model",
    type: "text",
    meaning: "the name that a client of the gateway asked for",
    read: ({ origin }) => origin?.model,
  },
  {
    name: "dialect",
    type: "text",
    meaning: "chat, responses or messages",
    read: ({ origin }) => origin?.dialect,
  },
  { name: "key_id", type: "text", meaning: "who paid", read: ({ origin }) => origin?.keyId },
  { name: "user", type: "text", meaning: "the client's tag", read: ({ origin }) => origin?.user },
  { name: "metadata", type: "json", meaning: "the client's tags", read: ({ origin }) => origin?.metadata },
  {
    name: "session",
    type: "text",
    meaning: "digest of the conversation it is a part of",
    read: ({ origin }) => origin?.session,
  },
  {
    name: "shadow_of",
    type: "text",
    meaning: "the run that this one asked again, unseen (--shadows)",
    read: ({ origin }) => origin?.shadowOf,
  },
  {
    name: "conductor",
    type: "text",
    ...required,
    meaning: "who planned",
    read: ({ settings }) => settings.conductor,
  },
  {
    name: "quality",
    type: "text",
    meaning: "economy, balanced, high or max",
    read: ({ settings }) => settings.quality,
  },
  {
    name: "simulated",
    type: "boolean",
    ...required,
    meaning: "workers of the rehearsal took part: its cost is not real money",
    read: ({ isSimulated }) => isSimulated,
  },
  {
    name: "has_content",
    type: "boolean",
    ...required,
    meaning: "false where what was said was deleted, never kept, or is private",
    read: ({ isStripped }) => !isStripped,
  },
  {
    name: "question",
    type: "text",
    meaning: "the user's last message; null without content",
    read: ({ task, isStripped }) => {
      const last = task.messages.findLast(({ role }) => role === "user");
      return isStripped || !last ? undefined : textOf(last);
    },
  },
  {
    name: "answer",
    type: "text",
    meaning: "null without content, or where there is none",
    read: ({ answer, hasAnswer, isStripped }) => (isStripped || !hasAnswer ? undefined : answer),
  },
  {
    name: "rounds",
    type: "integer",
    ...required,
    meaning: "how many workflows",
    read: ({ rounds }) => rounds.length,
  },
  {
    name: "steps",
    type: "json",
    ...required,
    meaning:
      "each step: round, step, worker, state, subtask, access, reply, tokens, cost_usd, calls, times and failures",
    read: ({ steps, isStripped }) => steps.map((step) => toExportedStep(step, isStripped === true)),
  },
  {
    name: "calls",
    type: "integer",
    ...required,
    meaning: "requests to workers, retries and nested runs included",
    read: ({ calls }) => calls,
  },
  {
    name: "conductor_calls",
    type: "integer",
    ...required,
    meaning: "requests to the planner, beside those",
    read: ({ conductorCalls }) => conductorCalls,
  },
  {
    name: "input_tokens",
    type: "integer",
    ...required,
    meaning: "of workers and Conductor",
    read: ({ usage }) => usage.inputTokens,
  },
  {
    name: "output_tokens",
    type: "integer",
    ...required,
    meaning: "of workers and Conductor",
    read: ({ usage }) => usage.outputTokens,
  },
  {
    name: "cached_input_tokens",
    type: "integer",
    ...required,
    meaning: "⊂ input_tokens: read from caches of providers",
    read: ({ usage }) => usage.cachedInputTokens,
  },
  { name: "cost_usd", type: "number", ...required, meaning: "what it took", read: ({ costUsd }) => costUsd },
  {
    name: "estimated_usd",
    type: "number",
    ...required,
    meaning: "⊂ cost_usd: counted on the high side, because nobody said what it cost",
    read: ({ estimatedUsd }) => estimatedUsd,
  },
  {
    name: "unpriced_calls",
    type: "integer",
    ...required,
    meaning: "calls without a known price: with any, cost_usd is a lower bound",
    read: ({ unpricedCalls }) => unpricedCalls,
  },
  {
    name: "feedback",
    type: "json",
    meaning: "ratings, oldest first: score, label, comment, at",
    read: ({ feedback }) => feedback?.map(({ score, label, comment, at }) => ({ score, label, comment, at })),
  },
];

/** Secrets that are known here are taken out once more: the run may have been journaled where they were not. */
export function toExportRow(run: Run, state: RunSummary["state"]): ExportRow {
  const row = Object.fromEntries(EXPORT_COLUMNS.map(({ name, read }) => [name, read(run, state) ?? null]));
  return redactRegistered(row, new Set());
}

function toExportedStep(step: RunStep, isStripped: boolean): Record<string, unknown> {
  return {
    round: step.round,
    step: step.step,
    worker: step.workerId,
    state: step.state,
    subtask: isStripped ? undefined : step.subtask,
    access: step.access,
    reply: isStripped ? undefined : step.reply,
    finish_reason: step.finishReason,
    calls: step.calls,
    input_tokens: step.usage.inputTokens,
    output_tokens: step.usage.outputTokens,
    cost_usd: step.costUsd,
    started_at: step.startedAt,
    duration_ms: step.durationMs,
    first_token_ms: step.firstTokenMs,
    failures: step.failures.map(({ worker, error }) => ({ worker, code: error.code })),
  };
}
