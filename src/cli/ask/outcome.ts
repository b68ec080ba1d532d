// How a run ended, for people and for scripts: the reason in words, the totals in one line, the exit code.

import { toCount, toDelay, toMoney } from "../../base/format.ts";
import type { Run } from "../../perform/run.ts";
import type { StopReason } from "../../store/types.ts";
import { isSimulated } from "../../worker/kinds.ts";
import { toOneLine } from "../terminal/sanitise.ts";

/** Stop reasons after which there is no answer to rely on, whatever text there is. */
const FAILED: readonly (StopReason | undefined)[] = ["failed", "journal-failed", "answer-cut"];

/** 0: there is an answer, perhaps cut short by a limit. 1: there is none. 130: stopped by the user. */
export function exitCodeOf({ answer, stopReason }: Pick<Run, "answer" | "stopReason">): number {
  if (stopReason === "cancelled") return 130;
  return FAILED.includes(stopReason) || (answer === "" && stopReason !== "tool-calls") ? 1 : 0;
}

/** What stopped the run, and what that means for the answer. Empty when it is simply done. */
export function stopReasonInWords(run: Pick<Run, "answer" | "stopReason" | "error" | "settings">): string {
  const { answer, stopReason, error, settings } = run;
  const { usd, calls, tokens, deadlineMs } = settings.limits;
  const soFar = answer === "" ? "There is no answer yet." : "This is the best answer so far.";
  const why = error ? ` ${toOneLine(error.message)}` : "";
  switch (stopReason) {
    case undefined:
    case "done":
      return "";
    case "tool-calls":
      return "The last step asks for a tool, which only a program can run.";
    case "budget-usd":
      return `Stopped: the next step could have gone over the budget${usd === undefined ? "" : ` of ${toMoney(usd)}`}. ${soFar}`;
    case "budget-calls":
      return `Stopped at the limit${calls === undefined ? "" : ` of ${toCount(calls, "call")}`}. ${soFar}`;
    case "budget-tokens":
      return `Stopped: the next step could have gone over the limit${tokens === undefined ? "" : ` of ${toCount(tokens, "token")}`}. ${soFar}`;
    case "deadline":
      return `Stopped at the deadline${deadlineMs === undefined ? "" : ` of ${toDelay(deadlineMs)}`}. ${soFar}`;
    case "cancelled":
      return `Stopped by you. ${soFar}`;
    case "refused":
      return answer === "" ? "You refused the plan, so nobody was asked." : `You refused the plan. ${soFar}`;
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
export function toCost(run: Pick<Run, "costUsd" | "unpricedCalls" | "pool">): string {
  const { costUsd, unpricedCalls, pool } = run;
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
