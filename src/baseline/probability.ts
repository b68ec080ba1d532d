// One call to whoever is most probably right: the probability that profiles give every Conductor for a question,
// with nothing decided on top of it.

import { createProfiler } from "../calibration/profiler.ts";
import { rememberEstimate, type SuccessEstimate } from "./estimate.ts";
import { createPricedRouter } from "./priced-router.ts";
import { measureStrength, toCalibration } from "./strength.ts";
import type { FitContext } from "./types.ts";

export interface ProbabilityModel {
  order: readonly number[];
  estimate: SuccessEstimate;
}

export function fitProbability({ pool, training }: Pick<FitContext, "pool" | "training">): ProbabilityModel {
  const profiler = createProfiler(toCalibration(pool, training));
  return {
    order: measureStrength(pool, training).order,
    estimate: rememberEstimate((text) =>
      Float64Array.from(profiler.poolFor(pool, text).members, ({ profile }) => profile?.probability ?? 0),
    ),
  };
}

export const probability = createPricedRouter(
  "probability",
  "asks the worker that is most probably right, by the question's profile",
  fitProbability,
);
