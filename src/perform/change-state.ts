// Small changes of a run's state: rounds and steps replaced, a plan settled, a tool loop that goes on in another round. Pure.

import type { Spending, StepPosition } from "../store/types.ts";
import type { TurnDecision } from "../trajectory/types.ts";
import type { Exchange } from "../worker/types.ts";
import type { Workflow } from "../workflow/types.ts";
import { toDependencies } from "../workflow/waves.ts";
import { addTotals, NO_TOTALS, NOTHING } from "./budget.ts";
import type { RoundState, RunState, StepState } from "./state.ts";

// ---- A loop that goes on in another round -------------------------------------------------------

/** The step that asked for tools is over, and a round begins whose last step goes on with its loop. */
export function handOver(state: RunState, turn: TurnDecision): RunState {
  const number = state.rounds.length - 1;
  const { exchanges, worker } = state.rounds[number]!.steps.at(-1)!;
  const root = state.rounds[number]!.carried?.root ?? number;
  const { text, toolCalls } = exchanges.at(-1)!.reply;
  const at = { round: number, step: state.rounds[number]!.steps.length - 1 };
  const over = withStep(state, at, (step) => ({
    ...step,
    status: "done",
    reply: { text, toolCalls, finishReason: "tool-calls" },
    exchanges: exchanges.slice(0, -1),
  }));
  const ended = withRound(over, number, { ...over.rounds[number]!, ended: true });
  return withRound(ended, number + 1, { ...newRound(), turn, carried: { root, worker, exchanges } });
}

/** The reply of that round's last step is not taken: it becomes one more turn of the loop. */
export function carryOn({ rounds }: RunState, { round: number, advice }: { round: number; advice: string }) {
  const { carried, steps } = rounds[number]!;
  const { worker, exchanges, reply } = steps.at(-1)!;
  const { text = "", reasoningParts } = reply ?? {};
  const refused: Exchange = { reply: { text, reasoningParts }, worker, advice };
  return { root: carried?.root ?? number, worker, exchanges: [...exchanges, refused] };
}

export function withAdvice(exchanges: Exchange[], advice: string | undefined): Exchange[] {
  const last = exchanges.at(-1);
  return advice === undefined || !last ? exchanges : [...exchanges.slice(0, -1), { ...last, advice }];
}

// ---- Small changes ----------------------------------------------------------------------------

export function newRound(): RoundState {
  return {
    plan: {
      status: "pending",
      attempts: 0,
      text: "",
      formatErrors: [],
      faults: [],
      reserved: NOTHING,
      totals: NO_TOTALS,
      durationMs: 0,
      retryAt: 0,
      faultedAt: 0,
      replaced: 0,
    },
    dependencies: [],
    steps: [],
    ended: false,
  };
}

export function withWorkflow(round: RoundState, workflow: Workflow): RoundState {
  const steps = workflow.steps.map(
    ({ worker }): StepState => ({
      status: "pending",
      attempts: 0,
      worker,
      instead: undefined,
      exhausted: [],
      retryAt: undefined,
      reserved: NOTHING,
      maxOutputTokens: 0,
      partial: "",
      reply: undefined,
      exchanges: [],
      turn: undefined,
      decisions: [],
      problem: undefined,
      isCut: false,
      failures: [],
      failuresBefore: 0,
      reported: undefined,
      totals: NO_TOTALS,
      replyUsage: undefined,
      startedAt: undefined,
      endedAt: undefined,
      firstTokenMs: undefined,
      nestedRunId: undefined,
    }),
  );
  const last = steps.at(-1);
  if (round.carried && last) last.exchanges = round.carried.exchanges;
  return { ...round, workflow, dependencies: toDependencies(workflow), steps };
}

export function settlePlan(
  plan: RoundState["plan"],
  event: { spending: Spending; durationMs: number; attempt: number },
) {
  return {
    ...plan,
    status: "pending" as RoundState["plan"]["status"],
    attempts: Math.max(plan.attempts, event.attempt + 1),
    reserved: NOTHING,
    totals: addTotals(plan.totals, event.spending),
    durationMs: plan.durationMs + event.durationMs,
  };
}

export function withRound(state: RunState, number: number, round: RoundState): RunState {
  const rounds = state.rounds.slice();
  rounds[number] = round;
  return { ...state, rounds };
}

export function withStep(
  state: RunState,
  at: StepPosition,
  change: (step: StepState) => StepState,
): RunState {
  const round = state.rounds[at.round]!;
  const steps = round.steps.slice();
  steps[at.step] = change(steps[at.step]!);
  return withRound(state, at.round, { ...round, steps });
}

/**
 * Whoever goes on may have another clock, minutes away from the one by which it was said when to try again: nobody waits longer
 * than was to be waited then.
 */
export function withClockAt(state: RunState, at: number): RunState {
  const round = state.rounds.at(-1);
  if (!round) return state;
  const { plan, steps } = round;
  const sooner = (retryAt: number, since: number) => Math.min(retryAt, at + Math.max(0, retryAt - since));
  return withRound(state, state.rounds.length - 1, {
    ...round,
    plan: Number.isFinite(plan.retryAt) ? { ...plan, retryAt: sooner(plan.retryAt, plan.faultedAt) } : plan,
    steps: steps.map((step) =>
      step.retryAt === undefined ? step : { ...step, retryAt: sooner(step.retryAt, step.endedAt ?? at) },
    ),
  });
}
