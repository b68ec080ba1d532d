// The Conductor's turn: what it is shown, and what becomes of what it writes.

import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { ComposeRequest } from "../conductor/types.ts";
import { toConductorName } from "../store/conductor-name.ts";
import type { RunEvent } from "../store/types.ts";
import { strongestFirst } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import type { Decision } from "../workflow/types.ts";
import { NOTHING_SPENT, toFailedSpending, toSpending } from "./budget.ts";
import type { Action } from "./decide.ts";
import { retryDelay } from "./retry.ts";
import { jitterAt, type Stage, toEventError, toTuttiError } from "./stage.ts";
import type { RunState } from "./state.ts";
import { toComposedRounds } from "./visible.ts";

/** A Conductor that is away for longer is done without. */
const PATIENCE_MS = 20_000;

export function toComposeRequest(state: RunState, pool: Pool, maxOutputTokens?: number): ComposeRequest {
  const { task, settings, rounds } = state;
  const composed = toComposedRounds(state);
  const { formatErrors = [], attempts = 0 } = rounds[composed.length]?.plan ?? {};
  return {
    task,
    pool,
    rounds: composed,
    errors: formatErrors,
    maxSteps: settings.maxSteps,
    maxOutputTokens,
    seed: hashSeed(settings.seed, "plan", composed.length, attempts),
  };
}

/** Lets the Conductor compose; resolves to `plan-end` or `plan-error`, never rejects. */
export async function performPlan(
  { round, attempt, maxOutputTokens }: Extract<Action, { type: "compose" }>,
  state: RunState,
  { conductor, pool, now, onEvent }: Stage,
  signal: AbortSignal,
): Promise<RunEvent> {
  const { runId, settings } = state;
  const request = toComposeRequest(state, pool, maxOutputTokens);
  const quote = conductor.quote?.(request);
  const entry = { kind: quote ? ("model" as const) : ("tool" as const), price: quote?.member.price };
  const startedAt = now();
  const common = () => ({ runId, at: now(), round, attempt, durationMs: now() - startedAt });
  let written = "";
  const exchange = () => ({ inputTokens: () => quote?.inputTokens ?? 0, written });
  try {
    for await (const event of conductor.compose(request, signal)) {
      if (event.type === "plan-end") {
        const { text, decision, usage } = event;
        return {
          type: "plan-end",
          ...common(),
          text,
          decision,
          spending: toSpending(entry, usage, exchange()),
        };
      }
      written += event.text;
      onEvent?.({ type: "plan-delta", runId, at: now(), round, attempt, text: event.text });
    }
    throw new TuttiError(
      "stream-cut",
      `${toConductorName(conductor.identity)} stopped in the middle of its plan`,
    );
  } catch (error) {
    const fault = toTuttiError(error, "conductor-fault", toConductorName(conductor.identity));
    const jitter = jitterAt(state, round, attempt);
    // Stopped by us: after a resume the Conductor may plan again.
    const delay = signal.aborted ? 0 : retryDelay(fault, attempt + 1, settings.retries, jitter, PATIENCE_MS);
    return {
      type: "plan-error",
      ...common(),
      error: toEventError(fault),
      spending: toFailedSpending(entry, fault, exchange()),
      retryAt: delay === undefined ? undefined : now() + delay,
    };
  }
}

/** Nobody's plan can be used: one step with the strongest worker; in a later round what is there is accepted. */
export function toFallBack(
  { round, attempt, reason, lacking }: Extract<Action, { type: "fall-back" }>,
  { runId, pool }: RunState,
  at: number,
): RunEvent {
  const worker = strongestFirst(pool)[0] ?? 0;
  const subtask = "Solve the overall task and give the answer.";
  const decision: Decision =
    round === 0
      ? { type: "workflow", workflow: { steps: [{ worker, subtask, access: [] }] } }
      : { type: "accept" };
  const common = { runId, at, round, attempt, text: "", durationMs: 0, spending: NOTHING_SPENT };
  return { type: "plan-end", ...common, decision, fallback: reason, lacking };
}
