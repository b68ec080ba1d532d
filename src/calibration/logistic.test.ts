import { expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { fitLogistic, solvePositive } from "./logistic.ts";

test("finds the weights that made the rows", () => {
  const random = createRandom(3);
  const made = [0.5, -1, 2];
  const rows = Array.from({ length: 20_000 }, () => Float64Array.of(1, random.normal(), random.normal()));
  const targets = rows.map((row) => {
    const sum = row.reduce((total, value, i) => total + value * made[i]!, 0);
    return random.next() < 1 / (1 + Math.exp(-sum)) ? 1 : 0;
  });
  const found = fitLogistic(rows, targets, 3);
  for (const [i, weight] of found.entries()) expect(weight).toBeCloseTo(made[i]!, 0.5);
});

test("stays finite where rows can be told apart without a mistake, or are none", () => {
  const rows = [-2, -1, 1, 2].map((x) => Float64Array.of(1, x));
  const [, slope] = fitLogistic(rows, [0, 0, 1, 1], 2);
  expect(slope).toBeGreaterThan(0.3);
  expect(Number.isFinite(slope)).toBe(true);
  expect([...fitLogistic([], [], 2)]).toEqual([0, 0]);
});

test("solves what Cholesky can", () => {
  // [[4, 2], [2, 3]] x = [8, 7]
  const solved = solvePositive(Float64Array.of(4, 0, 2, 3), Float64Array.of(8, 7), 2);
  expect(solved[0]).toBeCloseTo(1.25, 9);
  expect(solved[1]).toBeCloseTo(1.5, 9);
});
