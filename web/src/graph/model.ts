// What the graph shows of a run: a node for each step, an edge for each step that another one sees, and a column
// for each round. Pure.

import type { Run, RunStep } from "../../../src/perform/run.ts";
import type { Workflow } from "../../../src/workflow/types.ts";
import { toDependencies, toPositions } from "../../../src/workflow/waves.ts";

interface GraphEdge {
  id: string;
  source: string;
  target: string;
  /** sees: it is in the access list. waits: the last step waits for it and does not see it. */
  kind: "sees" | "waits";
}

export interface GraphRound {
  round: number;
  steps: RunStep[];
  edges: GraphEdge[];
  /** Steps that see all of the round before. */
  seeBefore: string[];
}

export function toNodeId(round: number, step: number): string {
  return `${round}.${step}`;
}

export function toGraphRounds(rounds: readonly Run["rounds"][number][]): GraphRound[] {
  return rounds.map(({ workflow, steps }, round) => ({
    round,
    steps,
    edges: toEdges(workflow, round),
    seeBefore:
      round === 0
        ? []
        : workflow.steps.flatMap(({ access }, step) =>
            typeof access === "string" ? [toNodeId(round, step)] : [],
          ),
  }));
}

function toEdges(workflow: Workflow, round: number): GraphEdge[] {
  const waitsFor = toDependencies(workflow);
  return waitsFor.flatMap((before, step) => {
    const { access } = workflow.steps[step]!;
    const sees = (from: number) => toPositions(access, step).includes(from);
    // It waits for these anyway, because somebody it waits for does: a line would say nothing.
    const isImplied = (from: number) => before.some((other) => waitsFor[other]!.includes(from));
    return before
      .filter((from) => sees(from) || !isImplied(from))
      .map((from): GraphEdge => {
        const source = toNodeId(round, from);
        const target = toNodeId(round, step);
        return { id: `${source}-${target}`, source, target, kind: sees(from) ? "sees" : "waits" };
      });
  });
}
