import { describe, expect, test } from "vitest";
import {
  chanceOfAdopting,
  chanceOfBreaking,
  chanceOfCatching,
  chanceOfStage,
  chanceOfSuccess,
  qualityOfPlan,
  type Situation,
  weightInComparison,
} from "./rules.ts";

const plain: Situation = {
  skill: 0.85,
  difficulty: 3,
  stages: 6,
  recall: false,
  namesWork: "nothing",
  planQuality: undefined,
  offTopic: false,
  foundFault: false,
};
const chance = (change: Partial<Situation>) => chanceOfSuccess({ ...plain, ...change });

describe("working a problem out", () => {
  test("every stage can go wrong", () => {
    expect(chance({ stages: 6 })).toBeCloseTo(chanceOfStage(plain) ** 6, 12);
    expect(chance({ difficulty: 1 })).toBeGreaterThan(chance({ difficulty: 2 }));
    expect(chance({ skill: 0.95 })).toBeGreaterThan(chance({ skill: 0.9 }));
  });

  test("a good plan helps a lot, a poor one hurts, and one stage needs none", () => {
    expect(chance({ planQuality: 1 })).toBeGreaterThan(chance({}) + 0.2);
    expect(chance({ planQuality: 0 })).toBeLessThan(chance({}));
    expect(chance({ stages: 1, planQuality: 1 })).toBe(chance({ stages: 1 }));
  });

  test("naming the right work helps a little, the wrong work hurts, off-topic words distract", () => {
    const gain = chance({ namesWork: "right" }) - chance({});
    expect(gain).toBeGreaterThan(0);
    expect(gain).toBeLessThan(chance({ planQuality: 1 }) - chance({}));
    expect(chance({ namesWork: "wrong" })).toBeLessThan(chance({}));
    expect(chance({ offTopic: true })).toBeLessThan(chance({}));
  });

  test("facts are known or not: nothing helps", () => {
    const fact = { recall: true, stages: 1 };
    expect(chance({ ...fact, planQuality: 1, namesWork: "right", foundFault: true })).toBe(chance(fact));
  });
});

test("a plan is as good as the stages it names, less what misleads", () => {
  expect(qualityOfPlan({ right: 4, misleading: 0, stages: 4 })).toBe(1);
  expect(qualityOfPlan({ right: 2, misleading: 2, stages: 4 })).toBe(0.25);
  expect(qualityOfPlan({ right: 0, misleading: 4, stages: 4 })).toBe(0);
});

test("good checkers catch more and break less; one's own work is hard to check", () => {
  const check = {
    checking: 0.9,
    skill: 0.8,
    difficulty: 3,
    ownWork: false,
    namesWork: "nothing",
    disagreement: false,
  } as const;
  expect(chanceOfCatching(check)).toBeGreaterThan(chanceOfCatching({ ...check, checking: 0.5 }));
  expect(chanceOfCatching({ ...check, ownWork: true })).toBeLessThan(chanceOfCatching(check) - 0.2);
  expect(chanceOfCatching({ ...check, disagreement: true })).toBeGreaterThan(chanceOfCatching(check));
  expect(chanceOfBreaking(0.9)).toBeLessThan(chanceOfBreaking(0.3));
  expect(chanceOfBreaking(0)).toBeLessThan(0.12);
});

test("others pull: more when they agree, and more when they are right", () => {
  const pull = { agreeing: 1, right: false, skill: 0.9, recall: false };
  expect(chanceOfAdopting({ ...pull, agreeing: 2 })).toBeGreaterThan(chanceOfAdopting(pull));
  expect(chanceOfAdopting({ ...pull, right: true })).toBeGreaterThan(chanceOfAdopting(pull));
  expect(chanceOfAdopting(pull)).toBeGreaterThan(0);
  expect(chanceOfAdopting({ ...pull, agreeing: 9, right: true, skill: 1 })).toBeLessThanOrEqual(1);
  expect(weightInComparison({ votes: 1, right: true, checking: 0.9 })).toBeGreaterThan(
    weightInComparison({ votes: 1, right: true, checking: 0.3 }),
  );
});
