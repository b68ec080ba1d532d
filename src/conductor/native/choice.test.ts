import { expect, test } from "vitest";
import type { Prefix } from "../../nn/batch.ts";
import { createRandom } from "../../random.ts";
import { Choice, choiceDims } from "./choice.ts";
import { FEATURES } from "./reading.ts";

const SIZES = [1, 3];
const VOCABULARY = 50;
const HARD = 7;

/** Words by lot, and whether it is hard stands in one of them. */
function toQuestion(seed: number, isHard: boolean): Prefix {
  const random = createRandom(seed);
  const slots = [0.4, 0.9].map((similar) => {
    const slot = new Float32Array(FEATURES);
    slot[0] = 1;
    slot[4] = similar;
    return slot;
  });
  const others = Array.from({ length: 12 }, () => random.integer(10, VOCABULARY - 1));
  return { tokens: [...others, ...(isHard ? [HARD] : [])], slots };
}

/** A team pays for hard questions only; luck is larger than the difference. */
function compareMany(from: number, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const isHard = i % 2 === 0;
    const random = createRandom(from + i);
    const luck = () => 0.3 * (random.next() - 0.5);
    const prefix = toQuestion(from + i, isHard);
    return { prefix, rewards: [0.8 + luck(), (isHard ? 0.9 : 0.7) + luck()] };
  });
}

test("learns for which questions a larger team is worth it, from noisy rewards", () => {
  const choice = new Choice(SIZES, VOCABULARY);
  for (let round = 0; round < 10; round++) choice.learn(compareMany(1000 * round, 32));
  const chosen = (isHard: boolean) =>
    Array.from({ length: 100 }, (_, i) => choice.choose(toQuestion(50_000 + i, isHard)));
  expect(chosen(true).filter((size) => size === 3).length).toBeGreaterThan(90);
  expect(chosen(false).filter((size) => size === 1).length).toBeGreaterThan(90);
});

test("before anything was compared all sizes are worth the same, and the first is taken", () => {
  const choice = new Choice(SIZES, VOCABULARY);
  expect(choice.weigh(toQuestion(1, true))).toEqual([0, 0]);
  expect(choice.choose(toQuestion(1, true))).toBe(1);
  choice.learn([{ prefix: toQuestion(1, true), rewards: [0.5, undefined] }]);
  expect(choice.weigh(toQuestion(1, true))).toEqual([0, 0]);
});

test("takes no size above what is allowed, and one that is left where all are", () => {
  const choice = new Choice([1, 3, 5], VOCABULARY);
  choice.learn([{ prefix: toQuestion(1, true), rewards: [0.1, 0.2, 0.9] }]);
  expect(choice.choose(toQuestion(1, true))).toBe(5);
  expect(choice.choose(toQuestion(1, true), 4)).toBe(3);
  expect(new Choice([3], VOCABULARY).choose(toQuestion(1, true), 2)).toBe(3);
});

test("goes on from its tensors to the bit, and without what it learns with it still chooses", () => {
  const [one, other] = [compareMany(1, 40), compareMany(9000, 40)];
  const whole = new Choice(SIZES, VOCABULARY);
  whole.learn(one);
  const resumed = new Choice(SIZES, VOCABULARY, structuredClone(whole.toTensors({ isLearning: true })));
  whole.learn(other);
  resumed.learn(other);
  const tensors = whole.toTensors({ isLearning: true });
  expect(resumed.toTensors({ isLearning: true })).toEqual(tensors);
  const shipped = whole.toTensors({ isLearning: false });
  expect([...shipped].map(([name, { dims }]) => [name, dims])).toEqual(choiceDims(SIZES, VOCABULARY));
  const opened = new Choice(SIZES, VOCABULARY, shipped);
  expect(opened.weigh(one[0]!.prefix)).toEqual(whole.weigh(one[0]!.prefix));
});
