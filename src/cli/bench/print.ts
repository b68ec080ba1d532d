// Results of a bench for people (tables) and for spreadsheets (CSV).

import {
  toCost,
  toCount,
  toDelay,
  toMoney,
  toPercent,
  toPoints,
  toSeries,
  toTokens,
} from "../../base/format.ts";
import { sideOf } from "../../base/statistics.ts";
import type { BenchOutcome } from "../../bench/bench.ts";
import type { Headroom } from "../../bench/headroom.ts";
import type { OverSets } from "../../bench/over-sets.ts";
import { toChosenWords } from "../../bench/price-point.ts";
import {
  BEST_SINGLE,
  findBest,
  hasCosts,
  ORACLE,
  toAgainst,
  toCostTitle,
  toFitLine,
} from "../../bench/report/view.ts";
import { groupBy } from "../../bench/results.ts";
import type { BenchResult } from "../../bench/types.ts";
import { toCostWords } from "../../recording/costs.ts";
import { modelsOf } from "../../worker/kinds.ts";
import { toOneLine } from "../terminal/sanitise.ts";
import { columnsOf, createStyle, type Style } from "../terminal/style.ts";
import { type Column, toTable } from "../terminal/table.ts";
import { wrap } from "../terminal/text-width.ts";

const WIDE = 160;
const COST_TITLES: Record<string, string> = {
  "cost (simulated)": "COST (SIM.)",
  "cost (list prices)": "COST (LIST)",
};

export interface Look {
  style: Style;
  width: number;
}

/** Into a file or a pipe a table may be as wide as it is. */
export function lookOf(): Look {
  const width = process.stdout.isTTY ? columnsOf(process.stdout) - 1 : WIDE;
  return { style: createStyle(process.stdout, process.env), width };
}

