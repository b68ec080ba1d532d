// Where the time went: from the end of a run back to its beginning, always over what was waited for longest. To
// make a run faster, something on this path must become faster. Pure.

import { toDependencies } from "../../../src/workflow/waves.ts";
import { toNodeId } from "../graph/model.ts";
import type { RunView } from "../graph/view.ts";

/** Ids of steps ("0.2") and of plans ("plan-0"). */
export function toCriticalPath({ state, attempts, plans }: RunView): Set<string> {
  const path = new Set<string>();
  if (!state) return path;
  const endOf = (round: number, step: number) =>
    Math.max(
      -1,
      ...attempts
        .filter((each) => each.round === round && each.step === step)
        .map((each) => each.endedAt ?? Infinity),
    );
  const hasPlan = (round: number) => plans.some((plan) => plan.round === round);
  const latest = (round: number, steps: readonly number[]) =>
    steps.reduce<number | undefined>(
      (best, step) =>
        endOf(round, step) >= 0 && (best === undefined || endOf(round, step) > endOf(round, best))
          ? step
          : best,
      undefined,
    );
  for (let round = state.rounds.length - 1; round >= 0; round--) {
    const { workflow } = state.rounds[round]!;
    const dependencies = workflow ? toDependencies(workflow) : [];
    let step = latest(round, [...dependencies.keys()]);
    while (step !== undefined) {
      path.add(toNodeId(round, step));
      step = latest(round, dependencies[step]!);
    }
    if (hasPlan(round)) path.add(`plan-${round}`);
  }
  return path;
}
