// Plays the pure machine of the performer without a driver: decides, makes up what happens, applies it. Everything
// that can happen does, by a seed: replies, failures, waits, format errors, verdicts of people.

import { createRandom, type Random } from "../base/random.ts";
import { type Action, type AskAction, decide } from "../perform/decide.ts";
import { toFallBack } from "../perform/plan.ts";
import { apply, type RunState, start } from "../perform/state.ts";
import { toAnswer } from "../perform/visible.ts";
import type { Limits } from "../store/limits.ts";
import type { PoolEntry, RunEvent, RunSettings, Spending } from "../store/types.ts";
import { NO_USAGE } from "../worker/price.ts";
import type { Access, Decision, Workflow } from "../workflow/types.ts";
import { SETTINGS } from "./stage.ts";

type ComposeAction = Extract<Action, { type: "compose" }>;
type Running = AskAction | ComposeAction;

/** No run of so few steps needs as many turns: one that does is stuck. */
const MOST_TURNS = 2_000;
const PRICE = { inputUsd: 1, outputUsd: 4 };
const PLANNER = { kind: "model" as const, price: PRICE };

export interface Played {
  events: RunEvent[];
  state: RunState;
}

export interface PlayOptions {
  /** Called with every state, and the event that led to it. */
  onState?: (state: RunState, event: RunEvent, before: RunState) => void;
}

/** A run from its start to its end. */
export function playMachine(seed: number, options: PlayOptions = {}): Played {
  const random = createRandom(seed);
  const event = toRandomStart(random);
  return goOn(random, [event], start(event), options);
}

/** A run that goes on from `events`, whose last ones say what was lost (`toPickUp`). */
export function resumeMachine(
  seed: number,
  events: RunEvent[],
  state: RunState,
  options: PlayOptions = {},
): Played {
  return goOn(createRandom(seed), [...events], state, options);
}

function goOn(random: Random, events: RunEvent[], from: RunState, { onState }: PlayOptions): Played {
  let state = from;
  let now = events.at(-1)!.at;
  const running: Running[] = [];
  const hasQuote = random.next() < 0.5;
  const emit = (event: RunEvent) => {
    const before = state;
    state = apply(state, event);
    events.push(event);
    onState?.(state, event, before);
  };

  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const unavailable = random.next() < 0.2 ? random.integer(0, state.pool.length - 1) : -1;
    const actions = decide(state, {
      now,
      isAvailable: (worker) => worker !== unavailable,
      quotePlan: () =>
        hasQuote
          ? { member: { worker: {} as never, ...PLANNER }, inputTokens: 100, maxOutputTokens: 300 }
          : undefined,
    });
    if (state.ended) return { events, state };
    const { runId } = state;
    for (const action of actions) {
      switch (action.type) {
        case "ask": {
          const { round, step, attempt, worker, instead, reserved, maxOutputTokens } = action;
          const common = { runId, at: now, round, step, attempt, worker, reserved, maxOutputTokens };
          emit({ type: "step-start", ...common, instead });
          running.push(action);
          break;
        }
        case "wait":
          emit({ ...action, type: "step-wait", runId, at: now, reason: "retry" });
          break;
        case "compose":
          emit({
            type: "plan-start",
            runId,
            at: now,
            round: action.round,
            attempt: action.attempt,
            reserved: action.reserved,
          });
          running.push(action);
          break;
        case "fall-back":
          emit(toFallBack(action, state, now));
          break;
        case "review":
          emit({
            type: "plan-review",
            runId,
            at: now,
            round: action.round,
            verdict: pick(random, ["approved", "refused"]),
            waitedMs: 10,
          });
          break;
        case "end-round":
          emit({ type: "round-end", runId, at: now, round: action.round });
          break;
        case "end-run": {
          for (const each of running.splice(0)) emit(toLost(each, state, now));
          const { spent, unpricedCalls } = state;
          const { stopReason } = action;
          emit({
            type: "run-end",
            runId,
            at: now,
            ...toAnswer(state, stopReason),
            stopReason,
            spent,
            unpricedCalls,
          });
          break;
        }
      }
    }
    if (actions.length > 0) continue;
    // Also where nobody is under way: a retry is due sooner or later.
    now += random.integer(0, 20);
    const [next] = running.splice(random.integer(0, Math.max(0, running.length - 1)), 1);
    if (next) emit(toResult(random, next, state, now));
  }
  throw new Error(`stuck after ${MOST_TURNS} turns, at event ${events.length}`);
}

// ---- What happens -------------------------------------------------------------------------------

