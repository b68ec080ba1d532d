// What the process of a run was doing when it died is said to be lost: it counts as spent, with all that was reserved
// for it, and the machine asks for it again when the run goes on. Pure.

import type { Amount, EventError, RunEvent, Spending } from "../store/types.ts";
import { boundBriefTokens } from "../worker/brief.ts";
import { nests } from "../worker/kinds.ts";
import { NO_USAGE } from "../worker/price.ts";
import { NOTHING_SPENT, toFailedSpending } from "./budget.ts";
import type { RunState } from "./state.ts";
import { toBrief } from "./visible.ts";

/** What a run goes on with: what tools of the client returned, or other limits than before. */
export type ResumeTurn = Pick<
  Extract<RunEvent, { type: "run-resume" }>,
  "toolResults" | "again" | "said" | "messages" | "exchanges" | "reply" | "streaming" | "limits" | "output"
>;

export function toPickUp(state: RunState, at: number, turn?: ResumeTurn): RunEvent[] {
  // A nested run goes on by itself when its step is asked again, and tells then what it took.
  const isNested = (event: RunEvent) => event.type === "step-error" && nests(state.pool[event.worker]!);
  const lost = toLost(state, at).map((event) =>
    isNested(event) ? { ...event, spending: NOTHING_SPENT } : event,
  );
  return [{ type: "run-resume", runId: state.runId, at, ...turn }, ...lost];
}

/**
 * Of a run that nobody performs: what it was asking. A nested run's share counts whole: what it really took is known
 * when the run goes on, and comes on top then.
 */
export function toLost(state: RunState, at: number): RunEvent[] {
  const { runId, rounds, pool } = state;
  const events: RunEvent[] = [];
  const round = rounds.length - 1;
  const { plan, steps = [] } = rounds[round] ?? {};
  const message = "The process ended while this was running";
  const error: EventError = { code: "interrupted", message, retryable: true };
  const common = { runId, at, round, error, durationMs: 0, retryAt: at };
  if (plan?.status === "composing") {
    const spending = toReservedSpending(plan.reserved, 0);
    events.push({ type: "plan-error", ...common, attempt: plan.attempts - 1, spending });
  }
  for (const [step, { status, worker, attempts, partial, reserved, maxOutputTokens }] of steps.entries()) {
    if (status !== "running") continue;
    const entry = pool[worker]!;
    const inputTokens = () => boundBriefTokens(toBrief(state, round, step));
    const spending = nests(entry)
      ? toReservedSpending(reserved, reserved.calls)
      : atMost(reserved, toFailedSpending(entry, error, { inputTokens, written: partial, maxOutputTokens }));
    const lost = { step, attempt: attempts - 1, worker, spending, partial, delivered: false };
    events.push({ type: "step-error", ...common, ...lost });
  }
  return events;
}

/** What was reserved may be by what the worker had counted, which is less than its bytes. */
function atMost({ usd }: Amount, spending: Spending): Spending {
  const { costUsd } = spending;
  return usd > 0 && costUsd !== undefined ? { ...spending, costUsd: Math.min(costUsd, usd) } : spending;
}

function toReservedSpending({ usd, tokens }: Amount, calls: number): Spending {
  return { usage: { ...NO_USAGE, inputTokens: tokens }, costUsd: usd, calls, estimated: true };
}
