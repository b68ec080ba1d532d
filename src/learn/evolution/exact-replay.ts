// A question of a recording, decided in turns without a driver or a journal. What every worker would answer is known there, so
// the value of a policy is exact, and thousands of questions take seconds. The same options, belief and head as in a real run;
// a test holds both against each other.

import { listOptions } from "../../conductor/trinity/options.ts";
import {
  createTranscript,
  hearWorker,
  type Prior,
  type Transcript,
  toGroup,
  toPrior,
} from "../../conductor/trinity/transcript.ts";
import { choose, remember, toAnswerTurn } from "../../conductor/trinity/trinity.ts";
import type { TrinityOptions } from "../../conductor/trinity/types.ts";
import type { ReplayedQuestion } from "../../world/types.ts";

export interface ReplayedOutcome {
  isRight: boolean;
  calls: number;
}

/** Without roles: recordings hold answers only. */
export function replayTurns(
  question: ReplayedQuestion,
  options: TrinityOptions,
  prior: Prior = toPrior(question.pool, options.policy, options.memory?.record),
): ReplayedOutcome {
  const { pool, right } = question;
  const transcript = createTranscript();
  const groupOf = new Map<number, number>();
  for (;;) {
    const left = options.maxTurns - transcript.turns.length;
    const weighed = listOptions({ pool, prior, transcript, left, inputTokens: 0, options });
    if (weighed.length === 0) break;
    const { option } = weighed[choose(weighed, options, 0)]!;
    if (option.type === "stop") break;
    ask(question, option.worker, transcript, groupOf, prior, options);
  }
  remember(transcript, pool, options);
  // Where no reply can be compared with another, the first one is the answer.
  const turn = toAnswerTurn(transcript, prior.probabilities) ?? transcript.turns[0];
  return { isRight: turn !== undefined && right[turn.worker] === true, calls: transcript.turns.length };
}

function ask(
  { answers }: ReplayedQuestion,
  worker: number,
  transcript: Transcript,
  groupOf: Map<number, number>,
  prior: Prior,
  { policy }: TrinityOptions,
): void {
  const label = answers[worker];
  const group = toGroup(transcript, label, groupOf, () => String(label));
  const reply = label === undefined ? "" : String(label);
  const turn = { round: transcript.turns.length, step: 0, role: "worker" as const, shift: 0, sees: false };
  transcript.turns.push({ ...turn, worker, reply, group });
  hearWorker(transcript, transcript.turns.at(-1)!, prior, policy);
}

/**
 * From where a call hardly matters to where only the first one pays. A policy is worth its mean over them: at one price the
 * second call could be trained away, over all of them only the whole front counts.
 */
export const PRICES: readonly number[] = [0.003, 0.01, 0.03];

/** Accuracy minus price × calls: the mean over the questions of a set, over the prices, and over the sets, each the same. */
export function toFrontValue(
  questions: readonly ReplayedQuestion[],
  options: Omit<TrinityOptions, "costPerCall">,
): { value: number; outcomes: ReplayedOutcome[] } {
  const sums = new Map<string, { sum: number; count: number }>();
  const outcomes: ReplayedOutcome[] = [];
  for (const question of questions) {
    const own = sums.get(question.set) ?? { sum: 0, count: 0 };
    sums.set(question.set, own);
    const prior = toPrior(question.pool, options.policy);
    for (const costPerCall of PRICES) {
      const outcome = replayTurns(question, { ...options, costPerCall }, prior);
      outcomes.push(outcome);
      own.sum += Number(outcome.isRight) - costPerCall * outcome.calls;
      own.count++;
    }
  }
  const means = [...sums.values()].map(({ sum, count }) => sum / count);
  return { value: means.reduce((sum, mean) => sum + mean, 0) / Math.max(1, means.length), outcomes };
}
