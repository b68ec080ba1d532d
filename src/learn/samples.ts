// A few of the workflows written for the validation questions: always the same questions, so that early and late can
// be compared. With a journal they are performed once more into it, and can be looked at like any other run.

import { basename } from "node:path";
import type { Store } from "../store/types.ts";
import { type Outcome, performTexts } from "../world/rollout.ts";
import type { World } from "../world/types.ts";
import { toRunSeed } from "./perform.ts";
import type { Sample } from "./types.ts";

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
  },
): Promise<Sample[]> {
  const { stage, iteration, folder, journal: store, signal } = options;
  const samples: Sample[] = [];
  for (const [number, { texts, answer, score, calls, isValid }] of outcomes.slice(0, SAMPLES).entries()) {
    const question = world.validation[number]!;
    const { id: task, prompt } = question.task;
    const runId = store && isValid ? `t_${basename(folder)}_${iteration}_${number}` : "";
    if (store && isValid) {
      // A training that was killed after this evaluation tells it again: the earlier run gives way.
      await store.deleteRun(runId);
      const seed = toRunSeed(options.seed, question);
      await performTexts({ world, question, texts, seed, signal, store, runId });
    }
    samples.push({
      ...{ type: "sample", stage, iteration, task, question: prompt.slice(0, SHOWN) },
      ...{ texts: [...texts], answer, score, calls, runId },
    });
  }
  return samples;
}
