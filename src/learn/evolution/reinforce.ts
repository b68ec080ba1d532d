// REINFORCE: choices are sampled, and the head moves towards those of runs that were better than their question's mean.
// Stands here for comparison, with as many runs as a generation of evolution has.

import { hashSeed } from "../../base/random.ts";
import { meanOf } from "../../base/statistics.ts";
import type { TurnChoice } from "../../conductor/trinity/types.ts";
import { addSlopes, entropyOf, type GradientHead, toProbabilities } from "./gradient-head.ts";
import { type Stage, type StageContext, toRollout } from "./stage.ts";

export async function* reinforce(context: StageContext, head: GradientHead): Stage {
  const { policy, trials, population, replications, temperature, learningRate, toReward, seed } = context;
  const { vector } = head;
  const choices: TurnChoice[][] = [];
  const rollouts = trials.flatMap((trial, number) =>
    Array.from({ length: population }, (_, copy) => {
      const told: TurnChoice[] = [];
      choices.push(told);
      const explore = { temperature, seed: hashSeed(seed, "explore", number, copy) };
      return toRollout(context, trial, vector, { explore, onChoice: (choice) => told.push(choice) });
    }),
  );
  const outcomes = yield rollouts;

  const gradient = new Float64Array(policy.head);
  const entropies: number[] = [];
  const groups: number[][] = [];
  let loss = 0;
  // All runs of a question, whatever their seeds, are one group.
  const size = population * replications;
  for (let from = 0; from < outcomes.length; from += size) {
    const counted = Array.from({ length: size }, (_, i) => from + i).filter((i) => !outcomes[i]!.isOutage);
    const rewards = counted.map((i) => toReward(outcomes[i]!, rollouts[i]!.question));
    const baseline = meanOf(rewards);
    groups.push(rewards);
    for (const [position, i] of counted.entries()) {
      const advantage = (rewards[position]! - baseline) / outcomes.length;
      for (const { options, taken } of choices[i]!) {
        const probabilities = toProbabilities(options, vector, temperature);
        entropies.push(entropyOf(probabilities));
        loss -= advantage * Math.log(Math.max(probabilities[taken]!, Number.MIN_VALUE));
        const slopes = probabilities.map((p, k) => advantage * (p - Number(k === taken)));
        addSlopes(gradient, options, slopes, temperature);
      }
    }
  }
  const gradientNorm = head.descend(gradient, learningRate);
  return { outcomes, groups, loss, entropy: meanOf(entropies), gradientNorm, learningRate };
}
