// An edge along the points that the layout gave it, as one smooth line (a uniform B-spline through its ends).

import { BaseEdge, type EdgeProps } from "@xyflow/react";
import type { Point } from "./layout.ts";

export interface AccessEdgeData extends Record<string, unknown> {
  points: Point[];
}

export function AccessEdge({ id, data, markerEnd }: EdgeProps) {
  return <BaseEdge id={id} path={toPath((data as unknown as AccessEdgeData).points)} markerEnd={markerEnd} />;
}

export function toPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first || rest.length === 0) return "";
  const last = rest.at(-1)!;
  if (rest.length === 1) return `M${at(first)}L${at(last)}`;
  let path = `M${at(first)}L${at(between(first, rest[0]!, 5 / 6))}`;
  for (let i = 0; i < rest.length - 1; i++) {
    const [a, b] = [rest[i]!, rest[i + 1]!];
    path += `C${at(between(a, b, 1 / 3))} ${at(between(a, b, 2 / 3))} ${at(i === rest.length - 2 ? last : mean(a, b, rest[i + 2]!))}`;
  }
  return path;
}

function at({ x, y }: Point): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

function between(a: Point, b: Point, share: number): Point {
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share };
}

function mean(a: Point, b: Point, c: Point): Point {
  return { x: (a.x + 4 * b.x + c.x) / 6, y: (a.y + 4 * b.y + c.y) / 6 };
}
