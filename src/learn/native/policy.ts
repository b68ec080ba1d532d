// The model as a policy: it reads questions, chooses how large a team each shall have, and writes workflows, sampled
// or greedily, always without a mask.

import { hashSeed } from "../../base/random.ts";
import { type Choices, chooseSize } from "../../conductor/native/choice.ts";
import type { Language } from "../../conductor/native/language.ts";
import { PLAN_TOKENS } from "../../conductor/native/opened.ts";
import { type Reading, toReading, toWorkerOf } from "../../conductor/native/reading.ts";
import { createTokenSampler } from "../../conductor/native/sample-token.ts";
import type { ComposedRound } from "../../conductor/types.ts";
import type { Completion, Model } from "../../nn/model.ts";
import { toMessages } from "../../task/types.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import type { Question } from "../../world/types.ts";

export interface Policy {
  model: Model;
  language: Language;
  /** Of the size of a team, before it writes; none where the size is always given. */
  choices: Choices;
}

/** A question as it stands before the policy: its team's work so far, and the size that is wanted. */
export interface Prompt {
  question: Question;
  rounds: ComposedRound[];
  size?: number;
  /** Where it has been read already. */
  reading: Reading;
}

export interface Plan extends Completion {
  text: string;
}

export function toPrompt(
  { language }: Policy,
  question: Question,
  { rounds = [], size }: { rounds?: ComposedRound[]; size?: number } = {},
): Prompt {
  const { task, pool } = question;
  const asked = { task: { id: task.id, messages: toMessages(task) }, pool, rounds };
  return { question, rounds, reading: toReading({ ...asked, size }, language), size };
}

/** With the size that the policy chooses where none is given; 0: what the team has answered is taken. */
export function settleSize(policy: Policy, prompt: Prompt, cost: number): Prompt {
  const { question, rounds, reading } = prompt;
  const { size } = chooseSize(policy.choices, reading, { given: prompt.size, cost, most: MAX_STEPS });
  if (size === prompt.size) return prompt;
  // Where nothing will be written, nothing has to be read anew.
  return size === 0 ? { ...prompt, size } : toPrompt(policy, question, { rounds, size });
}

/** `group` plans for each prompt: sampled, each with a seed of its own; or greedy, without a seed. */
export async function writePlans(
  { model, language }: Policy,
  prompts: readonly Prompt[],
  { group, seed, signal }: { group: number; seed?: number; signal?: AbortSignal },
): Promise<Plan[][]> {
  const samplers = prompts.map((_, q) =>
    Array.from({ length: group }, (_, i) =>
      createTokenSampler({ seed: seed === undefined ? undefined : hashSeed(seed, q, i) }),
    ),
  );
  const written = await model.generate(
    prompts.map(({ reading }) => reading.prefix),
    {
      ...{ group, length: PLAN_TOKENS, start: language.start, end: language.end, signal },
      choose: (probabilities, q, i, tokens) => samplers[q]![i]!(probabilities, tokens),
    },
  );
  return written.map((completions, q) => {
    const { reading, question } = prompts[q]!;
    const workerOf = toWorkerOf(reading, question.pool);
    return completions.map((each) => ({ ...each, text: language.toText(each.tokens, workerOf) }));
  });
}
