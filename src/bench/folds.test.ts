import { describe, expect, it } from "vitest";
import type { GradedTask } from "../task/types.ts";
import { promptHash } from "../world/split.ts";
import { crossFit } from "./folds.ts";

const toTask = (id: string, prompt: string): GradedTask => ({
  ...{ id, set: "s", category: "c", family: "t", prompt, answer: "a", grader: "text" },
});
// Each question twice, under two ids and in another spelling.
const tasks = Array.from({ length: 300 }, (_, i) => [
  toTask(`${i}`, `What is ${i} plus ${i * 7}?`),
  toTask(`${i} again`, `WHAT is  ${i} plus ${i * 7}?`),
]).flat();

describe("cross-fitting", () => {
  it("tests every task once, and fits on all others", () => {
    const folds = crossFit(tasks, 5);
    expect(folds).toHaveLength(5);
    const tested = folds.flatMap(({ test }) => test.map(({ id }) => id));
    expect(tested.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    for (const { fit, test } of folds) {
      expect(fit.length + test.length).toBe(tasks.length);
      expect(test.length).toBeGreaterThan(tasks.length / 10);
    }
  });

  it("never fits on a twin of a tested task", () => {
    for (const { fit, test } of crossFit(tasks, 5)) {
      const fitted = new Set(fit.map((task) => promptHash(task)));
      expect(test.filter((task) => fitted.has(promptHash(task)))).toEqual([]);
    }
  });

  it("is the same every time, and another one with another seed", () => {
    const ids = (seed: number) => crossFit(tasks, 5, seed).map(({ test }) => test.map(({ id }) => id));
    expect(ids(0)).toEqual(ids(0));
    expect(ids(1)).not.toEqual(ids(0));
  });

  it("leaves out empty folds, and refuses where nothing is left to fit on", () => {
    const few = tasks.slice(0, 8);
    const folds = crossFit(few, 50);
    expect(folds.every(({ test }) => test.length > 0)).toBe(true);
    expect(() => crossFit(few.slice(0, 2), 5)).toThrow("2 tasks in 5 folds are too few");
  });
});
