// The stage of proposals: one iteration looks for one better instruction. Failures say which instruction is worth an edit,
// somebody proposes one, it competes by reward, and what earns more takes its parent's place. The model learns nothing
// here: the token stays, its sentence changes. Training questions only.

import { hashSeed, type Random } from "../../../base/random.ts";
import { Language } from "../../../conductor/native/language.ts";
import type { Gain, Instruction } from "../../../instruction/types.ts";
import { isSimulatedTask } from "../../../world/joined.ts";
import type { Question, World } from "../../../world/types.ts";
import { meanReward, TRIES, toTries } from "../../grpo.ts";
import type { ProposalMetrics } from "../../types.ts";
import {
  createStageRandom,
  learnNothing,
  type OutcomeGroup,
  type StageContext,
  type StageResult,
  sampleQuestions,
  type TrainingStage,
} from "../stage.ts";
import { replace, toProposal, withGain } from "./adopt.ts";
import { type Contest, comparePlans, measureAnew, seemsBetter, toGain, uses } from "./compete.ts";
import { chooseParent, findFailures, type TriedPlan, tryPlans, writeFor } from "./failures.ts";
import { refuse } from "./sentences.ts";

interface Budget {
  /** All that is performed for a proposal. */
  rollouts: number;
  /** Questions whose plans are looked at for failures. */
  questions: number;
  /** Plans that are written for the second measurement: those that use the parent are performed. */
  fresh: number;
  /** Plans that must use an instruction before it is worth an edit. */
  fewest: number;
}

/** Where workers answer at once. */
const SIMULATED: Budget = { rollouts: 12_000, questions: 256, fresh: 1024, fewest: 8 };

/** Where replies cost, a proposal costs no more than any other iteration. */
function toBudget({ world, group, questions }: StageContext): Budget {
  if (world.isInstant) return SIMULATED;
  const plans = group * questions;
  const rollouts = plans * (world.isSimulated ? TRIES : 1);
  return { rollouts, questions: Math.max(1, Math.floor(plans / 4)), fresh: 2 * plans, fewest: 2 };
}

export const proposeInstruction: TrainingStage = async function* (context) {
  const { world, policy, proposing } = context;
  if (!proposing) throw new Error("Nobody was named who proposes instructions");
  const { proposer, memory } = proposing;
  const random = createStageRandom(context, "proposals");
  const seed = hashSeed(context.seed, "proposals", context.plan.iteration);
  const budget = toBudget(context);
  const { language } = policy;

  // 1. Greedy plans on training questions, and the instruction that fails most.
  const questions = sampleQuestions(context, budget.questions).filter((each) => isOpen(world, each));
  const written = await writeFor(questions, context, random);
  const tries = questions.map((question, q) =>
    toTries(world, question, hashSeed(seed, "failures"), q, TRIES),
  );
  const tried = yield* tryPlans(written, tries);
  const groups: OutcomeGroup[] = tried.map(({ outcomes }) => ({
    outcomes,
    rewards: outcomes.map((outcome) => meanReward([outcome], context.costPerCall)),
  }));
  let rollouts = countRollouts(tried);
  const parent = chooseParent(tried, { memory, random, fewest: budget.fewest });
  const failures = parent ? findFailures(tried, parent) : [];
  if (!parent || failures.length === 0)
    return end(groups, {
      end: "none",
      rollouts,
      why: "no instruction is used often where answers are wrong",
    });

  // 2. One proposal.
  const asked = { parent, failures, tried: memory.triedFor(parent.id), random, seed };
  const proposed = yield* proposer.propose(asked);
  const { by, costUsd } = proposed;
  const known = [...asked.tried, ...language.repertoire.instructions.map(({ text }) => text.en)];
  const why = proposed.type === "refused" ? proposed.why : refuse(proposed.text, parent, known);
  if (proposed.type === "refused" || why !== undefined) {
    memory.add(parent.id);
    return end(groups, { end: "refused", rollouts, parent: parent.id, by, why: why! }, costUsd);
  }

  // 3. It competes where the parent was used, and anew where it seems better.
  const contest: Contest = { parent, proposal: toProposal(parent, proposed, language.repertoire) };
  const told = { parent: parent.id, by, text: proposed.text.en };
  const places = tried.filter((plan) => uses(plan, parent));
  const first = yield* comparePlans(places, contest, context);
  rollouts += first.performed;
  groups.push(...first.pairs);
  const { p: _, ...seemed } = toGain(first.pairs, seed);
  if (!seemsBetter(toGain(first.pairs, seed))) {
    memory.add(parent.id, told.text);
    return end(groups, { end: "dropped", rollouts, ...told, seemed }, costUsd);
  }
  const anew = yield* measureAnew(
    contest,
    toFresh(questions, context, { budget, rollouts, seed, random }),
    context,
  );
  rollouts += anew.performed;
  groups.push(...anew.pairs);
  const { p: __, ...gain } = toGain(anew.pairs, seed);

  // 4. What earns stays. Nothing was changed before this line, so that an iteration that was cut off begins again.
  if (gain.low <= 0 || gain.comparisons === 0) {
    memory.add(parent.id, told.text);
    return end(groups, { end: "dropped", rollouts, ...told, seemed, gain }, costUsd);
  }
  const { id } = adopt(contest, gain, context);
  return end(groups, { end: "kept", rollouts, ...told, seemed, gain, id }, costUsd);
};

function adopt({ parent, proposal }: Contest, gain: Gain, { policy }: StageContext): Instruction {
  const { tokenizer, repertoire } = policy.language;
  const kept = withGain(proposal, gain);
  policy.language = new Language(tokenizer, replace(repertoire, parent, kept));
  return kept;
}

function end(groups: OutcomeGroup[], proposal: ProposalMetrics, proposalUsd = 0): StageResult {
  return { ...learnNothing(groups), proposal, proposalUsd };
}

/** Of recorded replies none would change with the words. */
function isOpen(world: World, { task }: Question): boolean {
  return world.kind === "joined" ? isSimulatedTask(world, task) : world.kind !== "recording";
}

function countRollouts(tried: readonly TriedPlan[]): number {
  return tried.reduce((sum, { tries }) => sum + tries.length, 0);
}

/** Training questions that neither the parent nor the proposal was chosen by. */
function toFresh(
  seen: readonly Question[],
  { world, seed: own, plan: { iteration } }: StageContext,
  { budget, rollouts, seed, random }: { budget: Budget; rollouts: number; seed: number; random: Random },
) {
  const known = new Set(seen.map(({ task }) => task.prompt));
  let number = 0;
  return {
    sample(count: number): Question[] {
      const sampled: Question[] = [];
      // Of a small set of tasks few are left: what is known is passed over, and not for ever.
      for (let tried = 0; sampled.length < count && tried < 4 * count; tried++) {
        const question = world.sample(hashSeed(own, "fresh", iteration, number++));
        if (known.has(question.task.prompt) || !isOpen(world, question)) continue;
        known.add(question.task.prompt);
        sampled.push(question);
      }
      return sampled;
    },
    triesOf: (question: Question, at: number) => toTries(world, question, hashSeed(seed, "anew"), at, TRIES),
    ...{ plans: budget.fresh, rollouts: Math.max(0, budget.rollouts - rollouts), seed, random },
  };
}
