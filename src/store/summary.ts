// What events change in the summary of their run: shared by every store, so that a list and a bill show the
// same run in the same way wherever it is kept. Many events make one change: a run that arrives whole is
// one row, written once.

import { isSimulated } from "../worker/kinds.ts";
import type { Message } from "../worker/types.ts";
import { toConductorName } from "./conductor-name.ts";
import { NO_SUMS } from "./sums.ts";
import type { Origin, RunEvent, RunSummary, Spending, Sums } from "./types.ts";

/**
 * The sums are added to what was there: the summary of an interrupted run tells what it has cost so far.
 */
export interface SummaryChange extends Sums {
  /** Absent for the rest of a run that has already started. */
  start?: Pick<
    RunSummary,
    "parentId" | "startedAt" | "question" | "conductor" | "isSimulated" | "origin" | "isStripped"
  > & { idempotencyKey?: string };
  /** Absent: as it was. Null: it goes on after its end. */
  end?: Required<Pick<RunSummary, "endedAt" | "answer" | "stopReason">> | null;
  /** The run's own sums are in: cost and calls take the place of what was added up so far, the others are added. */
  isTotal: boolean;
}

/** `events` are of one run, in order. */
export function toSummaryChange(events: readonly RunEvent[]): SummaryChange {
  let change = nothing();
  for (const event of events) {
    switch (event.type) {
      case "run-start":
        change = { ...nothing(), start: change.start ?? toStart(event) };
        break;
      case "run-resume":
        change.end = null; // the sums stay
        break;
      case "plan-end":
      case "plan-error":
        spend(change, event.spending, 0); // the Conductor's calls are counted apart, as in `run-end`
        break;
      case "step-end":
      case "step-error":
        spend(change, event.spending, event.spending.calls);
        break;
      case "run-end":
        change.end = {
          endedAt: event.at,
          answer: toBeginning(event.answer),
          stopReason: event.stopReason,
        };
        change.costUsd = event.spent.usd;
        change.calls = event.spent.calls;
        change.isTotal = true;
        break;
    }
  }
  return change;
}

function nothing(): SummaryChange {
  return { ...NO_SUMS, isTotal: false };
}

function spend(change: SummaryChange, spending: Spending, calls: number): void {
  const { usage, costUsd = 0, cacheSavedUsd = 0 } = spending;
  change.costUsd += costUsd;
  if (spending.estimated) change.estimatedUsd += costUsd;
  change.calls += calls;
  change.inputTokens += usage.inputTokens;
  change.outputTokens += usage.outputTokens;
  change.cachedInputTokens += usage.cachedInputTokens;
  change.cacheWriteTokens += usage.cacheWriteTokens ?? 0;
  change.cacheSavedUsd += cacheSavedUsd;
}

function toStart(event: Extract<RunEvent, { type: "run-start" }>): NonNullable<SummaryChange["start"]> {
  const { origin } = event;
  return {
    parentId: event.parent?.runId,
    startedAt: event.at,
    question: toBeginning(lastUserText(event.task.messages)),
    conductor: toConductorName(event.settings.conductor),
    isSimulated: isSimulated(event.pool),
    isStripped: event.isStripped ?? false,
    origin: origin && toTags(origin),
    idempotencyKey: withoutZeros(origin?.idempotencyKey),
  };
}

function toTags({ model, dialect, keyId, user, metadata, session }: Origin): RunSummary["origin"] {
  return {
    model: withoutZeros(model),
    dialect,
    keyId,
    session,
    user: withoutZeros(user),
    metadata:
      metadata &&
      Object.fromEntries(
        Object.entries(metadata).map(([name, value]) => [withoutZeros(name), withoutZeros(value)]),
      ),
  };
}

function lastUserText(messages: Message[]): string {
  const content = messages.findLast((message) => message.role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** At most 200 characters, without half of a surrogate pair. */
function toBeginning(text: string): string {
  return withoutZeros(text.slice(0, 200)).replace(/[\uD800-\uDBFF]$/, "");
}

/** The zero character ends a text in SQLite. */
function withoutZeros<T extends string | undefined>(text: T): T {
  return text?.replaceAll("\0", " ") as T;
}
