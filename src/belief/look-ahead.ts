// Whom to ask next, or stop: how much likelier a right answer becomes by one more ask and the best asks after it, minus what
// they cost. An expectation over what could be said, exact for the posterior's model, over the few most promising workers.

import { bestMass, type Dependence, expectedBestMass, hear, type Posterior, totalMass } from "./posterior.ts";

/** Somebody who may be asked. */
export interface Candidate {
  worker: number;
  /** By difficulty, as `toCurve` makes it. */
  curve: Float64Array;
  /** Of one ask, in probability of a right answer. */
  price: number;
}

export interface LookAheadOptions {
  dependence: Dependence;
  /** How many asks are thought through, 1 to 3. */
  depth: number;
  /** How many workers are thought through at each of them. */
  width: number;
}

export interface AskValue {
  candidate: Candidate;
  /** Expected probability of a right answer after it and what would follow, prices of what follows taken off. */
  value: number;
}

/** Best first by value minus price. */
export function valueAsks(
  posterior: Posterior,
  candidates: readonly Candidate[],
  { dependence, depth, width }: LookAheadOptions,
): AskValue[] {
  const total = totalMass(posterior.mass);
  const byOne = candidates
    .map((candidate) => ({
      candidate,
      value: expect(posterior, candidate, [], dependence, 1) / total,
    }))
    .sort(byWorth);
  if (depth === 1) return byOne;
  const promising = byOne.slice(0, width).map(({ candidate }) => candidate);
  const deeper = promising.map((candidate) => ({
    candidate,
    value: expect(posterior, candidate, promising, dependence, depth) / total,
  }));
  return [...deeper.sort(byWorth), ...byOne.slice(width)];
}

function byWorth(a: AskValue, b: AskValue): number {
  return b.value - b.candidate.price - (a.value - a.candidate.price);
}

/** In mass: expected best answer after this ask, or after the best further one where that is worth its price. */
function expect(
  posterior: Posterior,
  asked: Candidate,
  others: readonly Candidate[],
  dependence: Dependence,
  depth: number,
): number {
  if (depth <= 1) return expectedBestMass(posterior, asked.worker, asked.curve, dependence);
  const left = others.filter((other) => other !== asked);
  let sum = 0;
  for (let group = 0; group <= posterior.groups.length; group++) {
    const after = hear(posterior, asked.worker, asked.curve, group, dependence);
    const mass = totalMass(after.mass);
    let best = bestMass(after);
    for (const next of left)
      best = Math.max(best, expect(after, next, left, dependence, depth - 1) - next.price * mass);
    sum += best;
  }
  return sum;
}
