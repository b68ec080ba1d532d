// The supervised stage of plain Fugu: the head's choice is moved towards a softmax of the measured rewards of the options.
// An option is measured by taking it and following the policy greedily from there, at the first turn and at one later
// turn of each run. Where there are more options than runs, some of them are measured, and compared among themselves.

import { createRandom, hashSeed, type Random } from "../../base/random.ts";
import { meanOf } from "../../base/statistics.ts";
import type { TurnChoice } from "../../conductor/trinity/types.ts";
import type { Outcome } from "../../world/rollout.ts";
import { addSlopes, entropyOf, type GradientHead, softmax, toProbabilities } from "./gradient-head.ts";
import { type Stage, type StageContext, type Trial, toRollout } from "./stage.ts";

/** Of the target: a right answer instead of a wrong one makes an option e^5 times as likely. */
const TARGET_TEMPERATURE = 0.2;

/** An option to be measured at a turn of a trial. */
interface Probe extends Trial {
  turn: number;
  option: number;
}

/** A state that was visited, with the rewards of the options that were measured there. */
interface Visited {
  choice: TurnChoice;
  rewards: Map<number, number[]>;
}

export async function* supervise(context: StageContext, head: GradientHead): Stage {
  const { policy, trials, population, learningRate, temperature, toReward, seed } = context;
  const { vector } = head;
  const paths: TurnChoice[][] = trials.map(() => []);
  const followed = yield trials.map((trial, i) =>
    toRollout(context, trial, vector, { onChoice: (choice) => paths[i]!.push(choice) }),
  );

  const probes = trials.map((trial, i) => {
    const random = createRandom(hashSeed(seed, "probe", i));
    return chooseProbes(trial, paths[i]!, population - 1, random);
  });
  const measured = probes.flat();
  const outcomes = yield measured.map((probe) =>
    toRollout(context, probe, vector, { force: { turn: probe.turn, option: probe.option } }),
  );

  let next = 0;
  const states = probes.flatMap((own, i) => {
    const part = outcomes.slice(next, next + own.length);
    next += own.length;
    return toVisited(own, part, paths[i]!, toReward);
  });
  const gradient = new Float64Array(policy.head);
  const entropies: number[] = [];
  let loss = 0;
  for (const { choice, rewards } of states) {
    const options = [...rewards.keys()].map((option) => choice.options[option]!);
    const target = softmax([...rewards.values()].map((own) => meanOf(own) / TARGET_TEMPERATURE));
    const probabilities = toProbabilities(options, vector, temperature);
    entropies.push(entropyOf(probabilities));
    const share = 1 / states.length;
    loss -=
      share *
      target.reduce(
        (sum, wanted, k) => sum + wanted * Math.log(Math.max(probabilities[k]!, Number.MIN_VALUE)),
        0,
      );
    addSlopes(
      gradient,
      options,
      probabilities.map((p, k) => share * (p - target[k]!)),
      temperature,
    );
  }
  const gradientNorm = head.descend(gradient, learningRate);
  return {
    outcomes: [...followed, ...outcomes],
    groups: states.map(({ rewards }) => [...rewards.values()].map(meanOf)),
    ...{ loss, entropy: meanOf(entropies), gradientNorm, learningRate },
  };
}

/**
 * Exactly `count`: up to half at a later turn, which is reached with the trial's own seed only, so each option once; the
 * others at the first turn, over and over with other seeds.
 */
function chooseProbes(trial: Trial, path: readonly TurnChoice[], count: number, random: Random): Probe[] {
  const [first] = path;
  if (!first) return [];
  const shuffled = (turn: number) => random.shuffle([...path[turn]!.options.keys()]);
  const turn = path.length > 1 ? random.integer(1, path.length - 1) : 0;
  const later = turn > 0 ? shuffled(turn).slice(0, Math.floor(count / 2)) : [];
  const options = shuffled(0);
  const early = Array.from({ length: count - later.length }, (_, i): Probe => {
    const again = Math.floor(i / options.length);
    const seed = again === 0 ? trial.seed : hashSeed(trial.seed, "again", again);
    return { ...trial, seed, turn: 0, option: options[i % options.length]! };
  });
  return [...early, ...later.map((option): Probe => ({ ...trial, turn, option }))];
}

/** One state for each turn that was probed; those with fewer than two options measured teach nothing. */
function toVisited(
  probes: readonly Probe[],
  outcomes: readonly Outcome[],
  path: readonly TurnChoice[],
  toReward: StageContext["toReward"],
): Visited[] {
  const states = new Map<number, Visited>();
  for (const [i, { turn, option, question }] of probes.entries()) {
    const outcome = outcomes[i]!;
    if (outcome.isOutage) continue;
    const state = states.get(turn) ?? { choice: path[turn]!, rewards: new Map<number, number[]>() };
    states.set(turn, state);
    state.rewards.set(option, [...(state.rewards.get(option) ?? []), toReward(outcome, question)]);
  }
  return [...states.values()].filter(({ rewards }) => rewards.size > 1);
}
