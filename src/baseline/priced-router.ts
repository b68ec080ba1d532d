// One call to whoever is worth most: the estimated success less what its dollars cost. With dollars at 0 it asks the most
// successful; the higher their cost, the cheaper it gets, and all of these points are its curve.

import { createOneRound, perform, solve } from "./decide.ts";
import type { SuccessEstimate } from "./estimate.ts";
import { bestBy, lessDollars, requireCallsUsd } from "./strength.ts";
import type { Baseline, FitContext } from "./types.ts";

/** Numbers of the workers, strongest first, and the estimate for one question. */
type FitEstimate = (context: FitContext) => { order: readonly number[]; estimate: SuccessEstimate };

export function createPricedRouter(
  name: string,
  summary: string,
  fitEstimate: FitEstimate,
  costPerUsd = 0,
): Baseline {
  const id = costPerUsd === 0 ? name : `${name}@${costPerUsd}/usd`;
  return {
    id,
    summary,
    needsHandOffs: false,
    rounds: 1,
    fit(context) {
      const { order, estimate } = fitEstimate(context);
      const callsUsd = requireCallsUsd(context.pool, context.training, costPerUsd);
      return createOneRound(id, ({ task }) =>
        perform([solve(bestBy(order, lessDollars(estimate(task), callsUsd, costPerUsd)))]),
      );
    },
    atPrice: (other) => createPricedRouter(name, summary, fitEstimate, other),
  };
}
