// What a run does next. Pure: from the state and the circumstances (the clock, who is available) to
// a list of actions. The driver carries them out and reports what happened as events; nothing here
// waits, asks or remembers.

import type { ComposeQuote } from "../conductor/types.ts";
import type { LimitStopReason } from "../store/limits.ts";
import type { Amount, PoolEntry, StopReason } from "../store/types.ts";
import type { TurnDecision } from "../trajectory/types.ts";
import { toAdvice } from "../worker/brief.ts";
import { forWorker } from "../worker/exchanges.ts";
import { isFree, nests, strongestFirst } from "../worker/kinds.ts";
import type { Brief } from "../worker/types.ts";
import {
  addAmount,
  NOTHING,
  type Reservation,
  remaining,
  replyLimit,
  reserveCall,
  reserveShare,
} from "./budget.ts";
import { handOver } from "./change-state.ts";
import { boundByBytes, boundByReport, mostPriceOf } from "./input-bound.ts";
import { afterTurn, decideTurn, findUndecided, type RuledRound } from "./loop.ts";
import {
  candidatesFor,
  isInToolLoop,
  isOver,
  type RoundState,
  type RunState,
  type StepState,
} from "./state.ts";
import { toBrief, toVisible } from "./visible.ts";

/** A plan that is no workflow is sampled again twice. */
const PLAN_ATTEMPTS = 3;

export type Action =
  | {
      type: "compose";
      round: number;
      attempt: number;
      reserved: Amount;
      maxOutputTokens: number | undefined;
      /** Asked in the middle of a tool loop. */
      turn?: TurnDecision;
    }
  /** A round that follows from what happened, without the Conductor. */
  | { type: "rule"; ruled: RuledRound }
  /** Nobody's plan can be used: one step with the strongest worker, or in later rounds what is there. */
  | { type: "fall-back"; round: number; attempt: number; reason: string; lacking?: LimitStopReason }
  | { type: "review"; round: number }
  | AskAction
  | CountAction
  | { type: "wait"; round: number; step: number; attempt: number; until: number }
  | { type: "end-round"; round: number }
  | { type: "end-run"; stopReason: StopReason };

/** By bytes alone a step does not fit its budget, and probably does: the worker's provider is asked how long its input is. */
export interface CountAction {
  type: "count";
  round: number;
  step: number;
  attempt: number;
  worker: number;
  brief: Brief;
}

export interface AskAction {
  type: "ask";
  round: number;
  step: number;
  attempt: number;
  worker: number;
  instead?: { worker: number; reason: string };
  /** In a tool loop: how this turn was decided, just now. */
  turn?: TurnDecision;
  /** What the team adds to the newest turn of the loop. */
  advice?: string;
  reserved: Amount;
  maxOutputTokens: number;
  /** The bound of its input that was reserved; absent where nothing is limited. */
  inputTokens: number | undefined;
  /** What is asked, as the reservation was made for it. */
  brief: Brief;
}

export interface Circumstances {
  now: number;
  /** Somebody outside wants the run to end. */
  stop?: Extract<StopReason, "cancelled" | "journal-failed">;
  /** False while the worker's circuit is open: others are preferred. */
  isAvailable(worker: number): boolean;
  /** How long an input can be, from what this worker has counted in other requests. Infinity: nothing is known. */
  boundInput?(worker: number, brief: Brief): number;
  /** What it is likely to be, where the provider can still be asked to count it. */
  guessInput?(worker: number, brief: Brief): number | undefined;
  /** What the next plan may cost; undefined where planning is free. `from`: another state than that of now. */
  quotePlan(from?: RunState): ComposeQuote | undefined;
}

