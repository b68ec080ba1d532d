import { describe, expect, test } from "vitest";
import {
  PLAIN_WORDS,
  probabilityOfAdopting,
  probabilityOfBreaking,
  probabilityOfCatching,
  probabilityOfPlanLine,
  probabilityOfStage,
  probabilityOfSuccess,
  qualityOfPlan,
  type Situation,
  weightInComparison,
} from "./rules.ts";

const plain: Situation = {
  ...PLAIN_WORDS,
  skill: 0.85,
  difficulty: 3,
  stages: 6,
  recall: false,
  planQuality: undefined,
  offTopic: false,
};
const probability = (change: Partial<Situation>) => probabilityOfSuccess({ ...plain, ...change });

describe("working a problem out", () => {
  test("every stage can go wrong", () => {
    expect(probability({ stages: 6 })).toBeCloseTo(probabilityOfStage(plain) ** 6, 12);
    expect(probability({ difficulty: 1 })).toBeGreaterThan(probability({ difficulty: 2 }));
    expect(probability({ skill: 0.95 })).toBeGreaterThan(probability({ skill: 0.9 }));
  });

  test("a good plan helps a lot, a poor one hurts, and one stage needs none", () => {
    expect(probability({ planQuality: 1 })).toBeGreaterThan(probability({}) + 0.2);
    expect(probability({ planQuality: 0 })).toBeLessThan(probability({}));
    expect(probability({ stages: 1, planQuality: 1 })).toBe(probability({ stages: 1 }));
  });

  test("naming the right work helps a little, the wrong work hurts, off-topic words distract", () => {
    const gain = probability({ namesWork: "right" }) - probability({});
    expect(gain).toBeGreaterThan(0);
    expect(gain).toBeLessThan(probability({ planQuality: 1 }) - probability({}));
    expect(probability({ namesWork: "wrong" })).toBeLessThan(probability({}));
    expect(probability({ offTopic: true })).toBeLessThan(probability({}));
  });

  test("who has found a fault is more careful", () => {
    expect(probabilityOfStage(plain, true)).toBeGreaterThan(probabilityOfStage(plain));
  });

  test("naming what is asked for and the form of the answer helps a little, naming others' costs more", () => {
    for (const slot of ["part", "form"] as const) {
      const gain = probability({ [slot]: "right" }) - probability({});
      expect(gain).toBeGreaterThan(0);
      expect(probability({}) - probability({ [slot]: "wrong" })).toBeGreaterThan(gain);
    }
  });

  test("a plan too is better where its subtask names the right work and part, unless it is a fact", () => {
    const line = (change: Partial<Situation>) => probabilityOfPlanLine(0.8, { ...plain, ...change });
    expect(line({ namesWork: "right" })).toBeGreaterThan(line({ part: "right" }));
    expect(line({ part: "right" })).toBeGreaterThan(line({}));
    expect(line({ part: "wrong" })).toBeLessThan(line({}));
    expect(line({ recall: true, namesWork: "right", part: "wrong" })).toBe(line({ recall: true }));
  });

  test("facts are known or not: nothing helps, and nothing costs", () => {
    const fact = { recall: true, stages: 1 };
    const helped: Situation = { ...plain, ...fact, planQuality: 1, namesWork: "right" };
    expect(probability({ ...fact, namesWork: "wrong", part: "wrong", form: "wrong" })).toBe(
      probability(fact),
    );
    expect(probabilityOfStage(helped, true)).toBe(probability(fact));
  });
});

test("a plan is as good as the stages it names, less what misleads", () => {
  expect(qualityOfPlan({ right: 4, misleading: 0, stages: 4 })).toBe(1);
  expect(qualityOfPlan({ right: 2, misleading: 2, stages: 4 })).toBe(0.25);
  expect(qualityOfPlan({ right: 0, misleading: 4, stages: 4 })).toBe(0);
});

test("good checkers catch more and break less; one's own work is hard to check", () => {
  const check = {
    ...PLAIN_WORDS,
    checking: 0.9,
    skill: 0.8,
    difficulty: 3,
    ownWork: false,
    disagreement: false,
  } as const;
  expect(probabilityOfCatching(check)).toBeGreaterThan(probabilityOfCatching({ ...check, checking: 0.5 }));
  expect(probabilityOfCatching({ ...check, ownWork: true })).toBeLessThan(probabilityOfCatching(check) - 0.2);
  expect(probabilityOfCatching({ ...check, disagreement: true })).toBeGreaterThan(
    probabilityOfCatching(check),
  );
  expect(probabilityOfBreaking(0.9)).toBeLessThan(probabilityOfBreaking(0.3));
  expect(probabilityOfBreaking(0)).toBeLessThan(0.12);
});

test("a check finds more by a way of its own, most by one that fits", () => {
  const check = {
    ...PLAIN_WORDS,
    checking: 0.7,
    skill: 0.8,
    difficulty: 3,
    ownWork: false,
    disagreement: false,
  } as const;
  const caught = (["none", "another", "general", "fitting"] as const).map((way) =>
    probabilityOfCatching({ ...check, way }),
  );
  expect(caught).toEqual(caught.toSorted((a, b) => a - b));
  expect(new Set(caught).size).toBe(4);
  expect(probabilityOfCatching({ ...check, part: "wrong" })).toBeLessThan(caught[0]!);
});

test("others pull: more when they agree, and more when they are right", () => {
  const pull = { agreeing: 1, right: false, skill: 0.9, recall: false };
  expect(probabilityOfAdopting({ ...pull, agreeing: 2 })).toBeGreaterThan(probabilityOfAdopting(pull));
  expect(probabilityOfAdopting({ ...pull, right: true })).toBeGreaterThan(probabilityOfAdopting(pull));
  expect(probabilityOfAdopting(pull)).toBeGreaterThan(0);
  expect(probabilityOfAdopting({ ...pull, agreeing: 9, right: true, skill: 1 })).toBeLessThanOrEqual(1);
  expect(weightInComparison({ votes: 1, right: true, checking: 0.9 })).toBeGreaterThan(
    weightInComparison({ votes: 1, right: true, checking: 0.3 }),
  );
});
