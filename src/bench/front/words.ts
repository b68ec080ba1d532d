// The two numbers people quote, in sentences; and the table of a front. Terminal, JSON and page say the same.

import { toCost, toMoney, toPoints, toSeries, toSignedPoints } from "../../base/format.ts";
import type { Estimate, PairedDifference } from "../../base/statistics.ts";
import { isSimulatedVerifier } from "../price-point.ts";
import type { ChosenPoint, FrontCurve, FrontResult, MeasuredPoint } from "./front.ts";

/** Under this the interval of a difference says "no worse" to a reader: one point. */
const NO_WORSE = 0.01;

export function toFrontSentences({ single, curves, unbeaten, singles }: FrontResult): string[] {
  const against = `${single.name} (${toPoints(single.accuracy.mean)} % at ${toCost(single.costUsd)} a question)`;
  const simulated = curves.map(({ conductor }) => conductor).filter(isSimulatedVerifier);
  return [
    `Against the best single worker, ${against}; prices were chosen on other tasks than these:`,
    ...curves.flatMap(({ conductor, sameQuality, sameCost }) => [
      ...(sameQuality ? [`${conductor}: ${toSameQuality(sameQuality)}`] : []),
      ...(sameCost ? [`${conductor}: ${toSameCost(sameCost)}`] : []),
    ]),
    ...(simulated.length > 0
      ? [`The verifier of ${toSeries(simulated)} is simulated: it turns recorded verdicts round that often.`]
      : []),
    unbeaten.length === 0
      ? `Every one of the ${singles.length} single workers is reached by a curve at its cost or below.`
      : `No curve reaches ${unbeaten.join(", ")} at the same cost or below.`,
  ];
}

function toSameQuality({ difference, costShare, point }: ChosenPoint): string {
  const claim = difference.low >= -NO_WORSE ? "the same quality" : "aimed at the same quality";
  return `${claim} (${toSpan(difference)} points) at ${toShare(costShare)} of the cost, ${toCost(point.costUsd)} a question.`;
}

function toSameCost({ difference, costShare }: ChosenPoint): string {
  return `${toSpan(difference)} points at the same cost (${toShare(costShare)} of it).`;
}

function toSpan({ mean, low, high }: PairedDifference): string {
  return `${toSignedPoints(mean)} [${toSignedPoints(low)} … ${toSignedPoints(high)}]`;
}

function toShare({ mean, low, high }: Estimate): string {
  const whole = (share: number) => Math.round(share * 100);
  return `${whole(mean)} % [${whole(low)} … ${whole(high)}]`;
}

export interface FrontRow {
  cells: string[];
  isSingle: boolean;
}

export const FRONT_COLUMNS = [
  "who",
  "a dollar costs",
  "accuracy %",
  "95 %",
  "calls",
  "$ a question",
  "$ per 1,000",
];

/** Curves first, each along its knob; then the single workers, most accurate first. */
export function toFrontRows({ curves, singles }: FrontResult): FrontRow[] {
  const toRow = (point: MeasuredPoint, isSingle: boolean): FrontRow => ({
    isSingle,
    cells: [
      point.name,
      point.costPerUsd === undefined ? "" : String(point.costPerUsd),
      toPoints(point.accuracy.mean),
      `${toPoints(point.accuracy.low)} – ${toPoints(point.accuracy.high)}`,
      point.calls.toFixed(2),
      toMoney(point.costUsd),
      toMoney(point.costUsd * 1000),
    ],
  });
  return [
    ...curves.flatMap((curve) => distinct(curve).map((point) => toRow(point, false))),
    ...singles
      .toSorted((a, b) => b.accuracy.mean - a.accuracy.mean || a.costUsd - b.costUsd)
      .map((point) => toRow(point, true)),
  ];
}

/** Neighbouring prices often lead to the very same choices. */
export function distinct({ points }: FrontCurve): MeasuredPoint[] {
  return points.filter(
    (point, i) =>
      i === 0 ||
      point.costUsd !== points[i - 1]!.costUsd ||
      point.accuracy.mean !== points[i - 1]!.accuracy.mean,
  );
}
