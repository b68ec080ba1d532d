// A relayed request as a run of one step: in lists, in bills and in traces it is like any other. Everything is
// written at once when it is over, with the fewest events that say it; without content unless that is asked for.

import { isTuttiError, TuttiError } from "../../errors.ts";
import { NOTHING_SPENT, toFailedSpending, toSpending } from "../../perform/spending.ts";
import { toEventError } from "../../perform/stage.ts";
import type {
  Amount,
  Origin,
  PoolEntry,
  RunEvent,
  RunSettings,
  Spending,
  StopReason,
} from "../../store/types.ts";
import { toWorkerError } from "../../worker/failure.ts";
import type { Task } from "../../worker/types.ts";
import { BODY_TIMEOUT_MS, HEADERS_TIMEOUT_MS } from "./pools.ts";
import type { RelayResult } from "./types.ts";

export interface RelayedRun {
  runId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  origin: Origin;
  /** The one who was asked. */
  entry: PoolEntry;
  /** The conversation, where content is kept. */
  task?: Task;
  /** What `relay` gave back, or what it threw. */
  outcome: RelayResult | TuttiError;
  /** What the request can have taken at the most (`boundInput`): for a time-out, which may be billed. */
  inputTokens?: () => number;
}

const NOTHING: Amount = { usd: 0, calls: 0, tokens: 0 };

const SETTINGS: RunSettings = {
  conductor: "relay",
  conductorReason: "one worker was named",
  rounds: 1,
  maxSteps: 1,
  limits: {},
  seed: 0,
  // The client's own limit is in its request, which is not read.
  maxOutputTokens: 0,
  retries: 0,
  timeouts: { stepMs: HEADERS_TIMEOUT_MS, firstTokenMs: HEADERS_TIMEOUT_MS, idleMs: BODY_TIMEOUT_MS },
  maxDepth: 0,
  streaming: true,
  review: false,
  // What the provider asks is what is paid: there is no choice to make.
  allowUnknownPrice: true,
};

export function toRelayEvents(run: RelayedRun): RunEvent[] {
  const { runId, startedAt, endedAt, origin, entry, task = { messages: [] }, outcome } = run;
  const at = endedAt;
  const step = { runId, round: 0, step: 0, attempt: 0, worker: 0 };
  const error = toFailure(entry, outcome);
  const spending = toRelaySpending(run, error);
  const text = isTuttiError(outcome) ? "" : (outcome.text ?? "");
  const durationMs = endedAt - startedAt;
  const ended: RunEvent = error
    ? {
        ...step,
        type: "step-error",
        at,
        error: toEventError(error),
        spending,
        durationMs,
        ...(text !== "" && { partial: text }),
        delivered: isDelivered(outcome),
      }
    : {
        ...step,
        type: "step-end",
        at,
        reply: { text, finishReason: (outcome as RelayResult).finishReason ?? "other" },
        spending,
        durationMs,
        ...firstTokenOf(outcome),
      };
  const workflow = { steps: [{ worker: 0, subtask: "", access: [] }] };
  return [
    { type: "run-start", runId, at: startedAt, task, pool: [entry], settings: SETTINGS, origin },
    {
      type: "plan-end",
      runId,
      at: startedAt,
      round: 0,
      attempt: 0,
      text: "",
      decision: { type: "workflow", workflow },
      durationMs: 0,
      spending: NOTHING_SPENT,
    },
    { ...step, type: "step-start", at: startedAt, reserved: NOTHING, maxOutputTokens: 0 },
    ended,
    { type: "round-end", runId, at, round: 0 },
    {
      type: "run-end",
      runId,
      at,
      answer: text,
      stopReason: toStopReason(outcome, error),
      ...(error && { error: toEventError(error) }),
      spent: {
        usd: spending.costUsd ?? 0,
        calls: spending.calls,
        tokens: spending.usage.inputTokens + spending.usage.outputTokens,
      },
      unpricedCalls: spending.costUsd === undefined ? spending.calls : 0,
    },
  ];
}

/** Undefined where there was a whole reply. */
function toFailure({ id }: PoolEntry, outcome: RelayResult | TuttiError): TuttiError | undefined {
  if (isTuttiError(outcome)) return outcome;
  if (outcome.clientLeft) {
    return new TuttiError("aborted", "The client left before the reply was complete.", { status: 499 });
  }
  if (outcome.error || outcome.status < 400) return outcome.error;
  // What the provider wrote is content: the status says enough.
  const refusal = { statusCode: outcome.status };
  return toWorkerError(refusal, { workerId: id, isAborted: false, isStreaming: false });
}

function toStopReason(outcome: RelayResult | TuttiError, error: TuttiError | undefined): StopReason {
  if (!error) return "done";
  if (error.code === "aborted") return "cancelled";
  return isDelivered(outcome) ? "answer-cut" : "failed";
}

/** A part of a reply, and not of a refusal, reached the client. */
function isDelivered(outcome: RelayResult | TuttiError): boolean {
  return !isTuttiError(outcome) && outcome.status < 400 && outcome.bytes > 0;
}

function toRelaySpending({ entry, outcome, inputTokens }: RelayedRun, error?: TuttiError): Spending {
  const exchange = { inputTokens: inputTokens ?? (() => 0), written: "" };
  if (isTuttiError(outcome)) return toFailedSpending(entry, outcome, exchange);
  if (outcome.usage) return toSpending(entry, outcome.usage, exchange);
  if (outcome.bound) return { ...toSpending(entry, outcome.bound, exchange), estimated: true };
  return toFailedSpending(entry, error ?? { code: "provider-error" }, exchange);
}

function firstTokenOf(outcome: RelayResult | TuttiError): { firstTokenMs?: number } {
  const firstByteMs = isTuttiError(outcome) ? undefined : outcome.firstByteMs;
  return firstByteMs === undefined ? {} : { firstTokenMs: Math.round(firstByteMs) };
}
