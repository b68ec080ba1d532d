// Training tasks that may be used for a test: whatever asks the same as a test task is left out, and it is checked.

import type { TrainingTask } from "../../baseline/types.ts";
import type { GradedTask } from "../../task/types.ts";
import { promptHash } from "../../world/split.ts";
import { checkSeparation } from "../fitting.ts";

export interface FittedTasks {
  training: TrainingTask[];
  /** Twins of test tasks. */
  leftOut: number;
}

export function openFitted(training: readonly TrainingTask[], test: readonly GradedTask[]): FittedTasks {
  const tested = new Set(test.map((task) => promptHash(task)));
  const kept = training.filter(({ task }) => !tested.has(promptHash(task)));
  checkSeparation(kept, test);
  return { training: kept, leftOut: training.length - kept.length };
}
