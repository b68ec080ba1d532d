// What a run has become, in the words of the gateway: the answer with its usage, or the reason why there is
// none. Streamed or not, a reply is made from the same Run by the same functions, so usage and cost are the same.

import { readJsonOutput } from "../../answer/json-output.ts";
import { toErrorCode } from "../../base/error-codes.ts";
import { TuttiError } from "../../base/errors.ts";
import { toMoney } from "../../base/format.ts";
import { MIN_OUTPUT_TOKENS } from "../../perform/budget.ts";
import { endingOf } from "../../perform/endings.ts";
import { boundByBytes, mostPriceOf } from "../../perform/input-bound.ts";
import type { Run, RunStep } from "../../perform/run.ts";
import { findLimit, type LimitStopReason } from "../../store/limits.ts";
import type { StopReason } from "../../store/types.ts";
import { isModel } from "../../worker/kinds.ts";
import { mostCostOf, NO_USAGE } from "../../worker/price.ts";
import type { FinishReason, Usage } from "../../worker/types.ts";
import type { GatewayUsage, ReplyHead, ReplyOutcome } from "../types.ts";
import { toToolCallId } from "./turns.ts";

/**
 * `before` is the run as it was when it asked for tools of the client, for a reply after that: what it had
 * taken by then was in the reply that asked. Without it a client that adds up its replies counts it twice.
 */
export function toOutcome(
  run: Run,
  head: ReplyHead,
  turn: number,
  progress: string[],
  before?: Run,
): ReplyOutcome {
  const step = answerStepOf(run);
  const isCalling = run.stopReason === "tool-calls";
  const toolCalls = (isCalling && step?.toolCalls) || [];
  return {
    head,
    text: isCalling ? (step?.reply ?? "") : run.answer,
    toolCalls: toolCalls.map((call, index) => ({ ...call, id: toToolCallId(run.id, turn, index) })),
    finishReason: isCalling ? "tool-calls" : toFinishReason(step),
    stopSequence: isCalling ? undefined : step?.stopSequence,
    ignored: step?.ignored,
    // Without one it is not over: whoever performed it went away.
    stopReason: run.stopReason ?? "cancelled",
    usage: toUsage(run, before),
    costUsd: Math.max(0, run.costUsd - (before?.costUsd ?? 0)),
    cacheSavedUsd: run.cacheSavedUsd - (before?.cacheSavedUsd ?? 0),
    isSimulated: run.isSimulated,
    calls: Math.max(0, run.calls - (before?.calls ?? 0)),
    completedAt: run.startedAt + run.durationMs,
    progress,
  };
}

/**
 * The ask that wrote the answer is input and output; whatever else was taken is orchestration, asks of the same step that
 * failed before it among it: agents take input and output for the length of their conversation.
 */
export function toUsage(run: Run, before?: Run): GatewayUsage {
  const step = answerStepOf(run);
  const same = before?.steps.find((other) => other.round === step?.round && other.step === step?.step);
  const own = step?.replyUsage ?? minus(step?.usage ?? NO_USAGE, same?.usage);
  const cachedInputTokens = Math.min(own.cachedInputTokens, own.inputTokens);
  const others = minus(minus(run.usage, before?.usage), own);
  return {
    inputTokens: own.inputTokens,
    cachedInputTokens,
    cacheWriteInputTokens: Math.min(own.cacheWriteTokens ?? 0, own.inputTokens - cachedInputTokens),
    outputTokens: own.outputTokens,
    reasoningTokens: Math.min(own.reasoningTokens, own.outputTokens),
    orchestrationInputTokens: others.inputTokens,
    orchestrationCachedInputTokens: Math.min(others.cachedInputTokens, others.inputTokens),
    orchestrationOutputTokens: others.outputTokens,
    totalTokens: own.inputTokens + own.outputTokens,
  };
}

/** What we added to the time that planning and the steps took: their retries and waits are theirs, not ours. */
export function toOverheadMs(run: Run): number {
  const endedAt = run.startedAt + run.durationMs;
  const spans = run.steps
    .filter(({ startedAt }) => startedAt !== undefined)
    .map(({ startedAt = 0, durationMs }): [number, number] => [
      startedAt,
      durationMs === undefined ? endedAt : startedAt + durationMs,
    ])
    .sort(([a], [b]) => a - b);
  let busyMs = run.rounds.reduce((sum, { planMs }) => sum + planMs, 0);
  let coveredUntil = Number.NEGATIVE_INFINITY;
  for (const [from, until] of spans) {
    busyMs += Math.max(0, until - Math.max(from, coveredUntil));
    coveredUntil = Math.max(coveredUntil, until);
  }
  return Math.max(0, run.durationMs - busyMs);
}

/** Whose reply is the answer; without one, who was asked last. Undefined where nobody was. */
function answerStepOf({ steps, answerStep }: Run): RunStep | undefined {
  return (
    steps.find(({ round, step }) => round === answerStep?.round && step === answerStep.step) ??
    steps.findLast(({ startedAt }) => startedAt !== undefined)
  );
}

