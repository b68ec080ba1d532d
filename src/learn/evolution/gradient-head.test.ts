import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { createLinearPicker } from "../../testing/learn/linear-picker.ts";
import { addSlopes, entropyOf, GradientHead, softmax, toProbabilities } from "./gradient-head.ts";

const random = createRandom(4);
const options = Array.from({ length: 5 }, () => ({
  features: Float64Array.from({ length: 3 }, () => random.normal()),
}));
// Longer than the features: what follows the head is no weight of any.
const vector = Float64Array.of(0.3, -0.2, 0.5, 9);
const TEMPERATURE = 0.7;

describe("the softmax over options", () => {
  test("sums to 1, whatever the logits, and is flat where they are equal", () => {
    const sum = toProbabilities(options, vector, 1e-4).reduce((total, p) => total + p, 0);
    expect(sum).toBeCloseTo(1);
    expect(softmax([1e6, 1e6])).toEqual([0.5, 0.5]);
    expect(entropyOf([0.5, 0.5])).toBeCloseTo(Math.log(2));
    expect(entropyOf([1, 0])).toBe(0);
  });

  test("has the gradient that small steps measure", () => {
    const target = softmax([0, 1, 2, 0, -1]);
    const loss = (at: Float64Array) =>
      -toProbabilities(options, at, TEMPERATURE).reduce((sum, p, k) => sum + target[k]! * Math.log(p), 0);
    const gradient = new Float64Array(3);
    const probabilities = toProbabilities(options, vector, TEMPERATURE);
    const slopes = probabilities.map((p, k) => p - target[k]!);
    addSlopes(gradient, options, slopes, TEMPERATURE);
    for (const i of [0, 1, 2]) {
      const [up, down] = [1e-5, -1e-5].map((step) => loss(vector.with(i, vector[i]! + step)));
      expect(gradient[i]).toBeCloseTo((up! - down!) / 2e-5, 6);
    }
  });
});

describe("the head that gradients move", () => {
  test("goes downhill in its scales, leaves the rest as it was, and goes on to the bit", () => {
    const policy = { ...createLinearPicker(), scales: Float64Array.of(1, 10, 0, 1) };
    const whole = new GradientHead(policy);
    let resumed = new GradientHead(policy);
    for (let step = 0; step < 5; step++) {
      whole.descend(Float64Array.of(1, 1, 1), 0.1);
      resumed = new GradientHead(policy, resumed.toTensors());
      resumed.descend(Float64Array.of(1, 1, 1), 0.1);
    }
    const moved = whole.vector.map((value, i) => value - policy.start[i]!);
    expect(moved[0]).toBeCloseTo(-0.5, 4);
    expect(moved[1]).toBeCloseTo(-5, 3);
    expect([moved[2], moved[3]]).toEqual([0, 0]);
    expect(resumed.vector).toEqual(whole.vector);
  });
});
