// A router that is trained on text and asks once: the worker that is most probably right on this question
// (calibration/estimate.ts), where its lead over the best worker is worth believing (calibration/choice.ts).
// Profiles of live runs hold the same probability.

import { type ChoiceOptions, fitChoice } from "../calibration/choice.ts";
import { createEstimator, type Estimator } from "../calibration/estimate.ts";
import { textOf } from "../calibration/text-features.ts";
import { toMessages } from "../task/types.ts";
import type { Task } from "../worker/types.ts";
import { indexOf, rememberEstimate, type SuccessEstimate } from "./estimate.ts";
import { createPricedRouter, type FittedEstimate } from "./priced-router.ts";
import { measureStrength } from "./strength.ts";
import type { FitContext, TrainingTask } from "./types.ts";

export const router = createPricedRouter(
  "router",
  "a trained text router: asks the worker that is most probably right, if its lead over the best worker is sure",
  fitRouter,
);

export interface FittedRouter extends Required<FittedEstimate> {
  /**
   * For the difference between two workers: the mean of the probability and what the nearest questions say. The
   * probability is mostly fitted to what all workers share, which falls out of a difference.
   */
  compare: SuccessEstimate;
}

/** Fitting takes seconds, and every point of its curve is another way to choose by the same estimates. */
const fitted = new WeakMap<readonly TrainingTask[], Estimator>();

export function fitRouter({ pool, training }: Pick<FitContext, "pool" | "training">): FittedRouter {
  const { order, rates } = measureStrength(pool, training);
  const scores = training.map((task) => task.scores);
  let estimator = fitted.get(training);
  if (!estimator) {
    estimator = createEstimator({
      index: indexOf(training),
      scores,
      texts: training.map(({ task }) => textOf(toMessages(task))),
      labels: [training.map(({ task }) => task.category), training.map(({ task }) => task.family)],
      rates,
      workers: order,
    });
    fitted.set(training, estimator);
  }
  const { estimate, leaveOneOut } = estimator;
  const remembered = rememberEstimate((text) => estimate(text));
  return {
    order,
    estimate: (task) => remembered(task).probabilities,
    compare(task) {
      const { probabilities, near } = remembered(task);
      return probabilities.map((p, worker) => (p + near[worker]!) / 2);
    },
    fitChoice(costs: ChoiceOptions["costs"]) {
      const choose = fitChoice({ leftOut: leaveOneOut(), scores, rates, order, costs });
      return (task: Task) => choose(remembered(task));
    },
  };
}
