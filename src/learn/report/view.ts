// What a training shows, as plain data: charts, a table and sentences, of one training or of two beside each other.
// The static report and the dashboard draw it; nothing is computed or worded there.

import { toCost, toDelay, toMoney, toPercent, toPoints } from "../../base/format.ts";
import { groupBy } from "../../bench/results.ts";
import { toShareChart } from "../../report/area-chart.ts";
import type { Chart } from "../../report/chart.ts";
import { MOST_COLOURS } from "../../report/drawing.ts";
import { type LineChartOptions, type Mark, toLineChart } from "../../report/line-chart.ts";
import { type Span, toSpans } from "../../report/series.ts";
import type { TableView } from "../../report/table.ts";
import type { TestResult, Training } from "../folder.ts";
import type { IterationMetrics, ValidationMetrics } from "../types.ts";

/** What the curves are made of. */
export type Measured = Pick<Training, "iterations" | "validations"> & { name: string };

type MetricOf = (metrics: IterationMetrics) => number;

// ---- Sentences --------------------------------------------------------------------------------

/** How long, how much, with what. */
export function toFacts(
  iterations: readonly IterationMetrics[],
  about: { isSimulated: boolean; seed: number; engine?: string } | undefined,
): string[] {
  const last = iterations.at(-1);
  const total = (value: MetricOf) =>
    iterations
      .map(value)
      .filter(Number.isFinite)
      .reduce((sum, each) => sum + each, 0);
  const [costUsd, outages] = [total((each) => each.costUsd), total((each) => each.outages)];
  return [
    last && `${iterations.length}${last.isTiming ? "" : ` of ${last.total}`} iterations`,
    last?.runs !== undefined && `${last.runs.toLocaleString("en")} runs`,
    last && toDelay(total(({ seconds }) => seconds) * 1000),
    costUsd > 0 && toMoney(costUsd, about?.isSimulated),
    outages > 0 && `${outages} rollouts lost to outages and not learned from`,
    about && `seed ${about.seed}`,
    about?.engine,
  ].filter((fact) => typeof fact === "string");
}

/** The one that is kept: marked as best last, else the most accurate. */
function findBest(evaluations: readonly ValidationMetrics[]): ValidationMetrics | undefined {
  const most = (best: ValidationMetrics | undefined, each: ValidationMetrics) =>
    best && best.accuracy >= each.accuracy ? best : each;
  return (
    evaluations.findLast(({ isBest }) => isBest) ??
    evaluations.reduce(most, undefined as ValidationMetrics | undefined)
  );
}

/** The first evaluation on the validation split against the best, in a sentence. */
export function toHeadline(evaluations: readonly ValidationMetrics[]): string | undefined {
  const [first, best] = [evaluations[0], findBest(evaluations)];
  if (!first || !best || best === first) return undefined;
  return `On ${best.tasks} validation tasks it was right on ${toPoints(first.accuracy)} % at the first evaluation (iteration ${first.iteration}) and on ${toPoints(best.accuracy)} % at the best (iteration ${best.iteration}; 95 % interval ${toPoints(best.low)} – ${toPoints(best.high)}), then with ${best.calls.toFixed(2)} calls per task and ${toPercent(best.validShare)} valid workflows. The best evaluation was picked on these very tasks, so it flatters.`;
}

export function toStages(spans: readonly Span[]): string {
  const list = spans.map(({ stage, from, to }) => `${stage} (${from} – ${to - 1})`).join(", ");
  return `Stages and their iterations: ${list}. Faint: each iteration; strong: the moving mean within a stage. Evaluations on the validation split are greedy and without any mask.`;
}

// ---- Curves -----------------------------------------------------------------------------------