export function write(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

export function toResultLines(results: readonly BenchResult[], { style, width }: Look): string[] {
  const has = (of: (result: BenchResult) => number) => results.some((result) => of(result) > 0);
  const differences = results.map(({ against }) =>
    against.find(({ conductor }) => conductor === BEST_SINGLE),
  );
  const highest = findBest(results)?.accuracy;
  const isBest = (row: number) => results[row]!.accuracy === highest && results[row]!.conductor !== ORACLE;
  const sides = differences.map((difference) => (difference ? sideOf(difference) : 0));
  const columns: Column[] = [
    { title: "CONDUCTOR", min: 12, style: (text, row) => (isBest(row) ? style.bold(text) : text) },
    { title: "N", align: "right" },
    { title: "ACC %", align: "right" },
    { title: "95 %", align: "right" },
    {
      title: "VS BEST SINGLE",
      align: "right",
      style: (text, row) => (sides[row]! > 0 ? style.green(text) : sides[row]! < 0 ? style.red(text) : text),
    },
    { title: "CALLS", align: "right" },
    { title: "PLANS", align: "right" },
    { title: "TOKENS", align: "right" },
    { title: COST_TITLES[toCostTitle(results)] ?? "COST", align: "right" },
    { title: "DELAY", align: "right" },
    { title: "STEPS", align: "right" },
    { title: "BITS", align: "right", min: 4, isOptional: true },
    { title: "VALID", align: "right", min: 5, isOptional: true },
    { title: "APART", align: "right" },
  ];
  const isSameN = results.every(({ n }) => n === results[0]!.n);
  const hasPlans = has(({ conductorCalls }) => conductorCalls);
  const hasCost = hasCosts(results);
  const hasDelay = has(({ durationMs }) => Math.floor(durationMs));
  const rows = results.map((result) => [
    toOneLine(result.conductor),
    isSameN ? "" : String(result.n),
    toPoints(result.accuracy),
    `${toPoints(result.low)} – ${toPoints(result.high)}`,
    alignStar(toAgainst(result)),
    result.calls.toFixed(2),
    hasPlans ? result.conductorCalls.toFixed(2) : "",
    toTokens(Math.round(result.tokens)),
    hasCost ? toCost(result.costUsd) : "",
    hasDelay ? toDelay(result.durationMs) : "",
    result.steps.toFixed(2),
    result.routingEntropy.toFixed(2),
    toPercent(result.validShare),
    result.outages + result.ungraded > 0 ? String(result.outages + result.ungraded) : "",
  ]);
  return toTable(columns, rows, width, style);
}

/** The same bench on kinds of tasks that nobody has learned from: does what was learned carry over? */
export function toFamilyLines({ counts, results }: BenchOutcome, look: Look): string[] {
  const size = `${toCount(counts.train, "task")} to learn from, ${toCount(counts.test, "test task")}`;
  return [
    "",
    look.style.bold(`Split by family: subtasks never seen in training (${size})`),
    "",
    ...toResultLines(results, look),
  ];
}

/** The end of a bench of several sets. */
export function toOverLines(over: readonly OverSets[], sets: number, { style, width }: Look): string[] {
  const title = style.bold(`Over ${sets} sets: the mean over sets, each counts the same`);
  if (over.length === 0) return [title, "", "No Conductor was measured on all of them."];
  const columns: Column[] = [
    { title: "CONDUCTOR", min: 12 },
    { title: "ACC %", align: "right" },
    { title: "95 %", align: "right" },
    { title: "VS BEST SINGLE", align: "right" },
    { title: "CALLS", align: "right" },
  ];
  const rows = over.map(({ conductor, accuracy, low, high, calls }, i) => [
    toOneLine(conductor),
    toPoints(accuracy),
    `${toPoints(low)} – ${toPoints(high)}`,
    alignStar(toAgainst(over[i]!)),
    calls.toFixed(2),
  ]);
  return [title, "", ...toTable(columns, rows, width, style)];
}

/** What stands around the table: where it comes from, who was refused, what to be careful with. */
export function toStatementLines(
  outcome: BenchOutcome,
  { style, width }: Look,
): { before: string[]; after: string[] } {
  const { set, counts, pool, refused, isSimulated, seed, results, budget, fittedOn } = outcome;
  const split = fittedOn?.folder ? "" : `split by ${outcome.splitBy} (seed ${outcome.splitSeed}), `;
  const models = modelsOf(pool).length;
  const costs = set.costs && toCostWords(set.costs);
  const kind = { recording: "recorded", tasks: "live", rehearsal: "simulated" }[set.kind];
  const wrapped = (text: string) => wrap(toOneLine(text), width);
  const before = [
    `${style.bold(toOneLine(set.id))} · ${toCount(models, `${kind} worker`)} · ${toCount(counts.train, "task")} to learn from, ${toCount(counts.test, "test task")}`,
    style.dim(`${split}seed ${seed}, ${toOneLine(set.source)}`),
    ...(fittedOn ? wrapped(toFitLine(fittedOn)) : []),
    ...(costs === undefined ? [] : wrapped(costs).map(style.yellow)),
    ...(isSimulated ? [style.yellow("Simulated: this says nothing about a real model.")] : []),
    "",
  ];
  const apart = results.reduce((sum, { outages, ungraded }) => sum + outages + ungraded, 0);
  const after = [
    "",
    ...wrapped(
      "* the 95 % interval of the paired difference does not hold 0, and the sign test agrees (p < 0.05; not corrected for the number of comparisons). The oracle is an upper bound, not a method.",
    ).map(style.dim),
    ...(apart > 0
      ? wrapped(
          `APART: runs with an outage or that could not be graded (${apart}); they are in no result.`,
        ).map(style.dim)
      : []),
    ...(outcome.chosen ?? []).map(toChosenWords).flatMap(wrapped),
    ...toRefusals(refused).flatMap(wrapped),
    ...(budget?.isUsedUp
      ? wrapped(
          `The budget of ${toMoney(budget.usd, isSimulated)} is used up: what is missing was not measured.`,
        ).map(style.yellow)
      : []),
  ];
  return { before, after };
}

/** Those with the same reason together. */
function toRefusals(refused: BenchOutcome["refused"]): string[] {
  return [...groupBy(refused, ({ reason }) => reason)].map(
    ([reason, same]) => `Refused: ${toSeries(same.map(({ conductor }) => conductor))} (${reason}).`,
  );
}

const CSV_FIELDS = [
  ..."conductor set n accuracy low high calls conductorCalls tokens costUsd costSource durationMs routingEntropy".split(
    " ",
  ),
  ..."steps validShare accuracyIfValid ungraded outages isSimulated".split(" "),
] as (keyof BenchResult)[];

/** One line for each Conductor; the difference to the best single worker at the end. */
export function toCsv(results: readonly BenchResult[]): string {
  const lines = results.map((result) => {
    const single = result.against.find(({ conductor }) => conductor === BEST_SINGLE);
    const difference = single ? [single.difference, single.low, single.high, single.p] : ["", "", "", ""];
    return [...CSV_FIELDS.map((field) => result[field]), ...difference].map(toCell).join(",");
  });
  const heading = [
    ...CSV_FIELDS,
    ..."differenceToBestSingle differenceLow differenceHigh differenceP".split(" "),
  ];
  return `${[heading.join(","), ...lines].join("\r\n")}\r\n`;
}

function toCell(value: unknown): string {
  // An unknown cost is an empty cell.
  if (value === undefined) return "";
  const text = String(value);
  // A spreadsheet would take a leading = + - @ for a formula; numbers are left alone.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toHeadroomLines({ set, n, results, words, isSimulated }: Headroom, look: Look): string[] {
  const { style, width } = look;
  return [
    `${style.bold(toOneLine(set))} · ${toCount(n, "training task")}, cross-fitted; the test tasks are untouched`,
    ...(isSimulated ? [style.yellow("Simulated: this says nothing about a real model.")] : []),
    "",
    ...toResultLines(results, look),
    ...words.flatMap((text) => ["", ...wrap(text, Math.min(width, 100))]),
  ];
}

/** Stars stand behind the column, so that its numbers are below one another. */
export function alignStar(difference: string): string {
  return difference === "" || difference.endsWith("*") ? difference : `${difference}  `;
}
