// The upper bound of choosing one worker: it is told who is right. No method; it shows how much
// there is to win. Apart from the list, since only the bench can hand it the outcomes.

import { createOneRound, perform, solve } from "./decide.ts";
import { measureStrength } from "./strength.ts";
import type { Baseline } from "./types.ts";

/** Both are told the ids of the task and of the worker. `usdOf`: what the ask costs; undefined where it is not known. */
export function createOracle(
  isRight: (taskId: string, worker: string) => boolean,
  usdOf: (taskId: string, worker: string) => number | undefined = () => undefined,
): Baseline {
  return {
    id: "oracle",
    summary:
      "is told who is right and asks the cheapest of them, else the strongest: an upper bound, no method",
    needsHandOffs: false,
    rounds: 1,
    isUpperBound: true,
    fit({ pool, training }) {
      const { order } = measureStrength(pool, training);
      return createOneRound("oracle", ({ task: { id = "" } }) => {
        const nameOf = (worker: number) => pool.members[worker]!.worker.id;
        const right = order.filter((worker) => isRight(id, nameOf(worker)));
        const usd = new Map(order.map((worker) => [worker, usdOf(id, nameOf(worker))]));
        // Where one of the costs is not known they cannot be compared: the order of strength stays.
        const isKnown = [...usd.values()].every((each) => each !== undefined);
        const cheapest = (some: readonly number[]) =>
          isKnown ? some.toSorted((a, b) => usd.get(a)! - usd.get(b)!)[0] : some[0];
        return perform([solve(cheapest(right) ?? cheapest(order)!)]);
      });
    },
  };
}
