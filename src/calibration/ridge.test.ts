import { expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { fitRidge } from "./ridge.ts";
import type { Vector } from "./text-index.ts";

test("ridge regression solves its equations", () => {
  const random = createRandom(3);
  const vectors = Array.from({ length: 30 }, (): Vector => {
    const features = Int32Array.from(random.shuffle(Array.from({ length: 12 }, (_, i) => i)).slice(0, 4));
    return { features, weights: Float32Array.from(features, () => random.normal() / 2) };
  });
  const width = 3;
  const targets = Float64Array.from({ length: 30 * width }, () => random.normal());
  const penalty = 2;
  const coefficients = fitRidge(vectors, 12, targets, width, penalty);
  for (let output = 0; output < width; output++) {
    let wrong = 0;
    let all = 0;
    for (const [row, vector] of vectors.entries()) {
      let sum = penalty * coefficients[row * width + output]!;
      for (const [other, each] of vectors.entries())
        sum += dot(vector, each) * coefficients[other * width + output]!;
      wrong += (sum - targets[row * width + output]!) ** 2;
      all += targets[row * width + output]! ** 2;
    }
    expect(wrong).toBeLessThan(1e-4 * all);
  }
});

function dot(a: Vector, b: Vector): number {
  const own = new Map([...a.features].map((feature, i) => [feature, a.weights[i]!]));
  return b.features.reduce((sum, feature, i) => sum + (own.get(feature) ?? 0) * b.weights[i]!, 0);
}
