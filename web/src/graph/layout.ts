// Where everything stands. Each round is laid out in three ways: by dagre from top to bottom and from left to right,
// and as one column with arcs beside it. What makes the whole fit best into the room there is, is taken: a chain
// becomes a column, a wide wave is stacked. Rounds stand side by side, many of them in rows like words, or below each
// other where the screen is narrow. Pure.

import { Graph, layout as layOut } from "@dagrejs/dagre";
import { type GraphRound, toNodeId } from "./model.ts";

export const NODE = { width: 228, height: 94 };
const ROUND = { head: 34, padding: 12, gap: 36 };
/** A plan that is being written, or a round in which the Conductor was content. */
const EMPTY_ROUND = { width: 170, height: NODE.height };
const COLUMN = { gap: 18, arcs: 52 };

export interface Place {
  x: number;
  y: number;
}

interface Box extends Place {
  width: number;
  height: number;
}

/** A line that leaves and arrives vertically, horizontally, or goes around on the right. */
export interface EdgeCurve {
  points: Place[];
  bend: "down" | "right" | "arc";
}

export interface GraphLayout {
  width: number;
  height: number;
  /** One for each round. */
  rounds: Box[];
  /** Upper left corner of each step, inside the whole. */
  nodes: Record<string, Place>;
  edges: Record<string, EdgeCurve>;
}

interface RoundLayout {
  width: number;
  height: number;
  nodes: Record<string, Place>;
  edges: Record<string, EdgeCurve>;
}

export interface GraphRoom {
  width: number;
  height: number;
}

export const NARROW = 720;
/** Of more rounds than this, all are laid out in the same way, since combinations would be too many; and they may break into rows. */
const MOST_TRIED = 4;
/** The nicer way is kept unless another one is larger by this factor. */
const CLEARLY = 1.06;

export function layoutRounds(rounds: readonly GraphRound[], room: GraphRoom): GraphLayout {
  const isNarrow = room.width < NARROW;
  const ways = rounds.map((round) => [
    layoutGraph(round, "TB"),
    layoutGraph(round, "LR"),
    layoutColumn(round),
  ]);
  let best: GraphLayout | undefined;
  let bestZoom = -1;
  for (const choice of toChoices(rounds.length)) {
    const chosen = ways.map((each, i) => each[choice(i)]!);
    const rows = isNarrow ? chosen.map((each) => [each]) : undefined;
    for (const layout of rows ? [placeRows(rows)] : toRowLayouts(chosen, room.width)) {
      // On a narrow screen one scrolls down anyway: only the width has to fit.
      const zoom = Math.min(room.width / layout.width, isNarrow ? 1 : room.height / layout.height, 1);
      if (zoom > bestZoom * CLEARLY) {
        best = layout;
        bestZoom = zoom;
      }
    }
  }
  return best ?? placeRows([]);
}

/** Which way each round is laid out in, the nicest first: all alike, before any mixture. */
function toChoices(rounds: number): ((round: number) => number)[] {
  const alike = [0, 1, 2].map((way) => () => way);
  if (rounds > MOST_TRIED) return alike;
  const mixed = Array.from(
    { length: 3 ** rounds },
    (_, code) => (round: number) => Math.floor(code / 3 ** round) % 3,
  );
  return [...alike, ...mixed];
}

function layoutGraph({ round, steps, edges }: GraphRound, direction: "TB" | "LR"): RoundLayout {
  if (steps.length === 0) return { ...EMPTY_ROUND, nodes: {}, edges: {} };
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: 14, edgesep: 14, ranksep: direction === "TB" ? 22 : 34 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { step } of steps) graph.setNode(toNodeId(round, step), { ...NODE });
  for (const { source, target } of edges) graph.setEdge(source, target);
  layOut(graph);
  const nodes = Object.fromEntries(
    graph.nodes().map((id) => {
      const { x, y } = graph.node(id);
      return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
    }),
  );
  const isDown = direction === "TB";
  const curves = edges.map(({ id, source, target }): [string, EdgeCurve] => {
    const { points } = graph.edge(source, target) as { points: Place[] };
    const way = points.slice(1, -1);
    const ends = [leave(nodes[source]!, points[0]!, isDown), arrive(nodes[target]!, points.at(-1)!, isDown)];
    return [id, { points: [ends[0]!, ...way, ends[1]!], bend: isDown ? "down" : "right" }];
  });
  return toOrigin({ nodes, edges: Object.fromEntries(curves) });
}

const CORNER = 18;

/** Lines leave at the bottom (or on the right) of a step and arrive at its top (or on the left), never at a corner. */
function leave(node: Place, near: Place, isDown: boolean): Place {
  return isDown
    ? { x: within(near.x, node.x, NODE.width), y: node.y + NODE.height }
    : { x: node.x + NODE.width, y: within(near.y, node.y, NODE.height) };
}

function arrive(node: Place, near: Place, isDown: boolean): Place {
  return isDown
    ? { x: within(near.x, node.x, NODE.width), y: node.y }
    : { x: node.x, y: within(near.y, node.y, NODE.height) };
}

function within(value: number, from: number, length: number): number {
  return Math.min(from + length - CORNER, Math.max(from + CORNER, value));
}

