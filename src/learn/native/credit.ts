// Credit for the steps of a plan: what it loses when the step of another plan of its group stands in a step's place and
// all else stays. A planner that was of no use to those who saw it gains nothing by the luck of the last worker. Only
// where workers answer at once: these are more rollouts.

import { meanOf } from "../../base/statistics.ts";
import { renderWorkflow } from "../../workflow/render.ts";
import type { Step } from "../../workflow/types.ts";
import { meanReward, type PlanGroup, performPlans, TRIES, toRolloutSeed, toTries } from "../grpo.ts";
import type { Asking } from "../types.ts";
import { createStageRandom, type StageContext } from "./stage.ts";

/** Whose steps take the place of a plan's own: a few, since simulated rollouts take less time than writing a plan. */
const OTHERS = 2;

interface Variant {
  /** Which plan of its group, and which step of it was changed. */
  plan: number;
  step: number;
  text: string;
}

export async function* creditSteps(groups: PlanGroup[], context: StageContext): Asking<PlanGroup[]> {
  const { world, costPerCall } = context;
  if (!world.isInstant) return groups;
  const random = createStageRandom(context, "credit");
  const seed = toRolloutSeed(context);
  const variants = groups.map((group): Variant[] => {
    const plans = group.outcomes.map(({ isValid, isOutage, rounds }) =>
      isValid && !isOutage ? rounds[0]?.workflow.steps : undefined,
    );
    return plans.flatMap((steps, plan) => {
      if (!steps || steps.length < 2) return [];
      const others = plans.flatMap((other, i) =>
        i !== plan && other?.length === steps.length ? [other] : [],
      );
      return steps.flatMap((_, step) =>
        random
          .shuffle(others)
          .slice(0, OTHERS)
          .map((other) => ({ plan, step, text: replaceStep(steps, step, other[step]!) })),
      );
    });
  });
  const prompts = groups.map(({ prompt }) => prompt);
  const tries = prompts.map(({ question }, q) => toTries(world, question, seed, q, TRIES));
  const tried = yield* performPlans(prompts, variants, tries);
  return groups.map((group, q) => {
    const gains: number[][][] = group.plans.map(() => []);
    for (const [v, { plan, step }] of variants[q]!.entries()) {
      const own = group.rewards[plan];
      const outcomes = tried[q]![v]!;
      // A tool that changed places may have too little in sight: that says nothing about the step.
      const isValid = outcomes.every((each) => each.isValid);
      const without = isValid ? meanReward(outcomes, costPerCall) : undefined;
      if (own === undefined || without === undefined) continue;
      gains[plan]![step] = [...(gains[plan]![step] ?? []), own - without];
    }
    return { ...group, credits: gains.map((steps) => steps.map((own) => own && meanOf(own))) };
  });
}

/** Who is asked already changes places with whoever comes, so that nobody is asked twice. */
function replaceStep(steps: readonly Step[], at: number, other: Step): string {
  const before = steps[at]!.worker;
  const replaced = steps.map((step, i) => {
    if (i === at) return other;
    return step.worker === other.worker ? { ...step, worker: before } : step;
  });
  return renderWorkflow({ steps: replaced });
}
