// A rollout: what the policy wrote goes through the real parser, and a valid workflow through the real
// performer with a journal in memory; or a Conductor decides while it is performed. Then it is graded. A worker
// that was down is not the policy's fault: such a rollout has no reward and is never learned from.

import { toDecision } from "../conductor/text.ts";
import type { ComposedRound, Conductor } from "../conductor/types.ts";
import { toComposedRounds } from "../perform/visible.ts";
import { RIGHT } from "../recording/types.ts";
import type { Store } from "../store/types.ts";
import { NO_USAGE } from "../worker/price.ts";
import { type Decision, MAX_STEPS } from "../workflow/types.ts";
import { performTask } from "./perform-task.ts";
import type { Grading, Question } from "./types.ts";

/** Right against wrong, as in the paper; not valid at all is 0. */
export const REWARD = { invalid: 0, wrong: 0.5, right: 1 } as const;

export interface Outcome {
  /** What was written, round by round; empty where a Conductor decided without text. */
  texts: readonly string[];
  isValid: boolean;
  /** Workers were down, or there is no grade that could not be forged: no reward. */
  isOutage: boolean;
  /** Codes of what failed on the way, mended or not. */
  faults: readonly string[];
  isRight: boolean;
  score: number;
  /** 0, 0.5 or 1; costs are taken off later. */
  reward: number;
  calls: number;
  steps: number;
  costUsd: number;
  /** Ids, one for each call. */
  asked: readonly string[];
  answer: string;
  /** What the team did, as the Conductor is shown it before its next round. */
  rounds: ComposedRound[];
}

interface PerformOptions {
  world: Grading;
  question: Question;
  seed: number;
  signal: AbortSignal;
  /** By default in memory, and forgotten. */
  store?: Store;
  runId?: string;
}

export interface PerformTextsOptions extends PerformOptions {
  /** What was written for each round. */
  texts: readonly string[];
  /** What of it is parsed already, by round. */
  decisions?: readonly (Decision | undefined)[];
}

export interface PerformConductorOptions extends PerformOptions {
  conductor: Conductor;
  /** At the most. */
  rounds: number;
}

/** A completion for a first round, as the parser takes it. */
export function parseFirst(text: string, { pool }: Question): Decision {
  return toDecision(text, { pool, maxSteps: MAX_STEPS, rounds: [] });
}

export async function performTexts(options: PerformTextsOptions): Promise<Outcome> {
  const { question, texts, decisions: parsed = [], ...rest } = options;
  const decisions = [...parsed];
  decisions[0] ??= parseFirst(texts[0]!, question);
  if (decisions[0].type !== "workflow") return noReward(texts);
  const conductor = recite(texts, decisions);
  return { ...(await performConductor({ ...rest, question, conductor, rounds: texts.length })), texts };
}

/** A Conductor that decides while it is performed: nothing was written before, so the outcome has no texts. */
export async function performConductor(options: PerformConductorOptions): Promise<Outcome> {
  const { world, question, conductor, rounds, seed, signal, store, runId = "rollout" } = options;
  const end = await performTask(world, question, conductor, { rounds, seed, signal, store, runId });
  if (end.type !== "graded") {
    // What a recording cannot replay is a mistake of the policy in that world, like a wrong format.
    return { ...noReward([]), isOutage: end.type !== "refused" };
  }
  const { performed, state } = end;
  const { score, calls, steps, costUsd, asked, answer } = performed;
  // A later round that is no workflow was replaced by a fallback: it gets nothing.
  const isValid = state.rounds.every(({ plan }) => plan.fallback === undefined);
  const isRight = isValid && score >= RIGHT;
  const isForgeable = performed.decidedIn === "program" && !world.allowsInsideGrades;
  return {
    ...{ texts: [], isValid, isRight, score, calls, steps, costUsd, asked, answer },
    isOutage: performed.isOutage || performed.ungraded || isForgeable,
    faults: state.rounds.flatMap((round) =>
      round.steps.flatMap(({ failures }) => failures.map(({ error }) => error.code)),
    ),
    reward: !isValid ? REWARD.invalid : isRight ? REWARD.right : REWARD.wrong,
    rounds: toComposedRounds(state),
  };
}

function noReward(texts: readonly string[]): Outcome {
  return {
    ...{ texts, isValid: false, isOutage: false, faults: [], isRight: false, score: 0 },
    ...{ reward: REWARD.invalid, calls: 0, steps: 0, costUsd: 0, asked: [], answer: "", rounds: [] },
  };
}

/** Says what was written before. Each text is parsed once, however often the driver asks for it. */
function recite(texts: readonly string[], decisions: (Decision | undefined)[]): Conductor {
  return {
    identity: { kind: "custom", id: "native in training" },
    async *compose(request) {
      const round = request.rounds.length;
      const text = texts[round] ?? "";
      decisions[round] ??= toDecision(text, request);
      yield { type: "plan-end", text, decision: decisions[round], usage: NO_USAGE };
    },
  };
}
