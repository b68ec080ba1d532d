// Metrics of outcomes: means over rollouts that were not lost to an outage.

import { entropyBits, estimateShare } from "../base/statistics.ts";
import type { Outcome } from "../world/rollout.ts";
import type { World } from "../world/types.ts";
import type { OutcomeMetrics, ValidationMetrics } from "./types.ts";

export function toOutcomeMetrics(outcomes: readonly Outcome[]): OutcomeMetrics {
  const counted = outcomes.filter(({ isOutage }) => !isOutage);
  const valid = counted.filter(({ isValid }) => isValid);
  const calls = countCalls(counted);
  const all = [...calls.values()].reduce((sum, count) => sum + count, 0);
  return {
    reward: meanOf(counted, ({ reward }) => reward),
    accuracy: meanOf(counted, ({ isRight }) => Number(isRight)),
    validShare: meanOf(counted, ({ isValid }) => Number(isValid)),
    accuracyIfValid: meanOf(valid, ({ isRight }) => Number(isRight)),
    routingEntropy: entropyBits(calls.values()),
    calls: meanOf(counted, (outcome) => outcome.calls),
    steps: meanOf(valid, ({ steps }) => steps),
    outages: outcomes.length - counted.length,
    costUsd: outcomes.reduce((sum, { costUsd }) => sum + costUsd, 0),
    asked:
      outcomes.length === 0
        ? undefined
        : Object.fromEntries([...calls].map(([id, count]) => [id, count / all])),
  };
}

export function toValidationMetrics(
  outcomes: readonly Outcome[],
  costPerCall: number,
): Omit<ValidationMetrics, "type" | "stage" | "iteration" | "isBest"> {
  const counted = outcomes.filter(({ isOutage }) => !isOutage);
  const right = counted.map(({ isRight }) => Number(isRight));
  const { mean: accuracy, low, high } = estimateShare(right, { seed: 1 });
  return {
    ...{ tasks: counted.length, accuracy, low, high },
    reward: meanOf(counted, ({ reward, calls }) => reward - costPerCall * calls),
    validShare: meanOf(counted, ({ isValid }) => Number(isValid)),
    calls: meanOf(counted, ({ calls }) => calls),
    costUsd: meanOf(counted, ({ costUsd }) => costUsd),
    routingEntropy: entropyBits(countCalls(counted).values()),
  };
}

/** Of each world apart, where several were joined. */
export function toPartMetrics(
  { parts, validation }: Pick<World, "parts" | "validation">,
  outcomes: readonly Outcome[],
): ValidationMetrics["parts"] {
  if (!parts) return undefined;
  return Object.fromEntries(
    parts.map((part) => {
      const own = outcomes.filter((_, i) => part.holds(validation[i]!.task));
      const { tasks, accuracy, low, high, validShare, calls } = toValidationMetrics(own, 0);
      return [part.name, { tasks, accuracy, low, high, validShare, calls }];
    }),
  );
}

function meanOf(outcomes: readonly Outcome[], value: (outcome: Outcome) => number): number {
  return outcomes.reduce((sum, outcome) => sum + value(outcome), 0) / Math.max(1, outcomes.length);
}

/** By worker id. */
function countCalls(outcomes: readonly Outcome[]): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { asked } of outcomes) for (const id of asked) calls.set(id, (calls.get(id) ?? 0) + 1);
  return calls;
}
