import fc from "fast-check";
import { expect, test } from "vitest";
import { createRandom, hashAll, hashSeed } from "./random.ts";

const draw = (seed: number | string, count: number) => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

test("the same seed gives the same numbers, another seed others", () => {
  expect(draw("tutti", 20)).toEqual(draw("tutti", 20));
  expect(draw(1, 20)).not.toEqual(draw(2, 20));
  expect(draw(1, 20)).not.toEqual(draw("1", 20));
});

test("next is uniform in [0, 1)", () => {
  const numbers = draw(7, 50_000);
  expect(Math.min(...numbers.slice(0, 10_000))).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers.slice(0, 10_000))).toBeLessThan(1);
  const buckets = new Array<number>(10).fill(0);
  for (const number of numbers) buckets[Math.floor(number * 10)]! += 1;
  for (const count of buckets) expect(Math.abs(count - 5000)).toBeLessThan(300);
});

test("neighbouring seeds are not alike: their first numbers are uniform too", () => {
  const firsts = Array.from({ length: 20_000 }, (_, seed) => createRandom(seed).next());
  expect(firsts.reduce((sum, value) => sum + value, 0) / firsts.length).toBeCloseTo(0.5, 1);
  let rises = 0;
  for (let i = 1; i < firsts.length; i++) if (firsts[i]! > firsts[i - 1]!) rises++;
  expect(Math.abs(rises / firsts.length - 0.5)).toBeLessThan(0.02);
});

test("integer stays inside its bounds and reaches both", () => {
  const random = createRandom(3);
  const seen = new Set(Array.from({ length: 500 }, () => random.integer(-2, 2)));
  expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2]);
});

test("shuffle keeps the items and leaves the original alone", () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
      const before = [...items];
      const shuffled = createRandom(seed).shuffle(items);
      expect(items).toEqual(before);
      expect([...shuffled].sort()).toEqual([...items].sort());
    }),
    { seed: 1 },
  );
});

test("normal has mean 0 and deviation 1", () => {
  const random = createRandom(11);
  const numbers = Array.from({ length: 20_000 }, () => random.normal());
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / numbers.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
});

test("hashSeed is stable: these values are written into recorded runs", () => {
  expect(hashSeed("tutti")).toBe(hashSeed("tutti"));
  expect(hashSeed(1, "a", 2)).toMatchInlineSnapshot(`3229737641`);
});

test("hashSeed keeps parts apart and mixes well", () => {
  expect(hashSeed("ab", "c")).not.toBe(hashSeed("a", "bc"));
  expect(hashSeed(1)).not.toBe(hashSeed("1"));
  expect(hashSeed("a", 0)).not.toBe(hashSeed("a"));
  const hashes = new Set(Array.from({ length: 50_000 }, (_, i) => hashSeed("question", i)));
  expect(hashes.size).toBeGreaterThan(49_990);
  let flipped = 0;
  for (let i = 0; i < 1000; i++) {
    let difference = (hashSeed(i) ^ hashSeed(i ^ 1)) >>> 0;
    for (; difference > 0; difference >>>= 1) flipped += difference & 1;
  }
  expect(Math.abs(flipped / 1000 - 16)).toBeLessThan(1);
});

test("a hash takes as many parts as a recording of a million outcomes has", () => {
  const parts = Array.from({ length: 300_000 }, (_, i) => `part ${i}`);
  expect(hashAll(parts)).toBe(hashAll(parts));
  expect(hashAll(parts)).not.toBe(hashAll(parts.slice(1)));
  expect(hashAll(["a", 1])).toBe(hashSeed("a", 1));
});