export function decide(state: RunState, circumstances: Circumstances): Action[] {
  if (state.ended) return [];
  if (circumstances.stop) return [{ type: "end-run", stopReason: circumstances.stop }];
  if (circumstances.now >= deadlineOf(state)) return [{ type: "end-run", stopReason: "deadline" }];
  if (state.accepted) return [{ type: "end-run", stopReason: "done" }];
  const number = Math.max(0, state.rounds.length - 1);
  const round = state.rounds[number];
  if (!round || round.plan.status === "pending") return plan(state, number, circumstances);
  if (round.plan.status === "composing") return [];
  if (round.review === "refused") return [{ type: "end-run", stopReason: "refused" }];
  if (state.settings.review && !round.review && !round.turn) return [{ type: "review", round: number }];
  const undecided = findUndecided(state);
  if (undecided && round.steps.every((step) => step === undecided || isOver(step)))
    return takeTurn(state, number, round, undecided, circumstances);
  if (!round.steps.every(isOver)) return ask(state, number, round, circumstances);
  if (!round.ended) return [{ type: "end-round", round: number }];
  return afterRound(state, number, round, circumstances);
}

export function deadlineOf({ settings, resumedAt }: RunState): number {
  return resumedAt + (settings.limits.deadlineMs ?? Number.POSITIVE_INFINITY);
}

function plan(state: RunState, round: number, circumstances: Circumstances): Action[] {
  const { attempts = 0, retryAt = 0, formatErrors = [], faults = [] } = state.rounds[round]?.plan ?? {};
  const fallBack = (reason: string, lacking?: LimitStopReason): Action[] => [
    { type: "fall-back", round, attempt: attempts, reason, lacking },
  ];
  // A plan that was cut would be cut again, and paid for again.
  const isCut = formatErrors.at(-1)?.code === "plan-cut";
  if (attempts >= PLAN_ATTEMPTS || retryAt === Number.POSITIVE_INFINITY || isCut) {
    const last = (formatErrors.at(-1) ?? faults.at(-1))?.message ?? "no plan";
    return fallBack(`no usable plan after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}: ${last}`);
  }
  if (retryAt > circumstances.now) return [];
  const { carried } = state.rounds[round] ?? {};
  const quote = circumstances.quotePlan(state);
  if (!quote) {
    return [{ type: "compose", round, attempt: attempts, reserved: NOTHING, maxOutputTokens: undefined }];
  }
  const reservation = reserveCall(
    remaining(state, NOTHING),
    {
      price: quote.member.price,
      calls: 0,
      inputTokens: () => quote.inputTokens,
      maxOutputTokens: quote.maxOutputTokens,
    },
    state.settings.allowUnknownPrice,
  );
  if (!reservation.ok) {
    if (round > 0 && !carried) return [{ type: "end-run", stopReason: reservation.lacking }];
    return fallBack("the budget does not allow for planning", reservation.lacking);
  }
  const { amount, maxOutputTokens } = reservation;
  return [{ type: "compose", round, attempt: attempts, reserved: amount, maxOutputTokens }];
}

/** The next turn of a tool loop: who takes it, or that the Conductor is asked first. */
function takeTurn(
  state: RunState,
  number: number,
  round: RoundState,
  step: StepState,
  circumstances: Circumstances,
): Action[] {
  const turn = decideTurn(state, step, circumstances);
  if (turn.kind === "ask-conductor") {
    const [composing] = plan(handOver(state, turn), number + 1, circumstances);
    if (composing?.type === "compose") return [{ ...composing, turn }];
  }
  const decided = turn.kind === "ask-conductor" ? decideTurn(state, step, circumstances, false) : turn;
  const [asked] = ask(state, number, round, circumstances, decided);
  if (asked?.type === "ask" || asked?.type === "count" || decided.kind !== "switch")
    return asked ? [asked] : [];
  // The budget does not reach for the other one.
  return ask(
    state,
    number,
    round,
    circumstances,
    decideTurn(withoutSwitches(state), step, circumstances, false),
  );
}

function withoutSwitches(state: RunState): RunState {
  const trajectory = state.settings.trajectory && { ...state.settings.trajectory, switches: false };
  return { ...state, settings: { ...state.settings, trajectory } };
}

