// A router trained on text: for each worker a ridge regression over the words and word pairs of the
// question predicts how much better or worse than usual it will do; the highest is asked.

import { fitRidge } from "../calibration/ridge.ts";
import { indexOf, rememberEstimate } from "./estimate.ts";
import { createPricedRouter } from "./priced-router.ts";
import { measureStrength } from "./strength.ts";
import type { FitContext } from "./types.ts";

/** Much: a router that trusts words too easily does worse than the best single worker where they say nothing. */
const PENALTY = 10;

export const router = createPricedRouter(
  "router",
  "a trained text router: ridge regression over words and pairs, one output per worker",
  fitRouter,
);

export function fitRouter({ pool, training }: Pick<FitContext, "pool" | "training">) {
  const { order, rates } = measureStrength(pool, training);
  const index = indexOf(training);
  const width = rates.length;
  const targets = new Float64Array(training.length * width);
  for (const [row, { scores }] of training.entries()) {
    for (const worker of order) {
      // Not measured is neither better nor worse than usual.
      targets[row * width + worker] = (scores[worker] ?? rates[worker]!) - rates[worker]!;
    }
  }
  const coefficients = fitRidge(index.vectors, index.featureCount, targets, width, PENALTY);
  const estimate = rememberEstimate((text) => {
    const estimates = Float64Array.from(rates);
    const similarities = index.similarities(text);
    for (let row = 0; row < similarities.length; row++) {
      const similarity = similarities[row]!;
      if (similarity === 0) continue;
      const from = row * width;
      for (let worker = 0; worker < width; worker++) {
        estimates[worker]! += similarity * coefficients[from + worker]!;
      }
    }
    return estimates;
  });
  return { order, estimate };
}
