// Events of a training that never was: metrics that look like learning, the same for the same iteration.

import { createRandom } from "../../base/random.ts";
import type { TrainingStatement } from "../../learn/statement.ts";
import type { IterationMetrics, Sample, TrainEvent, ValidationMetrics } from "../../learn/types.ts";

const STAGES: readonly [string, number][] = [
  ["warm-up", 0.12],
  ["selection", 0.4],
  ["teams", 0.8],
  ["rounds", 1],
];
const PLAYERS = ["violin", "viola", "cello", "flute", "oboe", "horn", "timpani"];

function stageAt(iteration: number, total: number): string {
  return STAGES.find(([, end]) => iteration < end * total)?.[0] ?? "rounds";
}

export function toIteration(
  iteration: number,
  change: Partial<IterationMetrics> = {},
  total = 100,
): IterationMetrics {
  const random = createRandom(iteration + 1);
  const noise = (size: number) => (random.next() - 0.5) * size;
  const stage = stageAt(iteration, total);
  const progress = iteration / total;
  const isWarmUp = stage === "warm-up";
  const accuracy = Math.min(0.95, 0.45 + 0.35 * (1 - Math.exp(-3 * progress)) + noise(0.14));
  const validShare = Math.min(1, 0.8 + 0.25 * progress + noise(0.05));
  const weights = PLAYERS.map((_, i) => 0.2 + (i < 3 ? progress * (3 - i) : 0) + random.next() * 0.15);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = PLAYERS.map((name, i): [string, number] => [`rehearsal/${name}`, weights[i]! / sum]);
  return {
    ...{ type: "iteration", stage, iteration, total, accuracy, validShare },
    reward: isWarmUp ? 0 : 0.5 * validShare + 0.5 * accuracy,
    accuracyIfValid: Math.min(1, accuracy / validShare),
    routingEntropy: 2.8 - 1.2 * progress + noise(0.2),
    decisionEntropy: 1.6 * Math.exp(-2 * progress) + 0.2 + noise(0.1),
    calls: stage === "selection" ? 1 : 2.6 - 0.8 * progress + noise(0.3),
    steps: stage === "selection" ? 1 : 2.9 - 0.8 * progress + noise(0.3),
    flatShare: Math.min(1, Math.max(0, 0.25 + 0.3 * progress + noise(0.2))),
    outages: 0,
    loss: isWarmUp ? 4 * Math.exp(-20 * progress) + 0.4 + noise(0.1) : noise(0.05),
    gradientNorm: 0.6 + random.next() * 0.8,
    learningRate: 3e-4 * Math.min(1, iteration / 10) * Math.min(1, 3 * (1 - progress)),
    costUsd: 0.01,
    seconds: 2,
    ...(!isWarmUp && { asked: Object.fromEntries(shares) }),
    ...change,
  };
}

export function toValidation(
  iteration: number,
  change: Partial<ValidationMetrics> = {},
  total = 100,
): ValidationMetrics {
  const { accuracy, validShare, calls, routingEntropy, stage } = toIteration(iteration, {}, total);
  return {
    ...{ type: "validation", stage, iteration, tasks: 300, accuracy, validShare, calls, routingEntropy },
    ...{ low: accuracy - 0.05, high: accuracy + 0.05, reward: accuracy, costUsd: 0.02, isBest: false },
    ...change,
  };
}

export function toSample(iteration: number, task: string, change: Partial<Sample> = {}): Sample {
  return {
    ...{ type: "sample", stage: stageAt(iteration, 100), iteration, task, score: iteration % 2, calls: 2 },
    question: `Question ${task}: what is 17 * 23?`,
    texts: ['model_id = [3, 0]\nsubtasks = ["work it out", "check the result"]\naccess_list = [[], ["all"]]'],
    answer: "391",
    runId: `run-${iteration}-${task}`,
    ...change,
  };
}

export function toStatement(change: Partial<TrainingStatement> = {}): Omit<TrainingStatement, "version"> {
  return {
    ...{
      world: "rehearsal (simulated)",
      isSimulated: true,
      settings: { group: 16, pools: "random" },
      seed: 3,
    },
    ...{ command: "tutti train --rehearsal --seed 3", engine: "made-up 1.0, 2 threads" },
    ...{ startedAt: 1_700_000_000_000, state: "running", notices: [] },
    ...change,
  };
}

/** A whole training, in the order it would be told. */
export function toTrainEvents(total: number): TrainEvent[] {
  return Array.from({ length: total }, (_, iteration): TrainEvent[] => [
    toIteration(iteration, {}, total),
    ...(iteration % Math.ceil(total / 15) === 0
      ? [
          toValidation(iteration, { isBest: iteration > 0.6 * total }, total),
          ...["a", "b", "c"].map((task) => toSample(iteration, task)),
        ]
      : []),
  ]).flat();
}