function ask(
  state: RunState,
  roundNumber: number,
  round: RoundState,
  circumstances: Circumstances,
  turn?: TurnDecision,
): Action[] {
  const actions: Action[] = [];
  let pending = NOTHING;
  let lacking: { step: number; reason: StopReason } | undefined;
  let isBusy = false;

  for (const [number, step] of round.steps.entries()) {
    if (step.status === "running") isBusy = true;
    if (step.status !== "pending" && step.status !== "waiting") continue;
    if (!round.dependencies[number]!.every((other) => isOver(round.steps[other]!))) continue;
    if (step.retryAt !== undefined && step.retryAt > circumstances.now) {
      isBusy = true;
      if (step.status === "pending") {
        const until = step.retryAt;
        actions.push({ type: "wait", round: roundNumber, step: number, attempt: step.attempts, until });
      }
      continue;
    }
    const isTurn = turn?.kind === "switch" || turn?.kind === "stay";
    const { worker, instead } = isTurn
      ? { worker: turn.worker, instead: undefined }
      : choose(state, round, number, step, circumstances);
    const advice = toNewAdvice(state, roundNumber, number);
    const brief = forWorker(withNewAdvice(toBrief(state, roundNumber, number), advice), worker);
    const reservation = reserveStep(state, roundNumber, number, worker, brief, pending, circumstances);
    if (reservation === "count") {
      if (actions.length === 0) return [toCount(roundNumber, number, step, worker, brief)];
      // What starts now comes first; then it is looked at again.
      isBusy = true;
      continue;
    }
    if (!reservation.ok) {
      lacking ??= { step: number, reason: reservation.lacking };
      continue;
    }
    actions.push({ ...toAsk(roundNumber, number, step, worker, instead, reservation, brief), turn, advice });
    pending = addAmount(pending, reservation.amount);
  }
  // What is lacking now may be there once running steps have given back what they did not use.
  if (actions.length > 0 || isBusy || !lacking) return actions;
  return (
    rescue(state, roundNumber, lacking.step, circumstances) ?? [
      { type: "end-run", stopReason: lacking.reason },
    ]
  );
}

/** A budget too small for the worker that was named may still buy a first reply from another one. */
function rescue(
  state: RunState,
  round: number,
  number: number,
  circumstances: Circumstances,
): Action[] | undefined {
  if (state.rounds.some(({ steps }) => steps.some((step) => step.reply?.text))) return undefined;
  const step = state.rounds[round]!.steps[number]!;
  if (isInToolLoop(step)) return undefined;
  const named = state.rounds[round]!.workflow!.steps[number]!.worker;
  const brief = toBrief(state, round, number);
  for (const worker of strongestFirst(state.pool)) {
    if (step.exhausted.includes(worker)) continue;
    const reservation = reserveStep(state, round, number, worker, brief, NOTHING, circumstances);
    if (reservation === "count") return [toCount(round, number, step, worker, brief)];
    if (!reservation.ok) continue;
    const reason = { worker: named, reason: "the budget does not allow for it" };
    const instead = worker === named ? undefined : reason;
    return [toAsk(round, number, step, worker, instead, reservation, brief)];
  }
  return undefined;
}

function choose(
  state: RunState,
  round: RoundState,
  number: number,
  step: StepState,
  { isAvailable }: Circumstances,
): { worker: number; instead?: { worker: number; reason: string } } {
  const named = round.workflow!.steps[number]!.worker;
  if (step.retryAt !== undefined) return { worker: step.worker, instead: step.instead };
  const candidates = candidatesFor(state.pool, named, step);
  // Who had the earlier turns of this step goes on with it.
  if (step.exchanges.length > 0 && candidates.includes(step.worker))
    return { worker: step.worker, instead: step.instead };
  const worker = candidates.find(isAvailable) ?? candidates[0] ?? named;
  if (worker === named) return { worker };
  const failure = step.failures.findLast((failed) => failed.worker === named);
  const reason = failure?.error.message ?? "it failed repeatedly a short while ago";
  return { worker, instead: { worker: named, reason } };
}

