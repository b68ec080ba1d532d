// How well the policy does on given questions: greedy, without a mask, through the same parser and performer.

import { hashSeed } from "../base/random.ts";
import { entropyBits, estimateShare } from "../base/statistics.ts";
import { type Outcome, performTexts } from "../world/rollout.ts";
import type { Grading, Question } from "../world/types.ts";
import { performSecond } from "./grpo.ts";
import { type Policy, settleSize, toPrompt, writePlans } from "./policy.ts";

const BATCH = 32;

export interface AnswerOptions {
  policy: Policy;
  world: Grading;
  rounds: number;
  /** Of a call, when the policy chooses how large a team shall be. */
  cost: number;
  /** Exactly so many steps; absent: the policy decides. */
  size?: number;
  seed: number;
  signal: AbortSignal;
}

/** The outcome of each question. */
export async function answerAll(questions: readonly Question[], options: AnswerOptions): Promise<Outcome[]> {
  const { policy, world, rounds, cost, size, seed, signal } = options;
  const outcomes: Outcome[] = [];
  // Questions of about the same length together: less padding.
  for (let first = 0; first < questions.length && !signal.aborted; first += BATCH) {
    const part = questions.slice(first, first + BATCH);
    const prompts = part.map((question) =>
      settleSize(policy, toPrompt(policy, question, size === undefined ? {} : { size }), cost),
    );
    const plans = await writePlans(policy, prompts, { group: 1, signal });
    let current = await Promise.all(
      part.map((question, i) => {
        const chance = hashSeed(seed, question.task.id);
        return performTexts({ world, question, texts: [plans[i]![0]!.text], seed: chance, signal });
      }),
    );
    for (let round = 1; round < rounds; round++) {
      // Whoever accepted has performed fewer rounds by now, and is done.
      const isDone = ({ isValid, rounds: { length } }: Outcome) => !isValid || length < round;
      const settled = current.map((outcome, i) =>
        isDone(outcome)
          ? undefined
          : settleSize(policy, toPrompt(policy, part[i]!, { rounds: outcome.rounds }), cost),
      );
      current = current.map((outcome, i) =>
        settled[i]?.size === 0
          ? { ...outcome, texts: [...outcome.texts, policy.language.acceptance] }
          : outcome,
      );
      const going = [...settled.keys()].filter((i) => settled[i] && settled[i].size !== 0);
      if (going.length === 0) break;
      const later = going.map((i) => settled[i]!);
      const written = await writePlans(policy, later, { group: 1, signal });
      const next = await Promise.all(
        going.map((i, at) => {
          const chance = hashSeed(seed, part[i]!.task.id);
          return performSecond(written[at]![0]!.text, current[i]!, later[at]!, {
            world,
            seed: chance,
            signal,
          });
        }),
      );
      current = current.map((outcome, i) => (going.includes(i) ? next[going.indexOf(i)]! : outcome));
    }
    outcomes.push(...current);
  }
  return outcomes;
}

export function toTuneFigures(outcomes: readonly Outcome[], costPerCall: number) {
  const counted = outcomes.filter(({ isOutage }) => !isOutage);
  const mean = (of: (outcome: Outcome) => number) =>
    counted.reduce((sum, outcome) => sum + of(outcome), 0) / Math.max(1, counted.length);
  const calls = new Map<string, number>();
  for (const { asked } of counted) for (const id of asked) calls.set(id, (calls.get(id) ?? 0) + 1);
  const {
    mean: accuracy,
    low,
    high,
  } = estimateShare(
    counted.map(({ isRight }) => (isRight ? 1 : 0)),
    { seed: 1 },
  );
  return {
    tasks: counted.length,
    accuracy,
    low,
    high,
    reward: mean((outcome) => outcome.reward - costPerCall * outcome.calls),
    validShare: mean(({ isValid }) => (isValid ? 1 : 0)),
    calls: mean((outcome) => outcome.calls),
    costUsd: mean((outcome) => outcome.costUsd),
    routingEntropy: entropyBits(calls.values()),
  };
}
