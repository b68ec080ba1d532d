// A small search over plans: for each question the best plans of a sampled group are kept, changed in one place, and
// compared again under the same luck. The best of many tries seems better than it is, so the finalists are tried anew.

import type { Random } from "../../base/random.ts";
import { hashSeed } from "../../base/random.ts";
import type { WrittenStep } from "../../conductor/native/language.ts";
import { toWording } from "../../conductor/native/reading.ts";
import { meanReward, performPlans, toRolloutSeed, toTries } from "../grpo.ts";
import type { Asking } from "../types.ts";
import { changeInOnePlace } from "./neighbour-plans.ts";
import { type Policy, type Prompt, type StageContext, writePlans } from "./stage.ts";

/** Plans that are kept from depth to depth. */
const BEAM = 3;
/** Changed plans of each. */
const CHANGES = 8;
const DEPTH = 3;
const TRIES = 6;
/** Of the finalists, with other luck. */
const FINAL_TRIES = 24;

export interface FoundPlan {
  steps: readonly WrittenStep[];
  text: string;
  /** Mean over its tries, costs taken off. */
  reward: number;
}

interface Search {
  prompt: Prompt;
  known: Map<string, FoundPlan>;
}

/** The best plan that was found for each prompt; undefined where there was no valid one. */
export async function* searchPlans(
  prompts: readonly Prompt[],
  context: StageContext,
  random: Random,
): Asking<(FoundPlan | undefined)[]> {
  const { policy, world, group, signal } = context;
  const seed = toRolloutSeed(context);
  const sampled = await writePlans(policy, prompts, { group, seed, signal });
  const searches = prompts.map((prompt): Search => ({ prompt, known: new Map() }));
  const triesOf = (purpose: string, count: number) =>
    prompts.map(({ question }, q) => toTries(world, question, hashSeed(purpose, seed), q, count));
  const tries = triesOf("search", TRIES);
  let next = sampled.map((plans) => plansOf(policy, plans));
  for (let depth = 0; depth <= DEPTH; depth++) {
    yield* compare(searches, next, tries, context);
    if (depth < DEPTH)
      next = searches.map((search) =>
        best(search, BEAM).flatMap(({ steps }) =>
          Array.from({ length: CHANGES }, () => changeInOnePlace(steps, search.prompt, policy, random)),
        ),
      );
  }
  // Anew, with other luck.
  const finalists = searches.map((search): Search => ({ ...search, known: new Map() }));
  const finals = searches.map((search) => best(search, BEAM).map(({ steps }) => steps));
  yield* compare(finalists, finals, triesOf("final", FINAL_TRIES), context);
  return finalists.map((search) => best(search, 1)[0]);
}

function plansOf(
  { language }: Policy,
  plans: readonly { tokens: readonly number[] }[],
): (readonly WrittenStep[])[] {
  return plans.flatMap(({ tokens }) => {
    const steps = language.toSteps(tokens);
    return steps ? [steps] : [];
  });
}

function best({ known }: Search, count: number): FoundPlan[] {
  return [...known.values()].sort((a, b) => b.reward - a.reward).slice(0, count);
}

/** Performs those that are not known yet, and remembers what they earned. */
async function* compare(
  searches: readonly Search[],
  plans: readonly (readonly (readonly WrittenStep[])[])[],
  tries: Parameters<typeof performPlans>[2],
  { policy, costPerCall }: StageContext,
): Asking<void> {
  const { language } = policy;
  const fresh = searches.map(({ prompt, known }, q) => {
    const wording = toWording(prompt.reading, prompt.question.pool);
    const byText = new Map(
      plans[q]!.map((steps) => [language.toText(language.toTokens(steps), wording), steps] as const),
    );
    return [...byText].flatMap(([text, steps]) => (known.has(text) ? [] : [{ text, steps }]));
  });
  const tried = yield* performPlans(
    searches.map(({ prompt }) => prompt),
    fresh,
    tries,
  );
  for (const [q, { known }] of searches.entries())
    for (const [i, { text, steps }] of fresh[q]!.entries()) {
      const outcomes = tried[q]![i]!;
      const reward = meanReward(outcomes, costPerCall);
      if (reward !== undefined && outcomes.every(({ isValid }) => isValid))
        known.set(text, { text, steps, reward });
    }
}
