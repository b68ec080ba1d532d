import { BaseEdge, type EdgeProps } from "@xyflow/react";
import type { EdgeCurve, Place } from "./layout.ts";

const ARC = { least: 10, forEachPixel: 0.085, most: 48 };

/** An edge along the points that the layout gave it. */
export function AccessEdge({ id, data, markerEnd }: EdgeProps) {
  return (
    <BaseEdge id={id} path={toPath((data as unknown as { curve: EdgeCurve }).curve)} markerEnd={markerEnd} />
  );
}

function toPath({ points: [first, ...rest], bend }: EdgeCurve): string {
  const last = rest.at(-1);
  if (!first || !last) return "";
  if (bend === "arc") {
    const out = Math.min(ARC.most, ARC.least + ARC.forEachPixel * (last.y - first.y)) * 1.33;
    return `M${at(first)}C${at({ ...first, x: first.x + out })} ${at({ ...last, x: last.x + out })} ${at(last)}`;
  }
  // Between neighbours the layout gives a point in the middle, which would only make a kink.
  const targets = rest.length === 2 ? rest.slice(1) : rest;
  let path = `M${at(first)}`;
  let from = first;
  for (const to of targets) {
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    path +=
      bend === "down"
        ? `C${at({ x: from.x, y })} ${at({ x: to.x, y })} ${at(to)}`
        : `C${at({ x, y: from.y })} ${at({ x, y: to.y })} ${at(to)}`;
    from = to;
  }
  return path;
}

function at({ x, y }: Place): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}
