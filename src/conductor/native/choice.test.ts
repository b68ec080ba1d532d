import { expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
import { Choice, choiceDims, choiceTensors, createChoices } from "./choice.ts";
import { FEATURES, IS_BLIND, type Reading } from "./reading.ts";

const SIZES = [1, 3];
const VOCABULARY = 50;
const HARD = 7;

/** Random words, and whether it is hard stands in one of them. */
function toQuestion(seed: number, isHard: boolean, labels?: number[]): Reading {
  const random = createRandom(seed);
  const slots = [0.4, 0.9].map((similar) => {
    const slot = new Float32Array(FEATURES);
    slot[0] = 1;
    slot[4] = similar;
    return slot;
  });
  const others = Array.from({ length: 12 }, () => random.integer(10, VOCABULARY - 1));
  const prefix = { tokens: [...others, ...(isHard ? [HARD] : [])], slots };
  const sayable = { parts: [], works: new Set<never>(), language: "en" as const };
  return { prefix, workers: [0, 1], sayable, ...(labels && { labels }) };
}

/** A team pays for hard questions only; luck is larger than the difference. */
function compareMany(from: number, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const isHard = i % 2 === 0;
    const random = createRandom(from + i);
    const luck = () => 0.3 * (random.next() - 0.5);
    const reading = toQuestion(from + i, isHard);
    return { reading, rewards: [0.8 + luck(), (isHard ? 0.95 : 0.75) + luck()], calls: [1, 3], tries: 4 };
  });
}

function learnMany(choice: Choice): Choice {
  for (let round = 0; round < 40; round++) choice.learn(compareMany(1000 * round, 32));
  return choice;
}

test("learns for which questions a larger team is worth its calls, from noisy rewards", () => {
  const choice = learnMany(new Choice("first", SIZES, VOCABULARY));
  const chosen = (isHard: boolean, cost: number) =>
    Array.from({ length: 100 }, (_, i) => choice.choose(toQuestion(50_000 + i, isHard), { cost }));
  expect(chosen(true, 0.02).filter((size) => size === 3).length).toBeGreaterThan(90);
  expect(chosen(false, 0.02).filter((size) => size === 1).length).toBeGreaterThan(90);
  // The same one, asked to be thriftier than any team is worth.
  expect(chosen(true, 0.1).every((size) => size === 1)).toBe(true);
});

/** The same question to workers who cannot be shown each other's replies. */
function toBlind(reading: Reading): Reading {
  const slots = reading.prefix.slots.map((slot) =>
    Float32Array.from(slot, (value, i) => (i === IS_BLIND ? 1 : value)),
  );
  return { ...reading, prefix: { ...reading.prefix, slots } };
}

test("learns other sizes for voices that cannot see each other, with the same words", () => {
  const choice = new Choice("first", SIZES, VOCABULARY);
  choice.learn(
    Array.from({ length: 400 }, (_, i) => {
      const reading = toQuestion(i, false);
      const isBlind = i % 2 === 0;
      return {
        ...{ reading: isBlind ? toBlind(reading) : reading, calls: [1, 3], tries: 4 },
        rewards: [0.8, isBlind ? 0.9 : 0.7],
      };
    }),
  );
  expect(choice.choose(toBlind(toQuestion(9000, false)), { cost: 0.01 })).toBe(3);
  expect(choice.choose(toQuestion(9000, false), { cost: 0.01 })).toBe(1);
});

test("never asks two who cannot see each other in a first round, however good that seemed", () => {
  const question = toQuestion(1, true);
  const comparisons = [question, toBlind(question)].map((reading) => ({
    ...{ reading, rewards: [0.2, 0.9, 0.5], calls: [1, 2, 2], tries: 400 },
  }));
  const first = new Choice("first", [1, 2, 3], VOCABULARY);
  first.learn(comparisons);
  expect(first.choose(question, { cost: 0 })).toBe(2);
  expect(first.explain(question, { cost: 0 })).toContain("2 steps");
  expect(first.choose(toBlind(question), { cost: 0 })).toBe(3);
  expect(first.explain(toBlind(question), { cost: 0 })).not.toContain("2 steps");
  // After a round two more are two voices more.
  const later = new Choice("later", [0, 2, 3], VOCABULARY);
  const answered = toBlind(toQuestion(1, true, [0, 1]));
  later.learn([{ reading: answered, rewards: [0.2, 0.9, 0.5], calls: [0, 2, 2], tries: 400 }]);
  expect(later.choose(answered, { cost: 0 })).toBe(2);
});

