import fc from "fast-check";
import { expect, test } from "vitest";
import { isTuttiError } from "../base/errors.ts";
import { createRandom } from "../base/random.ts";
import { AdamW, learningRateAt } from "./optimiser.ts";
import { fromSafetensors, toSafetensors } from "./safetensors.ts";
import type { Weights } from "./types.ts";

const SHAPES: [string, number[]][] = [
  ["matrix", [3, 4]],
  ["gain", [5]],
  ["cube", [2, 2, 2]],
];

function randomWeights(seed: number, size = 1): Weights {
  const random = createRandom(seed);
  return new Map(
    SHAPES.map(([name, dims]) => {
      const length = dims.reduce((product, dim) => product * dim, 1);
      return [name, { dims, data: Float32Array.from({ length }, () => size * random.normal()) }];
    }),
  );
}

const numbersOf = (weights: Weights) => [...weights.values()].flatMap(({ data }) => [...data]);
const bytesOf = (weights: Weights) => Buffer.from(toSafetensors(weights, {})).toString("hex");

/** The textbook, one number at a time and in doubles. */
class ScalarReference {
  readonly numbers: number[];
  readonly decays: boolean[];
  readonly m: number[];
  readonly v: number[];
  t = 0;
  constructor(weights: Weights) {
    this.numbers = numbersOf(weights);
    this.decays = [...weights.values()].flatMap(({ dims, data }) => [...data].map(() => dims.length >= 2));
    this.m = this.numbers.map(() => 0);
    this.v = this.numbers.map(() => 0);
  }
  step(gradients: number[], rate: number, maxNorm: number): number {
    const norm = Math.hypot(...gradients);
    this.t++;
    gradients.forEach((gradient, i) => {
      const g = norm > maxNorm ? (gradient * maxNorm) / norm : gradient;
      if (this.decays[i]) this.numbers[i]! -= rate * 0.01 * this.numbers[i]!;
      this.m[i] = 0.9 * this.m[i]! + 0.1 * g;
      this.v[i] = 0.95 * this.v[i]! + 0.05 * g ** 2;
      const mean = this.m[i]! / (1 - 0.9 ** this.t);
      const square = this.v[i]! / (1 - 0.95 ** this.t);
      this.numbers[i]! -= (rate * mean) / (Math.sqrt(square) + 1e-8);
    });
    return norm;
  }
}

test("agrees with the textbook over many steps, clipped or not", () => {
  const weights = randomWeights(1);
  const reference = new ScalarReference(weights);
  const optimiser = new AdamW(weights);
  const norms: number[] = [];
  for (let i = 0; i < 300; i++) {
    const gradients = randomWeights(100 + i, 0.2);
    const rate = learningRateAt(i, { peak: 0.05, warmUp: 20, total: 300, floor: 0.1 });
    const { norm } = optimiser.step(gradients, { learningRate: rate, maxNorm: 1 });
    expect(norm).toBeCloseTo(reference.step(numbersOf(gradients), rate, 1), 5);
    norms.push(norm);
  }
  const numbers = numbersOf(weights);
  numbers.forEach((number, i) => {
    expect(Math.abs(number - reference.numbers[i]!)).toBeLessThan(2e-5);
  });
  expect(Math.min(...norms)).toBeLessThan(1);
  expect(Math.max(...norms)).toBeGreaterThan(1);
});

test("weights of two or more dimensions decay, others do not", () => {
  const weights = randomWeights(2);
  const before = new Map([...weights].map(([name, { data }]) => [name, [...data]]));
  new AdamW(weights, { weightDecay: 0.5 }).step(randomWeights(3, 0), { learningRate: 0.1, maxNorm: 1 });
  for (const [name, dims] of SHAPES) {
    const keep = dims.length >= 2 ? 0.95 : 1;
    weights.get(name)!.data.forEach((number, i) => {
      expect(number).toBe(Math.fround(before.get(name)![i]! * keep));
    });
  }
});

test("finds the minimum of a quadratic", () => {
  const weights = randomWeights(4);
  const target = numbersOf(randomWeights(5));
  const scales = target.map((_, i) => 10 ** ((i % 5) - 2));
  const optimiser = new AdamW(weights, { weightDecay: 0 });
  for (let i = 0; i < 1500; i++) {
    let place = 0;
    const gradients: Weights = new Map(
      [...weights].map(([name, { dims, data }]) => {
        const slopes = data.map((number) => scales[place]! * (number - target[place++]!));
        return [name, { dims, data: slopes }];
      }),
    );
    const rate = learningRateAt(i, { peak: 0.05, warmUp: 10, total: 1500, floor: 0 });
    optimiser.step(gradients, { learningRate: rate, maxNorm: 1000 });
  }
  numbersOf(weights).forEach((number, i) => {
    expect(Math.abs(number - target[i]!)).toBeLessThan(1e-3);
  });
});

test("saved and restored half-way, it ends bitwise the same as without", () => {
  const train = (weights: Weights, optimiser: AdamW, from: number, to: number) => {
    for (let i = from; i < to; i++)
      optimiser.step(randomWeights(200 + i), { learningRate: 0.01, maxNorm: 1 });
    return bytesOf(weights) + bytesOf(optimiser.toTensors());
  };
  const straight = randomWeights(6);
  const expected = train(straight, new AdamW(straight), 0, 60);

  const weights = randomWeights(6);
  const half = new AdamW(weights);
  train(weights, half, 0, 30);
  const file = toSafetensors(new Map([...weights, ...half.toTensors()]), {});
  // What happens after saving must not reach the saved state.
  train(weights, half, 30, 35);
  const saved = fromSafetensors(file).weights;
  const restored: Weights = new Map(SHAPES.map(([name]) => [name, saved.get(name)!]));
  expect(train(restored, AdamW.fromTensors(restored, saved), 30, 60)).toBe(expected);
});

