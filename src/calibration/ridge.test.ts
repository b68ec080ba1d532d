import { expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { createSolver, leaveOut, type Points, predict, toGram } from "./ridge.ts";

const PENALTY = 3;

function make(count: number, size = 4, width = 2) {
  const random = createRandom(7);
  const coordinates = Float64Array.from({ length: count * size }, () => random.normal());
  const targets = Float64Array.from({ length: count * width }, () => random.normal());
  return { points: { size, coordinates } satisfies Points, targets, width };
}

function solve(points: Points, targets: Float64Array, width: number) {
  const solver = createSolver(points, toGram(points), PENALTY);
  return { solver, coefficients: solver.fit(targets, width) };
}

const pointOf = ({ size, coordinates }: Points, at: number) =>
  coordinates.subarray(at * size, (at + 1) * size);

test("what is left out in closed form is what a fit without it says, twins included", () => {
  const { points, targets, width } = make(30);
  const { size, coordinates } = points;
  // Point 1 is a twin of point 0.
  coordinates.copyWithin(size, 0, size);
  const { solver, coefficients } = solve(points, targets, width);
  const point = pointOf(points, 0);
  const without = solve({ size, coordinates: coordinates.slice(2 * size) }, targets.slice(2 * width), width);
  const expected = predict(without.coefficients, point);
  const fitted = predict(coefficients, point);
  for (let output = 0; output < width; output++) {
    const seen = targets[output]! + targets[width + output]!;
    const left = leaveOut(fitted[output]!, solver.leverage(point), seen, 2);
    expect(left).toBeCloseTo(expected[output]!, 9);
  }
});

test("finds what made the targets where there are many, and nothing where the penalty is vast", () => {
  const { points } = make(2000);
  const targets = new Float64Array(2000);
  for (let i = 0; i < 2000; i++) targets[i] = 2 * pointOf(points, i)[1]! - pointOf(points, i)[3]!;
  const [a, b, c, d] = solve(points, targets, 1).coefficients;
  for (const [i, value] of [a, b, c, d].entries()) expect(value).toBeCloseTo([0, 2, 0, -1][i]!, 1);
  const none = createSolver(points, toGram(points), 1e9).fit(targets, 1);
  for (const value of none) expect(Math.abs(value)).toBeLessThan(1e-3);
});

test("a point far from all others has more leverage than one among many", () => {
  const { points } = make(200);
  const { leverage } = createSolver(points, toGram(points), PENALTY);
  expect(leverage(Float64Array.of(0, 0, 9, 0))).toBeGreaterThan(leverage(Float64Array.of(0, 0, 0.5, 0)) * 10);
});
