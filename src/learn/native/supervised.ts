// The supervised variant, before reinforcement: each worker answers alone; what is likely then follows what was
// rewarded, as in the first stage of plain Fugu.

import { hashSeed } from "../../base/random.ts";
import type { TrainingExample } from "../../nn/model.ts";
import { isModel } from "../../worker/kinds.ts";
import { sampleSubtask, toVocabulary } from "./random-workflow.ts";
import {
  createStageRandom,
  learn,
  sampleQuestions,
  TEXT_WEIGHT,
  type TrainingStage,
  toPrompt,
} from "./stage.ts";
import { toLossOptions } from "./warm-up.ts";

/** How much better one worker must be than another to be much likelier. */
const TEMPERATURE = 0.2;

export const supervise: TrainingStage = async function* (context) {
  const { policy, world, words, seed, plan } = context;
  const { language, model } = policy;
  const random = createStageRandom(context, "supervised");
  const works = world.works();
  const questions = sampleQuestions(context, context.questions).map((question) => {
    const { task, pool } = question;
    const { workers, prefix } = toPrompt(policy, question, { size: 1 }).reading;
    const vocabulary = toVocabulary(task.prompt, works, words);
    const models = [...workers.keys()].filter((slot) => isModel(pool.members[workers[slot]!]!.worker));
    const plans = models.map((worker) => {
      const subtask = sampleSubtask(vocabulary, { seesOthers: false, opensTeam: false }, random);
      return language.toTokens([{ worker, subtask, access: [] }]);
    });
    return { question, workers, prefix, plans };
  });
  const outcomes = yield questions.flatMap(({ question, workers, plans }) =>
    plans.map((tokens) => {
      const texts = [language.toText(tokens, (slot) => workers[slot]!)];
      return { question, texts, seed: hashSeed(seed, plan.iteration) };
    }),
  );
  const next = outcomes.values();
  const rows = questions.map(({ prefix, plans }) => {
    // A worker that was down is not learned from.
    const scores = plans.map(() => {
      const { reward, isOutage } = next.next().value!;
      return isOutage ? 0 : Math.exp(reward / TEMPERATURE);
    });
    const sum = scores.reduce((all, score) => all + score, 0) || 1;
    const examples = plans.map((tokens, i): TrainingExample => {
      const weights = new Float32Array(tokens.length).fill(scores[i]! / sum / questions.length);
      return { tokens, weights };
    });
    return { prefix, examples };
  });
  const group = Math.max(...rows.map(({ examples }) => examples.length));
  const textWeight = TEXT_WEIGHT.policy / questions.length / group;
  return learn(context, await model.computeGradients(rows, toLossOptions(context, textWeight, group)));
};