test("the saved state is a copy", () => {
  const weights = randomWeights(7);
  const optimiser = new AdamW(weights);
  optimiser.step(randomWeights(8), { learningRate: 0.01, maxNorm: 1 });
  const saved = optimiser.toTensors();
  const before = bytesOf(saved);
  optimiser.step(randomWeights(9), { learningRate: 0.01, maxNorm: 1 });
  expect(bytesOf(saved)).toBe(before);
  expect(bytesOf(optimiser.toTensors())).not.toBe(before);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  "a gradient with %s changes nothing and names its tensor",
  (bad) => {
    const weights = randomWeights(10);
    const optimiser = new AdamW(weights);
    optimiser.step(randomWeights(11), { learningRate: 0.01, maxNorm: 1 });
    const before = bytesOf(weights) + bytesOf(optimiser.toTensors());
    const gradients = randomWeights(12);
    gradients.get("cube")!.data[7] = bad;
    const error = thrownBy(() => optimiser.step(gradients, { learningRate: 0.01, maxNorm: 1 }));
    expect(isTuttiError(error) && error.code).toBe("not-finite");
    expect(String(error)).toMatch(/"cube"/);
    expect(bytesOf(weights) + bytesOf(optimiser.toTensors())).toBe(before);
  },
);

test("huge gradients are clipped, not taken for infinite, and stay as they were", () => {
  const weights = randomWeights(13);
  const gradients = randomWeights(14, 1e37);
  const before = bytesOf(gradients);
  const { norm } = new AdamW(weights).step(gradients, { learningRate: 0.01, maxNorm: 1 });
  expect(norm).toBeGreaterThan(1e37);
  expect(numbersOf(weights).every(Number.isFinite)).toBe(true);
  expect(bytesOf(gradients)).toBe(before);
});

test("moments of weights without gradients fade, and never sink below the smallest normal float", () => {
  const weights = randomWeights(15);
  const optimiser = new AdamW(weights);
  optimiser.step(randomWeights(16), { learningRate: 0.01, maxNorm: 1 });
  for (let i = 0; i < 2000; i++) optimiser.step(randomWeights(0, 0), { learningRate: 0.01, maxNorm: 1 });
  const saved = optimiser.toTensors();
  expect([...saved.get("optimiser.step")!.data]).toEqual([2001]);
  saved.delete("optimiser.step");
  for (const moment of numbersOf(saved)) {
    expect(Math.abs(moment)).toBeLessThan(1e-36);
    expect(moment === 0 || Math.abs(moment) >= 2 ** -126).toBe(true);
  }
});

test("gradients and saved states that do not fit are refused by name", () => {
  const weights = randomWeights(17);
  const optimiser = new AdamW(weights);
  const options = { learningRate: 0.01, maxNorm: 1 };
  const without = randomWeights(18);
  without.delete("gain");
  expect(() => optimiser.step(without, options)).toThrow(/no gradient for "gain"/);
  const short = randomWeights(18).set("gain", { dims: [4], data: new Float32Array(4) });
  expect(() => optimiser.step(short, options)).toThrow(/4 numbers for "gain", which has 5/);
  const extra = randomWeights(18).set("bias", { dims: [1], data: new Float32Array(1) });
  expect(() => optimiser.step(extra, options)).toThrow(/gradient for "bias"/);
  expect(() => optimiser.step(randomWeights(18), { learningRate: Number.NaN, maxNorm: 1 })).toThrow(
    /rate of NaN/,
  );
  expect(() => optimiser.step(randomWeights(18), { learningRate: 1, maxNorm: 0 })).toThrow(/norm of 0/);
  const saved = optimiser.toTensors();
  saved.delete("optimiser.second.gain");
  const error = thrownBy(() => AdamW.fromTensors(weights, saved));
  expect(isTuttiError(error) && error.code).toBe("bad-checkpoint");
  expect(String(error)).toMatch(/"optimiser.second.gain" is missing/);
});

test("the learning rate rises, stays, and falls over the last third", () => {
  const options = { peak: 2, warmUp: 4, total: 12, floor: 0.25 };
  const rates = Array.from({ length: 14 }, (_, i) => learningRateAt(i, options));
  expect(rates).toEqual([0.5, 1, 1.5, 2, 2, 2, 2, 2, 1.625, 1.25, 0.875, 0.5, 0.5, 0.5]);
});

test("for any plan the learning rate is within 0 and the peak, and ends at the floor", () => {
  const plan = fc.record({
    warmUp: fc.nat({ max: 50 }),
    total: fc.integer({ min: 3, max: 60 }),
    floor: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(plan, fc.nat({ max: 70 }), (options, iteration) => {
      const rate = learningRateAt(iteration, { peak: 3, ...options });
      expect(rate).toBeGreaterThanOrEqual(0);
      expect(rate).toBeLessThanOrEqual(3);
      const last = learningRateAt(options.total - 1, { peak: 3, ...options });
      const rise = options.warmUp === 0 ? 1 : Math.min(1, options.total / options.warmUp);
      expect(last).toBeCloseTo(3 * Math.min(options.floor, rise), 10);
    }),
    { seed: 1, numRuns: 500 },
  );
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}
