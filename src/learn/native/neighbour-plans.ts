// Plans that differ from another one in one place: who is asked, what a step is told, what it sees. What they are worth
// is for whoever asked for them to find out.

import type { Random } from "../../base/random.ts";
import type { WrittenStep } from "../../conductor/native/language.ts";
import { handsOff, isModel } from "../../worker/kinds.ts";
import { sampleWorkflow } from "./random-workflow.ts";
import type { Policy, Prompt } from "./stage.ts";

/** Every model that is not asked yet in the place of each that is, and every two that change places. */
export function listWorkerExchanges(
  steps: readonly WrittenStep[],
  { reading, question }: Prompt,
): WrittenStep[][] {
  const { workers } = reading;
  const { members } = question.pool;
  const models = [...workers.keys()].filter((slot) => isModel(members[workers[slot]!]!.worker));
  const asked = new Set(steps.map(({ worker }) => worker));
  const places = [...steps.keys()].filter((place) => models.includes(steps[place]!.worker));
  const replaced = places.flatMap((place) =>
    models
      .filter((model) => !asked.has(model))
      .map((worker) => steps.map((step, i) => (i === place ? { ...step, worker } : step))),
  );
  const swapped = places.flatMap((place, i) => places.slice(i + 1).map((other) => swap(steps, place, other)));
  return [...replaced, ...swapped];
}

function swap(steps: readonly WrittenStep[], a: number, b: number): WrittenStep[] {
  const workerOf = (place: number) => steps[place === a ? b : place === b ? a : place]!.worker;
  return steps.map((step, place) => ({ ...step, worker: workerOf(place) }));
}

/** In one place, sampled: who is asked, what they are told, what they see, or all three. */
export function changeInOnePlace(
  steps: readonly WrittenStep[],
  { reading, question, rounds, size = steps.length }: Prompt,
  { language }: Policy,
  random: Random,
): WrittenStep[] {
  const { workers, sayable } = reading;
  const { pool } = question;
  const other = sampleWorkflow({
    ...{ pool, language, sayable, workers, random, size, handOffs: handsOff(pool) },
    previousSteps: rounds.at(-1)?.replies.length ?? 0,
  });
  const at = random.integer(0, steps.length - 1);
  const what = random.pick(["worker", "worker", "saying", "saying", "access", "step"] as const);
  const own = steps[at]!;
  // A plan may have fewer steps than it should have.
  const theirs = other[Math.min(at, other.length - 1)]!;
  const step: WrittenStep = what === "step" ? theirs : { ...own, [what]: theirs[what] };
  // Who is asked already changes places.
  return steps.map((each, i) =>
    i === at ? step : each.worker === step.worker ? { ...each, worker: own.worker } : each,
  );
}
