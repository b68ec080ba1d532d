// Where the points of the chart are: spending on a logarithmic axis, accuracy on a plain one, names that do not cover
// one another. Pure.

import { type FrontPoint, toFront } from "../../../src/bench/report/front-chart.ts";
import type { BenchResult } from "../../../src/bench/types.ts";

export const WIDTH = 900;
export const HEIGHT = 420;
const LEFT = 56;
const RIGHT = WIDTH - 150;
const TOP = 14;
const BOTTOM = HEIGHT - 44;
const LINE = 15;

export type Unit = "calls" | "cost";

interface Placed extends FrontPoint {
  x: number;
  y: number;
  yLow: number;
  yHigh: number;
  /** Of its name. */
  nameY: number;
  isOnFront: boolean;
}

export interface Front {
  points: Placed[];
  path: string;
  xTicks: { at: number; value: number }[];
  yTicks: { at: number; value: number }[];
  /** They spend nothing of this, so there is no place for them. */
  left: string[];
}

export const EDGES = { left: LEFT, right: RIGHT, top: TOP, bottom: BOTTOM } as const;

export function placeFront(results: readonly BenchResult[], unit: Unit): Front {
  const all = results.map(
    (result): FrontPoint => ({
      name: result.conductor,
      spending: unit === "calls" ? result.calls + result.conductorCalls : result.costUsd,
      accuracy: result.accuracy,
      low: result.low,
      high: result.high,
      isBound: result.conductor === "oracle",
    }),
  );
  const points = all.filter(({ spending }) => spending > 0);
  const front = toFront(points);
  const spendings = points.map(({ spending }) => spending);
  const [least, most] = [Math.min(...spendings) / 1.15, Math.max(...spendings) * 1.15];
  const bottom = Math.max(0, Math.floor((Math.min(...points.map(({ low }) => low)) - 0.02) * 10) / 10);
  const top = Math.min(1, Math.ceil((Math.max(...points.map(({ high }) => high)) + 0.01) * 10) / 10);
  const toX = (value: number) =>
    LEFT + ((Math.log(value) - Math.log(least)) / (Math.log(most) - Math.log(least))) * (RIGHT - LEFT);
  const toY = (value: number) => BOTTOM - ((value - bottom) / Math.max(0.1, top - bottom)) * (BOTTOM - TOP);
  const placed = points.map(
    (point): Placed => ({
      ...point,
      x: toX(point.spending),
      y: toY(point.accuracy),
      yLow: toY(point.low),
      yHigh: toY(point.high),
      nameY: toY(point.accuracy),
      isOnFront: front.includes(point),
    }),
  );
  return {
    points: spreadNames(placed),
    path: front
      .map(({ spending, accuracy }, i) =>
        i === 0 ? `M${toX(spending)} ${toY(accuracy)}` : `H${toX(spending)} V${toY(accuracy)}`,
      )
      .join(" "),
    xTicks: ticksBetween(least, most).map((value) => ({ value, at: toX(value) })),
    yTicks: Array.from({ length: Math.round((top - bottom) * 10) + 1 }, (_, i) => bottom + i / 10).map(
      (value) => ({
        value,
        at: toY(value),
      }),
    ),
    left: all.filter(({ spending }) => spending <= 0).map(({ name }) => name),
  };
}

/** 1, 2 and 5 of every power of ten. */
function ticksBetween(least: number, most: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++)
    for (const digit of [1, 2, 5]) ticks.push(digit * 10 ** power);
  return ticks.filter((tick) => tick >= least && tick <= most);
}

/** From top to bottom, names near one another are pushed down by a line. */
function spreadNames(points: Placed[]): Placed[] {
  const done: Placed[] = [];
  for (const point of points.toSorted((a, b) => a.y - b.y)) {
    let { nameY } = point;
    const isNear = (other: Placed) =>
      Math.abs(other.nameY - nameY) < LINE && Math.abs(other.x - point.x) < 7 * other.name.length + 14;
    for (let tries = 0; tries < 40 && done.some(isNear); tries++) nameY += 3;
    done.push({ ...point, nameY });
  }
  return done;
}
