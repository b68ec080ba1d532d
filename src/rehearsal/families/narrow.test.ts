import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Sheet } from "../templates/worksheet.ts";
import { type Clue, narrow, ordersOf } from "./narrow.ts";

const atLeast = (least: number): Clue<number> => ({
  work: "use the bound",
  text: `at least ${least}`,
  holds: (candidate) => candidate >= least,
});

test("all orders there are, each once", () => {
  expect(ordersOf(0)).toEqual([[]]);
  expect(ordersOf(3)).toHaveLength(6);
  const orders = ordersOf(5).map((order) => order.join());
  expect(new Set(orders).size).toBe(120);
  for (const order of ordersOf(4)) expect([...order].sort()).toEqual([0, 1, 2, 3]);
});

test("clues leave the cases for which all of them hold, and say how many", () => {
  const sheet = new Sheet();
  expect(narrow(sheet, [1, 2, 3, 4], [atLeast(2), atLeast(4)])).toEqual([4]);
  expect(sheet.stages).toEqual([
    { work: "use the bound", line: "at least 2: 3 of 4 cases left" },
    { work: "use the bound", line: "at least 4: 1 of 3 cases left" },
  ]);
});

test("a slip reads a clue the wrong way round or passes it over", () => {
  const outcomes = new Set(
    Array.from({ length: 40 }, (_, seed) =>
      narrow(new Sheet({ stage: 0, random: createRandom(seed) }), [1, 2, 3], [atLeast(3)]).join(),
    ),
  );
  expect([...outcomes].sort()).toEqual(["1,2", "1,2,3"]);
});

test("a slip in a clue that excludes nothing has no consequence", () => {
  const sheet = new Sheet({ stage: 0, random: createRandom(1) });
  expect(narrow(sheet, [1, 2], [atLeast(0)])).toEqual([1, 2]);
});

test("where nothing would be left, the cases before the clue stay", () => {
  expect(narrow(new Sheet(), [1, 2], [atLeast(9)])).toEqual([1, 2]);
});
