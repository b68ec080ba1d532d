// The turns of a tool loop, where a run decides each of them anew (settings.trajectory): who takes the next one, whether the
// Conductor is asked, whether an answer is verified before the client reads it. Pure; what is weighed is in trajectory/.
// Guarantees: the last word is always a worker's that has the whole conversation with all tool results; a helper's never is.
// A final answer is verified at most once in a run, and sent back at most once.

import { parseVerdict, toRoleStep } from "../conductor/trinity/roles.ts";
import type { PoolEntry, RunEvent } from "../store/types.ts";
import { costOfTurn, type TurnSize } from "../trajectory/cache.ts";
import { chooseCheck, chooseConsult, chooseTurn, toSuccess, type Verifier } from "../trajectory/choose.ts";
import { readSigns } from "../trajectory/signs.ts";
import type { Signs, TrajectorySettings, TurnDecision, TurnOption } from "../trajectory/types.ts";
import { toAdvice } from "../worker/brief.ts";
import { isModel, strongestFirst } from "../worker/kinds.ts";
import type { Workflow } from "../workflow/types.ts";
import { NOTHING_SPENT } from "./budget.ts";
import type { Circumstances } from "./decide.ts";
import type { RoundState, RunState, StepState } from "./state.ts";
import { isInToolLoop } from "./state.ts";

/** How often the Conductor is asked in a loop that is stuck, and how many turns lie between. */
const MOST_CONSULTS = 2;
const TURNS_BETWEEN = 4;
const USUAL_REPLY_TOKENS = 400;
const VERDICT_TOKENS = 250;
const HELP_TOKENS = 600;
const BYTES_PER_TOKEN = 4;
const LOOKS = `The conversation holds every call of a tool and what it returned: hold the answer against them. What the answer claims and no result shows, such as tests that passed, is wrong.`;
const MEND =
  "Another member has reviewed your answer. Where the review is right, put it right, with your tools if you need them; then give the whole answer again. Where it is wrong, give your answer as it was.";

/** In a run that decides its turns, and before the next turn was decided: the step that waits for it. */
export function findUndecided({ settings, rounds }: RunState): StepState | undefined {
  if (!settings.trajectory) return undefined;
  const step = rounds.at(-1)?.steps.at(-1);
  const isWaiting = step?.status === "pending" && step.turn === undefined;
  return isWaiting && isInToolLoop(step) ? step : undefined;
}

export function decideTurn(
  state: RunState,
  step: StepState,
  { now, isAvailable }: Circumstances,
  hasAll = true,
): TurnDecision {
  const settings = state.settings.trajectory!;
  const signs = readSigns(state.task.messages, step.exchanges);
  const size = toSize(state, step);
  const options = state.pool.flatMap((entry, worker): TurnOption[] => {
    const isSticky = worker === step.worker;
    if (!isModel(entry) || !entry.price || !(isSticky || isAvailable(worker))) return [];
    const expected = successOf(entry);
    const isTooLong = size.prefixTokens + size.newTokens > (entry.contextTokens ?? Number.POSITIVE_INFINITY);
    if (expected === undefined || (isTooLong && !isSticky)) return [];
    const success = toSuccess(expected, signs, worker, step.worker);
    return [{ worker, success, ...costOfTurn(entry.price, size, state.reads[worker], now) }];
  });
  const own = options.find(({ worker }) => worker === step.worker);
  const turn = chooseTurn({ sticky: step.worker, signs, options, settings });
  const { turnUsd = 0 } = options.find(({ worker }) => worker === turn.worker) ?? {};
  const chosen = { ...turn, check: findCheck(state, step, turn.worker, { signs, size, settings, turnUsd }) };
  if (chosen.kind === "switch" || !signs.stuck || !settings.canAsk || !hasAll) return chosen;
  if (!mayConsult(state, signs)) return chosen;
  const { stuck: because, turns } = signs;
  return chooseConsult({ because, turns }, own?.success, helpUsd(state, size), settings) ?? chosen;
}

/** Of the strongest that reads all of it: who will help is the Conductor's to say. */
function helpUsd({ pool }: RunState, { prefixTokens, newTokens }: TurnSize): number | undefined {
  const [strongest = 0] = strongestFirst(pool);
  const { price } = pool[strongest]!;
  return price && ((prefixTokens + newTokens) * price.inputUsd + HELP_TOKENS * price.outputUsd) / 1e6;
}

function mayConsult({ rounds }: RunState, { turns }: Signs): boolean {
  const asked = rounds.flatMap(({ turn }) => (turn?.kind === "ask-conductor" ? [turn.turns] : []));
  return asked.length < MOST_CONSULTS && turns - (asked.at(-1) ?? -TURNS_BETWEEN) >= TURNS_BETWEEN;
}

