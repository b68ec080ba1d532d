import { expect, test } from "vitest";
import { toIteration, toStatement, toValidation } from "../../testing/learn/train-events.ts";
import type { ProposalMetrics } from "../types.ts";
import { toInstructionsView, toProposalLine } from "./instructions.ts";
import { toTrainingReport } from "./report.ts";

const EVIL = `<script>alert("1")</script>&'</style>`;
const gain = { mean: 0.031, low: 0.012, high: 0.05, comparisons: 420 };
const told = {
  parent: "solve",
  by: "rule (simulated): hurry",
  text: "Solve it.",
  seemed: gain,
  rollouts: 100,
};
const PROPOSALS: ProposalMetrics[] = [
  { ...told, end: "kept", gain, id: "solve-2" },
  { ...told, end: "dropped", gain: { ...gain, mean: -0.004 } },
  { ...told, end: "dropped" },
  { end: "refused", parent: "check", by: "a model", why: "it has no slot", rollouts: 10 },
  { end: "none", why: "nothing fails", rollouts: 10 },
];
const toTraining = (text: string, proposals: readonly ProposalMetrics[]) => ({
  ...{ path: "somewhere", samples: [], results: [] },
  statement: { ...toStatement({ state: "done" }), version: 1 as const },
  iterations: proposals.map((proposal, i) => toIteration(i, { stage: "proposals", proposal })),
  validations: [
    toValidation(3, {
      instructions: [
        { id: "plan", role: "plan", text: "Plan it.", used: 1200 },
        {
          ...{ id: "solve-3", role: "solve", text, used: 7 },
          lineage: {
            parent: "solve-2",
            parentText: text,
            by: text,
            gain,
            earlier: [{ id: "solve", text, by: text }],
          },
        },
      ],
    }),
  ],
});

test("each proposal is told in one line with its figure, kept or not", () => {
  const lines = PROPOSALS.map(toProposalLine);
  expect(lines[0]).toBe(
    'Kept as "solve-2", for "solve" by rule (simulated): hurry: +3.1 points (+1.2 to +5.0) on 420 questions. Solve it.',
  );
  expect(lines[1]).toMatch(/^Not kept, for "solve" .*: -0\.4 points/);
  expect(lines[2]).toMatch(/^Not kept, .*: \+3\.1 points/);
  expect(lines[3]).toBe('A proposal for "check" by a model was refused: it has no slot.');
  expect(lines[4]).toMatch(/^No instruction was proposed: nothing fails/);
});

test("the table has use, origin and gain of each instruction, and every proposal", () => {
  const view = toInstructionsView(toTraining("Solve it well.", PROPOSALS))!;
  expect(view.headline).toBe("5 proposals, of which 1 was kept.");
  expect(view.uses!.rows.map(({ cells }) => cells.slice(1, 3))).toEqual([
    ["plan", "1,200"],
    ["solve", "7"],
  ]);
  expect(view.uses!.rows[0]!.cells[3]).toBe("written by hand");
  expect(view.uses!.rows[1]!.cells[3]).toMatch(/from solve-2: .*\nfrom solve: /);
  expect(view.uses!.rows[1]!.cells[4]).toMatch(/^\+3\.1\n/);
  expect(view.proposals!.rows.map(({ cells }) => cells.at(-1))).toEqual([
    "kept as solve-2",
    "not kept",
    "not kept",
    "refused",
    "nothing proposed",
  ]);
  expect(toInstructionsView({ iterations: [], validations: [toValidation(1)] })).toBeUndefined();
});

test("the page shows sentences of others as text", () => {
  const proposals: ProposalMetrics[] = [
    { ...told, end: "kept", gain, id: "solve-2", text: EVIL, by: EVIL },
    { end: "refused", parent: EVIL, by: EVIL, why: EVIL, rollouts: 1 },
  ];
  const page = toTrainingReport(toTraining(EVIL, proposals));
  expect(page).not.toContain("<script");
  expect(page).toContain("&lt;script&gt;");
  expect(page).toContain("<h2>Instructions</h2>");
});
