// How well the policy does on given questions: greedy, without a mask, through the same parser and performer.

import type { Outcome } from "../../world/rollout.ts";
import type { Grading, Question } from "../../world/types.ts";
import { performAll, toRunSeed } from "../perform.ts";
import { type Plan, type Policy, type Prompt, settleSize, toPrompt, writePlans } from "./stage.ts";

const BATCH = 32;

export interface AnswerAllOptions {
  policy: Policy;
  world: Grading;
  rounds: number;
  /** Cost per call when choosing the team size. */
  cost: number;
  /** Of the first round, exactly so many steps; absent: the policy decides. */
  size?: number;
  seed: number;
  signal: AbortSignal;
  /** Is told every plan that was written. */
  onPlan?(plan: Plan): void;
}

/** The outcome of each question. */
export async function answerAll(
  questions: readonly Question[],
  options: AnswerAllOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let first = 0; first < questions.length && !options.signal.aborted; first += BATCH)
    outcomes.push(...(await answerBatch(questions.slice(first, first + BATCH), options)));
  return outcomes;
}

/** Together, round by round: whoever is done waits for the others. */
async function answerBatch(questions: readonly Question[], options: AnswerAllOptions): Promise<Outcome[]> {
  const { policy, world, rounds, cost, size, seed, signal, onPlan = () => {} } = options;
  const current: (Outcome | undefined)[] = questions.map(() => undefined);
  for (let round = 0; round < rounds; round++) {
    const going: { at: number; prompt: Prompt }[] = [];
    for (const [at, question] of questions.entries()) {
      const before = current[at];
      // Whoever accepted has performed fewer rounds by now, and is done.
      if (before && (!before.isValid || before.rounds.length < round)) continue;
      const open = toPrompt(policy, question, before ? { rounds: before.rounds } : { size });
      const prompt = settleSize(policy, open, cost);
      if (before && prompt.size === 0)
        current[at] = { ...before, texts: [...before.texts, policy.language.acceptance] };
      else going.push({ at, prompt });
    }
    if (going.length === 0) break;
    const prompts = going.map(({ prompt }) => prompt);
    const plans = await writePlans(policy, prompts, { group: 1, signal });
    for (const [plan] of plans) onPlan(plan!);
    const rollouts = going.map(({ at, prompt: { question } }, i) => {
      const before = current[at];
      const texts = [...(before?.texts ?? []), plans[i]![0]!.text];
      return { question, texts, seed: toRunSeed(seed, question), before };
    });
    const outcomes = await performAll(rollouts, world, signal);
    for (const [i, { at }] of going.entries()) current[at] = outcomes[i]!;
  }
  return current.map((outcome) => outcome!);
}
