// Where everything stands. Each round is laid out by dagre, from top to bottom or from left to right, whichever
// makes the whole fit best into the room there is: a chain becomes a column, a wide wave is stacked. Rounds stand
// side by side, or below each other where the screen is narrow. Pure.

import { Graph, layout as layOut } from "@dagrejs/dagre";
import { type GraphRound, toNodeId } from "./model.ts";

export const NODE = { width: 228, height: 94 };
const ROUND = { head: 34, padding: 12, gap: 36 };
/** A plan that is being written, or a round in which the Conductor was content. */
const EMPTY_ROUND = { width: 170, height: NODE.height };

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  /** One for each round. */
  rounds: Box[];
  /** Upper left corner of each step, inside the whole. */
  nodes: Record<string, Point>;
  /** Where each edge goes along. */
  edges: Record<string, Point[]>;
  /** Of the round's own steps: which side edges come in at. */
  directions: ("TB" | "LR")[];
}

interface RoundLayout {
  direction: "TB" | "LR";
  width: number;
  height: number;
  nodes: Record<string, Point>;
  edges: Record<string, Point[]>;
}

export interface Room {
  width: number;
  height: number;
}

const NARROW = 720;
/** More rounds than this are not tried in all combinations. */
const MOST_TRIED = 6;

export function layoutRounds(rounds: readonly GraphRound[], room: Room): Layout {
  const isNarrow = room.width < NARROW;
  const choices = rounds.map((round) => [layoutRound(round, "TB"), layoutRound(round, "LR")] as const);
  let best: Layout | undefined;
  let bestZoom = -1;
  const combinations = rounds.length <= MOST_TRIED ? 2 ** rounds.length : 2;
  for (let code = 0; code < combinations; code++) {
    const chosen = choices.map(([down, right], i) =>
      (rounds.length <= MOST_TRIED ? (code >> i) & 1 : code) === 0 ? down : right,
    );
    const layout = placeRounds(chosen, isNarrow);
    // On a narrow screen one scrolls down anyway: only the width has to fit.
    const zoom = Math.min(room.width / layout.width, isNarrow ? 1 : room.height / layout.height, 1);
    if (zoom > bestZoom + 1e-6) {
      best = layout;
      bestZoom = zoom;
    }
  }
  return best ?? placeRounds([], isNarrow);
}

function layoutRound({ round, steps, edges }: GraphRound, direction: "TB" | "LR"): RoundLayout {
  if (steps.length === 0) return { direction, ...EMPTY_ROUND, nodes: {}, edges: {} };
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: 14, edgesep: 14, ranksep: direction === "TB" ? 22 : 34 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { step } of steps) graph.setNode(toNodeId(round, step), { ...NODE });
  for (const { source, target } of edges) graph.setEdge(source, target);
  layOut(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    direction,
    width,
    height,
    nodes: Object.fromEntries(
      graph.nodes().map((id) => {
        const { x, y } = graph.node(id);
        return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
      }),
    ),
    edges: Object.fromEntries(edges.map(({ id, source, target }) => [id, graph.edge(source, target).points])),
  };
}

function placeRounds(chosen: readonly RoundLayout[], isNarrow: boolean): Layout {
  const inner = (layout: RoundLayout) => ({
    width: layout.width + 2 * ROUND.padding,
    height: layout.height + ROUND.head + ROUND.padding,
  });
  const sizes = chosen.map(inner);
  const tallest = Math.max(0, ...sizes.map(({ height }) => height));
  const widest = Math.max(0, ...sizes.map(({ width }) => width));
  const layout: Layout = { width: 0, height: 0, rounds: [], nodes: {}, edges: {}, directions: [] };
  let at = 0;
  for (const [i, { nodes, edges, direction, ...round }] of chosen.entries()) {
    const size = sizes[i]!;
    const box = isNarrow
      ? { x: 0, y: at, width: widest, height: size.height }
      : { x: at, y: 0, width: size.width, height: tallest };
    // In the middle of what its round has of room.
    const dx = box.x + (box.width - round.width) / 2;
    const dy = box.y + ROUND.head + (box.height - ROUND.head - ROUND.padding - round.height) / 2;
    const move = ({ x, y }: Point): Point => ({ x: x + dx, y: y + dy });
    for (const [id, point] of Object.entries(nodes)) layout.nodes[id] = move(point);
    for (const [id, points] of Object.entries(edges)) layout.edges[id] = points.map(move);
    layout.rounds.push(box);
    layout.directions.push(direction);
    at += (isNarrow ? box.height : box.width) + ROUND.gap;
  }
  const length = Math.max(0, at - ROUND.gap);
  layout.width = isNarrow ? widest : length;
  layout.height = isNarrow ? length : tallest;
  return layout;
}
