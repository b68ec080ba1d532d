// Exploration by exchange: a plan that a policy has settled on may be the best of all that it still tries, and far from
// the best. So the likeliest plan of a question is changed in one place and then in another (who is asked, two who change
// places, what a step is told or sees), all under the same luck, and what did best goes into the question's group as if
// it had been sampled. There it meets other luck, so that nothing is learned from a lucky draw.

import { hashSeed, type Random } from "../../base/random.ts";
import type { WrittenStep } from "../../conductor/native/language.ts";
import { isSimulatedTask } from "../../world/joined.ts";
import { toRolloutSeed, toTries } from "../grpo.ts";
import type { Asking } from "../types.ts";
import { changeInOnePlace, listWorkerExchanges } from "./neighbour-plans.ts";
import { type Prompt, type StageContext, writePlans } from "./stage.ts";
import { bestOf, type TriedPlans, tryPlans } from "./tried-plans.ts";

/** As many of a group are found by exchange. */
export const FOUND = 3;
/** Changes of words and sight beside all exchanges of workers, for the likeliest plan. */
const CHANGES = 10;
/** Plans that are changed again, and how often. */
const KEPT = 3;
const CHANGES_OF_KEPT = 10;
const TRIES = 8;

/** What the exchanges of a question led to, as tokens; the likeliest plan first. */
export type FoundPlans = readonly (readonly number[])[];

/** Undefined for questions of a recording, which says nothing of most changed plans, and where no plan was valid. */
export async function* findByExchange(
  prompts: readonly Prompt[],
  context: StageContext,
  random: Random,
): Asking<(FoundPlans | undefined)[]> {
  const { policy, world, signal } = context;
  const { language } = policy;
  const open = prompts.filter(({ question: { task } }) => isSimulatedTask(world, task));
  const written = await writePlans(policy, open, { group: 1, signal });
  const starts = open.flatMap((prompt, i): Search[] => {
    const steps = language.toSteps(written[i]![0]!.tokens);
    return steps ? [{ prompt, start: steps, known: new Map() }] : [];
  });
  const seed = hashSeed("exchange", toRolloutSeed(context));
  const tries = starts.map(({ prompt }, i) => toTries(world, prompt.question, seed, i, TRIES));

  const first = starts.map((search) => [
    search.start,
    ...listWorkerExchanges(search.start, search.prompt),
    ...repeat(CHANGES, () => changeInOnePlace(search.start, search.prompt, policy, random)),
  ]);
  yield* tryPlans(starts, first, tries, context, { isQuick: true });
  const second = starts.map((search) =>
    bestOf(search, KEPT).flatMap(({ steps }) =>
      repeat(CHANGES_OF_KEPT, () => changeInOnePlace(steps, search.prompt, policy, random)),
    ),
  );
  yield* tryPlans(starts, second, tries, context, { isQuick: true });

  const found = new Map(
    starts.map((search) => {
      const own = language.toTokens(search.start);
      const better = bestOf(search, FOUND + 1).filter(({ steps }) => steps !== search.start);
      return [search.prompt, [own, ...better.slice(0, FOUND).map(({ steps }) => language.toTokens(steps))]];
    }),
  );
  return prompts.map((prompt) => found.get(prompt));
}

interface Search extends TriedPlans {
  start: readonly WrittenStep[];
}

function repeat<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}