/** The charts of a training, and smaller ones of how it went technically. */
export function toCharts(trainings: readonly Measured[]): { charts: Chart[]; small: Chart[] } {
  const spans = trainings.map(({ iterations }) => toSpans(iterations));
  const longest = spans.reduce(
    (most, each) => ((each.at(-1)?.to ?? 0) > (most.at(-1)?.to ?? 0) ? each : most),
    [],
  );
  const prefix = (i: number, name: string) =>
    trainings.length > 1 ? `${trainings[i]!.name}${name && ", "}${name}` : name;
  /** Without rollouts, as in the warm-up, there is nothing to show of them. */
  const of = (name: string, value: MetricOf, isOfRollouts = true) =>
    trainings.map(({ iterations }, i) => ({
      name: prefix(i, name),
      spans: spans[i]!,
      points: iterations.map((each) => ({
        x: each.iteration,
        // JSON has no NaN: what there is no value of arrives as null.
        y: isOfRollouts && !each.asked ? Number.NaN : (value(each) ?? Number.NaN),
      })),
    }));
  const marks = trainings.map(({ validations }, i) => ({
    name: prefix(i, "validation, 95 %"),
    points: toMarks(validations),
  }));
  const make = (options: Omit<LineChartOptions, "spans">) => toLineChart({ ...options, spans: longest });
  const loss = make({
    title: "Loss",
    hint: "In the warm-up: cross-entropy of the language. Later it stays near zero, as it must.",
    curves: of("per iteration", ({ loss: value }) => value, false),
    format: toShort,
  });
  const charts = [
    make({
      title: "Reward",
      hint: "Mean over the rollouts: 0 no valid workflow, 0.5 valid and wrong, 1 right.",
      curves: of("mean of the rollouts", ({ reward }) => reward),
      ...{ format: toTwo, axis: SHARE },
    }),
    make({
      title: "Accuracy",
      hint: "Lines: rollouts. Points: the validation split, which is never trained on, with its 95 % interval.",
      curves: [
        ...of("rollouts", ({ accuracy }) => accuracy),
        ...of("valid ones only", ({ accuracyIfValid }) => accuracyIfValid),
      ],
      ...{ marks, format: toPercent, axis: SHARE },
    }),
    make({
      title: "Valid workflows",
      hint: "Share of workflows that the parser takes, without any mask.",
      curves: of("share", ({ validShare }) => validShare),
      ...{ format: toPercent, axis: WHOLE },
    }),
    make({
      title: "Groups with zero advantage",
      hint: "All their rollouts got the same reward: nothing can be learned from them.",
      curves: of("share", ({ flatShare }) => flatShare),
      ...{ format: toPercent, axis: WHOLE },
    }),
    make({
      title: "Entropy of the decisions, nats",
      hint: "How open each decision of the policy still is.",
      curves: of("mean", ({ decisionEntropy }) => decisionEntropy),
      ...{ format: toTwo, axis: { from: 0 } },
    }),
    make({
      title: "Entropy of the routing, bits",
      hint: "How evenly workers are asked.",
      curves: of("over all calls", ({ routingEntropy }) => routingEntropy),
      ...{ format: toTwo, axis: { from: 0 } },
    }),
    make({
      title: "Calls and steps per task",
      hint: "How many workers a workflow asks.",
      curves: [...of("calls", ({ calls }) => calls), ...of("steps", ({ steps }) => steps)],
      ...{ format: toOne, axis: { from: 0 } },
    }),
  ];
  const isWarmUp = trainings.every(({ iterations }) => iterations.every(({ asked }) => !asked));
  const technical = (title: string, value: MetricOf, isExact = false) =>
    make({
      title,
      curves: of("", value, false).map((curve) => ({ ...curve, isExact })),
      ...{ format: toShort, axis: { from: 0 } },
    });
  return {
    // In the warm-up only the loss moves: then it comes first.
    charts: isWarmUp ? [loss, ...charts] : [...charts, loss],
    small: [
      technical("Gradient norm", ({ gradientNorm }) => gradientNorm),
      technical("Learning rate", ({ learningRate }) => learningRate, true),
      technical("Seconds per iteration", ({ seconds }) => seconds),
    ],
  };
}

const SHARE = { most: 1, span: 0.2 };
const WHOLE = { from: 0, to: 1 };

