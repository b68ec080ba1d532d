import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { randomPrefix, TINY } from "../testing/learn/tiny-model.ts";
import { prefixTensors, shapeOf, Written } from "./batch.ts";

describe("shapes", () => {
  test("hold all that is given, and are few", () => {
    const sizes = fc.record({
      tokens: fc.integer({ min: 1, max: 150 }),
      slots: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(
        fc.array(sizes, { minLength: 1, maxLength: 9 }),
        fc.integer({ min: 1, max: 70 }),
        (all, length) => {
          const shape = shapeOf(
            all.map((size) => randomPrefix(createRandom(1), size)),
            3,
            length,
          );
          expect(shape.questions).toBeGreaterThanOrEqual(all.length);
          expect(shape.questions).toBeLessThan(2 * all.length);
          expect(Math.log2(shape.questions) % 1).toBe(0);
          for (const { tokens, slots } of all) {
            expect(shape.text).toBeGreaterThanOrEqual(tokens);
            expect(shape.slots).toBeGreaterThanOrEqual(slots);
          }
          expect([shape.text % 64, shape.length % 16, shape.group]).toEqual([0, 0, 3]);
          expect(shape.length - length).toBeLessThan(16);
        },
      ),
      { numRuns: 60, seed: 2 },
    );
  });
});

describe("prefixes", () => {
  const batch = { questions: 1, text: 4, slots: 3, group: 1, length: 2 };
  const prefix = { tokens: [5, 6], slots: [Float32Array.of(1, 2, 3), Float32Array.of(4, 5, 6)] };
  const tensors = prefixTensors([prefix], TINY, batch);

  test("text ends where the slots begin; each token is the target of the one before", () => {
    expect([...tensors.text!.data]).toEqual([0, 0, 5, 6]);
    expect([...tensors["text.targets"]!.data]).toEqual([-1, -1, 6, -1]);
    expect([...tensors.features!.data]).toEqual([1, 2, 3, 4, 5, 6, 0, 0, 0]);
  });

  test("text sees the text before it, a slot sees all text and all slots, and nobody sees padding", () => {
    const sees = Array.from({ length: 7 }, (_, at) =>
      Array.from({ length: 7 }, (_, other) =>
        tensors["prefix.mask"]!.data[at * 7 + other] === 0 ? other : -1,
      ),
    ).map((row) => row.filter((other) => other >= 0));
    expect(sees[2]).toEqual([2]);
    expect(sees[3]).toEqual([2, 3]);
    expect(sees[4]).toEqual([2, 3, 4, 5]);
    expect(sees[5]).toEqual([2, 3, 4, 5]);
    expect([...tensors["prefix.seen"]!.data].map((value) => value === 0)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      false,
    ]);
    expect([...tensors["slots.absent"]!.data].map((value) => value === 0)).toEqual([true, true, false]);
  });
});

test("what was pointed at is carried on, and counted as often as it was", () => {
  const written = new Written(TINY, { questions: 1, text: 4, slots: 3, group: 1, length: 4 }, 4);
  for (const [row, token] of [0, TINY.vocabulary + 1, 7, TINY.vocabulary + 1].entries()) {
    if (row > 0) written.carry(row - 1, row);
    written.set(row, token);
  }
  const { tokens, again, ...rest } = written.toTensors();
  expect([...tokens!.data]).toEqual([0, 0, 7, 0]);
  expect([...rest["tokens.text"]!.data]).toEqual([1, 0, 1, 0]);
  expect([...rest["tokens.slots"]!.data]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]);
  expect([...again!.data]).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0]);
  written.set(1, 4);
  expect([...written.toTensors()["tokens.slots"]!.data].slice(3, 6)).toEqual([0, 0, 0]);
});
