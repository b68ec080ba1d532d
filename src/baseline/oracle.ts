// The upper bound of choosing one worker: it is told who is right. No method; it shows how much
// there is to win. Apart from the list, since only the bench can hand it the outcomes.

import { createOneRound, perform, solve } from "./decide.ts";
import { measureStrength } from "./strength.ts";
import type { Baseline } from "./types.ts";

/** `isRight` is told the ids of the task and of the worker. */
export function createOracle(isRight: (taskId: string, worker: string) => boolean): Baseline {
  return {
    id: "oracle",
    summary: "is told who is right and asks the strongest of them: an upper bound, no method",
    needsHandOffs: false,
    rounds: 1,
    isUpperBound: true,
    fit({ pool, training }) {
      const { order } = measureStrength(pool, training);
      return createOneRound("oracle", ({ task: { id = "" } }) => {
        const right = order.find((worker) => isRight(id, pool.members[worker]!.worker.id));
        return perform([solve(right ?? order[0]!)]);
      });
    },
  };
}
