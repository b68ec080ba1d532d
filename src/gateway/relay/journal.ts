// A relayed request as a run of one step: in lists, in bills and in traces it is like any other. Everything is
// written at once when it is over; without content unless that is asked for.

import { isTuttiError, TuttiError } from "../../base/errors.ts";
import { NOTHING_SPENT, toFailedSpending, toSpending } from "../../perform/budget.ts";
import { toEventError } from "../../perform/stage.ts";
import { toRelayedEvents } from "../../store/relayed-run.ts";
import type { Origin, PoolEntry, RunEvent, Spending, StopReason } from "../../store/types.ts";
import { toWorkerError } from "../../worker/failure.ts";
import { withHourWrites } from "../../worker/price.ts";
import type { Task } from "../../worker/types.ts";
import type { RequestBound } from "./bound-request.ts";
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
  /** What the request can have taken at the most: for a time-out, which may be billed. */
  bound: RequestBound;
}

/** What is journaled of it, in the fewest events that say it. */
export function toRelayEvents(run: RelayedRun): RunEvent[] {
  const { runId, startedAt, endedAt, origin, entry, task, outcome } = run;
  const error = toFailure(entry, outcome);
  const spending = toRelaySpending(run, error);
  const result = isTuttiError(outcome) ? undefined : outcome;
  return toRelayedEvents({
    runId,
    startedAt,
    endedAt,
    origin,
    entry,
    task,
    spending,
    text: result?.text ?? "",
    finishReason: result?.finishReason,
    firstTokenMs: result?.firstByteMs === undefined ? undefined : Math.round(result.firstByteMs),
    stopReason: toStopReason(outcome, error),
    error: error && toEventError(error),
    isDelivered: error && isDelivered(outcome),
  });
}

/** Undefined where there was a whole reply. */
function toFailure({ id }: PoolEntry, outcome: RelayResult | TuttiError): TuttiError | undefined {
  if (isTuttiError(outcome)) return outcome;
  if (outcome.clientLeft) {
    return new TuttiError("aborted", "The client left before the reply was complete.");
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

function toRelaySpending({ entry, outcome, bound }: RelayedRun, error?: TuttiError): Spending {
  const exchange = { inputTokens: bound.inputTokens, written: "", maxOutputTokens: bound.outputTokens };
  if (!isTuttiError(outcome) && !outcome.isSent) return NOTHING_SPENT;
  const { price } = entry;
  const atMost = price && bound.keepsForHour ? { ...entry, price: withHourWrites(price) } : entry;
  if (isTuttiError(outcome)) return toFailedSpending(atMost, outcome, exchange);
  if (outcome.usage) return toSpending(entry, outcome.usage, exchange);
  if (outcome.bound) return { ...toSpending(entry, outcome.bound, exchange), estimated: true };
  return toFailedSpending(atMost, error ?? { code: "provider-error" }, exchange);
}
