// What a training has learned to tell its workers, as plain data: the instructions that its plans used, where each comes
// from, and every proposal with its figure, kept or not. Sentences may be a model's: they are text, whatever they look like.

import { toCount, toSignedPoints } from "../../base/format.ts";
import type { Gain } from "../../instruction/types.ts";
import type { TableView } from "../../report/table.ts";
import type { Training } from "../folder.ts";
import type { InstructionUse, ProposalMetrics } from "../types.ts";

export interface InstructionsView {
  headline: string;
  uses?: TableView;
  proposals?: TableView;
}

/** Undefined for a Conductor that says nothing of instructions. */
export function toInstructionsView({
  iterations,
  validations,
}: Pick<Training, "iterations" | "validations">): InstructionsView | undefined {
  const uses = validations.at(-1)?.instructions;
  const proposals = findProposals(iterations);
  if (!uses && proposals.length === 0) return undefined;
  const kept = proposals.filter(({ end }) => end === "kept").length;
  return {
    headline:
      proposals.length === 0
        ? "None was proposed in this training."
        : `${toCount(proposals.length, "proposal")}, of which ${kept} ${kept === 1 ? "was" : "were"} kept.`,
    uses: uses && toUsesTable(uses),
    proposals: proposals.length === 0 ? undefined : toProposalsTable(proposals),
  };
}

export function findProposals(iterations: Training["iterations"]): ProposalMetrics[] {
  return iterations.flatMap(({ proposal }) => (proposal ? [proposal] : []));
}

function toUsesTable(uses: readonly InstructionUse[]): TableView {
  return {
    label: "Instructions of the last evaluation's plans",
    columns: [
      { title: "instruction", isText: true },
      { title: "role", isText: "short" },
      { title: "steps told" },
      { title: "comes from", isText: true },
      { title: "gain in points" },
    ],
    rows: uses.map(({ id, role, text, used, lineage }) => ({
      cells: [
        `${id}\n${toLine(text)}`,
        role,
        used.toLocaleString("en"),
        lineage ? toOrigin(lineage) : "written by hand",
        lineage?.gain ? toFigure(lineage.gain) : "",
      ],
    })),
  };
}

/** The nearest ancestor first. */
function toOrigin({ parent, parentText, by, earlier = [] }: NonNullable<InstructionUse["lineage"]>): string {
  const before = [{ id: parent, text: parentText ?? "" }, ...earlier];
  return [`by ${toLine(by)}`, ...before.map(({ id, text }) => `from ${id}: ${toLine(text)}`)].join("\n");
}

function toProposalsTable(proposals: readonly ProposalMetrics[]): TableView {
  return {
    label: "Proposed instructions",
    columns: [
      { title: "for", isText: true },
      { title: "proposal", isText: true },
      { title: "by", isText: "short" },
      { title: "seemed, in points" },
      { title: "anew, in points" },
      { title: "", isText: "short" },
    ],
    rows: proposals.map((proposal) => ({
      kind: proposal.end === "kept" ? "best" : undefined,
      cells: toProposalCells(proposal),
    })),
  };
}

function toProposalCells(proposal: ProposalMetrics): string[] {
  switch (proposal.end) {
    case "none":
      return ["", proposal.why, "", "", "", "nothing proposed"];
    case "refused":
      return [proposal.parent, toLine(proposal.why), toLine(proposal.by), "", "", "refused"];
    case "dropped":
    case "kept": {
      const { parent, text, by, seemed, gain, end } = proposal;
      const anew = gain ? toFigure(gain) : "not measured";
      const what = end === "kept" ? `kept as ${proposal.id}` : "not kept";
      return [parent, toLine(text), toLine(by), toFigure(seemed), anew, what];
    }
  }
}

/** One line for whoever watches. */
export function toProposalLine(proposal: ProposalMetrics): string {
  const { end } = proposal;
  switch (end) {
    case "none":
      return `No instruction was proposed: ${proposal.why}.`;
    case "refused":
      return `A proposal for "${proposal.parent}" by ${proposal.by} was refused: ${proposal.why}.`;
    case "dropped":
      return `Not kept, for "${proposal.parent}" by ${proposal.by}: ${toWords(proposal.gain ?? proposal.seemed)}. ${proposal.text}`;
    case "kept":
      return `Kept as "${proposal.id}", for "${proposal.parent}" by ${proposal.by}: ${toWords(proposal.gain)}. ${proposal.text}`;
  }
}

function toWords({ mean, low, high, comparisons }: Gain): string {
  return `${toSignedPoints(mean)} points (${toSignedPoints(low)} to ${toSignedPoints(high)}) on ${toCount(comparisons, "question")}`;
}

function toFigure({ mean, low, high, comparisons }: Gain): string {
  return `${toSignedPoints(mean)}\n${toSignedPoints(low)} to ${toSignedPoints(high)}, ${toCount(comparisons, "question")}`;
}

/** A table's cell begins small lines where a text breaks. */
function toLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
