// A small search over plans: for each question the best plans of a sampled group are kept, changed in one place, and
// compared again under the same luck. The best of many tries seems better than it is, so the finalists are tried anew.

import type { Random } from "../../base/random.ts";
import { hashSeed } from "../../base/random.ts";
import type { WrittenStep } from "../../conductor/native/language.ts";
import { toRolloutSeed, toTries } from "../grpo.ts";
import type { Asking } from "../types.ts";
import { changeInOnePlace } from "./neighbour-plans.ts";
import { type Policy, type Prompt, type StageContext, writePlans } from "./stage.ts";
import { bestOf, type TriedPlan, type TriedPlans, tryPlans } from "./tried-plans.ts";

/** Plans that are kept from depth to depth. */
const BEAM = 3;
/** Changed plans of each. */
const CHANGES = 8;
const DEPTH = 3;
const TRIES = 6;
/** Of the finalists, with other luck. */
const FINAL_TRIES = 24;

/** The best plan that was found for each prompt; undefined where there was no valid one. */
export async function* searchPlans(
  prompts: readonly Prompt[],
  context: StageContext,
  random: Random,
): Asking<(TriedPlan | undefined)[]> {
  const { policy, world, group, signal } = context;
  const seed = toRolloutSeed(context);
  const sampled = await writePlans(policy, prompts, { group, seed, signal });
  const searches = prompts.map((prompt): TriedPlans => ({ prompt, known: new Map() }));
  const triesOf = (purpose: string, count: number) =>
    prompts.map(({ question }, q) => toTries(world, question, hashSeed(purpose, seed), q, count));
  const tries = triesOf("search", TRIES);
  let next = sampled.map((plans) => plansOf(policy, plans));
  for (let depth = 0; depth <= DEPTH; depth++) {
    yield* tryPlans(searches, next, tries, context);
    if (depth < DEPTH)
      next = searches.map((search) =>
        bestOf(search, BEAM).flatMap(({ steps }) =>
          Array.from({ length: CHANGES }, () => changeInOnePlace(steps, search.prompt, policy, random)),
        ),
      );
  }
  // Anew, with other luck.
  const finalists = searches.map((search): TriedPlans => ({ ...search, known: new Map() }));
  const finals = searches.map((search) => bestOf(search, BEAM).map(({ steps }) => steps));
  yield* tryPlans(finalists, finals, triesOf("final", FINAL_TRIES), context);
  return finalists.map((search) => bestOf(search, 1)[0]);
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