test("learns to go on where the replies disagree, and to take what they agree on", () => {
  const choice = new Choice("later", [0, 2], VOCABULARY);
  const states = [[0], [0, 0], [0, 1], [0, 1, 1], [0, 1, 2]];
  const isOpen = (labels: number[]) => new Set(labels).size > 1 && labels.at(-1) !== labels.at(-2);
  choice.learn(
    Array.from({ length: 200 }, (_, i) => {
      const labels = states[i % states.length]!;
      const reading = toQuestion(i, false, labels);
      return { reading, rewards: [0.8, isOpen(labels) ? 0.9 : 0.78], calls: [0, 2], tries: 4 };
    }),
  );
  const chosen = states.map((labels) => choice.choose(toQuestion(9000, false, labels), { cost: 0.01 }));
  expect(chosen).toEqual([0, 0, 2, 0, 2]);
});

test("before anything was compared all sizes are worth the same, and the first is taken", () => {
  const choice = new Choice("first", SIZES, VOCABULARY);
  expect(choice.predict(toQuestion(1, true))).toEqual([0, 0]);
  expect(choice.choose(toQuestion(1, true), { cost: 0 })).toBe(1);
  choice.learn([{ reading: toQuestion(1, true), rewards: [0.5, undefined], calls: [1, 3], tries: 1 }]);
  expect(choice.predict(toQuestion(1, true))).toEqual([0, 0]);
});

test("takes no size above what is allowed, and one that is left where all are", () => {
  const choice = new Choice("first", [1, 3, 5], VOCABULARY);
  choice.learn([{ reading: toQuestion(1, true), rewards: [0.1, 0.2, 0.9], calls: [1, 3, 5], tries: 1 }]);
  expect(choice.choose(toQuestion(1, true), { cost: 0 })).toBe(5);
  expect(choice.choose(toQuestion(1, true), { cost: 0, most: 4 })).toBe(3);
  const only = new Choice("first", [3], VOCABULARY);
  expect(only.choose(toQuestion(1, true), { cost: 0, most: 2 })).toBe(3);
});

test("goes on from its tensors to the bit, and without what it learns with it still chooses", () => {
  const [one, other] = [compareMany(1, 40), compareMany(9000, 40)];
  const whole = new Choice("first", SIZES, VOCABULARY);
  whole.learn(one);
  const saved = structuredClone(whole.toTensors({ isLearning: true }));
  const resumed = new Choice("first", SIZES, VOCABULARY, saved);
  whole.learn(other);
  resumed.learn(other);
  const tensors = whole.toTensors({ isLearning: true });
  expect(resumed.toTensors({ isLearning: true })).toEqual(tensors);
  const shipped = whole.toTensors({ isLearning: false });
  const opened = new Choice("first", SIZES, VOCABULARY, shipped);
  expect(opened.predict(one[0]!.reading)).toEqual(whole.predict(one[0]!.reading));
});

test("of first and later rounds are kept apart", () => {
  const sizes = { first: SIZES, later: [0, 1, 2] };
  const choices = createChoices(sizes, VOCABULARY);
  choices.first!.learn(compareMany(1, 40));
  const tensors = choiceTensors(choices, { isLearning: false });
  expect([...tensors].map(([name, { dims }]) => [name, dims])).toEqual(choiceDims(sizes, VOCABULARY));
  const opened = createChoices(sizes, VOCABULARY, tensors);
  expect(opened.first!.predict(toQuestion(1, true))[1]).toBeGreaterThan(0);
  expect(opened.later!.predict(toQuestion(1, true))).toEqual([0, 0, 0]);
  expect(createChoices({ later: [0, 1] }, VOCABULARY).first).toBeUndefined();
});
