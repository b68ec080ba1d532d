// How a run ended, for people and for scripts: the reason in words, the totals in one line.

import { toCount, toDelay, toMoney } from "../../base/format.ts";
import type { Run } from "../../perform/run.ts";
import { findLimit, type LimitStopReason } from "../../store/limits.ts";
import { isSimulated } from "../../worker/kinds.ts";
import { toOneLine } from "../terminal/sanitise.ts";

/** What stopped the run, and what that means for the answer. Empty when it is simply done. */
export function stopReasonInWords(run: Pick<Run, "hasAnswer" | "stopReason" | "error" | "settings">): string {
  const { hasAnswer, stopReason, error, settings } = run;
  const soFar = hasAnswer ? "This is the best answer so far." : "There is no answer yet.";
  const why = error ? ` ${toOneLine(error.message)}` : "";
  const limit = findLimit(stopReason, settings.limits);
  if (limit) return `${limit.kind.stopped}${limit.text && ` of ${limit.text}`}. ${soFar}`;
  switch (stopReason as Exclude<typeof stopReason, LimitStopReason>) {
    case undefined:
      return "";
    case "done":
      return hasAnswer ? "" : "The answer is empty.";
    case "tool-calls":
      return "The last step asks for a tool, which only a program can run.";
    case "cancelled":
      return `Stopped by you. ${soFar}`;
    case "refused":
      return hasAnswer ? `You refused the plan. ${soFar}` : "You refused the plan, so nobody was asked.";
    case "worker-failed":
      return `The last step got no reply; this is what an earlier one said.${why}`;
    case "invalid-output":
      return "The answer is not as its schema wants it, although it was asked for twice.";
    case "answer-cut":
      return `The answer broke off while it was being written.${why}`;
    case "failed":
      return `Nobody replied, so there is no answer.${why}`;
    case "journal-failed":
      return `The journal could not be written, so nothing more was asked.${why}`;
  }
}

/** Of a run or of a listed one. With calls of unknown price the sum is only a lower bound. */
export function toCost(run: Pick<Run, "costUsd" | "estimatedUsd" | "unpricedCalls" | "pool">): string {
  const { costUsd, estimatedUsd, unpricedCalls, pool } = run;
  if (unpricedCalls === 0 && estimatedUsd > 0)
    return `at most ${toMoney(costUsd, isSimulated(pool))} (${toMoney(estimatedUsd)} of it estimated)`;
  if (unpricedCalls === 0) return toMoney(costUsd, isSimulated(pool));
  if (costUsd === 0) return toMoney(undefined);
  return `at least ${toMoney(costUsd)} (${toCount(unpricedCalls, "call")} of unknown price)`;
}

/** "3 calls", and the Conductor's own apart. */
export function toCalls({ calls, conductorCalls }: Pick<Run, "calls" | "conductorCalls">): string {
  return conductorCalls > 0
    ? `${toCount(calls, "call")} + ${conductorCalls} to plan`
    : toCount(calls, "call");
}

/** Steps that somebody was asked for; a plan that was refused has none. */
export function toPerformed({ steps }: Pick<Run, "steps">): string {
  return toCount(steps.filter(({ startedAt }) => startedAt !== undefined).length, "step");
}

/** "3 steps · 3 calls · 1.2 s · $0.0004 · run r_xxx" */
export function toFooter(run: Run): string {
  const rounds = run.rounds.filter(({ steps }) => steps.length > 0).length;
  return [
    ...(rounds > 1 ? [toCount(rounds, "round")] : []),
    toPerformed(run),
    toCalls(run),
    toDelay(run.durationMs),
    toCost(run),
    `run ${run.id}`,
  ].join(" · ");
}
