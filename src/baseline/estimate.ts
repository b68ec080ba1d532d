// Expected success per worker for one question, from its text alone: the common ground of the
// neighbours and the router. The index of the training questions is shared by all who were fitted
// on the same list, since making it is the expensive part.

import { textOf } from "../calibration/text-features.ts";
import { TextIndex } from "../calibration/text-index.ts";
import { toMessages } from "../task/types.ts";
import type { Task } from "../worker/types.ts";
import type { TrainingTask } from "./types.ts";

/** By number in the pool; the order among equals is that of the overall strength. */
export type SuccessEstimate = (task: Task) => Float64Array;

const indexes = new WeakMap<readonly TrainingTask[], TextIndex>();

export function indexOf(training: readonly TrainingTask[]): TextIndex {
  let index = indexes.get(training);
  if (!index) {
    index = new TextIndex(training.map(({ task }) => textOf(toMessages(task))));
    indexes.set(training, index);
  }
  return index;
}

/** A Conductor is asked again in every round of a run, with the same task. */
export function rememberEstimate<T>(estimate: (text: string) => T): (task: Task) => T {
  const known = new WeakMap<Task, T>();
  return (task) => {
    let estimates = known.get(task);
    if (estimates === undefined) {
      estimates = estimate(textOf(task.messages));
      known.set(task, estimates);
    }
    return estimates;
  };
}
