// What a bench shows, as plain data: tables, bars and sentences. The static report and the dashboard draw it; nothing
// is computed or worded there.

import {
  toCost,
  toCount,
  toDelay,
  toPercent,
  toPoints,
  toSeries,
  toSignedPoints,
  toTokens,
} from "../../base/format.ts";
import { type PairedDifference, sideOf } from "../../base/statistics.ts";
import { drawBars } from "../../report/bar-chart.ts";
import type { Drawing } from "../../report/drawing.ts";
import type { TableView } from "../../report/table.ts";
import type { ConductorComparison } from "../compare.ts";
import type { BenchResult, FittedOn } from "../types.ts";

export const BEST_SINGLE = "best-single";
/** An upper bound, not a method. */
export const ORACLE = "oracle";

export const RESULTS_NOTE =
  "Accuracy with its 95 % interval (bootstrap over tasks). “Against best single” is paired over the same tasks; a star means that its interval does not hold 0 and the sign test agrees (p < 0.05), not corrected for the number of comparisons. Calls, tokens, dollars and delay are means per task.";

export function findBest(results: readonly BenchResult[], ...without: string[]): BenchResult | undefined {
  return results
    .filter(({ conductor }) => conductor !== ORACLE && !without.includes(conductor))
    .reduce<BenchResult | undefined>(
      (best, each) => (best && best.accuracy >= each.accuracy ? best : each),
      undefined,
    );
}

/** The most accurate against the best single worker, in a sentence. */
export function toHeadline(results: readonly BenchResult[]): string | undefined {
  const verdict = results.find((result) => result.verdict)?.verdict;
  return verdict ? verdict.sentence : toMostAccurate(results);
}

function toMostAccurate(results: readonly BenchResult[]): string | undefined {
  const single = results.find(({ conductor }) => conductor === BEST_SINGLE);
  const best = findBest(results, BEST_SINGLE);
  const against = best?.against.find(({ conductor }) => conductor === BEST_SINGLE);
  if (!single || !best || !against) return undefined;
  const verdict = { 1: "better than", [-1]: "worse than", 0: "not shown to differ from" }[sideOf(against)];
  const { difference, low, high } = against;
  return `The most accurate here, ${best.conductor}, is right on ${toPoints(best.accuracy)} % with ${best.calls.toFixed(2)} calls per task. It is ${verdict} the best single worker (${toPoints(single.accuracy)} % with one call): ${toSignedPoints(difference)} points, 95 % interval ${toSignedPoints(low)} to ${toSignedPoints(high)}.`;
}

export function toResultTable(results: readonly BenchResult[]): TableView {
  const best = findBest(results);
  const has = (of: (result: BenchResult) => number) => results.some((result) => of(result) > 0);
  const columns: [title: string, isShown: boolean, cell: (result: BenchResult) => string][] = [
    ["Conductor", true, ({ conductor }) => conductor],
    ["tasks", true, ({ n }) => String(n)],
    ["accuracy %", true, ({ accuracy }) => toPoints(accuracy)],
    ["95 %", true, ({ low, high }) => `${toPoints(low)} – ${toPoints(high)}`],
    ["against best single", has(({ against }) => against.length), toAgainst],
    ["calls", true, ({ calls }) => calls.toFixed(2)],
    [
      "to plan",
      has(({ conductorCalls }) => conductorCalls),
      ({ conductorCalls }) => conductorCalls.toFixed(2),
    ],
    ["tokens", true, ({ tokens }) => toTokens(Math.round(tokens))],
    [toCostTitle(results), hasCosts(results), ({ costUsd }) => toCost(costUsd)],
    ["delay", has(({ durationMs }) => Math.floor(durationMs)), ({ durationMs }) => toDelay(durationMs)],
    ["steps", true, ({ steps }) => steps.toFixed(2)],
    ["entropy, bits", true, ({ routingEntropy }) => routingEntropy.toFixed(2)],
    ["valid", true, ({ validShare }) => toPercent(validShare)],
    ["not graded", has(toLeftOut), (result) => String(toLeftOut(result))],
  ];
  const shown = columns.filter(([, isShown]) => isShown);
  return {
    label: "Results by Conductor",
    columns: shown.map(([title]) => ({ title })),
    rows: results.map((result) => ({
      cells: shown.map(([, , cell]) => cell(result)),
      kind: result.conductor === ORACLE ? "bound" : result.accuracy === best?.accuracy ? "best" : undefined,
    })),
  };
}

