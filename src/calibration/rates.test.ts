import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countScores, measureProfiles, shrink, topicOf, toRates } from "./rates.ts";
import type { Calibration } from "./types.ts";

const CALIBRATION: Calibration = {
  workers: ["logician", "poet", "absent"],
  tasks: [
    { text: "a", topic: "logic" },
    { text: "b", topic: "logic" },
    { text: "c", topic: "language" },
    { text: "d" },
  ],
  scores: [
    [1, 0, undefined],
    [1, 0, undefined],
    [0, 1, undefined],
    [1, undefined, undefined],
  ],
  source: "a test",
  delaysMs: [120, undefined, undefined],
};

describe("profiles of a calibration", () => {
  const [logician, poet, absent] = measureProfiles(CALIBRATION);

  test("draw a worker's success towards that of all, and a topic's towards the worker's", () => {
    expect(logician!.success).toBeCloseTo((3 + 8 * (4 / 7)) / 12, 12);
    expect(poet!.success).toBeCloseTo((1 + 8 * (4 / 7)) / 11, 12);
    expect(logician!.topics.logic).toBeCloseTo((2 + 4 * logician!.success) / 6, 12);
    expect(poet!.topics.language).toBeCloseTo((1 + 4 * poet!.success) / 5, 12);
    expect(Object.keys(logician!.topics).toSorted()).toEqual(["language", "logic"]);
  });

  test("say how many tasks stand behind them and where they come from; nobody measured has none", () => {
    expect(logician).toMatchObject({ tasks: 4, source: "a test", delayMs: 120 });
    expect(poet).toMatchObject({ tasks: 3 });
    expect(poet!.delayMs).toBeUndefined();
    expect(absent).toBeUndefined();
  });
});

test("who does not count has no sum and no rate, whatever its scores", () => {
  const counted = countScores([[1, 1, 0]], 3, [0, 2]);
  expect(counted).toEqual({ sums: [1, 0, 0], counts: [1, 0, 1] });
  expect(toRates(counted, [0, 2])[1]).toBe(0);
  expect(toRates(countScores([], 2, [0, 1]), [0, 1])).toEqual([0, 0]);
});

test("only the name of a topic is a topic", () => {
  expect(topicOf("arithmetic")).toBe("arithmetic");
  expect(topicOf("Arithmetic!")).toBeUndefined();
});

test("shrinking stays between the two rates, and gives way as tasks grow", () => {
  const rate = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(rate, rate, fc.integer({ min: 1, max: 1000 }), (own, overall, count) => {
      const few = shrink(own * count, count, overall, 8);
      const many = shrink(own * count * 10, count * 10, overall, 8);
      expect(few).toBeGreaterThanOrEqual(Math.min(own, overall) - 1e-9);
      expect(few).toBeLessThanOrEqual(Math.max(own, overall) + 1e-9);
      expect(Math.abs(many - own)).toBeLessThanOrEqual(Math.abs(few - own) + 1e-9);
    }),
    { seed: 1 },
  );
});
