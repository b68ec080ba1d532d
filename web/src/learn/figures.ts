// From what a training told to what is drawn: one list of iterations for the axis, and a line for each figure. Pure.

import type { TrainingReport } from "../../../src/gateway/dashboard/types.ts";
import { moveMean, toSpans } from "../../../src/learn/report/moving-mean.ts";
import type { IterationMetrics } from "../../../src/learn/types.ts";
import type { Line } from "../chart/line-chart.tsx";

export interface Figure {
  title: string;
  /** What it means, in a sentence. */
  hint: string;
  lines: Line[];
  /** The iteration that it begins with. */
  from: number;
  format: (value: number) => string;
  range?: { from?: number; to?: number };
}

type Value = (figures: IterationMetrics) => number;

const percent = (value: number) => `${Math.round(value * 100)} %`;
const two = (value: number) => value.toFixed(Math.abs(value) >= 10 ? 0 : 2);

export function toAxis(reports: readonly TrainingReport[]): number[] {
  const longest = reports.reduce(
    (most, { iterations }) => Math.max(most, (iterations.at(-1)?.iteration ?? -1) + 1),
    0,
  );
  return Array.from({ length: longest }, (_, iteration) => iteration);
}

/** One report, or two of which the second is drawn beside the first. */
export function toFigures(reports: readonly TrainingReport[], x: readonly number[]): Figure[] {
  const from = Math.min(...reports.map(firstTaught));
  const names = reports.map(({ summary }) => summary.id);
  const prefix = (i: number, name: string) => (reports.length > 1 ? `${names[i]}, ${name}` : name);
  const lines = (name: string, value: Value, isTaught = true): Line[] =>
    reports.flatMap((report, i) => toLines(report, x, prefix(i, name), COLOURS[i]!, value, isTaught));
  const entropies = reports.flatMap((report, i) => [
    ...toLines(report, x, prefix(i, "who is asked (bits)"), COLOURS[i]!, (each) => each.routingEntropy, true),
    ...toLines(
      report,
      x,
      prefix(i, "decisions (nats)"),
      COLOURS[i + 2]!,
      (each) => each.decisionEntropy,
      true,
    ),
  ]);
  const figures: Omit<Figure, "from">[] = [
    {
      title: "Reward",
      hint: "Mean over the rollouts: 0 no valid plan, 0.5 valid and wrong, 1 right.",
      lines: lines("mean of the rollouts", ({ reward }) => reward),
      format: two,
      range: { from: 0, to: 1 },
    },
    {
      title: "Accuracy",
      hint: "Lines: rollouts. Dots: validation questions that are never trained on, with their 95 % interval.",
      lines: [
        ...lines("rollouts", ({ accuracy }) => accuracy),
        ...reports.map((report, i) =>
          toValidation(report, x, prefix(i, "validation questions"), COLOURS[i + 2]!),
        ),
      ],
      format: percent,
      range: { from: 0, to: 1 },
    },
    {
      title: "Valid plans",
      hint: "Share of plans that the parser takes, without any mask.",
      lines: lines("valid", ({ validShare }) => validShare),
      format: percent,
      range: { from: 0, to: 1 },
    },
    {
      title: "Entropy",
      hint: "How open it still is: whom it asks, and how sure each decision is.",
      lines: entropies,
      format: two,
      range: { from: 0 },
    },
    {
      title: "Calls a question",
      hint: "How many workers a plan asks.",
      lines: lines("calls", ({ calls }) => calls),
      format: two,
      range: { from: 0 },
    },
    {
      title: "Loss",
      hint: "In the warm-up: of the language. Later it hovers around zero, as it must.",
      lines: lines("loss", ({ loss }) => loss, false),
      format: two,
    },
  ];
  return figures.map((figure) => startAt(figure, figure.title === "Loss" ? 0 : from));
}

/** Before it nobody was asked: an empty half of a chart says nothing. */
function firstTaught({ iterations }: TrainingReport): number {
  return iterations.find(({ asked }) => asked)?.iteration ?? 0;
}

