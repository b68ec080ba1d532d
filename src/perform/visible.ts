// What a step sees and what the run has to show: both read from the state, for the live run, for the
// Conductor's next round and for the trace.

import { shiftProbability, toVoteShift } from "../belief/reply-reading.ts";
import type { ComposedRound } from "../conductor/types.ts";
import type { RunEvent, StepPosition, StopReason } from "../store/types.ts";
import { withExchanges } from "../worker/exchanges.ts";
import { combines } from "../worker/kinds.ts";
import type { Brief, Exchange, Task, VisibleStep } from "../worker/types.ts";
import { firstRoundSeen, toPositions } from "../workflow/waves.ts";
import { isInToolLoop, type RoundState, type RunState } from "./state.ts";

/** In order, the earliest round first. A step that got no reply is left out: there is nothing to quote. */
export function toBrief(state: RunState, roundNumber: number, stepNumber: number): Brief {
  const { workflow } = state.rounds[roundNumber]!;
  const { subtask, isInterim } = workflow!.steps[stepNumber]!;
  const isLast = stepNumber === workflow!.steps.length - 1 && !isInterim;
  const { exchanges } = state.rounds[roundNumber]!.steps[stepNumber]!;
  const { carried } = state.rounds[roundNumber]!;
  if (carried && isLast) {
    // The same words as when the loop began: what is new stands at its end, as advice.
    const first = toBrief(state, carried.root, state.rounds[carried.root]!.steps.length - 1);
    return { ...first, exchanges, asksBefore: asksBefore(state, roundNumber, stepNumber) };
  }
  return {
    task: isLast ? state.task : toHelpersTask(state, roundNumber),
    subtask,
    visible: toVisible(state, roundNumber, stepNumber),
    isLast,
    exchanges: exchanges.length > 0 ? exchanges : undefined,
    asksBefore: asksBefore(state, roundNumber, stepNumber),
  };
}

/** The replies that this step may see, in order. */
export function toVisible(state: RunState, roundNumber: number, stepNumber: number): VisibleStep[] {
  const { access } = state.rounds[roundNumber]!.workflow!.steps[stepNumber]!;
  const visible: VisibleStep[] = [];
  for (let round = firstRoundSeen(access, roundNumber); round < roundNumber; round++)
    for (const step of state.rounds[round]!.steps.keys()) show(state, visible, round, step);
  for (const step of toPositions(access, stepNumber)) show(state, visible, roundNumber, step);
  return visible;
}

/** Helpers in the middle of a tool loop see what was called and returned. */
function toHelpersTask({ task, rounds }: RunState, round: number): Task {
  const { carried, turn } = rounds[round]!;
  const exchanges =
    carried?.exchanges ?? (turn?.kind === "verify" ? rounds[round - 1]!.steps.at(-1)!.exchanges : []);
  return withLoop(task, exchanges);
}

const longer = new WeakMap<Task, WeakMap<Exchange[], Task>>();

/** The same object for the same loop: what is read of a task is remembered by it. */
export function withLoop(task: Task, exchanges: Exchange[]): Task {
  if (exchanges.length === 0) return task;
  const known = longer.get(task) ?? new WeakMap<Exchange[], Task>();
  longer.set(task, known);
  const whole = known.get(exchanges) ?? withExchanges(task, exchanges);
  known.set(exchanges, whole);
  return whole;
}

/** By what the workflows say, not by what has happened: parallel steps then have a fixed order. */
function asksBefore({ rounds }: RunState, roundNumber: number, stepNumber: number): number {
  const named = rounds[roundNumber]!.workflow!.steps[stepNumber]!.worker;
  let count = 0;
  for (let round = 0; round <= roundNumber; round++) {
    const steps = rounds[round]!.workflow?.steps ?? [];
    const end = round === roundNumber ? stepNumber : steps.length;
    for (let step = 0; step < end; step++) if (steps[step]!.worker === named) count++;
  }
  return count;
}

