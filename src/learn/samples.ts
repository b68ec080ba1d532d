// A few of the workflows written for the validation questions: always the same questions, so that early and late can
// be compared. With a journal they are performed once more into it, and can be looked at like any other run.

import { basename } from "node:path";
import type { Store } from "../store/types.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Outcome } from "../world/rollout.ts";
import type { Question, World } from "../world/types.ts";
import { performRollout, toRunSeed } from "./perform.ts";
import type { Rollout, Sample } from "./types.ts";

const SAMPLES = 3;
const SHOWN = 400;

export async function takeSamples(
  outcomes: readonly Outcome[],
  world: World,
  options: Pick<Sample, "stage" | "iteration"> & {
    /** Of the evaluation. */
    seed: number;
    folder: string;
    journal?: Store;
    signal: AbortSignal;
    /** What was performed; by default the texts of the outcome. */
    toRollout?(question: Question, seed: number): Rollout | undefined;
  },
): Promise<Sample[]> {
  const { stage, iteration, folder, journal: store, signal } = options;
  const samples: Sample[] = [];
  for (const [number, outcome] of outcomes.slice(0, SAMPLES).entries()) {
    const { answer, score, calls, isValid } = outcome;
    const question = world.validation[number]!;
    const { id: task, prompt } = question.task;
    const runId = store && isValid ? `t_${basename(folder)}_${iteration}_${number}` : "";
    if (store && isValid) {
      // A training that was killed after this evaluation tells it again: the earlier run gives way.
      await store.deleteRun(runId);
      const seed = toRunSeed(options.seed, question);
      const rollout = options.toRollout?.(question, seed) ?? { question, texts: outcome.texts, seed };
      await performRollout(rollout, { world, signal, store, runId });
    }
    samples.push({
      ...{ type: "sample", stage, iteration, task, question: prompt.slice(0, SHOWN) },
      ...{ texts: toTexts(outcome), answer, score, calls, runId },
    });
  }
  return samples;
}

/** Where nothing was written, what was decided is written now. The language has no word for "all-rounds". */
function toTexts({ texts, rounds }: Outcome): string[] {
  if (texts.length > 0) return [...texts];
  return rounds.map(({ workflow: { steps } }) =>
    renderWorkflow({
      steps: steps.map((step) => ({ ...step, access: step.access === "all-rounds" ? "all" : step.access })),
    }),
  );
}
