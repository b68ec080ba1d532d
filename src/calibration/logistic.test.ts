import { expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { factorise, solveFactored } from "./cholesky.ts";
import { fitLogistic } from "./logistic.ts";

test("finds the weights that made the rows", () => {
  const random = createRandom(3);
  const made = [0.5, -1, 2];
  const rows = Array.from({ length: 20_000 }, () => Float64Array.of(1, random.normal(), random.normal()));
  const targets = rows.map((row) => {
    const sum = row.reduce((total, value, i) => total + value * made[i]!, 0);
    return random.next() < 1 / (1 + Math.exp(-sum)) ? 1 : 0;
  });
  const found = fitLogistic(rows, targets, { prior: [0, 0, 0] });
  for (const [i, weight] of found.entries()) expect(weight).toBeCloseTo(made[i]!, 0.5);
});

test("stays finite where rows can be told apart without a mistake, or are none", () => {
  const rows = [-2, -1, 1, 2].map((x) => Float64Array.of(1, x));
  const [, slope] = fitLogistic(rows, [0, 0, 1, 1], { prior: [0, 0] });
  expect(slope).toBeGreaterThan(0.3);
  expect(Number.isFinite(slope)).toBe(true);
  expect([...fitLogistic([], [], { prior: [0, 2] })]).toEqual([0, 2]);
});

test("keeps to what was known before where rows are few", () => {
  const rows = [Float64Array.of(1, 1), Float64Array.of(1, -1)];
  const [, slope] = fitLogistic(rows, [0, 1], { prior: [0, 1], ridge: 1000 });
  expect(slope).toBeCloseTo(1, 1);
});

test("solves what Cholesky can", () => {
  // [[4, 2], [2, 3]] x = [8, 7]
  const matrix = Float64Array.of(4, 0, 2, 3);
  const solved = Float64Array.of(8, 7);
  factorise(matrix, 2);
  solveFactored(matrix, solved, 2);
  expect(solved[0]).toBeCloseTo(1.25, 9);
  expect(solved[1]).toBeCloseTo(1.5, 9);
});
