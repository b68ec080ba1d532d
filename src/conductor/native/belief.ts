// What is believed of the answers that a team gave, for the later rounds of the native Conductor: the same posterior as
// TRINITY's, before anything was learned of it. Apart from the reading, which turns it into features.

import { valueAsks } from "../../belief/look-ahead.ts";
import {
  bestMass,
  hear,
  NOTHING_SAID,
  type Posterior,
  probabilitiesOf,
  totalMass,
} from "../../belief/posterior.ts";
import type { Pool } from "../../worker/types.ts";
import { createStartPolicy } from "../trinity/policy.ts";
import { toFollowing, toPrior } from "../trinity/transcript.ts";
import type { ComposedRound } from "../types.ts";

export interface TeamBelief {
  /** That the likeliest answer is right, 0..1. */
  best: number;
  /** That nobody was right so far, 0..1. */
  none: number;
  /** By number in the pool: that the latest answer of this worker is right. Who gave none is not there. */
  said: ReadonlyMap<number, number>;
  /** By number in the pool: how much likelier a right answer is once this worker is asked, alone. */
  gains: ReadonlyMap<number, number>;
}

const POLICY = createStartPolicy();

/** `labels`: of each round and step, equal numbers for equal answers. */
export function readTeamBelief(
  pool: Pool,
  rounds: readonly ComposedRound[],
  labels: readonly (readonly (number | undefined)[])[],
): TeamBelief {
  const prior = toPrior(pool, POLICY);
  const { probabilities, dependence, curveOf } = prior;
  const following = toFollowing(dependence, POLICY);
  const groups = new Map<number, number>();
  const groupOf = new Map<number, number>();
  let posterior: Posterior = NOTHING_SAID;
  for (const [number, { workflow }] of rounds.entries())
    for (const [step, { worker, access }] of workflow.steps.entries()) {
      const label = labels[number]?.[step];
      // A vote repeats what was said, and a plan says nothing yet.
      if (label === undefined || probabilities[worker] === undefined) continue;
      const group = groups.get(label) ?? groups.size;
      groups.set(label, group);
      groupOf.set(worker, group);
      posterior = hear(posterior, worker, curveOf(worker), group, access.length > 0 ? following : dependence);
    }
  const believed = probabilitiesOf(posterior);
  const now = bestMass(posterior) / totalMass(posterior.mass);
  const candidates = [...probabilities.keys()]
    .filter((worker) => probabilities[worker] !== undefined)
    .map((worker) => ({ worker, curve: curveOf(worker), price: 0 }));
  const asks = valueAsks(posterior, candidates, { dependence, depth: 1, width: candidates.length });
  return {
    best: now,
    none: believed.at(-1)!,
    said: new Map([...groupOf].map(([worker, group]) => [worker, believed[group]!])),
    gains: new Map(asks.map(({ candidate, value }) => [candidate.worker, value - now])),
  };
}
