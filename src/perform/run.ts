// A run as people and programs read it: the public result of `ask`, made from the state of the machine.

import type { Belief } from "../belief/types.ts";
import { toConductorName } from "../store/conductor-name.ts";
import type {
  EventError,
  Feedback,
  Origin,
  PoolEntry,
  RunSettings,
  StepPosition,
  StopReason,
} from "../store/types.ts";
import type { TurnDecision } from "../trajectory/types.ts";
import { isSimulated } from "../worker/kinds.ts";
import { addUsage, NO_USAGE } from "../worker/price.ts";
import type { Exchange, SettingName, Task, ToolCall, Usage } from "../worker/types.ts";
import type { Access, Workflow } from "../workflow/types.ts";
import type { RoundState, RunState, StepState } from "./state.ts";
import { partialOf, toAnswer } from "./visible.ts";

/** An ask that failed, or the reason why somebody else was asked. */
export interface FailedAttempt {
  worker: string;
  error: EventError;
  durationMs: number;
  costUsd?: number;
}

export interface RunStep {
  round: number;
  step: number;
  /** Number in the pool of the one who replied (or was asked last). */
  worker: number;
  workerId: string;
  /** Whom the workflow named, when somebody else replied. */
  insteadOf?: string;
  subtask: string;
  access: Access;
  state: "pending" | "running" | "waiting" | "done" | "failed";
  reply: string;
  /** What had arrived of a reply that is not whole: still running, cut, or lost with its process. */
  partial?: string;
  reasoning?: string;
  toolCalls?: ToolCall[];
  finishReason?: string;
  /** Of the client's stop sequences the one that ended the reply, where that is known. */
  stopSequence?: string;
  /** What the client has set and the worker's provider does not have. */
  ignored?: SettingName[];
  /** Of all attempts, at all turns. */
  usage: Usage;
  /** Of the ask whose reply this is. Absent where there is none. */
  replyUsage?: Usage;
  /** Of all attempts. Absent when a price is unknown. */
  costUsd?: number;
  /** What caches of its providers saved of it, beside `costUsd`. Below 0 where writing into them took more. */
  cacheSavedUsd: number;
  calls: number;
  /** Milliseconds since 1970; absent when never started. */
  startedAt?: number;
  durationMs?: number;
  firstTokenMs?: number;
  failures: FailedAttempt[];
  /** Earlier turns of this step: tools of the client returned, or its reply could not be taken. */
  exchanges?: Exchange[];
  /** In a tool loop: how each turn was decided, oldest first. */
  decisions?: TurnDecision[];
  /** For `self`: the run that performed this step. Loaded with the trace. */
  nestedRunId?: string;
}

export interface RunRound {
  workflow: Workflow;
  /** What the Conductor wrote, reasoning included. */
  plan: string;
  /** What was believed before this round, where the Conductor weighs answers. Absent in stripped runs. */
  belief?: Belief;
  /** Why nobody's plan was used. */
  fallback?: string;
  /** Why there is this round in the middle of a tool loop, or after it. */
  turn?: TurnDecision;
  review?: "approved" | "edited" | "refused";
  /** Attempts to plan that failed, by format or by fault. */
  planErrors: { code: string; message: string }[];
  planUsage: Usage;
  planCostUsd: number;
  planMs: number;
  /** Empty in a round that only accepts the answer before. */
  steps: RunStep[];
}

export interface Run {
  id: string;
  parent?: { runId: string } & StepPosition;
  task: Task;
  /** The best there is so far, perhaps a part of a reply. */
  answer: string;
  /** Somebody said something. True also where the answer was deleted since (`isStripped`). */
  hasAnswer: boolean;
  /** Whose reply the answer is, or who asks for tools. */
  answerStep?: StepPosition;
  /** What was said was taken out, or never kept. */
  isStripped?: true;
  /** Absent while it is not over. */
  stopReason?: StopReason;
  error?: EventError;
  rounds: RunRound[];
  /**
   * What was believed when the Conductor accepted. Absent where it weighs no answers, while it has not accepted,
   * where something else ended the run (a limit), and in stripped runs.
   */
  belief?: Belief;
  /** The steps of all rounds, in order. */
  steps: RunStep[];
  /** Workers and Conductor together. */
  usage: Usage;
  conductorUsage: Usage;
  costUsd: number;
  /** ⊂ costUsd: nobody said what it cost, so the most that it can have cost was counted. */
  estimatedUsd: number;
  /** What caches of providers saved, the Conductor's too, beside `costUsd`. Below 0 where writing into them took more. */
  cacheSavedUsd: number;
  /** Workers of the rehearsal took part: what it cost is not real money. */
  isSimulated: boolean;
  unpricedCalls: number;
  /** Requests to workers, retries and nested runs included. The Conductor's own are apart. */
  calls: number;
  conductorCalls: number;
  startedAt: number;
  durationMs: number;
  pool: PoolEntry[];
  /** With the Conductor's name, which is for people. */
  settings: Omit<RunSettings, "conductor"> & { conductor: string };
  /** Of a run that came through the gateway. */
  origin?: Origin;
  /** The run before it in a conversation. */
  continues?: string;
  /** What people and programs said of it, oldest first. */
  feedback?: readonly (Feedback & { at: number })[];
}

