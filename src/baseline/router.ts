// A router that is trained on text and asks once: the worker that is most probably right on this question
// (calibration/estimate.ts). Profiles of live runs hold the same probability.

import { createEstimator } from "../calibration/estimate.ts";
import { textOf } from "../calibration/text-features.ts";
import { toMessages } from "../task/types.ts";
import { indexOf, rememberEstimate } from "./estimate.ts";
import { createPricedRouter } from "./priced-router.ts";
import { measureStrength } from "./strength.ts";
import type { FitContext } from "./types.ts";

export const router = createPricedRouter(
  "router",
  "a trained text router: asks the worker that is most probably right on the question",
  fitRouter,
);

export function fitRouter({ pool, training }: Pick<FitContext, "pool" | "training">) {
  const { order, rates } = measureStrength(pool, training);
  const { estimate } = createEstimator({
    index: indexOf(training),
    scores: training.map(({ scores }) => scores),
    texts: training.map(({ task }) => textOf(toMessages(task))),
    labels: [training.map(({ task }) => task.category), training.map(({ task }) => task.family)],
    rates,
    workers: order,
  });
  return { order, estimate: rememberEstimate((text) => estimate(text).probabilities) };
}
