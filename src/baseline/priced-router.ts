// One call to whoever is worth most: the estimated success less what its dollars cost. With dollars at 0 it asks the most
// successful; the higher their cost, the cheaper it gets, and all of these points are its curve.

import type { Pool, Task } from "../worker/types.ts";
import { createOneRound, perform, solve } from "./decide.ts";
import type { SuccessEstimate } from "./estimate.ts";
import { bestBy, lessDollars, requireCallsUsd } from "./strength.ts";
import { type Baseline, type FitContext, type TrainingTask, toPointName } from "./types.ts";

export interface FittedEstimate {
  /** Numbers of the workers, strongest first. */
  order: readonly number[];
  /** For one question. */
  estimate: SuccessEstimate;
  /** Whom to ask, when an ask costs so much of a right answer. Absent: whose estimate less its cost is highest. */
  fitChoice?(costs: ArrayLike<number>): (task: Task) => number;
}

type FitEstimate = (context: FitContext) => FittedEstimate;

/** What is estimated does not depend on what a dollar costs: all points of a curve share one fit. */
function rememberFit(fitEstimate: FitEstimate): FitEstimate {
  const fits = new WeakMap<readonly TrainingTask[], { pool: Pool; fit: FittedEstimate }>();
  return (context) => {
    const known = fits.get(context.training);
    if (known?.pool === context.pool) return known.fit;
    const fit = fitEstimate(context);
    fits.set(context.training, { pool: context.pool, fit });
    return fit;
  };
}

export function createPricedRouter(name: string, summary: string, fitEstimate: FitEstimate): Baseline {
  return createPoint(name, summary, rememberFit(fitEstimate), 0);
}

function createPoint(name: string, summary: string, fitEstimate: FitEstimate, costPerUsd: number): Baseline {
  const id = toPointName(name, costPerUsd);
  return {
    id,
    summary,
    needsHandOffs: false,
    rounds: 1,
    fit(context) {
      const { order, estimate, fitChoice } = fitEstimate(context);
      const callsUsd = requireCallsUsd(context.pool, context.training, costPerUsd);
      const choose =
        fitChoice?.(callsUsd.map((usd) => costPerUsd * usd)) ??
        ((task: Task) => bestBy(order, lessDollars(estimate(task), callsUsd, costPerUsd)));
      return createOneRound(id, ({ task }) => perform([solve(choose(task))]));
    },
    atPrice: (other) => createPoint(name, summary, fitEstimate, other),
  };
}
