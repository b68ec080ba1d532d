// The state of a run, folded from its events. Pure: the same events give the same state, in a live
// run, after a crash and in a trace. What to do next is decided in `decide.ts`.

import { createGrowingFold } from "../base/growing-fold.ts";
import type { Belief } from "../belief/types.ts";
import type { LimitStopReason, PlanLimits } from "../store/limits.ts";
import type {
  Amount,
  EventError,
  Feedback,
  Origin,
  PoolEntry,
  RunEvent,
  RunSettings,
  Spending,
  StepPosition,
  StepReply,
  StopReason,
} from "../store/types.ts";
import { toCacheRead } from "../trajectory/cache.ts";
import type { CacheRead, TurnDecision } from "../trajectory/types.ts";
import { strongestFirst } from "../worker/kinds.ts";
import type { Exchange, Task, ToolDefinition, Usage } from "../worker/types.ts";
import type { Workflow, WorkflowError } from "../workflow/types.ts";
import { addTotals, NOTHING, reserve, settle, type Totals } from "./budget.ts";
import {
  carryOn,
  handOver,
  newRound,
  settlePlan,
  withAdvice,
  withClockAt,
  withRound,
  withStep,
  withWorkflow,
} from "./change-state.ts";
import { type AnswerOfRun, toAnswer } from "./visible.ts";

/** After so many others have failed at a step too, it is given up. */
const MAX_REPLACEMENTS = 3;

interface FailedAttemptState {
  worker: number;
  error: EventError;
  spending: Spending;
  durationMs: number;
  partial: string;
}

export interface StepState {
  status: "pending" | "running" | "waiting" | "done" | "failed";
  // Every field is always there, in this order: copies of a step then share one shape, which is fast.
  /** How many asks there have been: the number of the next one. */
  attempts: number;
  /** The one asked last. */
  worker: number;
  instead: { worker: number; reason: string } | undefined;
  /** Workers that are not asked again for this step. */
  exhausted: number[];
  /** Waiting: when the same worker may be asked again. */
  retryAt: number | undefined;
  reserved: Amount;
  /** The longest reply that the attempt under way may write. */
  maxOutputTokens: number;
  /** Text of the attempt under way, as far as journaled. */
  partial: string;
  reply: StepReply | undefined;
  /** Earlier turns: tools of the client returned, or the reply could not be taken. */
  exchanges: Exchange[];
  /** Why this worker takes the turn under way of a tool loop. Undefined: not decided yet, or nothing to decide. */
  turn: TurnDecision | undefined;
  /** Those of all turns, oldest first. */
  decisions: TurnDecision[];
  /** The reply is not what the client's schema wants, also after it was asked for again. */
  problem: string | undefined;
  /** The user saw a part of this reply as the answer, and then it broke. */
  isCut: boolean;
  failures: FailedAttemptState[];
  /**
   * What its worker has said of the last turn: so many input tokens, with so many turns before it and these tools. Absent
   * where it said nothing, or where the client has changed the conversation since.
   */
  reported: { inputTokens: number; turns: number; tools: ToolDefinition[] | undefined } | undefined;
  /** How many of them were at earlier turns: retries count anew at each. */
  failuresBefore: number;
  totals: Totals;
  /** Of the ask that brought `reply`, without those that failed before it. */
  replyUsage: Usage | undefined;
  startedAt: number | undefined;
  endedAt: number | undefined;
  firstTokenMs: number | undefined;
  nestedRunId: string | undefined;
}

export interface RoundState {
  plan: {
    status: "composing" | "pending" | "ended";
    attempts: number;
    text: string;
    formatErrors: WorkflowError[];
    faults: EventError[];
    reserved: Amount;
    totals: Totals;
    durationMs: number;
    /** After a fault: when it may be tried again; Infinity for never. */
    retryAt: number;
    faultedAt: number;
    /** How many planners gave way to the next one in this round. */
    replaced: number;
    /** What the last planner was told of the limits. */
    limits?: PlanLimits;
    fallback?: string;
    lacking?: LimitStopReason;
    /** What this round's decision was taken on: what was believed before the round. */
    belief?: Belief;
  };
  /** Why there is this round in the middle of a tool loop: decided by rule. */
  turn?: TurnDecision;
  /** The loop that the last step of this round goes on with, and in which round it began. */
  carried?: { root: number; worker: number; exchanges: Exchange[] };
  workflow?: Workflow;
  review?: "approved" | "edited" | "refused";
  /** For each step the positions it waits for. */
  dependencies: number[][];
  steps: StepState[];
  ended: boolean;
}

