import { describe, expect, it } from "vitest";
import { toIteration, toValidation } from "../../testing/learn/train-events.ts";
import { type Measured, toAskedChart, toCharts, toFacts, toHeadline, toTestTable } from "./view.ts";

const SIZE = { width: 400, height: 200 };

function measured(count: number, parts: Partial<Measured> = {}): Measured {
  const iterations = Array.from({ length: count }, (_, i) => toIteration(i));
  return { name: "one", iterations, validations: [], ...parts };
}

function find(trainings: Measured[], title: string) {
  const { charts, small } = toCharts(trainings);
  return [...charts, ...small].find((chart) => chart.title === title)!;
}

describe("curves", () => {
  it("begin where somebody was asked first; the loss begins at once", () => {
    const [reward, loss] = ["Reward", "Loss"].map((title) => find([measured(60)], title).draw(SIZE)!);
    expect(reward!.readout!(48)[0]).toBe("iteration 12");
    expect(loss!.readout!(48)[0]).toBe("iteration 0");
  });

  it("of two trainings of different length share the axis, and say whose they are", () => {
    const chart = find([measured(30), measured(60, { name: "two" })], "Reward");
    expect(chart.legend.map(({ name }) => name)).toEqual([
      "one, mean of the rollouts",
      "two, mean of the rollouts",
    ]);
    const { readout } = chart.draw(SIZE)!;
    expect(readout!(60)).toHaveLength(3);
    expect(readout!(370)).toEqual([
      expect.stringMatching(/^iteration 5\d$/),
      expect.stringMatching(/^two, mean of the rollouts 0\.\d\d$/),
    ]);
  });

  it("mark the best evaluation of the validation split, each with its interval", () => {
    const validations = [0.4, 0.7, 0.6].map((accuracy, i) =>
      toValidation(20 + i * 10, { accuracy, isBest: i === 1 }),
    );
    const { shapes } = find([measured(60, { validations })], "Accuracy").draw(SIZE)!;
    const marks = shapes.filter(({ tag }) => tag === "circle");
    expect(marks.map(({ attributes }) => attributes.className)).toEqual(["mark", "mark best", "mark"]);
    expect(marks[1]!.title).toMatch(/^iteration 30: 70\.0 % .* validation tasks$/);
  });

  it("take null for what there is no value of, as JSON tells it", () => {
    const gap = toIteration(21, { reward: null as unknown as number });
    const iterations = [toIteration(20), gap, toIteration(22)];
    const { readout, shapes } = find([measured(0, { iterations })], "Reward").draw(SIZE)!;
    expect(readout!(48)).toHaveLength(2);
    expect(JSON.stringify(shapes)).not.toMatch(/NaN|null/);
  });

  it("put the loss first in the warm-up, where nothing else moves", () => {
    expect(toCharts([measured(10)]).charts[0]!.title).toBe("Loss");
    expect(toCharts([measured(60)]).charts[0]!.title).toBe("Reward");
  });

  it("are not drawn, and do not break, before the first iteration", () => {
    const { charts, small } = toCharts([measured(0)]);
    for (const chart of [...charts, ...small]) expect(chart.draw(SIZE)).toBeUndefined();
    expect(toAskedChart([])).toBeUndefined();
  });

  it("say in their label where they stand, for those who do not see them", () => {
    const label = (count: number) => find([measured(count)], "Loss").draw(SIZE)!.label;
    expect(label(8)).toMatch(/^Loss: per iteration \d/);
    expect(label(8)).not.toBe(label(10));
  });
});

describe("who is asked", () => {
  const rows = (asked: (i: number) => Record<string, number>) =>
    Array.from({ length: 40 }, (_, i) => toIteration(i, { stage: "teams", asked: asked(i) }));

  it("is said from the first tenth to the last, and adds up to all calls", () => {
    const chart = toAskedChart(rows((i) => (i < 20 ? { a: 0.75, b: 0.25 } : { a: 0.25, b: 0.75 })))!;
    expect(chart.legend.map(({ name, value }) => [name, value])).toEqual([
      ["a", "75 % → 25 %"],
      ["b", "25 % → 75 %"],
    ]);
    expect(chart.draw(SIZE)!.shapes.filter(({ attributes }) => attributes.className === "area")).toHaveLength(
      2,
    );
  });

  it("names nobody who is met only now and then, where there are many", () => {
    const chart = toAskedChart(rows((i) => ({ a: 0.3, b: 0.2, [`stranger-${i}`]: 0.5 })))!;
    expect(chart.legend.map(({ name }) => name)).toEqual(["a", "b", "40 others"]);
    expect(chart.legend[2]!.value).toBe("50 % → 50 %");
  });
});

describe("sentences", () => {
  it("say how far it is, what it cost, and that simulated money is simulated", () => {
    const { iterations } = measured(60);
    expect(toFacts(iterations, { isSimulated: true, seed: 3, engine: "wasm" })).toEqual([
      ...["60 of 100 iterations", "2 min", "$0.60 simulated", "seed 3", "wasm"],
    ]);
    expect(toFacts([], undefined)).toEqual([]);
  });

  it("have no headline before there is a second evaluation", () => {
    expect(toHeadline([])).toBeUndefined();
    expect(toHeadline([toValidation(0)])).toBeUndefined();
  });
});

it("test results have a column for notes only where there are any", () => {
  const result = { name: "trained", accuracy: 0.7, low: 0.6, high: 0.8, calls: 2, costUsd: 0.01 };
  expect(toTestTable([result], false).columns.at(-1)!.title).toBe("dollars per 1,000 tasks");
  const { columns, rows } = toTestTable([result, { ...result, accuracy: 0.5, note: "one seed" }], true);
  expect(columns.slice(-2).map(({ title }) => title)).toEqual(["simulated dollars per 1,000 tasks", "note"]);
  expect(rows.map(({ kind }) => kind)).toEqual(["best", undefined]);
});
