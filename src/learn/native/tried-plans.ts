// Plans of a question that were tried, and what each earned: what a search over plans and exploration by exchange keep.

import type { WrittenStep } from "../../conductor/native/language.ts";
import { toWording } from "../../conductor/native/reading.ts";
import { meanReward, performPlans } from "../grpo.ts";
import type { Asking } from "../types.ts";
import type { Prompt, StageContext } from "./stage.ts";

export interface TriedPlan {
  steps: readonly WrittenStep[];
  text: string;
  /** Mean over its tries, costs taken off. */
  reward: number;
}

export interface TriedPlans {
  prompt: Prompt;
  /** By text; only those that were valid in every try. */
  known: Map<string, TriedPlan>;
}

export function bestOf({ known }: TriedPlans, count: number): TriedPlan[] {
  return [...known.values()].sort((a, b) => b.reward - a.reward).slice(0, count);
}

/** Performs those that are not known yet, each text once, and remembers what they earned. */
export async function* tryPlans(
  searches: readonly TriedPlans[],
  plans: readonly (readonly (readonly WrittenStep[])[])[],
  tries: Parameters<typeof performPlans>[2],
  { policy: { language }, costPerCall }: StageContext,
  options: Parameters<typeof performPlans>[3] = {},
): Asking<void> {
  const fresh = searches.map(({ prompt, known }, q) => {
    const wording = toWording(prompt.reading, prompt.question.pool);
    const byText = new Map<string, readonly WrittenStep[]>();
    for (const steps of plans[q]!) {
      const text = language.toText(language.toTokens(steps), wording);
      if (!known.has(text) && !byText.has(text)) byText.set(text, steps);
    }
    return [...byText].map(([text, steps]) => ({ text, steps }));
  });
  const prompts = searches.map(({ prompt }) => prompt);
  const tried = yield* performPlans(prompts, fresh, tries, options);
  for (const [q, { known }] of searches.entries())
    for (const [i, { text, steps }] of fresh[q]!.entries()) {
      const outcomes = tried[q]![i]!;
      const reward = meanReward(outcomes, costPerCall);
      if (reward !== undefined && outcomes.every(({ isValid }) => isValid))
        known.set(text, { text, steps, reward });
    }
}