export function toRun(state: RunState, now = Date.now()): Run {
  const { runId, parent, task, spent, unpricedCalls, startedAt, ended, pool, settings, origin, continues } =
    state;
  const { answer, hasAnswer, answerStep } = ended ?? toAnswer(state);
  const rounds = state.rounds.map((round, number) => toRound(state, round, number));
  const plans = state.rounds.map((round) => round.plan.totals);
  const conductorUsage = plans.reduce((sum, totals) => addUsage(sum, totals.usage), NO_USAGE);
  const steps = rounds.flatMap((round) => round.steps);
  return {
    id: runId,
    parent,
    task,
    answer,
    hasAnswer,
    answerStep,
    isStripped: state.isStripped,
    stopReason: ended?.stopReason,
    error: ended?.error,
    rounds,
    belief: state.accepted && rounds.at(-1)?.belief,
    steps,
    usage: steps.reduce((sum, step) => addUsage(sum, step.usage), conductorUsage),
    conductorUsage,
    costUsd: spent.usd,
    estimatedUsd: state.estimatedUsd,
    cacheSavedUsd: [...plans, ...steps].reduce((sum, totals) => sum + totals.cacheSavedUsd, 0),
    isSimulated: isSimulated(pool),
    unpricedCalls,
    calls: spent.calls,
    conductorCalls: plans.reduce((sum, totals) => sum + totals.calls, 0),
    startedAt,
    // Whoever ended it may have another clock than whoever began it.
    durationMs: Math.max(0, (ended?.at ?? now) - startedAt),
    pool,
    settings: { ...settings, conductor: toConductorName(settings.conductor) },
    origin,
    continues,
    feedback: state.feedback.length > 0 ? state.feedback : undefined,
  };
}

function toRound(
  state: RunState,
  { plan, workflow, review, steps, turn }: RoundState,
  round: number,
): RunRound {
  return {
    workflow: workflow ?? { steps: [] },
    plan: plan.text,
    belief: plan.belief,
    fallback: plan.fallback,
    turn,
    review,
    planErrors: [...plan.formatErrors, ...plan.faults].map(({ code, message }) => ({ code, message })),
    planUsage: plan.totals.usage,
    planCostUsd: plan.totals.costUsd,
    planMs: plan.durationMs,
    steps: steps.map((step, number) => toStep(state, workflow!, step, round, number)),
  };
}

function toStep(
  { pool }: RunState,
  workflow: Workflow,
  step: StepState,
  round: number,
  number: number,
): RunStep {
  const { worker, instead, status, reply, totals, startedAt, endedAt, firstTokenMs, nestedRunId } = step;
  const { subtask, access } = workflow.steps[number]!;
  const nameOf = (entry: number) => pool[entry]?.id ?? `worker ${entry}`;
  return {
    round,
    step: number,
    worker,
    workerId: nameOf(worker),
    insteadOf: instead && nameOf(instead.worker),
    subtask,
    access,
    state: status,
    reply: reply?.text ?? "",
    partial: (!reply && partialOf(step)) || undefined,
    reasoning: reply?.reasoning,
    toolCalls: reply?.toolCalls,
    finishReason: reply?.finishReason,
    stopSequence: reply?.stopSequence,
    ignored: reply?.ignored,
    usage: totals.usage,
    replyUsage: reply && step.replyUsage,
    costUsd: totals.unpricedCalls === 0 ? totals.costUsd : undefined,
    cacheSavedUsd: totals.cacheSavedUsd,
    calls: totals.calls,
    startedAt,
    durationMs:
      startedAt === undefined || endedAt === undefined ? undefined : Math.max(0, endedAt - startedAt),
    firstTokenMs,
    failures: step.failures.map(({ worker: failed, error, durationMs, spending }) => ({
      worker: nameOf(failed),
      error,
      durationMs,
      costUsd: spending.costUsd,
    })),
    exchanges: step.exchanges.length > 0 ? step.exchanges : undefined,
    decisions: step.decisions.length > 0 ? step.decisions : undefined,
    nestedRunId,
  };
}