/** Of a plan in the middle of a loop: what its helpers say goes to the end of the conversation, once. */
function toNewAdvice(state: RunState, round: number, step: number): string | undefined {
  const { carried, workflow, steps } = state.rounds[round]!;
  const { subtask } = workflow!.steps[step]!;
  const isLast = step === steps.length - 1;
  if (!carried || !isLast || subtask === "" || steps[step]!.exchanges.at(-1)?.advice) return undefined;
  return toAdvice(toVisible(state, round, step), subtask);
}

function withNewAdvice(brief: Brief, advice: string | undefined): Brief {
  const last = brief.exchanges?.at(-1);
  if (advice === undefined || !last) return brief;
  return { ...brief, exchanges: [...brief.exchanges!.slice(0, -1), { ...last, advice }] };
}

function reserveStep(
  state: RunState,
  round: number,
  step: number,
  worker: number,
  brief: Brief,
  pending: Amount,
  { boundInput, guessInput }: Circumstances,
): Reservation | "count" {
  const entry: PoolEntry = state.pool[worker]!;
  const { steps } = state.rounds[round]!;
  const left = remaining(state, pending);
  if (nests(entry)) {
    const others = steps.filter((other, number) => number !== step && other.status === "pending").length;
    return reserveShare(left, 1 + others);
  }
  const maxOutputTokens = replyLimit(state, entry, brief.isLast);
  if (isFree(entry)) return { ok: true, amount: NOTHING, maxOutputTokens };
  const price = mostPriceOf(entry, brief);
  const reserveWith = (inputTokens: () => number) =>
    reserveCall(left, { price, calls: 1, inputTokens, maxOutputTokens }, state.settings.allowUnknownPrice);
  const byBytes = reserveWith(() => boundByBytes(brief));
  if (byBytes.ok && byBytes.maxOutputTokens === maxOutputTokens) return byBytes;
  const byReport = boundByReport(brief, steps[step]!);
  const byCounts = Math.min(byReport, boundInput?.(worker, brief) ?? byReport);
  const known = reserveWith(() => byCounts);
  if (known.ok && known.maxOutputTokens === maxOutputTokens) return known;
  const guess = guessInput?.(worker, brief);
  return guess !== undefined && guess < byCounts && reserveWith(() => guess).ok ? "count" : known;
}

function toCount(
  round: number,
  step: number,
  { attempts }: StepState,
  worker: number,
  brief: Brief,
): CountAction {
  return { type: "count", round, step, attempt: attempts, worker, brief };
}

function toAsk(
  round: number,
  number: number,
  step: StepState,
  worker: number,
  instead: AskAction["instead"],
  reservation: Extract<Reservation, { ok: true }>,
  brief: Brief,
): AskAction {
  return {
    type: "ask",
    round,
    step: number,
    attempt: step.attempts,
    worker,
    instead,
    reserved: reservation.amount,
    maxOutputTokens: reservation.maxOutputTokens,
    inputTokens: reservation.inputTokens,
    brief,
  };
}

function afterRound(
  state: RunState,
  number: number,
  round: RoundState,
  circumstances: Circumstances,
): Action[] {
  const last = round.steps.at(-1)!;
  if (last.isCut) return [{ type: "end-run", stopReason: "answer-cut" }];
  if (last.reply?.toolCalls?.length) return [{ type: "end-run", stopReason: "tool-calls" }];
  const ruled = afterTurn(state, number, round);
  if (typeof ruled === "object") return [{ type: "rule", ruled }];
  const isFailed = last.status === "failed" && round.turn?.kind === "send-back";
  if (ruled === "done" && isFailed) return [{ type: "end-run", stopReason: "worker-failed" }];
  if (round.steps.every((step) => step.status === "failed")) {
    return [{ type: "end-run", stopReason: number > 0 ? "worker-failed" : "failed" }];
  }
  if (ruled !== "done" && state.rounds.length < state.settings.rounds)
    return plan(state, number + 1, circumstances);
  if (last.problem !== undefined) return [{ type: "end-run", stopReason: "invalid-output" }];
  return [{ type: "end-run", stopReason: last.status === "failed" ? "worker-failed" : "done" }];
}
