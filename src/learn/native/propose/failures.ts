// Greedy plans on training questions, what came of them, and the instruction that is worth an edit most: one that is used
// often where answers are wrong, and was not tried to death.

import { shorten } from "../../../base/format.ts";
import type { Random } from "../../../base/random.ts";
import type { Language } from "../../../conductor/native/language.ts";
import type { Instruction } from "../../../instruction/types.ts";
import { isModel } from "../../../worker/kinds.ts";
import type { Outcome } from "../../../world/rollout.ts";
import type { Question } from "../../../world/types.ts";
import { performPlans, type Try } from "../../grpo.ts";
import type { Asking } from "../../types.ts";
import { writeGreedily } from "../compare-sizes.ts";
import { type Plan, type Prompt, type StageContext, toPrompt } from "../stage.ts";
import type { Failure, ProposalMemory } from "./types.ts";
import { instructionsOf } from "./uses.ts";

/** The likeliest plan for a question, and what its steps that are models are told. */
export interface WrittenPlan {
  prompt: Prompt;
  plan: Plan;
  /** By step; undefined for tools, which heed nothing. */
  told: readonly (Instruction | undefined)[];
}

export interface TriedPlan extends WrittenPlan {
  tries: readonly Try[];
  outcomes: readonly Outcome[];
}

/** Sizes as in the stage of teams. */
export async function writeFor(
  questions: readonly Question[],
  context: StageContext,
  random: Random,
): Promise<WrittenPlan[]> {
  const {
    policy,
    plan: { sampleSize },
  } = context;
  const prompts = questions.map((question) => toPrompt(policy, question, { size: sampleSize(random) }));
  const plans = await writeGreedily(prompts, context);
  return prompts.map((prompt, q) => {
    const plan = plans[q]![0]!;
    return { prompt, plan, told: toldModels(prompt, plan, policy.language) };
  });
}

function toldModels({ reading, question }: Prompt, plan: Plan, language: Language): WrittenPlan["told"] {
  const steps = language.toSteps(plan.tokens) ?? [];
  const members = steps.map(({ worker }) => question.pool.members[reading.workers[worker] ?? -1]);
  return instructionsOf(plan, language).map((instruction, i) => {
    const member = members[i];
    return member && isModel(member.worker) ? instruction : undefined;
  });
}

export async function* tryPlans(
  written: readonly WrittenPlan[],
  tries: readonly (readonly Try[])[],
): Asking<TriedPlan[]> {
  const prompts = written.map(({ prompt }) => prompt);
  const plans = written.map(({ plan }) => [plan]);
  const tried = yield* performPlans(prompts, plans, tries);
  return written.map((own, q) => ({ ...own, tries: tries[q]!, outcomes: tried[q]![0]! }));
}

// ---- The parent -------------------------------------------------------------------------------------------

/** Of an instruction, over all steps that were told it. */
interface Uses {
  instruction: Instruction;
  /** Plans that have it. */
  plans: number;
  /** Uses × share of failures. */
  failed: number;
}

/** An instruction that is worth an edit; undefined where all do well, are rare, or were tried to death. */
export function chooseParent(
  tried: readonly TriedPlan[],
  { memory, random, fewest }: { memory: ProposalMemory; random: Random; fewest: number },
): Instruction | undefined {
  const able = countUses(tried)
    .filter(({ plans }) => plans >= fewest)
    .map((uses) => ({ ...uses, weight: uses.failed * memory.hopeOf(uses.instruction.id) }));
  const total = able.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return undefined;
  let rest = random.next() * total;
  const found = able.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
  return (found ?? able.findLast(({ weight }) => weight > 0))?.instruction;
}

function countUses(tried: readonly TriedPlan[]): Uses[] {
  const uses = new Map<string, Uses>();
  for (const { told, outcomes } of tried) {
    const known = outcomes.filter(({ isOutage }) => !isOutage);
    if (known.length === 0) continue;
    const failed = known.filter(({ isRight }) => !isRight).length / known.length;
    const counted = new Set<string>();
    for (const instruction of told) {
      if (!instruction) continue;
      const own = uses.get(instruction.id) ?? { instruction, plans: 0, failed: 0 };
      uses.set(instruction.id, own);
      own.failed += failed;
      if (!counted.has(instruction.id)) own.plans++;
      counted.add(instruction.id);
    }
  }
  return [...uses.values()];
}

const MOST_FAILURES = 3;
const LONGEST_REPLY = 700;

/** A few steps that were told it, in plans whose answer was wrong. */
export function findFailures(tried: readonly TriedPlan[], parent: Instruction): Failure[] {
  return tried
    .flatMap(({ prompt: { question }, told, outcomes }): Failure[] => {
      const wrong = outcomes.find(({ isRight, isValid, isOutage }) => isValid && !isRight && !isOutage);
      const round = wrong?.rounds[0];
      const at = told.findIndex((instruction) => instruction?.id === parent.id);
      const step = round?.workflow.steps[at];
      if (!round || !step) return [];
      return [{ question, told: step.subtask, reply: shorten(round.replies[at] ?? "", LONGEST_REPLY) }];
    })
    .slice(0, MOST_FAILURES);
}
