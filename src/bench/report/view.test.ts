import { describe, expect, it } from "vitest";
import { toBenchResult, toBenchRow } from "../../testing/bench-rows.ts";
import { compareRows } from "../compare.ts";
import { toResults } from "../results.ts";
import { toCategories, toComparison, toHeadline, toResultTable } from "./view.ts";

const rowsOf = (conductor: string, right: (i: number) => boolean) =>
  Array.from({ length: 60 }, (_, i) => toBenchRow(conductor, i, right(i)));
const [single, vote] = [rowsOf("best-single", (i) => i % 2 === 0), rowsOf("vote-3", (i) => i % 4 !== 1)];
const results = toResults([...single, ...vote], { seed: 1, isSimulated: false });

describe("the table of results", () => {
  it("marks the most accurate and the upper bound, and stars what is shown to differ", () => {
    const { columns, rows } = toResultTable([...results, toBenchResult("oracle", { accuracy: 1 })]);
    expect(rows.map(({ cells, kind }) => [cells[0], kind])).toEqual([
      ["best-single", undefined],
      ["vote-3", "best"],
      ["oracle", "bound"],
    ]);
    const against = columns.findIndex(({ title }) => title === "against best single");
    expect(rows[0]!.cells[against]).toBe("");
    expect(rows[1]!.cells[against]).toMatch(/^\+25\.0 \(\+\d+\.\d … \+\d+\.\d\) \*$/);
  });

  it("has a column only where there is something to show, and calls simulated money so", () => {
    const titles = (parts: Parameters<typeof toBenchResult>[1], isSimulated = false) =>
      toResultTable([toBenchResult("a", { ...parts, isSimulated })]).columns.map(({ title }) => title);
    const none = { costUsd: 0, durationMs: 0.4, conductorCalls: 0, outages: 0 };
    for (const title of ["cost", "delay", "to plan", "not graded", "against best single"])
      expect(titles(none)).not.toContain(title);
    const all = titles({ costUsd: 1, durationMs: 9, conductorCalls: 1, outages: 1 }, true);
    for (const title of ["cost (simulated)", "delay", "to plan", "not graded"]) expect(all).toContain(title);
  });

  it("has as many cells as columns", () => {
    const { columns, rows } = toResultTable(results);
    for (const { cells } of rows) expect(cells).toHaveLength(columns.length);
  });
});

describe("the headline", () => {
  it("says whether the best beats the best single worker", () => {
    expect(toHeadline(results)).toMatch(
      /^The most accurate here, vote-3, is right on 75\.0 % .* better than/,
    );
    const even = toResults([...single, ...rowsOf("copy", (i) => i % 2 === 0)], {
      seed: 1,
      isSimulated: false,
    });
    expect(toHeadline(even)).toContain("not shown to differ from");
  });

  it("is missing where there is nothing to compare", () => {
    expect(toHeadline([])).toBeUndefined();
    expect(toHeadline([toBenchResult("vote-3")])).toBeUndefined();
    expect(toHeadline([toBenchResult("best-single"), toBenchResult("oracle")])).toBeUndefined();
  });
});

it("categories are in order, with a bar for each Conductor that was measured there", () => {
  const panels = toCategories(results);
  expect(panels.map(({ name, n }) => [name, n])).toEqual([
    ["even", 30],
    ["odd", 30],
  ]);
  expect(panels[1]!.bars.shapes.filter(({ tag }) => tag === "rect").map(({ title }) => title)).toEqual([
    expect.stringMatching(/^best-single: 0\.0 %/),
    expect.stringMatching(/^vote-3: 50\.0 %/),
  ]);
});

describe("two Conductors", () => {
  const compare = (a: typeof single, b: typeof single) =>
    toComparison(compareRows({ name: "A", rows: a }, { name: "B", rows: b }, 1));

  it("are said to differ only where both the interval and p say so", () => {
    expect(compare(single, vote).verdict).toEqual({ side: 1, text: "B is better" });
    expect(compare(vote, single).verdict).toEqual({ side: -1, text: "B is worse" });
    expect(compare(single, single).verdict).toEqual({ side: 0, text: "no difference is shown" });
    const few = compare(single.slice(1, 4), vote.slice(1, 4));
    expect(few.verdict.side).toBe(0);
  });

  it("are compared in words, the category with the largest gain first", () => {
    const { sentence, byCategory } = compare(single, vote);
    expect(sentence).toMatch(/^B is right on 75\.0 %, A on 50\.0 % of 60 tasks: \+25\.0 .* paired, p /);
    expect(byCategory.rows.map(({ cells }) => cells[0])).toEqual(["odd", "even"]);
  });
});
