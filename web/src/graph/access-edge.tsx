// An edge along the points that the layout gave it: a line that leaves and arrives straight, and bends between.

import { BaseEdge, type EdgeProps } from "@xyflow/react";
import type { Point } from "./layout.ts";

export interface AccessEdgeData extends Record<string, unknown> {
  points: Point[];
  /** From top to bottom; else from left to right. */
  isDown: boolean;
}

export function AccessEdge({ id, data, markerEnd }: EdgeProps) {
  const { points, isDown } = data as unknown as AccessEdgeData;
  return <BaseEdge id={id} path={toPath(points, isDown)} markerEnd={markerEnd} />;
}

function toPath([first, ...rest]: readonly Point[], isDown: boolean): string {
  if (!first) return "";
  // Between neighbours the layout gives a point in the middle, which would only make a kink.
  const targets = rest.length === 2 ? rest.slice(1) : rest;
  let path = `M${at(first)}`;
  let from = first;
  for (const to of targets) {
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    path += isDown
      ? `C${at({ x: from.x, y })} ${at({ x: to.x, y })} ${at(to)}`
      : `C${at({ x, y: from.y })} ${at({ x, y: to.y })} ${at(to)}`;
    from = to;
  }
  return path;
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
