// A request that was passed through to one model, as a run of one step: most runs of a busy gateway are such, and nearly
// all of their events is the same each time. Here is what differs, and how the events are made from it. The journal file
// keeps what differs in one compact row (sqlite/events.ts); whoever reads a run gets its events.

import { redact, redactRegistered } from "../base/redact.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { FinishReason, Task } from "../worker/types.ts";
import type { EventError, Origin, PoolEntry, RunEvent, RunSettings, Spending, StopReason } from "./types.ts";
import { OWN_WORDS } from "./upgrade.ts";

/** Reasoning models are silent for minutes before the first byte. */
export const RELAY_HEADERS_MS = 600_000;
/** Between two pieces of a body. While a slow client holds us up it does not count. */
export const RELAY_IDLE_MS = 120_000;

export interface RelayedFacts {
  runId: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number;
  origin: Origin;
  /** The one who was asked. */
  entry: PoolEntry;
  /** The conversation, where content is kept. */
  task?: Task;
  spending: Spending;
  text: string;
  finishReason?: FinishReason;
  firstTokenMs?: number;
  stopReason: StopReason;
  /** Of a reply that was none, or broke off. */
  error?: EventError;
  /** With `error`: a part of the reply reached the client. */
  isDelivered?: boolean;
}

const SETTINGS: RunSettings = {
  conductor: { kind: "relay" },
  conductorReason: "one worker was named",
  rounds: 1,
  maxSteps: 1,
  limits: {},
  seed: 0,
  // The client's own limit is in its request, which is not read.
  maxOutputTokens: 0,
  retries: 0,
  timeouts: { stepMs: RELAY_HEADERS_MS, firstTokenMs: RELAY_HEADERS_MS, idleMs: RELAY_IDLE_MS },
  maxDepth: 0,
  streaming: true,
  review: false,
  // What the provider asks is what is paid: there is no choice to make.
  allowUnknownPrice: true,
};

const FIRST_STEP = { round: 0, step: 0 };
const WORKFLOW = { steps: [{ worker: 0, subtask: "", access: [] }] };
const NOTHING = { usd: 0, calls: 0, tokens: 0 };
const NOTHING_SPENT: Spending = { usage: NO_USAGE, costUsd: 0, calls: 0 };

/** By the first of their events. */
const factsOfEvents = new WeakMap<RunEvent, RelayedFacts>();
export const RELAYED_EVENTS = 6;

/** What the events from this one on were made from: there are `RELAYED_EVENTS` of them. Undefined for all others. */
export function findRelayedFacts(first: RunEvent): RelayedFacts | undefined {
  return factsOfEvents.get(first);
}

/** Without registered secrets, as every event is kept. */
export function toKeptFacts(facts: RelayedFacts): RelayedFacts {
  const kept = redactRegistered(facts, OWN_WORDS);
  return kept.error ? { ...kept, error: { ...kept.error, message: redact(kept.error.message) } } : kept;
}

/** Once for each relayed request, so its objects are written out: with spreads it took 11 µs instead of 0.4. */
export function toRelayedEvents(facts: RelayedFacts): RunEvent[] {
  const { runId, startedAt, endedAt: at, origin, entry, task = { messages: [] }, spending, text } = facts;
  const { usage, calls, costUsd } = spending;
  const { error, stopReason } = facts;
  const start: RunEvent = {
    type: "run-start",
    runId,
    at: startedAt,
    task,
    pool: [entry],
    settings: SETTINGS,
    origin,
    isStripped: facts.task ? undefined : true,
  };
  factsOfEvents.set(start, facts);
  return [
    start,
    {
      type: "plan-end",
      runId,
      at: startedAt,
      round: 0,
      attempt: 0,
      text: "",
      decision: { type: "workflow", workflow: WORKFLOW },
      durationMs: 0,
      spending: NOTHING_SPENT,
    },
    {
      type: "step-start",
      runId,
      at: startedAt,
      round: 0,
      step: 0,
      attempt: 0,
      worker: 0,
      reserved: NOTHING,
      maxOutputTokens: 0,
    },
    toStepEnd(facts),
    { type: "round-end", runId, at, round: 0 },
    {
      type: "run-end",
      runId,
      at,
      answer: text,
      // What passed through was an answer, also where it was not kept.
      hasAnswer: text !== "" || error === undefined,
      answerStep: FIRST_STEP,
      stopReason,
      spent: { usd: costUsd ?? 0, calls, tokens: usage.inputTokens + usage.outputTokens },
      unpricedCalls: costUsd === undefined ? calls : 0,
      error,
    },
  ];
}

function toStepEnd(facts: RelayedFacts): RunEvent {
  const { runId, startedAt, endedAt: at, spending, text, error, firstTokenMs } = facts;
  const durationMs = at - startedAt;
  const where = { runId, at, round: 0, step: 0, attempt: 0, worker: 0, spending, durationMs };
  if (error) {
    const { isDelivered: delivered = false } = facts;
    return { type: "step-error", ...where, error, partial: text || undefined, delivered };
  }
  const { finishReason = "other" } = facts;
  return { type: "step-end", ...where, reply: { text, finishReason }, firstTokenMs };
}
