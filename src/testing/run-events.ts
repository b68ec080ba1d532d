// Hand-made events of a run, for tests that show runs: a shortcut for what each event must have.

import type { PoolEntry, RunEvent, RunSettings, Spending, StepReply } from "../store/types.ts";
import { isRehearsalId } from "../worker/kinds.ts";
import type { Access, Workflow } from "../workflow/types.ts";
import { SETTINGS as TEST_SETTINGS } from "./stage.ts";

export const RUN_ID = "r_test";
const AT = Date.UTC(2026, 10, 16, 12);

const SETTINGS: RunSettings = {
  ...TEST_SETTINGS,
  conductor: { kind: "scripted" },
  conductorReason: "the rehearsal has its own",
  limits: { usd: 1 },
  maxDepth: 1,
  streaming: true,
};
const NOTHING = { usd: 0, calls: 0, tokens: 0 };
const USAGE = { inputTokens: 120, outputTokens: 44, cachedInputTokens: 0, reasoningTokens: 0 };

export function toWorkflow(...steps: [worker: number, subtask: string, access: Access][]): Workflow {
  return { steps: steps.map(([worker, subtask, access]) => ({ worker, subtask, access })) };
}

/** null: nobody knows the price. */
export function spending(costUsd: number | null = 0.0001, calls = 1): Spending {
  return { usage: USAGE, ...(costUsd !== null && { costUsd }), calls };
}

/** `at` is in milliseconds after the start of the run. */
export const event = {
  start(
    ids: readonly string[],
    settings: Partial<RunSettings> = {},
    question = "What is 17 * 23?",
  ): RunEvent {
    const pool = ids.map(
      (id): PoolEntry => ({
        id,
        kind: id === "consensus" ? "tool" : "model",
        ...(isRehearsalId(id) && { isSimulated: true }),
      }),
    );
    const task = { messages: [{ role: "user" as const, content: question }] };
    return { type: "run-start", runId: RUN_ID, at: AT, task, pool, settings: { ...SETTINGS, ...settings } };
  },
  planStart: (round = 0, attempt = 0, at = 0): RunEvent => ({
    type: "plan-start",
    runId: RUN_ID,
    at: AT + at,
    round,
    attempt,
    reserved: NOTHING,
  }),
  planEnd: (workflow: Workflow | undefined, text = "", round = 0, at = 10): RunEvent => ({
    type: "plan-end",
    runId: RUN_ID,
    at: AT + at,
    round,
    attempt: 0,
    text,
    decision: workflow ? { type: "workflow", workflow } : { type: "accept" },
    durationMs: 10,
    spending: spending(0, 0),
  }),
  stepStart: (
    step: number,
    worker: number,
    extra: {
      round?: number;
      attempt?: number;
      at?: number;
      instead?: { worker: number; reason: string };
    } = {},
  ): RunEvent => ({
    type: "step-start",
    runId: RUN_ID,
    round: 0,
    attempt: 0,
    step,
    worker,
    reserved: NOTHING,
    maxOutputTokens: 4096,
    ...extra,
    at: AT + (extra.at ?? 0),
  }),
  delta: (step: number, text: string, answer = false, round = 0): RunEvent => ({
    type: "step-delta",
    runId: RUN_ID,
    at: AT,
    round,
    step,
    attempt: 0,
    channel: "text",
    text,
    answer,
  }),
  stepEnd: (
    step: number,
    worker: number,
    text: string,
    extra: {
      round?: number;
      attempt?: number;
      at?: number;
      spending?: Spending;
      reply?: Partial<StepReply>;
    } = {},
  ): RunEvent => ({
    type: "step-end",
    runId: RUN_ID,
    round: extra.round ?? 0,
    step,
    attempt: extra.attempt ?? 0,
    at: AT + (extra.at ?? 0),
    worker,
    reply: { text, finishReason: "stop", ...extra.reply },
    spending: extra.spending ?? spending(),
    durationMs: extra.at ?? 0,
    firstTokenMs: 100,
  }),
  stepError: (
    step: number,
    worker: number,
    message: string,
    extra: { attempt?: number; at?: number; retryAt?: number } = {},
  ): RunEvent => ({
    type: "step-error",
    runId: RUN_ID,
    round: 0,
    step,
    attempt: extra.attempt ?? 0,
    at: AT + (extra.at ?? 0),
    worker,
    error: { code: "rate-limited", message, retryable: true },
    spending: spending(0, 1),
    durationMs: extra.at ?? 0,
    delivered: false,
    ...(extra.retryAt !== undefined && { retryAt: AT + extra.retryAt }),
  }),
  stepWait: (step: number, until: number): RunEvent => ({
    type: "step-wait",
    runId: RUN_ID,
    at: AT,
    round: 0,
    step,
    attempt: 0,
    reason: "retry",
    until: AT + until,
  }),
  roundEnd: (round = 0): RunEvent => ({ type: "round-end", runId: RUN_ID, at: AT, round }),
  end: (answer: string, extra: Partial<Extract<RunEvent, { type: "run-end" }>> = {}): RunEvent => ({
    type: "run-end",
    runId: RUN_ID,
    answer,
    hasAnswer: answer !== "",
    stopReason: "done",
    spent: NOTHING,
    unpricedCalls: 0,
    ...extra,
    at: AT + (extra.at ?? 1200),
  }),
};