function toResult(random: Random, action: Running, state: RunState, at: number): RunEvent {
  const spending = toSpending(random, action, state);
  const common = { ...whereOf(action, state, at), spending };
  const fails = random.next() < 0.3;
  const error = { code: "provider-error", message: "it broke", retryable: true };
  const retryAt = random.next() < 0.5 ? at + random.integer(0, 50) : undefined;
  if (action.type === "compose") {
    if (fails) return { type: "plan-error", ...common, error, retryAt };
    return { type: "plan-end", ...common, text: "a plan", decision: toDecision(random, action.round, state) };
  }
  const { step, worker } = action;
  if (fails) {
    const delivered = action.brief.isLast && state.settings.streaming && random.next() < 0.3;
    return {
      type: "step-error",
      ...common,
      step,
      worker,
      error,
      partial: delivered ? "half" : "",
      delivered,
      retryAt: delivered ? undefined : retryAt,
    };
  }
  const text = random.next() < 0.1 ? "" : `reply ${random.integer(0, 9)}`;
  return { type: "step-end", ...common, step, worker, reply: { text, finishReason: "stop" } };
}

function whereOf({ round, attempt }: Running, { runId }: RunState, at: number) {
  return { runId, at, round, attempt, durationMs: 5 };
}

/** Stopped by us. */
function toLost(action: Running, state: RunState, at: number): RunEvent {
  const error = { code: "aborted", message: "stopped", retryable: false };
  const spending = { usage: NO_USAGE, costUsd: 0, calls: 0 };
  const common = { ...whereOf(action, state, at), spending, error, retryAt: at };
  return action.type === "compose"
    ? { type: "plan-error", ...common }
    : { type: "step-error", ...common, step: action.step, worker: action.worker, delivered: false };
}

/** Never more than was reserved, where there is a limit; that is what providers promise. */
function toSpending(
  random: Random,
  { reserved, type }: Running,
  { settings: { limits } }: RunState,
): Spending {
  const costUsd = random.next() * (limits.usd === undefined ? 1 : reserved.usd);
  const tokens = Math.floor(random.next() * (limits.tokens === undefined ? 500 : reserved.tokens));
  const inputTokens = Math.floor(tokens / 2);
  const calls = type === "compose" ? 1 : limits.calls === undefined ? 1 : reserved.calls;
  return { usage: { ...NO_USAGE, inputTokens, outputTokens: tokens - inputTokens }, costUsd, calls };
}

function toDecision(random: Random, round: number, state: RunState): Decision {
  const dice = random.next();
  if (dice < 0.2) return { type: "format-error", error: { code: "nothing-found", message: "no list" } };
  if (round > 0 && dice < 0.4) {
    const { steps } = state.rounds[round - 1]!;
    return { type: "accept", ...(dice < 0.3 && { step: random.integer(0, Math.max(0, steps.length - 1)) }) };
  }
  return { type: "workflow", workflow: toWorkflow(random, state.pool.length) };
}

function toWorkflow(random: Random, workers: number): Workflow {
  const length = random.integer(1, 5);
  const steps = Array.from({ length }, (_, position) => {
    const access = pick<Access>(random, [
      "all",
      "all-rounds",
      [],
      position > 0 ? [random.integer(0, position - 1)] : [],
    ]);
    return { worker: random.integer(0, workers - 1), subtask: `part ${position}`, access };
  });
  return { steps };
}

// ---- What it starts with ------------------------------------------------------------------------

function toRandomStart(random: Random): Extract<RunEvent, { type: "run-start" }> {
  const pool = Array.from(
    { length: random.integer(1, 4) },
    (_, i): PoolEntry => ({
      id: `w${i}`,
      kind: i > 0 && random.next() < 0.2 ? "tool" : "model",
      price: PRICE,
      maxOutputTokens: random.integer(100, 1_000),
    }),
  );
  const settings: RunSettings = {
    ...SETTINGS,
    rounds: random.integer(1, 4),
    limits: toLimits(random),
    streaming: random.next() < 0.5,
    review: random.next() < 0.2,
  };
  const task = { messages: [{ role: "user" as const, content: "What is 6 × 7?" }] };
  return { type: "run-start", runId: "r_machine", at: 1_000, task, pool, settings };
}

function toLimits(random: Random): Limits {
  const maybe = (share: number, value: () => number) => (random.next() < share ? value() : undefined);
  return {
    usd: maybe(0.5, () => random.next() * 0.05),
    calls: maybe(0.3, () => random.integer(1, 12)),
    tokens: maybe(0.3, () => random.integer(500, 20_000)),
    deadlineMs: maybe(0.2, () => random.integer(10, 400)),
  };
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.integer(0, values.length - 1)]!;
}
