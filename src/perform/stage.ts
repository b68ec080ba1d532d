// Everything a run needs from outside, and what is journaled of an error.

import type { ErrorCode } from "../base/error-codes.ts";
import { isTuttiError, messageOf, TuttiError } from "../base/errors.ts";
import { createRandom, hashSeed } from "../base/random.ts";
import { redact } from "../base/redact.ts";
import type { Conductor } from "../conductor/types.ts";
import type { EventError, Owner, RunEvent, StopReason, Store } from "../store/types.ts";
import type { Pool } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import type { CountedInputs } from "./counted-inputs.ts";
import type { EnterProvider } from "./provider-slots.ts";
import type { CircuitBreaker } from "./retry.ts";
import type { RunState } from "./state.ts";

/** What a person says of a plan. */
export type Verdict = { type: "approve" } | { type: "edit"; workflow: Workflow } | { type: "refuse" };

/**
 * Performs one call of a run as a step of a durable engine: it is written down there, by its name alone, that it was done.
 * What it brought is in the journal, so whoever goes on with the run never repeats a step that is done.
 */
export type Checkpoint = (name: string, work: () => Promise<void>) => Promise<void>;

/** Why a run is aborted that another process will go on with: it stays without an end. */
export const HAND_OVER = Symbol("hand over");

export interface Stage {
  store: Store;
  /** In the order of the run's `pool` entries. */
  pool: Pool;
  conductor: Conductor;
  /** Writes the workflows of nested runs; by default the same one. */
  nestedConductor?: Conductor;
  breaker: CircuitBreaker;
  /** What workers have counted in other runs. Absent: inputs are bounded by what this run knows. */
  counted?: CountedInputs;
  owner: Owner;
  now: () => number;
  signal: AbortSignal;
  /** Whoever reads the answer while it is written cannot take it back (`AskOptions.isFinal`). */
  isFinal?: boolean;
  /** The longest that a worker is waited for (`AskOptions.patienceMs`). */
  patienceMs?: number;
  /** Where calls of a provider wait for their turn. */
  enterProvider?: EnterProvider;
  /** Of a run that a durable engine performs. */
  checkpoint?: Checkpoint;
  /** Called in order, never awaited. Deltas come here too; only they are not in the journal first. */
  onEvent?: (event: RunEvent) => void;
  review?: (state: RunState, workflow: Workflow) => Promise<Verdict>;
  /** Hears at the end what could not be journaled to the last (store/backlog.ts). */
  onUnwritten?: (events: RunEvent[], owner: Owner) => void;
}

/** Redacted and without a stack: fit for the journal, a page and a client. */
export function toEventError({ code, message, status, retryable, retryAfterMs }: TuttiError): EventError {
  return { code, message: redact(message), status, retryable, retryAfterMs };
}

/** What is journaled with the end of a run; undefined where it ended as it should. */
export function toEndError(
  { rounds }: RunState,
  stopReason: StopReason,
  journalError: TuttiError | undefined,
): EventError | undefined {
  if (stopReason === "journal-failed") return toEventError(journalError!);
  if (!["failed", "answer-cut", "worker-failed"].includes(stopReason)) return undefined;
  const failed = rounds.flatMap(({ steps }) => steps).findLast(({ status }) => status === "failed");
  return failed?.failures.at(-1)?.error;
}

export function toTuttiError(error: unknown, code: ErrorCode, who: string): TuttiError {
  if (isTuttiError(error)) return error;
  const message = messageOf(error);
  return new TuttiError(code, `${who}: ${message}`, { cause: error });
}

/** The jitter of a retry: repeatable for a seed, different for parallel steps. */
export function jitterAt({ settings, runId }: RunState, ...where: number[]): number {
  return createRandom(hashSeed(settings.seed, runId, ...where)).next();
}
