// What is kept of one run: who was asked, what it took, how it was graded, whether somebody was down.

import { traitsOf } from "../base/error-codes.ts";
import type { RunState, StepState } from "../perform/state.ts";
import type { EventError } from "../store/types.ts";
import type { Grade } from "../task/types.ts";
import type { PerformedTask } from "./types.ts";

export function toPerformedTask(
  state: RunState,
  { score, why, ungraded = false }: Grade,
  delayMs?: number,
): PerformedTask {
  const { rounds, spent, ended, startedAt } = state;
  const performed = rounds.filter(({ steps }) => steps.length > 0);
  const [first] = rounds;
  const asked = toAsked(state);
  return {
    score,
    why,
    ungraded,
    isOutage: hadOutage(state),
    calls: asked.length,
    conductorCalls: rounds.reduce((sum, { plan }) => sum + plan.totals.calls, 0),
    tokens: spent.tokens,
    costUsd: spent.usd,
    durationMs: delayMs ?? ended!.at - startedAt,
    steps: performed.at(-1)?.steps.length ?? 0,
    rounds: performed.length,
    valid: first !== undefined && first.plan.formatErrors.length === 0 && first.plan.fallback === undefined,
    asked,
    answer: ended!.answer,
    stopReason: ended!.stopReason,
  };
}

/** One entry per call: retries and those who stepped in too, tools and what a recording refused not. */
function toAsked({ rounds, pool }: RunState): string[] {
  const asked: string[] = [];
  for (const { steps } of rounds) {
    for (const { failures, totals, worker } of steps) {
      let answered = totals.calls;
      for (const { worker: other, error, spending } of failures) {
        answered -= spending.calls;
        if (spending.calls > 0 && !traitsOf(error.code).isUnrecorded) asked.push(pool[other]!.id);
      }
      if (answered > 0) asked.push(pool[worker]!.id);
    }
  }
  return asked;
}

/**
 * A step got its reply from somebody else, or none, because the one it named was down; or nobody could
 * plan. A worker that refuses or breaks at this very task is no outage: that is how well it does.
 */
function hadOutage({ rounds, ended }: RunState): boolean {
  if (ended!.stopReason === "journal-failed") return true;
  return rounds.some(
    ({ plan, steps }) =>
      (plan.fallback !== undefined && plan.faults.some(isOutage)) ||
      steps.some((step) => lostItsWorker(step)),
  );
}

function lostItsWorker({ status, instead, failures }: StepState): boolean {
  if (status !== "failed" && !instead) return false;
  return failures.some(({ error }) => isOutage(error));
}

function isOutage({ code, retryable }: EventError): boolean {
  return retryable || traitsOf(code).isOutage;
}

/** A recording has no such reply. Thrown where the Conductor itself wanted it: then it cannot be replayed. */
export function findReplayRefusal({ rounds }: RunState): EventError | undefined {
  for (const { workflow, steps } of rounds) {
    for (const [number, { failures }] of steps.entries()) {
      const named = workflow!.steps[number]!.worker;
      const refusal = failures.find(
        ({ worker, error }) => worker === named && traitsOf(error.code).isUnrecorded,
      );
      if (refusal) return refusal.error;
    }
  }
  return undefined;
}
