import { describe, expect, test } from "vitest";
import type { Outcome } from "../../world/rollout.ts";
import { toFitness, toReward } from "./fitness.ts";

const outcomeOf = (parts: Partial<Outcome>): Outcome => ({
  ...{ texts: [], isValid: true, isOutage: false, faults: [], isRight: false, score: 0, reward: 0.5 },
  ...{ calls: 1, steps: 1, costUsd: 0, asked: ["a"], answer: "", rounds: [] },
  ...parts,
});
const round = { workflow: { steps: [] }, replies: [] };

describe("the reward of a run", () => {
  const options = { costPerCall: 0.1, turns: 5 };

  test("is 1 for right and 0 for wrong, minus its calls", () => {
    expect(toReward(outcomeOf({ isRight: true, calls: 3 }), options)).toBeCloseTo(0.7);
    expect(toReward(outcomeOf({ calls: 2 }), options)).toBeCloseTo(-0.2);
  });

  test("has bonuses only where they are given", () => {
    const outcome = outcomeOf({
      isRight: true,
      calls: 3,
      asked: ["a", "b", "a"],
      rounds: [round, round, round],
    });
    const bonuses = { ...options, costPerCall: 0, diversityBonus: 0.15, turnBonus: 0.1 };
    expect(toReward(outcome, bonuses)).toBeCloseTo(1 + 0.15 * 0.5 + 0.1 * 0.6);
    expect(toReward({ ...outcome, asked: ["a"] }, { ...bonuses, turnBonus: 0 })).toBe(1);
  });
});

describe("the fitness of candidates", () => {
  const right = outcomeOf({ isRight: true });
  const wrong = outcomeOf({});
  const lost = outcomeOf({ isOutage: true });
  const reward = ({ isRight }: Outcome) => Number(isRight);

  test("is the mean over runs that nobody has lost", () => {
    expect(
      toFitness(
        [
          [right, wrong],
          [wrong, wrong],
        ],
        reward,
      ),
    ).toEqual([0.5, 0]);
    expect(
      toFitness(
        [
          [right, wrong],
          [lost, right],
        ],
        reward,
      ),
    ).toEqual([0, 1]);
  });

  test("is not known where all were lost", () => {
    expect(toFitness([[lost], [right]], reward)).toEqual([Number.NaN, Number.NaN]);
  });
});