function toMarks(evaluations: readonly ValidationMetrics[]): Mark[] {
  const best = findBest(evaluations);
  return evaluations.map((each) => ({
    ...{ x: each.iteration, y: each.accuracy, low: each.low, high: each.high, isBest: each === best },
    title: `iteration ${each.iteration}: ${toPoints(each.accuracy)} % (${toPoints(each.low)} – ${toPoints(each.high)}) of ${each.tasks} validation tasks`,
  }));
}

// ---- Who is asked -----------------------------------------------------------------------------

/** Who was asked in a smaller share of the iterations has no name in the chart, where there are many. */
const OFTEN = 0.1;

/** Those who are asked most by name, the others together. Undefined as long as nobody was asked. */
export function toAskedChart(iterations: readonly IterationMetrics[]): Chart | undefined {
  const rows = iterations.filter(({ asked }) => asked && Object.keys(asked).length > 0);
  if (rows.length === 0) return undefined;
  const totals = new Map<string, { share: number; iterations: number }>();
  for (const { asked } of rows)
    for (const [id, own] of Object.entries(asked!)) {
      const { share, iterations: count } = totals.get(id) ?? { share: 0, iterations: 0 };
      totals.set(id, { share: share + own, iterations: count + 1 });
    }
  const ranked = [...totals].sort(([, a], [, b]) => b.share - a.share);
  // Random pools hold workers that are met only once: no name of theirs says anything.
  const seldom = totals.size > MOST_COLOURS ? rows.length * OFTEN : 0;
  const named = ranked
    .filter(([, { iterations: count }]) => count > seldom)
    .map(([id]) => id)
    .slice(0, MOST_COLOURS);
  const others = ranked.length - named.length;
  return toShareChart({
    title: "Share of the calls",
    hint: "Behind each name: the mean of the first tenth of the iterations, and of the last.",
    names: others > 0 ? [...named, `${others} others`] : named,
    spans: toSpans(iterations),
    rows: rows.map(({ iteration, asked }) => {
      const shares = named.map((id) => asked![id] ?? 0);
      const rest = Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0));
      return { x: iteration, shares: others > 0 ? [...shares, rest] : shares };
    }),
  });
}

// ---- Test tasks -------------------------------------------------------------------------------

/** One for each world it was tested in, with its name where there are several. */
export function toTestTables(
  results: readonly TestResult[],
  isSimulated: boolean,
): { world?: string; results: TestResult[]; table: TableView }[] {
  return [...groupBy(results, ({ world }) => world?.name ?? "")].map(([name, own]) => {
    const world = own[0]!.world;
    const table = toTestTable(own, world?.isSimulated ?? isSimulated);
    if (!world) return { results: own, table };
    return { world: name, results: own, table: { ...table, label: `${table.label} of ${name}` } };
  });
}

export function toTestTable(results: readonly TestResult[], isSimulated: boolean): TableView {
  const highest = Math.max(...results.map(({ accuracy }) => accuracy));
  const hasNotes = results.some(({ note }) => note !== undefined);
  return {
    label: "Results on test tasks",
    columns: [
      ...["Conductor", "accuracy %", "95 %", "calls per task"].map((title) => ({ title })),
      { title: `${isSimulated ? "simulated dollars" : "dollars"} per 1,000 tasks` },
      ...(hasNotes ? [{ title: "note", isText: true }] : []),
    ],
    rows: results.map(({ name, accuracy, low, high, calls, costUsd, note = "" }) => ({
      kind: accuracy === highest ? "best" : undefined,
      cells: [
        ...[name, toPoints(accuracy), `${toPoints(low)} – ${toPoints(high)}`, calls.toFixed(2)],
        ...[toCost(costUsd === undefined ? undefined : costUsd * 1000), ...(hasNotes ? [note] : [])],
      ],
    })),
  };
}

const toOne = (value: number) => value.toFixed(1);
const toTwo = (value: number) => value.toFixed(2);
/** Of any size: 0.25, 3e-4. */
const toShort = (value: number) =>
  value === 0 || Math.abs(value) >= 0.01
    ? String(Number(value.toPrecision(2)))
    : value.toExponential(1).replace(".0", "");