function startAt(figure: Omit<Figure, "from">, from: number): Figure {
  const lines = figure.lines.map(
    ({ values, band, ...line }): Line => ({
      ...line,
      values: values.slice(from),
      ...(band && { band: { low: band.low.slice(from), high: band.high.slice(from) } }),
    }),
  );
  return { ...figure, from, lines };
}

const COLOURS = ["--series-0", "--series-1", "--series-2", "--series-3"] as const;

/** Each iteration faint, their moving mean strong. Without rollouts, as in the warm-up, there is nothing to show of them. */
function toLines(
  { iterations }: TrainingReport,
  x: readonly number[],
  name: string,
  colour: string,
  value: Value,
  isTaught: boolean,
): Line[] {
  const points = iterations.map((each) => {
    const y = !isTaught || each.asked ? value(each) : Number.NaN;
    return { x: each.iteration, y: y ?? Number.NaN };
  });
  const mean = moveMean(points, toSpans(iterations));
  return [
    { name: `${name}, each`, colour, look: "faint", values: onAxis(x, points) },
    { name, colour, values: onAxis(x, mean) },
  ];
}

function toValidation(
  { validations }: TrainingReport,
  x: readonly number[],
  name: string,
  colour: string,
): Line {
  const of = (value: "accuracy" | "low" | "high") =>
    onAxis(
      x,
      validations.map((validation) => ({ x: validation.iteration, y: validation[value] })),
    );
  const [low, high] = [of("low"), of("high")];
  return {
    name,
    colour,
    look: "dots",
    values: of("accuracy"),
    band: { low: bridge(low), high: bridge(high) },
  };
}

function onAxis(x: readonly number[], points: readonly { x: number; y: number }[]): (number | null)[] {
  const values: (number | null)[] = new Array(x.length).fill(null);
  for (const point of points) if (Number.isFinite(point.y)) values[point.x] = point.y;
  return values;
}

/** Straight between measured points: a band has no gaps. */
function bridge(values: (number | null)[]): (number | null)[] {
  const result = [...values];
  let before = -1;
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    if (before >= 0)
      for (let j = before + 1; j < i; j++)
        result[j] = values[before]! + ((value - values[before]!) * (j - before)) / (i - before);
    before = i;
  }
  return result;
}

// ---- Who is asked ---------------------------------------------------------------------------------

const MOST_NAMED = 7;
const OTHERS = "strangers and others";
/** Random pools of the rehearsal hold workers that are met only once: no name of theirs says anything. */
const isStranger = (id: string) => id.startsWith("rehearsal/stranger-");

/** Shares stacked from the top: the first line is the sum of all, the last one its own share only. */
export function toAsked(report: TrainingReport): { x: number[]; lines: Line[] } {
  const from = firstTaught(report);
  const asked = report.iterations.filter((each) => each.asked);
  const totals = new Map<string, number>();
  for (const { asked: shares = {} } of asked)
    for (const [id, share] of Object.entries(shares)) totals.set(id, (totals.get(id) ?? 0) + share);
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([id]) => id);
  const shown = names.filter((id) => !isStranger(id)).slice(0, MOST_NAMED);
  const bands = names.length > shown.length ? [...shown, OTHERS] : shown;
  const shareOf = (shares: Record<string, number>, name: string) =>
    name === OTHERS
      ? Object.entries(shares).reduce((sum, [id, share]) => sum + (shown.includes(id) ? 0 : share), 0)
      : (shares[name] ?? 0);
  const x = toAxis([report]).slice(asked.length > 0 ? from : Number.POSITIVE_INFINITY);
  const lines = bands.map((name, i): Line => {
    const points = asked.map(({ iteration, asked: shares = {} }) => ({
      x: iteration,
      y: bands.slice(i).reduce((sum, band) => sum + shareOf(shares, band), 0),
    }));
    const calm = moveMean(points, toSpans(asked)).map((point) => ({ ...point, x: point.x - from }));
    const colour = name === OTHERS ? "--line-strong" : `--series-${i}`;
    return { name, colour, look: "area", values: onAxis(x, calm) };
  });
  return { x, lines };
}