function minus(usage: Usage, taken: Usage = NO_USAGE): Usage {
  const left = (name: keyof typeof NO_USAGE) => Math.max(0, (usage[name] ?? 0) - (taken[name] ?? 0));
  return {
    inputTokens: left("inputTokens"),
    outputTokens: left("outputTokens"),
    cachedInputTokens: left("cachedInputTokens"),
    reasoningTokens: left("reasoningTokens"),
    cacheWriteTokens: Math.max(0, (usage.cacheWriteTokens ?? 0) - (taken.cacheWriteTokens ?? 0)),
  };
}

const FINISH_REASONS: readonly FinishReason[] = ["stop", "length", "content-filter", "other"];

/** The journal keeps a text. Tools are asked for only where the run says so. What a limit has cut is no end that was meant. */
function toFinishReason(step: RunStep | undefined): FinishReason {
  if (step?.reply === "" && step.partial) return "length";
  return FINISH_REASONS.find((reason) => reason === step?.finishReason) ?? "stop";
}

// ---- No answer ----------------------------------------------------------------------------------

/**
 * Undefined where there is an answer, perhaps cut short by a limit, or a call of the client's tools. `isShort`: its
 * limit of money was what is left of the key's budget, which the client cannot raise.
 */
export async function failureOf(run: Run, isShort = false): Promise<TuttiError | undefined> {
  const isWanted = await isAsWanted(run);
  const stopReason = run.stopReason === "done" && !isWanted ? "invalid-output" : run.stopReason;
  const { code } = endingOf({ stopReason, hasAnswer: run.hasAnswer && isWanted });
  if (code === undefined) return undefined;
  if (code === "worker-fault") return toWorkerFailure(run);
  if (isShort && stopReason === "budget-usd") {
    const message = `What is left of the budget of this API key (${findLimit(stopReason, run.settings.limits)!.text}) is not enough for an answer.`;
    return new TuttiError("budget-spent", message);
  }
  return new TuttiError(code, whyNot(run, stopReason));
}

function whyNot(run: Run, stopReason: StopReason | undefined): string {
  const limit = findLimit(stopReason, run.settings.limits);
  const needed = stopReason === "budget-usd" ? neededBeforeAll(run) : undefined;
  if (limit && needed !== undefined)
    return `No worker was asked: the limit (${limit.text}) is less than the ${toMoney(needed)} that this prompt and a short reply may take. Nobody has counted its tokens, so each byte is taken for one. Raise limits.usd in the config, or tutti.budget_usd up to it.`;
  if (limit) {
    const advice = limit.kind.isSaved ? "raise it or ask for a shorter answer" : "raise it";
    return `The run's limit (${limit.text}) was reached before there was an answer; ${advice}.`;
  }
  switch (stopReason as Exclude<typeof stopReason, LimitStopReason>) {
    case "invalid-output":
      return `The answer is not JSON as it was asked for, although the team was asked again. Run ${run.id} has what was said.`;
    case "answer-cut":
      return `The answer broke off while it was being written.${run.error ? ` ${run.error.message}` : ""}`;
    case "cancelled":
      return "The run was cancelled before there was an answer.";
    case "refused":
      return "The plan was refused, so nobody was asked.";
    case "journal-failed":
      return "The journal cannot be written, so nothing more was asked. Try again later.";
    case "done":
    case "tool-calls":
    case "worker-failed":
    case "failed":
      return "Nobody replied, so there is no answer.";
    case undefined:
      return `Run ${run.id} was interrupted before there was an answer: this gateway ends. Try again in a moment.`;
  }
}

/** What the cheapest model of the pool may take for the prompt and a short reply, rounded up; undefined where one was asked. */
function neededBeforeAll({ calls, costUsd, pool, task }: Run): number | undefined {
  const brief = { task, subtask: "", visible: [], isLast: true };
  const bound = boundByBytes(brief);
  const costs = pool.flatMap((entry) => {
    const price = isModel(entry) ? mostPriceOf(entry, brief) : undefined;
    return price ? [costUsd + mostCostOf(bound, MIN_OUTPUT_TOKENS, price) + (price.mostCallUsd ?? 0)] : [];
  });
  if (calls > 0 || costs.length === 0) return undefined;
  const least = Math.min(...costs);
  // To two digits, as money is shown.
  const unit = 10 ** (Math.floor(Math.log10(least)) - 1);
  return Math.ceil(least / unit) * unit;
}

/** Where JSON was asked for, the best reply so far is no answer unless it is such JSON: clients parse it unseen. */
async function isAsWanted({ answer, hasAnswer, task }: Run): Promise<boolean> {
  const format = task.output?.responseFormat;
  return !format || !hasAnswer || (await readJsonOutput(answer, format.schema)).ok;
}

/** A worker's key is ours, not the client's: a 401 would send people to look at the wrong key. */
function toWorkerFailure({ error }: Run): TuttiError {
  if (!error) return new TuttiError("worker-fault", "Nobody replied, so there is no answer.");
  const { code, message, status = 502, retryable, retryAfterMs } = error;
  const isKept = status === 429 || (status >= 500 && status < 600);
  return new TuttiError(code === "auth" ? "worker-auth" : toErrorCode(code, "worker-fault"), message, {
    status: isKept ? status : 502,
    retryable,
    retryAfterMs,
  });
}
