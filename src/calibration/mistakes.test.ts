import { expect, test } from "vitest";
import { measureMistakes, toCoincidence, USUAL_COINCIDENCE } from "./mistakes.ts";

/** Workers 0 and 1 repeat each other's mistakes, 2 makes its own. */
const answers = Array.from({ length: 60 }, (_, i) => [i, i, i + 1000]);
const wrong = answers.map(() => [0, 0, 0]);

test("look-alikes repeat each other, strangers do not", () => {
  const { overall, ratio } = measureMistakes(wrong, answers, 3);
  expect(toCoincidence(overall, ratio(0, 1))).toBeGreaterThan(0.7);
  expect(toCoincidence(overall, ratio(0, 2))).toBeLessThan(0.15);
  expect(ratio(1, 0)).toBeCloseTo(ratio(0, 1), 9);
});

test("right answers and missing ones say nothing of mistakes", () => {
  const right = answers.map(() => [1, 1, 1]);
  expect(measureMistakes(right, answers, 3).overall).toBe(USUAL_COINCIDENCE);
  const missing = answers.map(() => [undefined, undefined, undefined]);
  expect(measureMistakes(wrong, missing, 3).overall).toBe(USUAL_COINCIDENCE);
});

test("a question like those on which all err alike has a higher rate", () => {
  const mixed = answers.map((_, i) => (i < 30 ? [i, i, i] : [i, i + 1000, i + 2000]));
  const { rateFor } = measureMistakes(wrong, mixed, 3);
  const near = (tasks: number[]) => rateFor(tasks.map((task) => ({ task, weight: 1 })));
  expect(near([0, 1, 2, 3, 4, 5])).toBeGreaterThan(near([30, 31, 32, 33, 34, 35]) + 0.3);
});

test("nobody is sure to repeat anybody", () => {
  expect(toCoincidence(0.9, 5)).toBe(0.9);
  expect(toCoincidence(0, 0)).toBe(0.01);
});

test("right answers that differ are told from those that are the same, by similar questions", () => {
  // The first half has one right answer, the second as many as workers.
  const various = answers.map((_, i) => (i < 30 ? [0, 0, 0] : [0, 1, 2]));
  const right = answers.map(() => [1, 1, 1]);
  const { agreementFor } = measureMistakes(right, various, 3);
  const near = (tasks: number[]) => agreementFor(tasks.map((task) => ({ task, weight: 1 })));
  expect(near([0, 1, 2, 3])).toBeGreaterThan(0.9);
  expect(near([30, 31, 32, 33])).toBeLessThan(0.1);
  // Of a question like none of them, what holds over all.
  expect(near([])).toBeCloseTo(0.5, 1);
  expect(measureMistakes(wrong, answers, 3).agreementFor([])).toBeGreaterThan(0.97);
});
