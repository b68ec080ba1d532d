// A few of the workflows written for the tune questions: always the same questions, so that early and late can
// be compared. With a journal they are performed once more into it, and can be looked at like any other run.

import { basename } from "node:path";
import { hashSeed } from "../base/random.ts";
import type { Store } from "../store/types.ts";
import { type Outcome, performTexts } from "../world/rollout.ts";
import type { World } from "../world/types.ts";
import type { Sample, StageName } from "./types.ts";

const SAMPLES = 3;
const SHOWN = 400;

export async function takeSamples(
  outcomes: readonly Outcome[],
  world: World,
  options: {
    stage: StageName;
    iteration: number;
    seed: number;
    folder: string;
    journal?: Store;
    signal: AbortSignal;
  },
): Promise<Sample[]> {
  const { stage, iteration, seed, folder, journal: store, signal } = options;
  const samples: Sample[] = [];
  for (const [number, { texts, answer, score, calls, isValid }] of outcomes.slice(0, SAMPLES).entries()) {
    const question = world.validation[number]!;
    const { id, prompt } = question.task;
    const runId = `t_${basename(folder)}_${iteration}_${number}`;
    if (store && isValid) {
      // A training that was killed after this look tells it again: the run of then gives way.
      await store.deleteRun(runId);
      await performTexts({
        world,
        question,
        texts,
        seed: hashSeed(hashSeed(seed, "tune"), id),
        signal,
        store,
        runId,
      });
    }
    samples.push({
      type: "sample",
      ...{ stage, iteration, task: id, question: prompt.slice(0, SHOWN) },
      ...{ texts: [...texts], answer, score, calls, runId: store && isValid ? runId : "" },
    });
  }
  return samples;
}
