// A run goes on from its journal: what its process was doing when it died is said to be lost, so that the machine asks
// for it again. Pure.

import type { EventError, RunEvent } from "../store/types.ts";
import { boundBriefTokens } from "../worker/brief.ts";
import { NOTHING_SPENT, toFailedSpending } from "./budget.ts";
import type { RunState } from "./state.ts";
import { toBrief } from "./visible.ts";

/** What a run goes on with: what tools of the client returned, or other limits than before. */
export type ResumeTurn = Pick<
  Extract<RunEvent, { type: "run-resume" }>,
  "toolResults" | "said" | "streaming" | "limits" | "output"
>;

/** A call that was lost may have been billed: it is counted, on the high side. */
export function toPickUp(state: RunState, at: number, turn?: ResumeTurn): RunEvent[] {
  const { runId, rounds, pool } = state;
  const events: RunEvent[] = [{ type: "run-resume", runId, at, ...turn }];
  const round = rounds.length - 1;
  const { plan, steps = [] } = rounds[round] ?? {};
  const message = "The process ended while this was running";
  const error: EventError = { code: "interrupted", message, retryable: true };
  const common = { runId, at, round, error, durationMs: 0, retryAt: at };
  if (plan?.status === "composing") {
    const attempt = plan.attempts - 1;
    events.push({ type: "plan-error", ...common, attempt, spending: NOTHING_SPENT });
  }
  for (const [step, { status, worker, attempts, partial }] of steps.entries()) {
    if (status !== "running") continue;
    const inputTokens = () => boundBriefTokens(toBrief(state, round, step));
    const spending = toFailedSpending(pool[worker]!, error, { inputTokens, written: partial });
    const lost = { step, attempt: attempts - 1, worker, spending, partial, delivered: false };
    events.push({ type: "step-error", ...common, ...lost });
  }
  return events;
}
