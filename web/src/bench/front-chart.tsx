// What accuracy takes: every Conductor with its interval, and the front of those that nobody beats at their price.

import { useMemo } from "react";
import { toMoney, toPercent } from "../../../src/base/format.ts";
import type { BenchResult } from "../../../src/bench/types.ts";
import { EDGES, HEIGHT, placeFront, type Unit, WIDTH } from "./front.ts";

interface Props {
  results: readonly BenchResult[];
  unit: Unit;
  /** Those that are compared are marked. */
  marked: readonly string[];
}

export function FrontChart({ results, unit, marked }: Props) {
  const { points, path, xTicks, yTicks, left } = useMemo(() => placeFront(results, unit), [results, unit]);
  const format = (value: number) => (unit === "calls" ? String(+value.toPrecision(2)) : toMoney(value));
  const front = points.filter(({ isOnFront }) => isOnFront).map(({ name }) => name);
  const label = `Accuracy against ${unit === "calls" ? "calls" : "cost"} a task. On the front: ${front.join(", ")}.`;
  return (
    <figure>
      <div className="front-scroll">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className="front">
          {yTicks.map(({ at, value }) => (
            <g key={value}>
              <line className="grid" x1={EDGES.left} x2={EDGES.right} y1={at} y2={at} />
              <text className="tick" x={EDGES.left - 8} y={at + 4} textAnchor="end">
                {toPercent(value)}
              </text>
            </g>
          ))}
          {xTicks.map(({ at, value }) => (
            <g key={value}>
              <line className="grid" x1={at} x2={at} y1={EDGES.top} y2={EDGES.bottom} />
              <text className="tick" x={at} y={EDGES.bottom + 18} textAnchor="middle">
                {format(value)}
              </text>
            </g>
          ))}
          <text className="tick" x={(EDGES.left + EDGES.right) / 2} y={HEIGHT - 6} textAnchor="middle">
            {unit === "calls" ? "calls a task, the Conductor's own included" : "dollars a task"} (logarithmic)
          </text>
          <path className="front-line" d={path} />
          {points.map(({ name, x, y, yLow, yHigh, nameY, isOnFront, isBound, accuracy, spending }) => (
            <g key={name} className={toClass(isOnFront, isBound, marked.includes(name))}>
              <title>{`${name}: ${toPercent(accuracy)}, ${format(spending)}`}</title>
              <line className="whisker" x1={x} x2={x} y1={yLow} y2={yHigh} />
              <circle cx={x} cy={y} r={marked.includes(name) ? 7 : 5} />
              <text className="name" x={x + 10} y={nameY + 4}>
                {name}
              </text>
            </g>
          ))}
        </svg>
      </div>
      <figcaption className="muted small">
        Bars are 95 % intervals over tasks. The line joins those that nobody beats at the same price or below.
        {left.length > 0 && ` Without any ${unit}: ${left.join(", ")}.`}
      </figcaption>
    </figure>
  );
}

function toClass(isOnFront: boolean, isBound: boolean, isMarked: boolean): string {
  return ["point", isOnFront && "on-front", isBound && "bound", isMarked && "marked"]
    .filter(Boolean)
    .join(" ");
}
