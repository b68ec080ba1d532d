// Whom to ask, not only who seems best: the highest of many unsure estimates is mostly one that errs upwards. So the worker
// that is best overall is left only for a lead of so many standard errors. How many is chosen by what asking would have
// brought on measured questions that were left out; where that is nothing, the best worker is always asked.

import type { LeftOut, QuestionEstimate } from "./estimate.ts";
import type { ScoreRow } from "./rates.ts";

/** In standard errors of the difference. */
const LEADS = [0, 0.15, 0.3, 0.5, 0.8, 1.2, 1.8];
/** Standard errors of the gain that it must be sure of. */
const SURENESS = 0.8;
/** Tasks that choosing must win before it is believed. */
const FEWEST_WON = 1;

export interface ChoiceOptions {
  leftOut: readonly LeftOut[];
  /** By task. */
  scores: readonly ScoreRow[];
  /** Overall success by position of the worker. */
  rates: readonly number[];
  /** Positions of those that may be asked, strongest first. */
  order: readonly number[];
  /** What one ask costs, as a share of a right answer, by position of the worker. */
  costs: ArrayLike<number>;
}

/** The position of whom to ask. */
export type Choose = (estimate: Pick<QuestionEstimate, "probabilities" | "errors">) => number;

export function fitChoice({ leftOut, scores, rates, order, costs }: ChoiceOptions): Choose {
  const best = order.reduce((most, worker) =>
    rates[worker]! - costs[worker]! > rates[most]! - costs[most]! ? worker : most,
  );

  function choose({ probabilities, errors }: Parameters<Choose>[0], lead: number): number {
    let [chosen, most] = [best, probabilities[best]! - costs[best]!];
    for (const worker of order) {
      if (worker === best) continue;
      const apart = lead * Math.hypot(errors[worker]!, errors[best]!);
      const value = probabilities[worker]! - costs[worker]! - apart;
      if (value > most) [chosen, most] = [worker, value];
    }
    return chosen;
  }

  /** What choosing brought over always asking the best, as far as it is sure. */
  function gainOf(lead: number): number {
    let [sum, squares, count] = [0, 0, 0];
    for (const estimate of leftOut) {
      const row = scores[estimate.task]!;
      const chosen = choose(estimate, lead);
      const [score, usual] = [row[chosen], row[best]];
      if (score === undefined || usual === undefined) continue;
      const gain = score - costs[chosen]! - (usual - costs[best]!);
      sum += gain;
      squares += gain * gain;
      count++;
    }
    if (count === 0) return 0;
    const mean = sum / count;
    const error = Math.sqrt(Math.max(0, squares / count - mean * mean) / count);
    return mean - SURENESS * error - FEWEST_WON / count;
  }

  let [lead, gain] = [Infinity, 0];
  for (const each of LEADS) {
    const found = gainOf(each);
    if (found > gain) [lead, gain] = [each, found];
  }
  return (estimate) => (lead === Infinity ? best : choose(estimate, lead));
}
