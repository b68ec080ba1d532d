// The workflow of a run as a graph that fills in while it is performed. The page scrolls over it; it is moved by
// dragging and zoomed by its buttons.

import {
  Controls,
  type Edge,
  MarkerType,
  type Node,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo, useRef } from "react";
import type { Run, RunStep } from "../../../src/perform/run.ts";
import { useWidth } from "../ui/chart.tsx";
import { AccessEdge } from "./access-edge.tsx";
import { type GraphLayout, layoutRounds, NARROW, NODE } from "./layout.ts";
import { toGraphRounds, toNodeId } from "./model.ts";
import { RoundNode } from "./round-node.tsx";
import { StepNode } from "./step-node.tsx";
import "@xyflow/react/dist/base.css";
import "./graph.css";

const NODE_TYPES = { step: StepNode, round: RoundNode };
const EDGE_TYPES = { access: AccessEdge };
const MARGIN = 12;
const SMALLEST = 150;

interface Props {
  run: Run;
  /** What the Conductor has written of its next plan. */
  planText?: string;
  /** The step that is shown in full elsewhere. */
  selected?: { round: number; step: number } | undefined;
  onSelect: (step: RunStep) => void;
  /** Steps on the critical path, as "round.step". */
  critical?: ReadonlySet<string> | undefined;
  /** For those who do not see it. */
  label?: string;
  /** The graph takes what it needs up to this. */
  maxHeight?: number;
}

export function RunGraph(props: Props) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  );
}

function Graph({
  run,
  planText = "",
  selected,
  onSelect,
  critical,
  label = "The workflow as a graph",
  maxHeight = 560,
}: Props) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const shape = shapeOf(run);
  // Text arrives many times a second; where everything stands changes only with the plan.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all that the layout depends on
  const layout = useMemo(
    () =>
      layoutRounds(toGraphRounds(run.rounds), { width: width - 2 * MARGIN, height: maxHeight - 2 * MARGIN }),
    [shape, width, maxHeight],
  );
  const isNarrow = width - 2 * MARGIN < NARROW;
  const byWidth = Math.min(1, (width - 2 * MARGIN) / Math.max(1, layout.width));
  const wanted = Math.ceil(layout.height * byWidth) + 2 * MARGIN;
  const height = Math.max(SMALLEST, isNarrow ? wanted : Math.min(maxHeight, wanted));
  useFit(layout, width, height);
  const isOver = run.stopReason !== undefined;
  const nodes = useMemo(
    () => toNodes(run, layout, { planText, selected, onSelect, critical, isOver }),
    [run, layout, planText, selected, onSelect, critical, isOver],
  );
  const edges = useMemo(() => toEdges(run, layout), [run, layout]);
  return (
    <section ref={frame} className="run-graph" style={{ height }} aria-label={label}>
      {width > 0 && (
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          panOnDrag={!isNarrow}
          minZoom={0.2}
          maxZoom={1.5}
          proOptions={{ hideAttribution: true }}
          disableKeyboardA11y
        >
          {!isNarrow && <Controls showInteractive={false} position="bottom-right" fitViewOptions={FIT} />}
        </ReactFlow>
      )}
    </section>
  );
}

const FIT = { padding: `${MARGIN}px` as const, maxZoom: 1 };

/** What the layout depends on: how many rounds and steps, and who sees whom. */
function shapeOf({ rounds }: Run): string {
  return JSON.stringify(rounds.map(({ workflow }) => workflow.steps.map(({ access }) => access)));
}

interface Marks extends Pick<Props, "selected" | "onSelect" | "critical"> {
  planText: string;
  isOver: boolean;
}