function successOf({ profile }: PoolEntry): number | undefined {
  return profile?.probability ?? profile?.similar ?? profile?.success;
}

function toSize({ reads }: RunState, { exchanges, totals }: StepState): TurnSize {
  const { results = [], said = "" } = exchanges.at(-1)!;
  const bytes = results.reduce(
    (sum, { content }) => sum + Buffer.byteLength(content),
    Buffer.byteLength(said),
  );
  const newest = Object.values(reads).reduce((a, b) => (b.at > a.at ? b : a), { tokens: 0, at: 0 });
  return {
    prefixTokens: newest.tokens,
    newTokens: Math.ceil(bytes / BYTES_PER_TOKEN),
    replyTokens: totals.calls > 0 ? totals.usage.outputTokens / totals.calls : USUAL_REPLY_TOKENS,
  };
}

/**
 * Of the answer that `answering` would give with this turn. Who verifies reads the whole conversation for the first time:
 * nothing of it is in a cache.
 */
function findCheck(
  { rounds, pool }: RunState,
  step: StepState,
  answering: number,
  {
    signs,
    size,
    ...weighed
  }: { signs: Signs; size: TurnSize; settings: TrajectorySettings; turnUsd: number },
) {
  const expected = successOf(pool[answering]!);
  const isKnown = expected !== undefined || weighed.settings.verify === "worth-it";
  if (!isKnown || rounds.some(({ turn }) => turn?.kind === "verify")) return undefined;
  const input = size.prefixTokens + size.newTokens + size.replyTokens;
  const models = pool.filter(isModel).length;
  const verifiers = pool.flatMap((entry, worker): Verifier[] => {
    if (!isModel(entry) || !entry.price || (worker === answering && models > 1)) return [];
    const { inputUsd, outputUsd } = entry.price;
    const counts = entry.profile?.judging;
    const measured = counts && {
      finds: 1 - (counts.acceptedWrong + 1) / (counts.wrong + 2),
      refusesRight: (counts.refusedRight + 1) / (counts.right + 2),
    };
    return [{ worker, usd: (input * inputUsd + VERDICT_TOKENS * outputUsd) / 1e6, ...measured }];
  });
  const success = toSuccess(expected, signs, answering, step.worker);
  return chooseCheck(success, signs, verifiers, weighed);
}

type PlanEnd = Extract<RunEvent, { type: "plan-end" }>;
export type RuledRound = Pick<PlanEnd, "round" | "decision" | "carries"> & { turn: TurnDecision };

/** What follows a round of a loop that decides its turns: a check, its outcome, or nothing any more. */
export function afterTurn(
  state: RunState,
  number: number,
  round: RoundState,
): RuledRound | "done" | undefined {
  if (!state.settings.trajectory) return undefined;
  if (round.turn?.kind === "verify") return afterCheck(state, number, round);
  const last = round.steps.at(-1)!;
  if (!isInToolLoop(last)) return undefined;
  const check = last.turn?.kind === "stay" || last.turn?.kind === "switch" ? last.turn.check : undefined;
  if (!check || last.status !== "done" || !last.reply?.text) return "done";
  const { subtask, ...rest } = toRoleStep("verifier", check.worker);
  const workflow: Workflow = { steps: [{ ...rest, access: "all-rounds", subtask: `${subtask} ${LOOKS}` }] };
  return { round: number + 1, decision: { type: "workflow", workflow }, turn: { kind: "verify", ...check } };
}

function afterCheck({ rounds }: RunState, number: number, round: RoundState): RuledRound {
  const answered = number - 1;
  const { steps } = rounds[answered]!;
  const [{ reply, worker: verifier }] = round.steps as [StepState];
  const verdict = reply && parseVerdict(reply.text);
  if (verdict?.verdict !== "revise") {
    const because = verdict ? "accepted" : "no-verdict";
    const decision = { type: "accept" as const, round: answered, step: steps.length - 1 };
    return { round: number + 1, decision, turn: { kind: "keep-answer", because } };
  }
  const { worker } = steps.at(-1)!;
  const { subtask } = round.workflow!.steps[0]!;
  const review = { round: number, step: 0, worker: verifier, subtask, reply: reply!.text };
  return {
    round: number + 1,
    decision: { type: "workflow", workflow: { steps: [{ worker, subtask: "", access: [] }] } },
    carries: { round: answered, advice: toAdvice([review], MEND) },
    turn: { kind: "send-back", worker },
  };
}

export function toRuledEvent({ runId }: RunState, at: number, ruled: RuledRound): RunEvent {
  return {
    type: "plan-end",
    runId,
    at,
    attempt: 0,
    text: "",
    durationMs: 0,
    spending: NOTHING_SPENT,
    ...ruled,
  };
}