export interface RunState {
  runId: string;
  parent?: { runId: string } & StepPosition;
  task: Task;
  pool: PoolEntry[];
  settings: RunSettings;
  origin?: Origin;
  /** The run before it in a conversation. */
  continues?: string;
  startedAt: number;
  /** The deadline counts from here: the start or the latest resume, moved on by what people took to review. */
  resumedAt: number;
  /** What had been spent when tools of the client last returned: limits are for one request, not for a loop of them. */
  spentBefore: Amount;
  rounds: RoundState[];
  /** The Conductor is content: with the last performed round, or with a step of an earlier one. */
  accepted?: { step?: number; round?: number };
  spent: Amount;
  /** ⊂ spent.usd: nobody said what it cost, so the most was counted. */
  estimatedUsd: number;
  reserved: Amount;
  unpricedCalls: number;
  /** By number in the pool: what providers keep of the conversation in their caches. */
  reads: Readonly<Record<number, CacheRead>>;
  /** What people and programs said of it, oldest first. */
  feedback: readonly (Feedback & { at: number })[];
  /** What was said was taken out of its events. */
  isStripped?: true;
  ended?: AnswerOfRun & { stopReason: StopReason; error?: EventError; at: number };
}

const folded = createGrowingFold<RunEvent, RunState | undefined>(undefined, next);

export function fold(events: readonly RunEvent[]): RunState | undefined {
  return folded(events);
}

/** The state after one more event. */
export function next(state: RunState | undefined, event: RunEvent): RunState | undefined {
  return event.type === "run-start" ? start(event) : state && apply(state, event);
}

export function start(event: Extract<RunEvent, { type: "run-start" }>): RunState {
  const { runId, parent, task, pool, settings, origin, continues, isStripped, at } = event;
  return {
    runId,
    parent,
    task,
    pool,
    settings,
    origin,
    continues,
    isStripped,
    startedAt: at,
    resumedAt: at,
    spentBefore: NOTHING,
    rounds: [],
    spent: NOTHING,
    estimatedUsd: 0,
    reserved: NOTHING,
    unpricedCalls: 0,
    reads: {},
    feedback: [],
  };
}

export function apply(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "run-start":
    case "plan-delta":
      return state;
    case "run-resume": {
      const { streaming = state.settings.streaming, limits = state.settings.limits } = event;
      const settings = { ...state.settings, streaming, limits };
      const resumed = withClockAt({ ...state, settings, ended: undefined, resumedAt: event.at }, event.at);
      if (event.again) return askedAgain(resumed, event);
      return event.toolResults ? toolsReturned(resumed, event) : resumed;
    }
    case "plan-start": {
      if (event.turn) return apply(handOver(state, event.turn), { ...event, turn: undefined });
      const round = state.rounds[event.round] ?? newRound();
      const plan = {
        ...round.plan,
        status: "composing" as const,
        attempts: event.attempt + 1,
        reserved: event.reserved,
        limits: event.limits,
      };
      return withRound(reserve(state, event.reserved), event.round, { ...round, plan });
    }
    case "plan-error": {
      const round = state.rounds[event.round]!;
      const plan = settlePlan(round.plan, event);
      plan.faults = [...plan.faults, event.error];
      plan.retryAt = event.retryAt ?? Number.POSITIVE_INFINITY;
      plan.faultedAt = event.at;
      if (event.successor !== undefined) plan.replaced += 1;
      return withRound(settle(state, round.plan.reserved, event.spending, true), event.round, {
        ...round,
        plan,
      });
    }
    case "plan-end":
      return planEnd(state, event);
    case "plan-review": {
      const round = state.rounds[event.round]!;
      const workflow = event.workflow ?? round.workflow;
      const next = workflow ? withWorkflow(round, workflow) : round;
      const resumedAt = state.resumedAt + event.waitedMs;
      return withRound({ ...state, resumedAt }, event.round, { ...next, review: event.verdict });
    }
    case "step-start": {
      const { worker, instead, turn, reserved, nestedRunId } = event;
      return withStep(reserve(state, reserved), event, (step) => ({
        ...step,
        status: "running",
        attempts: event.attempt + 1,
        worker,
        instead,
        exchanges: withAdvice(step.exchanges, event.advice),
        turn: turn ?? step.turn,
        decisions: turn ? [...step.decisions, turn] : step.decisions,
        reserved,
        maxOutputTokens: event.maxOutputTokens,
        nestedRunId,
        partial: "",
        retryAt: undefined,
        startedAt: step.startedAt ?? event.at,
      }));
    }
    case "step-delta":
      if (event.channel !== "text") return state;
      return withStep(state, event, (step) => ({ ...step, partial: step.partial + event.text }));
    case "step-wait":
      return withStep(state, event, (step) => ({ ...step, status: "waiting", retryAt: event.until }));
    case "step-end":
      return stepEnd(state, event);
    case "step-error":
      return stepError(state, event);
    case "round-end": {
      const round = state.rounds[event.round]!;
      return withRound(state, event.round, { ...round, ended: true });
    }
    case "run-feedback": {
      const { score, label, comment, isInferred, at } = event;
      return { ...state, feedback: [...state.feedback, { score, label, comment, isInferred, at }] };
    }
    case "run-end": {
      const { answer, hasAnswer, stopReason, error, at } = event;
      // Journals of 0.1 do not say it: the same rule then finds it again.
      const answerStep = event.answerStep ?? toAnswer(state, stopReason).answerStep;
      return { ...state, ended: { answer, hasAnswer, answerStep, stopReason, error, at } };
    }
  }
}

