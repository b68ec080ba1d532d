// The Conductor's turn: what it is shown, and what becomes of what it writes.

import { TuttiError } from "../base/errors.ts";
import { hashSeed } from "../base/random.ts";
import type { ComposeRequest } from "../conductor/types.ts";
import { toConductorName } from "../store/conductor-name.ts";
import type { PlanLimits } from "../store/limits.ts";
import type { RunEvent } from "../store/types.ts";
import { boundBriefTokens } from "../worker/brief.ts";
import { isModel, strongestFirst } from "../worker/kinds.ts";
import { mostCostOf } from "../worker/price.ts";
import type { Pool } from "../worker/types.ts";
import type { Decision } from "../workflow/types.ts";
import { NOTHING, NOTHING_SPENT, remaining, replyLimit, toFailedSpending, toSpending } from "./budget.ts";
import type { Action } from "./decide.ts";
import { retryDelay } from "./retry.ts";
import { jitterAt, type Stage, toEventError, toTuttiError } from "./stage.ts";
import type { RunState } from "./state.ts";
import { toComposedRounds, withLoop } from "./visible.ts";

/** A Conductor that is away for longer is done without. */
const PATIENCE_MS = 20_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

export function toComposeRequest(state: RunState, pool: Pool, maxOutputTokens?: number): ComposeRequest {
  const { settings, rounds } = state;
  const { carried, turn } = rounds.at(-1) ?? {};
  const task = carried ? withLoop(state.task, carried.exchanges) : state.task;
  const composed = toComposedRounds(state);
  const { formatErrors = [], attempts = 0 } = rounds[composed.length]?.plan ?? {};
  const limits = toPlanLimits(state);
  return {
    task,
    pool,
    rounds: composed,
    stuck: turn?.kind === "ask-conductor" ? turn.because : undefined,
    errors: formatErrors,
    // More steps than calls are left would end half-way.
    maxSteps: Math.max(1, Math.min(settings.maxSteps, limits.calls ?? Number.POSITIVE_INFINITY)),
    teamSize: settings.teamSize,
    limits,
    failedPlanners: rounds.reduce((sum, { plan }) => sum + plan.replaced, 0),
    maxRounds: Math.max(settings.rounds, rounds.length),
    maxOutputTokens,
    seed: hashSeed(settings.seed, "plan", composed.length, attempts),
  };
}

/** What is left for the steps: of the state alone, so that it can be told again. */
export function toPlanLimits(state: RunState): PlanLimits {
  const { task, settings, pool } = state;
  const { usd, calls } = remaining(state, NOTHING);
  const bounded = (value: number) => (Number.isFinite(value) ? Math.max(0, value) : undefined);
  const { deadlineMs } = settings.limits;
  const limits = { usd: bounded(usd), calls: bounded(calls), deadlineMs };
  if (limits.usd === undefined) return limits;
  const inputTokens = boundBriefTokens({ task, subtask: "-", visible: [], isLast: true });
  const stepUsd = pool.map((entry) => {
    if (!isModel(entry) || !entry.price) return null;
    return mostCostOf(inputTokens, replyLimit(state, entry, false), entry.price);
  });
  return { ...limits, stepUsd };
}

