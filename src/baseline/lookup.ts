// The best worker per label. The table is given the true label of every question, which no
// Conductor that reads has: an advantage on purpose, since "no better than a lookup table" is what
// people hold against learned ones.

import { shrink } from "../calibration/rates.ts";
import type { Task } from "../worker/types.ts";
import { createOneRound, perform, solve } from "./decide.ts";
import { bestBy, lessDollars, measureStrength, requireCallsUsd } from "./strength.ts";
import type { Baseline, FitContext } from "./types.ts";

/** Tasks of a label count against this many at the worker's overall rate. */
const CELL_WEIGHT = 8;

type LookupLabel = "category" | "family";

function createLookup(name: string, label: LookupLabel, costPerUsd = 0): Baseline {
  const id = costPerUsd === 0 ? name : `${name}@${costPerUsd}/usd`;
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

function createTable({ pool, training, labels }: FitContext, label: LookupLabel, costPerUsd: number) {
  const callsUsd = requireCallsUsd(pool, training, costPerUsd);
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
  const table = new Map<string, number>();
  for (const [name, { sums, counts }] of cells) {
    const estimates = rates.map((rate, i) => shrink(sums[i]!, counts[i]!, rate, CELL_WEIGHT));
    table.set(name, bestBy(order, lessDollars(estimates, callsUsd, costPerUsd)));
  }
  const usual = bestBy(order, lessDollars(rates, callsUsd, costPerUsd));
  // Unknown ids and labels that were not trained on: the best single worker at this price.
  return ({ id = "" }: Task) => table.get(labels.get(id)?.[label] ?? "") ?? usual;
}

export const lookupCategory = createLookup("lookup-category", "category");
/** Its public name says subtask, as the file of a recording does. */
export const lookupFamily = createLookup("lookup-subtask", "family");
