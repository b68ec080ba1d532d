import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PLAYERS, type Player } from "./players.ts";
import { createStrangers, findStranger } from "./strangers.ts";

const seeds = fc.integer({ min: 0, max: 1_000_000 });
const many = createStrangers(600, 3);

/** How much two lists of figures go together, from −1 to 1. */
function correlation(pairs: [number, number][]): number {
  const mean = (at: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [first, second] = [mean(0), mean(1)];
  const sum = (value: (pair: [number, number]) => number) =>
    pairs.reduce((total, pair) => total + value(pair), 0);
  const together = sum(([a, b]) => (a - first) * (b - second));
  return together / Math.sqrt(sum(([a]) => (a - first) ** 2) * sum(([, b]) => (b - second) ** 2));
}

const skillIn = ({ skills }: Player, topic: "planning" | "logic") => skills[topic] ?? skills.usual;

describe("strangers", () => {
  test("are the same for a seed however many are wanted, and others for another", () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 20 }), (seed, count) => {
        expect(createStrangers(count, seed)).toEqual(createStrangers(count + 5, seed).slice(0, count));
      }),
      { seed: 1, numRuns: 30 },
    );
    expect(createStrangers(5, 1).map(({ skills }) => skills)).not.toEqual(
      createStrangers(5, 2).map(({ skills }) => skills),
    );
  });

  test("are found again by their ids", () => {
    for (const stranger of many.slice(0, 30)) expect(findStranger(stranger.id)).toEqual(stranger);
    expect(many[7]!.id).toBe("rehearsal/stranger-3-7");
    expect(findStranger("rehearsal/violin")).toBeUndefined();
  });

  test("have figures of the kind that the players have", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { skills, planning, checking, price, delay } of createStrangers(10, seed)) {
          const { usual, ...topics } = skills;
          expect(usual).toBeGreaterThanOrEqual(0.7);
          expect(usual).toBeLessThanOrEqual(0.93);
          const strong = Object.values(topics).filter((skill) => skill > usual).length;
          expect(strong).toBeGreaterThanOrEqual(2);
          expect(strong).toBeLessThanOrEqual(4);
          for (const skill of Object.values(topics)) expect(skill).toBeLessThanOrEqual(0.97);
          for (const skill of [planning, checking]) {
            expect(skill).toBeGreaterThanOrEqual(0.3);
            expect(skill).toBeLessThanOrEqual(0.97);
          }
          expect(price.inputUsd).toBeGreaterThanOrEqual(0.05);
          expect(price.outputUsd).toBeLessThanOrEqual(15);
          expect(price.inputUsd).toBeLessThan(price.outputUsd);
          expect(delay.firstMs).toBeGreaterThan(0);
          expect(delay.tokenMs).toBeGreaterThan(0);
        }
      }),
      { seed: 2, numRuns: 40 },
    );
  });

  test("tell by what can be measured what cannot: planning, checking and price go with topics", () => {
    expect(correlation(many.map((each) => [skillIn(each, "planning"), each.planning]))).toBeGreaterThan(0.8);
    expect(correlation(many.map((each) => [skillIn(each, "logic"), each.checking]))).toBeGreaterThan(0.8);
    const byPrice = correlation(many.map(({ skills, price }) => [skills.usual, Math.log(price.outputUsd)]));
    // Loosely: a price must not give the skill away.
    expect(byPrice).toBeGreaterThan(0.4);
    expect(byPrice).toBeLessThan(0.95);
  });

  test("are of every character", () => {
    expect(new Set(many.map(({ character }) => character)).size).toBe(7);
  });

  test("begin their replies as nobody else does, so that each knows its own work", () => {
    const openings = [...PLAYERS, ...many].map(({ style }) => style.opening);
    for (const [number, opening] of openings.entries()) {
      expect(openings.findIndex((other) => opening.startsWith(other))).toBe(number);
    }
  });

  test("need a whole seed", () => {
    expect(() => createStrangers(1, -1)).toThrow("not -1");
    expect(() => createStrangers(1, 0.5)).toThrow("not 0.5");
  });
});
