// A run as it is watched: folded from its events by the performer's own `apply`, with what only a watcher wants
// to know: when each plan and each ask began and ended, and what the Conductor is writing at this moment.
// Pure: live events and those of the journal give the same view.

import { apply, type RunState, start } from "../../../src/perform/state.ts";
import type { EventError, RunEvent } from "../../../src/store/types.ts";

/** One ask of a worker. */
interface StepAttempt {
  round: number;
  step: number;
  attempt: number;
  worker: number;
  /** Why it was not the one that the workflow names. */
  instead?: string;
  startedAt: number;
  endedAt?: number;
  firstTokenMs?: number;
  error?: EventError;
}

/** One time that the Conductor wrote. */
interface PlanSpan {
  round: number;
  attempt: number;
  startedAt: number;
  endedAt?: number;
  /** What was wrong with it, in words. */
  problem?: string;
}

export interface RunView {
  /** Absent until the run has started. */
  state?: RunState;
  attempts: StepAttempt[];
  plans: PlanSpan[];
  /** What the Conductor has written of the plan that is not finished. */
  planText: string;
  /** The runs of steps that were given to the Conductor itself (`self`), by id. */
  nested: Record<string, RunState>;
  /** When the last event happened. */
  at: number;
}

export const NO_VIEW: RunView = { attempts: [], plans: [], planText: "", nested: {}, at: 0 };

export function applyEvent(view: RunView, event: RunEvent): RunView {
  const { state } = view;
  if (state && event.runId !== state.runId) return applyNested(view, event);
  if (event.type === "run-start") return state ? view : { ...NO_VIEW, state: start(event), at: event.at };
  if (!state) return view;
  return { ...view, ...watched(view, event), state: apply(state, event), at: event.at };
}

function applyNested(view: RunView, event: RunEvent): RunView {
  const known = view.nested[event.runId];
  const next = event.type === "run-start" ? start(event) : known && apply(known, event);
  return next ? { ...view, nested: { ...view.nested, [event.runId]: next }, at: event.at } : view;
}

function watched(view: RunView, event: RunEvent): Partial<RunView> {
  switch (event.type) {
    case "plan-start": {
      const { round, attempt, at } = event;
      return { plans: [...view.plans, { round, attempt, startedAt: at }], planText: "" };
    }
    case "plan-delta":
      return { planText: view.planText + event.text };
    case "plan-end": {
      const { decision, fallback } = event;
      const problem = decision.type === "format-error" ? decision.error.message : fallback;
      return { plans: endPlan(view.plans, event, problem), planText: "" };
    }
    case "plan-error":
      return { plans: endPlan(view.plans, event, event.error.message), planText: "" };
    case "step-start": {
      const { round, step, attempt, worker, instead, at } = event;
      const begun = { round, step, attempt, worker, startedAt: at, instead: instead?.reason };
      return { attempts: [...view.attempts, begun] };
    }
    case "step-end": {
      const { at, firstTokenMs } = event;
      return { attempts: endAttempt(view.attempts, event, { endedAt: at, firstTokenMs }) };
    }
    case "step-error":
      return { attempts: endAttempt(view.attempts, event, { endedAt: event.at, error: event.error }) };
    case "run-resume":
    case "run-end":
      // What was under way when its process died, or when the run was stopped, has no end of its own.
      return {
        attempts: view.attempts.map((each) =>
          each.endedAt === undefined ? { ...each, endedAt: event.at } : each,
        ),
        planText: "",
      };
    default:
      return {};
  }
}

type PlanEnding = Extract<RunEvent, { type: "plan-end" | "plan-error" }>;

function endPlan(plans: PlanSpan[], event: PlanEnding, problem: string | undefined): PlanSpan[] {
  const end = { endedAt: event.at, problem };
  const isIt = ({ round, attempt }: PlanSpan) => round === event.round && attempt === event.attempt;
  if (plans.some(isIt)) return plans.map((plan) => (isIt(plan) ? { ...plan, ...end } : plan));
  // A workflow that nobody had to write begins and ends at once.
  const { round, attempt, at, durationMs } = event;
  return [...plans, { round, attempt, startedAt: at - durationMs, ...end }];
}

function endAttempt(
  attempts: StepAttempt[],
  { round, step, attempt }: { round: number; step: number; attempt: number },
  end: Partial<StepAttempt>,
): StepAttempt[] {
  return attempts.map((each) =>
    each.round === round && each.step === step && each.attempt === attempt ? { ...each, ...end } : each,
  );
}