function toNodes(run: Run, layout: GraphLayout, marks: Marks): Node[] {
  const { planText, selected, onSelect, critical, isOver } = marks;
  const { answerStep } = run;
  const answer = isOver
    ? run.steps.find(({ round, step }) => round === answerStep?.round && step === answerStep.step)
    : undefined;
  return run.rounds.flatMap((round, number): Node[] => {
    const box = layout.rounds[number];
    if (!box) return [];
    const isPlanning = !isOver && number === run.rounds.length - 1;
    const background: Node = {
      id: `round-${number}`,
      type: "round",
      position: { x: box.x, y: box.y },
      data: {
        ...{ number, round, width: box.width, height: box.height, isPlanning, planText },
        isPlain: run.rounds.length === 1 && run.settings.rounds === 1,
      },
      zIndex: -1,
      selectable: false,
      ...known({ width: box.width, height: box.height }),
    };
    const steps = round.steps.map((step): Node => {
      const id = toNodeId(step.round, step.step);
      return {
        id,
        type: "step",
        position: layout.nodes[id] ?? { x: 0, y: 0 },
        ...known(NODE),
        data: {
          ...{ step, onSelect, isOver },
          isSelected: selected?.round === step.round && selected.step === step.step,
          isAnswer: step === answer,
          isCritical: critical?.has(id) ?? false,
        },
      };
    });
    return [background, ...steps];
  });
}

/** Told beforehand: what has to be measured first would vanish, with its edges, at every piece of text. */
function known(size: { width: number; height: number }): Partial<Node> {
  const end = { x: 0, y: 0, width: 1, height: 1 };
  const handles: Node["handles"] = [
    { ...end, type: "target", position: Position.Left },
    { ...end, type: "source", position: Position.Right },
  ];
  return { ...size, measured: size, handles };
}

function toEdges(run: Run, layout: GraphLayout): Edge[] {
  const stateOf = (id: string) => {
    const [round, step] = id.split(".").map(Number);
    return run.rounds[round!]?.steps[step!]?.state ?? "pending";
  };
  return toGraphRounds(run.rounds).flatMap(({ round, edges, seeBefore }) => {
    const inside = edges.map((edge): Edge => {
      const isActive = stateOf(edge.source) === "done" && stateOf(edge.target) === "running";
      return {
        ...{ id: edge.id, source: edge.source, target: edge.target, type: "access" },
        data: { curve: layout.edges[edge.id] ?? { points: [], bend: "down" } },
        className: `${edge.kind} ${isActive ? "active" : ""}`,
        markerEnd: ARROW,
      };
    });
    const [from, to] = [layout.rounds[round - 1], layout.rounds[round]];
    if (!from || !to) return inside;
    const isBelow = to.y > from.y;
    const start = isBelow
      ? { x: from.x + from.width / 2, y: from.y + from.height }
      : { x: from.x + from.width, y: from.y + from.height / 2 };
    const end = isBelow ? { x: to.x + to.width / 2, y: to.y } : { x: to.x, y: to.y + to.height / 2 };
    const bridge: Edge = {
      ...{ id: `before-${round}`, source: `round-${round - 1}`, target: `round-${round}`, type: "access" },
      data: { curve: { points: [start, end], bend: isBelow ? "down" : "right" } },
      className: seeBefore.length > 0 ? "sees" : "waits",
      markerEnd: ARROW,
    };
    return [...inside, bridge];
  });
}

const ARROW = { type: MarkerType.ArrowClosed, width: 14, height: 14, color: "var(--edge)" };

/** Shows all of it, in the middle, whenever what there is to show has changed its shape. */
function useFit(layout: GraphLayout, width: number, height: number): void {
  const { setViewport, viewportInitialized } = useReactFlow();
  useEffect(() => {
    // Before that it would be forgotten: a run that is over has its whole shape at once.
    if (!viewportInitialized) return;
    const room = { width: width - 2 * MARGIN, height: height - 2 * MARGIN };
    const zoom = Math.min(
      1,
      room.width / Math.max(1, layout.width),
      room.height / Math.max(1, layout.height),
    );
    const x = (width - layout.width * zoom) / 2;
    const y = (height - layout.height * zoom) / 2;
    void setViewport({ x, y, zoom });
  }, [layout, width, height, setViewport, viewportInitialized]);
}