function planEnd(state: RunState, event: Extract<RunEvent, { type: "plan-end" }>): RunState {
  const { decision, belief, fallback, lacking, turn, carries } = event;
  const before = state.rounds[event.round] ?? newRound();
  const round = carries
    ? { ...before, turn, carried: carryOn(state, carries) }
    : turn
      ? { ...before, turn }
      : before;
  const plan = settlePlan(round.plan, event);
  plan.text = event.text;
  plan.belief = belief;
  if (fallback !== undefined) Object.assign(plan, { fallback, lacking });
  if (decision.type === "format-error") plan.formatErrors = [...plan.formatErrors, decision.error];
  else plan.status = "ended";
  const settled = settle(state, round.plan.reserved, event.spending, true);
  if (decision.type === "accept" && round.carried) {
    // There is nothing to accept in the middle of a loop: whoever had it goes on.
    const { worker } = round.carried;
    return withRound(
      settled,
      event.round,
      withWorkflow({ ...round, plan }, { steps: [{ worker, subtask: "", access: [] }] }),
    );
  }
  if (decision.type === "accept") {
    const { type: _, ...accepted } = decision;
    return { ...withRound(settled, event.round, { ...round, plan, ended: true }), accepted };
  }
  const next = { ...round, plan };
  return withRound(
    settled,
    event.round,
    decision.type === "workflow" ? withWorkflow(next, decision.workflow) : next,
  );
}

/** The step that asked for the tools goes on, with what they returned; limits count anew. */
function toolsReturned(state: RunState, event: Extract<RunEvent, { type: "run-resume" }>): RunState {
  const number = state.rounds.length - 1;
  const round = state.rounds[number]!;
  const { messages = state.task.messages, output = state.task.output, exchanges } = event;
  const task = { ...state.task, messages, output };
  const resumed = withRound({ ...state, task, spentBefore: state.spent }, number, {
    ...round,
    ended: false,
  });
  return withStep(resumed, { round: number, step: round.steps.length - 1 }, (step) =>
    askAgain(
      event.messages || exchanges
        ? { ...step, exchanges: exchanges ?? step.exchanges, reported: undefined }
        : step,
      {
        reply: { ...step.reply!, ...event.reply },
        worker: step.worker,
        results: event.toolResults!,
        said: event.said,
      },
    ),
  );
}

/** The last step once more, as if nobody had failed at it yet; limits count anew. */
function askedAgain(state: RunState, event: Extract<RunEvent, { type: "run-resume" }>): RunState {
  const number = state.rounds.length - 1;
  const round = state.rounds[number]!;
  const { messages = state.task.messages, output = state.task.output, exchanges } = event;
  const task = { ...state.task, messages, output };
  const resumed = withRound({ ...state, task, spentBefore: state.spent }, number, { ...round, ended: false });
  return withStep(resumed, { round: number, step: round.steps.length - 1 }, (step) => ({
    ...step,
    exchanges: exchanges ?? step.exchanges,
    reported: event.messages || exchanges ? undefined : step.reported,
    status: "pending",
    reply: undefined,
    problem: undefined,
    exhausted: [],
    failuresBefore: step.failures.length,
    retryAt: undefined,
    isCut: false,
  }));
}

