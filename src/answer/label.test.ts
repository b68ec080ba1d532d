import { expect, test } from "vitest";
import { labelAnswers } from "./label.ts";

test("equal answers get equal numbers, in the order in which they appear", () => {
  expect(labelAnswers(["7", "(B)", "7.0", "B", "8"])).toEqual([0, 1, 0, 1, 2]);
});

test("what is no answer gets none", () => {
  expect(labelAnswers([null, "", undefined, "  ", "x"])).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    0,
  ]);
});
