// Distillation, before reinforcement: the best plan that a small search found for each question is imitated. It is
// reported apart from what reward alone has taught. Only simulated questions: there a plan can be tried again and again.

import type { TrainingExample } from "../../nn/model.ts";
import { isSimulatedTask } from "../../world/joined.ts";
import { searchPlans } from "./search.ts";
import {
  createStageRandom,
  learn,
  learnNothing,
  sampleQuestions,
  TEXT_WEIGHT,
  type TrainingStage,
  toPrompt,
} from "./stage.ts";
import { toLossOptions } from "./warm-up.ts";

export const distil: TrainingStage = async function* (context) {
  const { policy, world, questions, plan } = context;
  const random = createStageRandom(context, "distil");
  const prompts = sampleQuestions(context, questions)
    .filter(({ task }) => isSimulatedTask(world, task))
    .map((question) => toPrompt(policy, question, { size: plan.sampleSize(random) }));
  if (prompts.length === 0) return learnNothing([]);
  const found = yield* searchPlans(prompts, context, random);
  const scale = 1 / Math.max(1, prompts.length);
  const rows = prompts.flatMap(({ reading }, q) => {
    const best = found[q];
    if (!best) return [];
    const tokens = policy.language.toTokens(best.steps);
    const example: TrainingExample = { tokens, weights: new Float32Array(tokens.length).fill(scale) };
    return [{ prefix: reading.prefix, examples: [example] }];
  });
  if (rows.length === 0) return learnNothing([]);
  const gradients = await policy.model.computeGradients(
    rows,
    toLossOptions(context, TEXT_WEIGHT.policy * scale, 1),
  );
  return learn(context, gradients);
};