/** Moves everything so that it begins at 0, lines included, and measures it. */
function toOrigin({ nodes, edges }: Pick<RoundLayout, "nodes" | "edges">): RoundLayout {
  const corners = Object.values(nodes).flatMap(({ x, y }) => [
    { x, y },
    { x: x + NODE.width, y: y + NODE.height },
  ]);
  const points = [...corners, ...Object.values(edges).flatMap((curve) => curve.points)];
  const left = Math.min(...points.map(({ x }) => x));
  const top = Math.min(...points.map(({ y }) => y));
  const move = ({ x, y }: Place): Place => ({ x: x - left, y: y - top });
  return {
    width: Math.max(...points.map(({ x }) => x)) - left,
    height: Math.max(...points.map(({ y }) => y)) - top,
    nodes: Object.fromEntries(Object.entries(nodes).map(([id, point]) => [id, move(point)])),
    edges: Object.fromEntries(
      Object.entries(edges).map(([id, { bend, points: way }]) => [id, { bend, points: way.map(move) }]),
    ),
  };
}

/** One step below the other. An edge to the next one goes straight down, any other one around on the right. */
function layoutColumn({ round, steps, edges }: GraphRound): RoundLayout {
  if (steps.length === 0) return { ...EMPTY_ROUND, nodes: {}, edges: {} };
  const topOf = (step: number) => step * (NODE.height + COLUMN.gap);
  const toCurve = (from: number, to: number): EdgeCurve => {
    if (to === from + 1) {
      const x = NODE.width / 2;
      return {
        bend: "down",
        points: [
          { x, y: topOf(from) + NODE.height },
          { x, y: topOf(to) },
        ],
      };
    }
    // Ends at different heights keep arcs of the same step apart.
    const part = (share: number) => NODE.height * share;
    const start = { x: NODE.width, y: topOf(from) + part(0.5 + 0.12 * Math.min(3, to - from)) };
    const end = { x: NODE.width, y: topOf(to) + part(0.5 - 0.12 * Math.min(3, to - from)) };
    return { bend: "arc", points: [start, end] };
  };
  const hasArcs = edges.some(({ source, target }) => stepOf(target) > stepOf(source) + 1);
  return {
    width: NODE.width + (hasArcs ? COLUMN.arcs : 0),
    height: topOf(steps.length) - COLUMN.gap,
    nodes: Object.fromEntries(steps.map(({ step }) => [toNodeId(round, step), { x: 0, y: topOf(step) }])),
    edges: Object.fromEntries(
      edges.map(({ id, source, target }) => [id, toCurve(stepOf(source), stepOf(target))]),
    ),
  };
}

function stepOf(id: string): number {
  return Number(id.split(".")[1]);
}

/** All rounds in one row; many of them, where that is wider than the room, also in as many rows as it takes. */
function toRowLayouts(chosen: readonly RoundLayout[], width: number): GraphLayout[] {
  const inOne = placeRows([[...chosen]]);
  if (inOne.width <= width || chosen.length <= MOST_TRIED) return [inOne];
  const rows: RoundLayout[][] = [];
  let used = Number.POSITIVE_INFINITY;
  for (const round of chosen) {
    const wide = toSize(round).width;
    if (used + ROUND.gap + wide > width) {
      rows.push([]);
      used = -ROUND.gap;
    }
    rows.at(-1)!.push(round);
    used += ROUND.gap + wide;
  }
  return [inOne, placeRows(rows)];
}

function toSize({ width, height }: RoundLayout): GraphRoom {
  return { width: width + 2 * ROUND.padding, height: height + ROUND.head + ROUND.padding };
}

/** In a row all rounds are as high as the highest; alone in its row, a round is as wide as the widest of all. */
function placeRows(rows: readonly RoundLayout[][]): GraphLayout {
  const widest = Math.max(0, ...rows.flat().map((round) => toSize(round).width));
  const isColumn = rows.every((row) => row.length === 1);
  const layout: GraphLayout = { width: 0, height: 0, rounds: [], nodes: {}, edges: {} };
  let y = 0;
  for (const row of rows) {
    const height = Math.max(0, ...row.map((round) => toSize(round).height));
    let x = 0;
    for (const round of row) {
      const box = { x, y, width: isColumn ? widest : toSize(round).width, height };
      placeRound(layout, round, box);
      x += box.width + ROUND.gap;
    }
    layout.width = Math.max(layout.width, x - ROUND.gap);
    y += height + ROUND.gap;
  }
  layout.height = Math.max(0, y - ROUND.gap);
  return layout;
}

/** In the middle of what its round has of room. */
function placeRound(layout: GraphLayout, { nodes, edges, width, height }: RoundLayout, box: Box): void {
  const dx = box.x + (box.width - width) / 2;
  const dy = box.y + ROUND.head + (box.height - ROUND.head - ROUND.padding - height) / 2;
  const move = ({ x, y }: Place): Place => ({ x: x + dx, y: y + dy });
  for (const [id, point] of Object.entries(nodes)) layout.nodes[id] = move(point);
  for (const [id, { points, bend }] of Object.entries(edges))
    layout.edges[id] = { bend, points: points.map(move) };
  layout.rounds.push(box);
}