function askAgain(step: StepState, exchange: Exchange): StepState {
  const { text, toolCalls, reasoningParts } = exchange.reply;
  const reply = { text, toolCalls, reasoningParts };
  return {
    ...step,
    status: "pending",
    reply: undefined,
    exchanges: [...step.exchanges, { ...exchange, reply }],
    turn: undefined,
    // Who failed at an earlier turn may be able to do this one.
    exhausted: [],
    failuresBefore: step.failures.length,
    retryAt: undefined,
  };
}

function stepEnd(state: RunState, event: Extract<RunEvent, { type: "step-end" }>): RunState {
  const { reserved } = state.rounds[event.round]!.steps[event.step]!;
  const { reply, problem, worker, spending, at } = event;
  const reads =
    reply.toolCalls || state.reads[worker]
      ? { ...state.reads, [worker]: toCacheRead(state.reads[worker], spending.usage, at) }
      : state.reads;
  return withStep({ ...settle(state, reserved, spending), reads }, event, (step) => {
    const done: StepState = {
      ...step,
      status: "done",
      worker: event.worker,
      reply,
      problem,
      partial: "",
      reserved: NOTHING,
      totals: addTotals(step.totals, spending, state.pool[worker]?.price),
      replyUsage: spending.usage,
      reported: toReported(state, step, event),
      endedAt: event.at,
      firstTokenMs: event.firstTokenMs,
    };
    const isFirst = !step.exchanges.at(-1)?.problem;
    return problem !== undefined && isFirst ? askAgain(done, { reply, worker, problem }) : done;
  });
}

function toReported(
  { task }: RunState,
  { exchanges }: StepState,
  { spending }: Extract<RunEvent, { type: "step-end" }>,
): StepState["reported"] {
  const { inputTokens } = spending.usage;
  if (spending.estimated || inputTokens === 0 || spending.calls !== 1) return undefined;
  return { inputTokens, turns: exchanges.length, tools: task.output?.tools };
}

function stepError(state: RunState, event: Extract<RunEvent, { type: "step-error" }>): RunState {
  const { worker, error, spending, durationMs, partial = "", retryAt } = event;
  const { reserved } = state.rounds[event.round]!.steps[event.step]!;
  return withStep(settle(state, reserved, spending), event, (step) => {
    const exhausted = retryAt === undefined ? [...step.exhausted, worker] : step.exhausted;
    const next: StepState = {
      ...step,
      status: "pending",
      exhausted,
      retryAt,
      partial: "",
      isCut: event.delivered,
      reserved: NOTHING,
      failures: [...step.failures, { worker, error, spending, durationMs, partial }],
      totals: addTotals(step.totals, spending, state.pool[worker]?.price),
      endedAt: event.at,
    };
    const named = state.rounds[event.round]!.workflow!.steps[event.step]!.worker;
    const isOver = event.delivered || candidatesFor(state.pool, named, next).length === 0;
    return isOver ? { ...next, status: "failed" } : next;
  });
}

/**
 * Who may be asked for this step, in order: the named one, then the strongest that have not failed at it. Nobody takes the
 * place of one who has called tools: another model would read results of calls that it did not make.
 */
export function candidatesFor(pool: readonly PoolEntry[], named: number, step: StepState): number[] {
  if (isInToolLoop(step)) {
    // Unless a turn was given to another one, who fails: then it goes back.
    const back = step.turn?.kind === "switch" ? [step.turn.from] : [];
    return [step.worker, ...back].filter(
      (worker, i, all) => !step.exhausted.includes(worker) && all.indexOf(worker) === i,
    );
  }
  if (step.exhausted.filter((worker) => worker !== named).length >= MAX_REPLACEMENTS) return [];
  const others = strongestFirst(pool).filter((worker) => worker !== named);
  return [named, ...others].filter((worker) => !step.exhausted.includes(worker));
}

/** Tools of the client have returned to it. */
export function isInToolLoop({ exchanges }: StepState): boolean {
  return exchanges.some(({ results }) => results !== undefined);
}

export function isOver(step: StepState): boolean {
  return step.status === "done" || step.status === "failed";
}
