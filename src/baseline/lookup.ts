// The best worker per label. The table is given the true label of every question, which no
// Conductor that reads has: an advantage on purpose, since "no better than a lookup table" is what
// people hold against learned ones.

import { shrink } from "../calibration/rates.ts";
import type { Task } from "../worker/types.ts";
import { createOneRound, perform, solve } from "./decide.ts";
import { bestBy, lessDollars, measureStrength, requireCallsUsd } from "./strength.ts";
import { type Baseline, type FitContext, toPointName } from "./types.ts";

/** Tasks of a label count against this many at the worker's overall rate. */
const CELL_WEIGHT = 8;

export type LookupLabel = "category" | "family";

/** Success by number in the pool for one label; undefined where the label was not trained on. */
export interface LabelTable {
  order: readonly number[];
  estimatesOf(label: string): Float64Array | undefined;
}

function createLookup(name: string, label: LookupLabel, costPerUsd = 0): Baseline {
  const id = toPointName(name, costPerUsd);
  return {
    id,
    summary: `asks the best worker of the question's true ${label}, which it is given`,
    needsHandOffs: false,
    rounds: 1,
    fit(context) {
      const find = createTable(context, label, costPerUsd);
      return createOneRound(id, ({ task }) => perform([solve(find(task))]));
    },
    atPrice: (other) => createLookup(name, label, other),
  };
}

function createTable(context: FitContext, label: LookupLabel, costPerUsd: number) {
  const { pool, training, labels } = context;
  const callsUsd = requireCallsUsd(pool, training, costPerUsd);
  const { rates } = measureStrength(pool, training);
  const { order, estimatesOf } = fitLabels(context, label);
  const table = new Map<string, number>();
  return ({ id = "" }: Task) => {
    const name = labels.get(id)?.[label] ?? "";
    const known = table.get(name);
    if (known !== undefined) return known;
    // Unknown ids and labels that were not trained on: the best single worker at this price.
    const estimates = estimatesOf(name) ?? rates;
    const best = bestBy(order, lessDollars(estimates, callsUsd, costPerUsd));
    table.set(name, best);
    return best;
  };
}

export function fitLabels(
  { pool, training }: Pick<FitContext, "pool" | "training">,
  label: LookupLabel,
): LabelTable {
  const { order, rates } = measureStrength(pool, training);
  const cells = new Map<string, { sums: number[]; counts: number[] }>();
  for (const { task, scores } of training) {
    const cell = cells.get(task[label]) ?? { sums: rates.map(() => 0), counts: rates.map(() => 0) };
    cells.set(task[label], cell);
    for (const worker of order) {
      const score = scores[worker];
      if (score === undefined) continue;
      cell.sums[worker]! += score;
      cell.counts[worker]! += 1;
    }
  }
  return {
    order,
    estimatesOf(name) {
      const cell = cells.get(name);
      return (
        cell &&
        Float64Array.from(rates, (rate, i) => shrink(cell.sums[i]!, cell.counts[i]!, rate, CELL_WEIGHT))
      );
    },
  };
}

export const lookupCategory = createLookup("lookup-category", "category");
/** Its public name says subtask, as the file of a recording does. */
export const lookupFamily = createLookup("lookup-subtask", "family");