function show(state: RunState, visible: VisibleStep[], roundNumber: number, step: number): void {
  const { workflow, steps } = state.rounds[roundNumber]!;
  const { worker, reply } = steps[step]!;
  if (!reply?.text) return;
  const entry = state.pool[worker]!;
  const { profile } = entry;
  // A vote weighs by how probably its voter is right on this very question, where that is known, and by what its reply
  // looks like, where it is known what that says.
  const expected = profile?.probability ?? profile?.similar ?? profile?.success;
  const success =
    expected === undefined ? undefined : shiftProbability(expected, toVoteShift(profile?.reading, reply));
  const { subtask } = workflow!.steps[step]!;
  const isCombined = combines(entry) ? true : undefined;
  visible.push({ round: roundNumber, step, worker, subtask, reply: reply.text, success, isCombined });
}

/** The finished rounds, as the Conductor is shown them. */
export function toComposedRounds(state: RunState): ComposedRound[] {
  return state.rounds
    .filter((round) => round.ended && round.workflow)
    .map((round) => ({
      workflow: round.workflow!,
      replies: round.steps.map((step) => step.reply?.text ?? ""),
      ...(round.steps.some(({ reply }) => reply?.features !== undefined) && {
        features: round.steps.map(({ reply }) => reply?.features),
      }),
    }));
}

export type AnswerOfRun = Pick<Extract<RunEvent, { type: "run-end" }>, "answer" | "hasAnswer" | "answerStep">;

/** What the run has to say when it ends like this, or now. */
export function toAnswer(state: RunState, stopReason?: StopReason): AnswerOfRun {
  const best = bestAnswer(state);
  const round = state.rounds.length - 1;
  const answerStep =
    stopReason === "tool-calls" ? { round, step: state.rounds[round]!.steps.length - 1 } : best?.at;
  return { answer: best?.text ?? "", hasAnswer: best !== undefined, answerStep };
}

/**
 * The answer as good as it is now, and where it came from. A finished round beats one under way; a finished
 * reply beats a part of one. Undefined when no worker has said anything, and in the middle of a tool loop: what a helper
 * said before it is no answer to what the tools returned. Nor is it one where the client brought tools and none was called
 * yet: an agent would take it for the end of its work.
 */
function bestAnswer({ rounds, accepted, task }: RunState): { text: string; at: StepPosition } | undefined {
  const looping = rounds.at(-1)?.steps.at(-1);
  // The Conductor is asked in the middle of a loop, and there is no step yet.
  if (rounds.at(-1)?.carried && !looping) return undefined;
  if (looping && isInToolLoop(looping) && !looping.reply) {
    const refused = rounds.at(-1)!.carried?.exchanges.at(-1);
    // What was sent back is still this worker's own answer, and better than none.
    const text = partialOf(looping) || (refused && !refused.results ? refused.reply.text : "");
    return text === ""
      ? undefined
      : { text, at: { round: rounds.length - 1, step: rounds.at(-1)!.steps.length - 1 } };
  }
  const hasTools = (task.output?.tools?.length ?? 0) > 0;
  const performed = [...rounds.keys()].filter((number) => rounds[number]!.steps.length > 0).reverse();
  if (accepted?.step !== undefined) {
    const { step, round = performed[0] ?? 0 } = accepted;
    const text = rounds[round]?.steps[step]?.reply?.text;
    if (text) return { text, at: { round, step } };
  }
  const isFinished = (number: number) =>
    rounds[number]!.ended || rounds[number]!.steps.at(-1)?.status === "done";
  for (const round of [...performed.filter(isFinished), ...performed]) {
    const { steps, workflow } = rounds[round]!;
    const isForUser = (step: number) =>
      !workflow?.steps[step]?.isInterim && (!hasTools || step === steps.length - 1);
    const last = steps.at(-1)!;
    if (last.isCut && isForUser(steps.length - 1))
      return { text: last.failures.at(-1)!.partial, at: { round, step: steps.length - 1 } };
    const step = steps.findLastIndex(({ reply }, number) => reply?.text && isForUser(number));
    if (step >= 0) return { text: steps[step]!.reply!.text, at: { round, step } };
  }
  for (const round of performed) {
    const { steps, workflow } = rounds[round]!;
    const step = steps.findLastIndex(
      (each, number) =>
        partialOf(each) && !workflow?.steps[number]?.isInterim && (!hasTools || number === steps.length - 1),
    );
    if (step >= 0) return { text: partialOf(steps[step]!), at: { round, step } };
  }
  return undefined;
}

/** What has arrived of a reply that is not whole. */
export function partialOf({ partial, failures }: RoundState["steps"][number]): string {
  return partial || (failures.findLast((failure) => failure.partial)?.partial ?? "");
}
