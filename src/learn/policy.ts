// The model as a policy: it reads questions, chooses how large a team each shall have, and writes workflows, by
// lot or greedily, always without a mask.

import { createRandom, hashSeed } from "../base/random.ts";
import type { Choices } from "../conductor/native/choice.ts";
import type { Language } from "../conductor/native/language.ts";
import { PLAN_TOKENS } from "../conductor/native/opened.ts";
import { type Reading, toReading } from "../conductor/native/reading.ts";
import type { ComposedRound } from "../conductor/types.ts";
import type { Choose, Model, Rollout } from "../nn/model.ts";
import { toMessages } from "../task/types.ts";
import type { Question } from "../world/types.ts";

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

export interface Plan extends Rollout {
  text: string;
}

export function toPrompt(
  { language }: Policy,
  question: Question,
  { rounds = [], size }: { rounds?: ComposedRound[]; size?: number } = {},
): Prompt {
  const { task, pool } = question;
  const asked = { task: { id: task.id, messages: toMessages(task) }, pool, rounds };
  const reading = toReading({ ...asked, ...(size !== undefined && { size }) }, language);
  return { question, rounds, reading, ...(size !== undefined && { size }) };
}

/**
 * Where no size is given, the one that the policy finds best when every call costs so much; 0: what the team has
 * answered is taken. It is chosen before anything is written: whoever is to plan for others stands first in a team,
 * and alone nobody needs it.
 */
export function settleSize(policy: Policy, prompt: Prompt, cost: number): Prompt {
  const { question, size, rounds, reading } = prompt;
  const choice = rounds.length === 0 ? policy.choices.first : policy.choices.later;
  if (!choice || size !== undefined) return prompt;
  const chosen = choice.choose(reading, { cost });
  // Nothing will be written, so nothing has to be read anew.
  return chosen === 0 ? { ...prompt, size: 0 } : toPrompt(policy, question, { rounds, size: chosen });
}

/** `group` plans for each prompt. With a seed by lot, each plan with its own chance; else the likeliest tokens. */
export async function writePlans(
  { model, language }: Policy,
  prompts: readonly Prompt[],
  { group, seed, signal }: { group: number; seed?: number; signal?: AbortSignal },
): Promise<Plan[][]> {
  const choose = seed === undefined ? likeliest : byLot(seed, group);
  const written = await model.write(
    prompts.map(({ reading }) => reading.prefix),
    {
      ...{ group, length: PLAN_TOKENS, start: language.start, end: language.end, choose },
      ...(signal && { signal }),
    },
  );
  return written.map((rollouts, q) => {
    const { workers } = prompts[q]!.reading;
    // A slot without a worker cannot be pointed at, but a number outside is what the parser would refuse.
    const workerOf = (slot: number) => workers[slot] ?? workers.length + slot;
    return rollouts.map((rollout) => ({ ...rollout, text: language.toText(rollout.tokens, workerOf) }));
  });
}

const likeliest: Choose = (chances) => {
  let best = 0;
  for (let i = 1; i < chances.length; i++) if (chances[i]! > chances[best]!) best = i;
  return best;
};

function byLot(seed: number, group: number): Choose {
  const lots = new Map<number, ReturnType<typeof createRandom>>();
  return (chances, question, rollout) => {
    const key = question * group + rollout;
    let random = lots.get(key);
    if (!random) {
      random = createRandom(hashSeed(seed, question, rollout));
      lots.set(key, random);
    }
    let rest = random.next();
    for (let i = 0; i < chances.length; i++) {
      rest -= chances[i]!;
      if (rest < 0) return i;
    }
    // Chances sum to a hair less than 1.
    return likeliest(chances, question, rollout, []);
  };
}
