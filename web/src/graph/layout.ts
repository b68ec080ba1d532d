// Where everything stands. Each round is laid out in three ways: by dagre from top to bottom and from left to right,
// and as one column with arcs beside it. What makes the whole fit best into the room there is, is taken: a chain
// becomes a column, a wide wave is stacked. Rounds stand side by side, or below each other where the screen is
// narrow. Pure.

import { Graph, layout as layOut } from "@dagrejs/dagre";
import { type GraphRound, toNodeId } from "./model.ts";

export const NODE = { width: 228, height: 94 };
const ROUND = { head: 34, padding: 12, gap: 36 };
/** A plan that is being written, or a round in which the Conductor was content. */
const EMPTY_ROUND = { width: 170, height: NODE.height };
const COLUMN = { gap: 18, arcs: 52 };

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

/** A line that leaves and arrives vertically, horizontally, or goes around on the right. */
export interface Curve {
  points: Point[];
  bend: "down" | "right" | "arc";
}

export interface Layout {
  width: number;
  height: number;
  /** One for each round. */
  rounds: Box[];
  /** Upper left corner of each step, inside the whole. */
  nodes: Record<string, Point>;
  edges: Record<string, Curve>;
}

interface RoundLayout {
  width: number;
  height: number;
  nodes: Record<string, Point>;
  edges: Record<string, Curve>;
}

export interface Room {
  width: number;
  height: number;
}

export const NARROW = 720;
/** Of more rounds than this, all are laid out in the same way: combinations would be too many. */
const MOST_TRIED = 4;
/** The nicer way is kept unless another one is larger by this factor. */
const CLEARLY = 1.04;

export function layoutRounds(rounds: readonly GraphRound[], room: Room): Layout {
  const isNarrow = room.width < NARROW;
  const ways = rounds.map((round) => [
    layoutGraph(round, "TB"),
    layoutGraph(round, "LR"),
    layoutColumn(round),
  ]);
  let best: Layout | undefined;
  let bestZoom = -1;
  for (const choice of toChoices(rounds.length)) {
    const layout = placeRounds(
      ways.map((each, i) => each[choice(i)]!),
      isNarrow,
    );
    // On a narrow screen one scrolls down anyway: only the width has to fit.
    const zoom = Math.min(room.width / layout.width, isNarrow ? 1 : room.height / layout.height, 1);
    if (zoom > bestZoom * CLEARLY) {
      best = layout;
      bestZoom = zoom;
    }
  }
  return best ?? placeRounds([], isNarrow);
}

/** Which way each round is laid out in, the nicest first. */
function toChoices(rounds: number): ((round: number) => number)[] {
  if (rounds > MOST_TRIED) return [0, 1, 2].map((way) => () => way);
  return Array.from({ length: 3 ** rounds }, (_, code) => (round) => Math.floor(code / 3 ** round) % 3);
}

function layoutGraph({ round, steps, edges }: GraphRound, direction: "TB" | "LR"): RoundLayout {
  if (steps.length === 0) return { ...EMPTY_ROUND, nodes: {}, edges: {} };
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: 14, edgesep: 14, ranksep: direction === "TB" ? 22 : 34 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { step } of steps) graph.setNode(toNodeId(round, step), { ...NODE });
  for (const { source, target } of edges) graph.setEdge(source, target);
  layOut(graph);
  const { width = 0, height = 0 } = graph.graph();
  const bend = direction === "TB" ? "down" : "right";
  return {
    width,
    height,
    nodes: Object.fromEntries(
      graph.nodes().map((id) => {
        const { x, y } = graph.node(id);
        return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
      }),
    ),
    edges: Object.fromEntries(
      edges.map(({ id, source, target }): [string, Curve] => {
        const { points } = graph.edge(source, target) as { points: Point[] };
        return [id, { points, bend }];
      }),
    ),
  };
}

/** One step below the other. An edge to the next one goes straight down, any other one around on the right. */
function layoutColumn({ round, steps, edges }: GraphRound): RoundLayout {
  if (steps.length === 0) return { ...EMPTY_ROUND, nodes: {}, edges: {} };
  const topOf = (step: number) => step * (NODE.height + COLUMN.gap);
  const toCurve = (from: number, to: number): Curve => {
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

function placeRounds(chosen: readonly RoundLayout[], isNarrow: boolean): Layout {
  const inner = (layout: RoundLayout) => ({
    width: layout.width + 2 * ROUND.padding,
    height: layout.height + ROUND.head + ROUND.padding,
  });
  const sizes = chosen.map(inner);
  const tallest = Math.max(0, ...sizes.map(({ height }) => height));
  const widest = Math.max(0, ...sizes.map(({ width }) => width));
  const layout: Layout = { width: 0, height: 0, rounds: [], nodes: {}, edges: {} };
  let at = 0;
  for (const [i, { nodes, edges, ...round }] of chosen.entries()) {
    const size = sizes[i]!;
    const box = isNarrow
      ? { x: 0, y: at, width: widest, height: size.height }
      : { x: at, y: 0, width: size.width, height: tallest };
    // In the middle of what its round has of room.
    const dx = box.x + (box.width - round.width) / 2;
    const dy = box.y + ROUND.head + (box.height - ROUND.head - ROUND.padding - round.height) / 2;
    const move = ({ x, y }: Point): Point => ({ x: x + dx, y: y + dy });
    for (const [id, point] of Object.entries(nodes)) layout.nodes[id] = move(point);
    for (const [id, { points, bend }] of Object.entries(edges))
      layout.edges[id] = { bend, points: points.map(move) };
    layout.rounds.push(box);
    at += (isNarrow ? box.height : box.width) + ROUND.gap;
  }
  const length = Math.max(0, at - ROUND.gap);
  layout.width = isNarrow ? widest : length;
  layout.height = isNarrow ? length : tallest;
  return layout;
}