/** Lets the Conductor compose; resolves to `plan-end` or `plan-error`, never rejects. */
export async function performPlan(
  { round, attempt, maxOutputTokens }: Extract<Action, { type: "compose" }>,
  state: RunState,
  { conductor, pool, now, onEvent, breaker, enterProvider, patienceMs = PATIENCE_MS }: Stage,
  stopped: AbortSignal,
): Promise<RunEvent> {
  const { runId, settings } = state;
  const { timeouts } = settings;
  const ask = { run: runId, name: `plan.${round}.${attempt}` };
  const request = { ...toComposeRequest(state, pool, maxOutputTokens), ask, timeouts };
  const quote = conductor.quote?.(request);
  const entry = { kind: quote ? ("model" as const) : ("tool" as const), price: quote?.member.price };
  const entering = quote && enterProvider?.(quote.member.worker, stopped);
  const leave = entering && (await entering.catch(() => undefined));
  const startedAt = now();
  const common = () => ({ runId, at: now(), round, attempt, durationMs: now() - startedAt });
  const planner = quote?.member.worker.id;
  const patience = quote && !quote.member.worker.keepsTime ? startPatience(timeouts) : undefined;
  const signal = patience ? AbortSignal.any([stopped, patience.signal]) : stopped;
  let written = "";
  const exchange = () => ({
    inputTokens: () => quote?.inputTokens ?? 0,
    written,
    maxOutputTokens: maxOutputTokens ?? quote?.maxOutputTokens ?? 0,
  });
  try {
    for await (const event of conductor.compose(request, signal)) {
      if (event.type === "plan-end") {
        const { text, decision, belief, usage } = event;
        if (planner !== undefined) breaker.succeeded(planner);
        return {
          type: "plan-end",
          ...common(),
          text,
          decision,
          belief,
          spending: toSpending(entry, usage, exchange()),
        };
      }
      if (written === "") patience?.begun();
      written += event.text;
      onEvent?.({ type: "plan-delta", runId, at: now(), round, attempt, text: event.text });
    }
    throw new TuttiError(
      "stream-cut",
      `${toConductorName(conductor.identity)} stopped in the middle of its plan`,
    );
  } catch (error) {
    const isLate = patience?.signal.aborted && !stopped.aborted;
    const fault = isLate
      ? new TuttiError("timeout", `${planner} wrote no plan in time`)
      : toTuttiError(error, "conductor-fault", toConductorName(conductor.identity));
    if (planner !== undefined && !stopped.aborted) breaker.failed(planner, fault);
    const jitter = jitterAt(state, round, attempt);
    const next = stopped.aborted ? undefined : conductor.successor?.(request);
    // Who can be replaced is asked once more at the most: a hiccup is no reason to take another planner, and no more.
    const { faults = [] } = state.rounds[round]?.plan ?? {};
    const retries = next === undefined ? settings.retries : Math.min(settings.retries, 1 - faults.length);
    const longest = fault.retryAfterMs === undefined ? PATIENCE_MS : Math.min(patienceMs, PATIENCE_MS);
    const again = retryDelay(fault, attempt + 1, retries, jitter, longest);
    const successor = again === undefined ? next : undefined;
    // Stopped by us: after a resume the Conductor may plan again.
    const delay = stopped.aborted || successor !== undefined ? 0 : again;
    return {
      type: "plan-error",
      ...common(),
      error: toEventError(fault),
      spending: toFailedSpending(entry, fault, exchange()),
      retryAt: delay === undefined ? undefined : now() + delay,
      ...(successor !== undefined && { successor }),
    };
  } finally {
    patience?.end();
    leave?.();
  }
}

/** A planner that is silent is given up like a step: before its first word, and in all. */
function startPatience({ firstTokenMs, stepMs }: RunState["settings"]["timeouts"]) {
  const late = new AbortController();
  const wait = (ms: number) => setTimeout(() => late.abort(), Math.min(ms, MAX_TIMER_MS));
  let timer = wait(firstTokenMs);
  return {
    signal: late.signal,
    begun() {
      clearTimeout(timer);
      timer = wait(stepMs);
    },
    end: () => clearTimeout(timer),
  };
}

/** Nobody's plan can be used: one step with the strongest worker; in a later round what is there is accepted. */
export function toFallBack(
  { round, attempt, reason, lacking }: Extract<Action, { type: "fall-back" }>,
  { runId, pool }: RunState,
  at: number,
): RunEvent {
  // In the middle of a tool loop "accept" means that whoever had it goes on: see `planEnd`.
  const worker = strongestFirst(pool)[0] ?? 0;
  const subtask = "Solve the overall task and give the answer.";
  const decision: Decision =
    round === 0
      ? { type: "workflow", workflow: { steps: [{ worker, subtask, access: [] }] } }
      : { type: "accept" };
  const common = { runId, at, round, attempt, text: "", durationMs: 0, spending: NOTHING_SPENT };
  return { type: "plan-end", ...common, decision, fallback: reason, lacking };
}
