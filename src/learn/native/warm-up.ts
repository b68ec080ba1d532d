// Warm-up: random valid workflows, so that the model knows the language before it is rewarded. It stands in for the
// pretraining that a large model brings. Workers, sizes and access lists are sampled uniformly, so it cannot teach who
// is good at what; that it is no better than random choice is measured (experiments/warm-up.mjs), not hoped.

import type { LossOptions, Model, TrainingExample } from "../../nn/model.ts";
import { handsOff } from "../../worker/kinds.ts";
import { MAX_STEPS } from "../../workflow/types.ts";
import type { Question } from "../../world/types.ts";
import { sampleWorkflow } from "./random-workflow.ts";
import {
  createStageRandom,
  learn,
  MICRO_BATCH,
  type StageContext,
  sampleQuestions,
  TEXT_WEIGHT,
  type TrainingStage,
  toPrompt,
} from "./stage.ts";

/** Random workflows of a question: they share the reading of it. */
const GROUP = 8;
const QUESTIONS = 8;
/** Of the random workflows, this share is of later rounds. */
const LATER = 0.25;

export const warmUp: TrainingStage = async function* (context) {
  const { policy, questions } = context;
  const sampled = sampleQuestions(context, Math.min(questions, QUESTIONS));
  const rows = toRandomExamples(context, sampled, (tokens) => new Float32Array(tokens.length).fill(1));
  const textWeight = TEXT_WEIGHT.warmUp / (sampled.length * GROUP);
  return learn(context, await policy.model.computeGradients(rows, toLossOptions(context, textWeight)));
};

type ExampleRows = Parameters<Model["computeGradients"]>[0];

/** Random valid workflows for each question; `weigh` says how much each token counts. */
export function toRandomExamples(
  context: StageContext,
  questions: readonly Question[],
  weigh: (tokens: readonly number[]) => Float32Array,
): ExampleRows {
  const { policy } = context;
  const { language } = policy;
  const random = createStageRandom(context, "warm-up");
  const scale = 1 / (questions.length * GROUP);
  return questions.map((question) => {
    const { pool } = question;
    const isLater = random.next() < LATER;
    const size = random.integer(1, MAX_STEPS);
    const plain = toPrompt(policy, question, { size }).reading;
    const { workers, sayable } = plain;
    const sampling = { pool, language, sayable, workers, handOffs: handsOff(pool), random };
    // Later rounds are read from made-up ones: who agreed with whom is random too.
    const before = isLater ? sampleWorkflow({ ...sampling, previousSteps: 0 }) : [];
    const steps = before.map(({ worker, access }) => ({ worker: workers[worker]!, subtask: "", access }));
    const replies = before.map(() => `Answer: ${random.integer(1, 3)}`);
    const rounds = [{ workflow: { steps }, replies }];
    const reading = isLater ? toPrompt(policy, question, { rounds, size }).reading : plain;
    const examples = Array.from({ length: GROUP }, (): TrainingExample => {
      const tokens = language.toTokens(sampleWorkflow({ ...sampling, previousSteps: before.length, size }));
      return { tokens, weights: weigh(tokens).map((weight) => weight * scale) };
    });
    return { prefix: reading.prefix, examples };
  });
}

/** What these examples are learned with: likelihood, as in supervised learning. */
export function toLossOptions({ policy }: StageContext, textWeight: number, group = GROUP): LossOptions {
  const { start } = policy.language;
  return { objective: { kind: "likelihood", clip: 0 }, start, group, textWeight, microBatch: MICRO_BATCH };
}
