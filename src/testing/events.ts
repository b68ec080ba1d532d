// Events of runs for tests of whatever keeps or reads them: complete, small, with what matters named.

import type { Origin, RunEvent, RunSettings, Spending, StopReason } from "../store/types.ts";
import type { Message } from "../worker/types.ts";
import { SETTINGS } from "./stage.ts";

const settings: RunSettings = { ...SETTINGS, conductor: { kind: "fixed" } };

export function runStart(
  runId: string,
  at = 0,
  question: string | Message[] = "What is 6 × 7?",
  parentId?: string,
): Extract<RunEvent, { type: "run-start" }> {
  const messages = typeof question === "string" ? [{ role: "user" as const, content: question }] : question;
  const parent = parentId === undefined ? undefined : { runId: parentId, round: 0, step: 0 };
  return { type: "run-start", runId, at, ...(parent && { parent }), task: { messages }, pool: [], settings };
}

/** Of a run that came through the gateway. */
export function gatewayStart(
  runId: string,
  origin: Partial<Origin> = {},
  at = 0,
  question?: string,
): RunEvent {
  return { ...runStart(runId, at, question), origin: { model: "tutti", dialect: "chat", ...origin } };
}

/** Workers of the rehearsal take part. */
export function simulated(event: RunEvent): RunEvent {
  if (event.type !== "run-start") return event;
  return { ...event, pool: [{ id: "rehearsal/amber", kind: "model", isSimulated: true }] };
}

export function stepDelta(runId: string, text: string, at = 0): RunEvent {
  return {
    type: "step-delta",
    runId,
    at,
    round: 0,
    step: 0,
    attempt: 0,
    channel: "text",
    text,
    answer: false,
  };
}

export function stepEnd(runId: string, text: string, costUsd?: number, calls = 1): RunEvent {
  const reply = { text, finishReason: "stop" as const };
  return { ...stepBase("step-end", runId), reply, spending: spending(costUsd, calls) };
}

export function stepError(runId: string, message: string, costUsd?: number): RunEvent {
  const error = { code: "provider-failed", message, retryable: false };
  return { ...stepBase("step-error", runId), error, spending: spending(costUsd, 1), delivered: false };
}

export function planEnd(runId: string, text: string, costUsd?: number): RunEvent {
  const decision = { type: "accept" as const };
  const base = { runId, at: 0, round: 0, attempt: 0, durationMs: 1 };
  return { type: "plan-end", ...base, text, decision, spending: spending(costUsd, 1) };
}

export function runEnd(runId: string, answer: string, at = 1, stopReason: StopReason = "done"): RunEvent {
  const spent = { usd: 0.5, calls: 3, tokens: 100 };
  const hasAnswer = answer !== "";
  return { type: "run-end", runId, at, answer, hasAnswer, stopReason, spent, unpricedCalls: 0 };
}

function stepBase<T extends string>(type: T, runId: string) {
  return { type, runId, at: 0, round: 0, step: 0, attempt: 0, worker: 0, durationMs: 1 };
}

function spending(costUsd: number | undefined, calls: number): Spending {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
  return { usage, ...(costUsd !== undefined && { costUsd }), calls };
}
