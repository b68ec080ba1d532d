import { describe, expect, it } from "vitest";
import type { TrainingReport } from "../../../src/gateway/dashboard/types.ts";
import { toIteration } from "../../../src/testing/learn/train-events.ts";
import { toAsked, toAxis, toFigures } from "./figures.ts";

function report(count: number, parts: Partial<TrainingReport> = {}): TrainingReport {
  return {
    object: "training",
    summary: {
      ...{ id: "one", world: "w", isSimulated: true, seed: 0, command: "", startedAt: 0, state: "done" },
      ...{ iterations: count, isOurs: false },
    },
    ...{ notices: [], validations: [], samples: [], results: [] },
    iterations: Array.from({ length: count }, (_, i) => toIteration(i)),
    ...parts,
  };
}

describe("curves", () => {
  it("begin where somebody was asked first; the loss begins at once", () => {
    const reports = [report(60)];
    const figures = toFigures(reports, toAxis(reports));
    const [reward] = figures;
    const loss = figures.find(({ title }) => title === "Loss")!;
    expect(reward!.from).toBe(12);
    expect(reward!.lines[0]!.values).toHaveLength(48);
    expect(reward!.lines[0]!.values).not.toContain(null);
    expect(loss.from).toBe(0);
    expect(loss.lines[0]!.values).toHaveLength(60);
  });

  it("draw two trainings of different length on one axis", () => {
    const reports = [report(30), report(60)];
    const [reward] = toFigures(reports, toAxis(reports));
    const [short, , long] = reward!.lines;
    expect(short!.values).toHaveLength(long!.values.length);
    expect(short!.values.at(-1)).toBeNull();
    expect(long!.values.at(-1)).not.toBeNull();
  });

  it("have an interval without gaps between two evaluations", () => {
    const validation = (iteration: number, accuracy: number) => ({
      ...{ type: "validation" as const, stage: "teams" as const, iteration, tasks: 10, accuracy },
      ...{ low: accuracy - 0.1, high: accuracy + 0.1, reward: 0, validShare: 1, calls: 1, costUsd: 0 },
      ...{ routingEntropy: 0, isBest: false },
    });
    const reports = [report(60, { validations: [validation(20, 0.5), validation(40, 0.7)] })];
    const accuracy = toFigures(reports, toAxis(reports)).find(({ title }) => title === "Accuracy")!;
    const { values, band } = accuracy.lines.at(-1)!;
    expect(values.filter((value) => value !== null)).toEqual([0.5, 0.7]);
    const low = band!.low.slice(20 - accuracy.from, 41 - accuracy.from);
    expect(low).not.toContain(null);
    expect(low[10]).toBeCloseTo(0.5);
  });

  it("are empty, and do not break, before the first iteration", () => {
    const reports = [report(0)];
    expect(toAxis(reports)).toEqual([]);
    expect(toFigures(reports, []).flatMap(({ lines }) => lines.flatMap(({ values }) => values))).toEqual([]);
    expect(toAsked(reports[0]!)).toEqual({ x: [], lines: [] });
  });
});

describe("who is asked", () => {
  it("is stacked up to all calls, strangers together", () => {
    const iterations = Array.from({ length: 20 }, (_, i) =>
      toIteration(i, { stage: "teams", asked: { a: 0.5, "rehearsal/stranger-1": 0.3, b: 0.2 } }),
    );
    const { x, lines } = toAsked(report(20, { iterations }));
    expect(x).toHaveLength(20);
    expect(lines.map(({ name }) => name)).toEqual(["a", "b", "strangers and others"]);
    const at = lines.map(({ values }) => values[10]);
    expect(at[0]).toBeCloseTo(1);
    expect(at[1]).toBeCloseTo(0.5);
    expect(at[2]).toBeCloseTo(0.3);
  });
});