/** A column of costs says something: there is one, or it is unknown, which must be seen. */
export function hasCosts(results: readonly BenchResult[]): boolean {
  return results.some(({ costUsd }) => costUsd !== 0);
}

/** The title of that column. */
export function toCostTitle(results: readonly BenchResult[]): string {
  if (results.some(({ isSimulated }) => isSimulated)) return "cost (simulated)";
  return results.some(({ costSource }) => costSource?.startsWith("list")) ? "cost (list prices)" : "cost";
}

/** "+2.8 (+1.3 … +4.3) *", or nothing where the best single worker was not measured. */
export function toAgainst({ against }: Pick<BenchResult, "against">): string {
  const single = against.find(({ conductor }) => conductor === BEST_SINGLE);
  return single ? toDifference({ ...single, mean: single.difference }) : "";
}

/** In points, with its interval, and a star where it is shown to be one. */
export function toDifference(difference: PairedDifference): string {
  const { mean, low, high } = difference;
  const star = sideOf(difference) === 0 ? "" : " *";
  return `${toSignedPoints(mean)} (${toSignedPoints(low)} … ${toSignedPoints(high)})${star}`;
}

/** How well by kind of task: a panel for each category, a bar for each Conductor. */
export function toCategories(results: readonly BenchResult[]): { name: string; n: number; bars: Drawing }[] {
  const names = new Set(results.flatMap(({ byCategory }) => byCategory.map(({ category }) => category)));
  return [...names].sort().map((name) => {
    const own = results.flatMap(({ conductor, byCategory }) => {
      const found = byCategory.find(({ category }) => category === name);
      const isMarked = conductor !== BEST_SINGLE && conductor !== ORACLE;
      return found ? [{ ...found, name: conductor, value: found.accuracy, isMarked }] : [];
    });
    return { name, n: own[0]?.n ?? 0, bars: drawBars(`Accuracy on ${name}`, own) };
  });
}

// ---- Two Conductors -------------------------------------------------------------------------------

export interface ComparisonView {
  sentence: string;
  verdict: { side: -1 | 0 | 1; text: string };
  /** "p < 0.001", "p = 0.042". */
  p: string;
  byCategory: TableView;
}

export function toComparison({
  a,
  b,
  n,
  accuracyA,
  accuracyB,
  difference,
  byCategory,
}: ConductorComparison): ComparisonView {
  const side = sideOf(difference);
  const p = difference.p < 0.001 ? "p < 0.001" : `p = ${difference.p.toFixed(3)}`;
  return {
    sentence: `${b} is right on ${toPoints(accuracyB)} %, ${a} on ${toPoints(accuracyA)} % of ${toCount(n, "task")}: ${toDifference(difference)} points, paired, ${p}.`,
    verdict: { side, text: { 1: "B is better", [-1]: "B is worse", 0: "no difference is shown" }[side] },
    p,
    byCategory: {
      label: "Difference by category",
      columns: [{ title: "Category" }, { title: "tasks" }, { title: "B − A, points" }],
      rows: byCategory
        .toSorted((x, y) => y.difference.mean - x.difference.mean)
        .map((each) => ({ cells: [each.category, String(each.n), toDifference(each.difference)] })),
    },
  };
}

function toLeftOut({ outages, ungraded }: BenchResult): number {
  return outages + ungraded;
}

/** What all was fitted on, in a line. */
export function toFitLine({ folder, sets, tasks, available, leftOut, workers }: FittedOn): string {
  const count =
    tasks < available ? `${tasks} sampled of ${toCount(available, "task")}` : toCount(tasks, "task");
  if (folder === undefined) return `Fitted on ${count} of the train split.`;
  const twins =
    leftOut === 0 ? "" : ` ${toCount(leftOut, "task")} of the test that are also there are left out.`;
  const whole = `Fitted on ${count} of ${toSeries(sets!)} in ${folder}`;
  return `${whole}, with the ${toCount(workers!.both, "worker")} that both have (of ${workers!.fitted} there and ${workers!.tested} here).${twins}`;
}
