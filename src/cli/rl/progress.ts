// How a training elsewhere is doing, seen from its environment: one line that changes.

import { toCount, toMoney, toPercent } from "../../base/format.ts";
import type { RolloutMetrics, Snapshot } from "../../environment/metrics.ts";
import { createChangingLine } from "../terminal/changing-line.ts";

const TICK_MS = 200;

export interface RlProgressOptions {
  metrics: Pick<RolloutMetrics, "snapshot">;
  /** How many rollouts there will be. */
  planned: number;
  isSimulated: boolean;
  /** Of a live pool: what was really paid, which is less than the workflows cost where replies were kept. */
  budget?: { readonly spentUsd: number; readonly budgetUsd: number };
}

export interface RlProgress {
  /** Before something else is written. */
  clear(): void;
  end(): void;
}

export function createRlProgress(
  stderr: NodeJS.WriteStream,
  options: RlProgressOptions,
  now: () => number = Date.now,
): RlProgress {
  const line = createChangingLine(stderr, now);
  let shown = "";
  const timer = setInterval(() => {
    const snapshot = options.metrics.snapshot();
    const { performed, kept, joined, failures } = snapshot;
    // Where nobody watches, a line that says nothing new is not said again.
    const state = JSON.stringify([performed, kept, joined, failures]);
    if (state === shown || (!stderr.isTTY && performed + kept === 0)) return;
    line.show(() => {
      shown = state;
      return toRlParts(snapshot, options);
    });
  }, TICK_MS);
  timer.unref();
  return {
    clear: () => line.end(),
    end() {
      clearInterval(timer);
      line.end();
    },
  };
}

export function toRlParts(snapshot: Snapshot, options: Omit<RlProgressOptions, "metrics">): string[] {
  const { performed, kept, joined, failures, reward, validShare, rolloutsPerSecond } = snapshot;
  const { planned, isSimulated, budget } = options;
  const paidUsd = budget?.spentUsd ?? snapshot.costUsd;
  const left = Math.max(0, planned - performed);
  const toGoUsd = performed > 0 ? (paidUsd / performed) * left : 0;
  const failed = Object.entries(failures).filter(([, count]) => count > 0);
  const limit =
    budget && Number.isFinite(budget.budgetUsd) ? ` of ${toMoney(budget.budgetUsd, isSimulated)}` : "";
  return [
    `${performed.toLocaleString("en")} of ${toCount(planned, "rollout")}`,
    `${rolloutsPerSecond < 10 ? rolloutsPerSecond.toFixed(1) : Math.round(rolloutsPerSecond)}/s`,
    ...(Number.isNaN(reward) ? [] : [`reward ${reward.toFixed(2)}`, `${toPercent(validShare)} valid`]),
    `${toMoney(paidUsd, isSimulated)}${limit}`,
    ...(performed > 0 ? [`about ${toMoney(toGoUsd, isSimulated)} to go`] : []),
    ...(kept + joined > 0 ? [`${(kept + joined).toLocaleString("en")} repeats`] : []),
    ...failed.map(([kind, count]) => `${count.toLocaleString("en")} ${kind}`),
  ];
}
