import { describe, expect, test } from "vitest";
import { chooseChain } from "./chain.ts";
import type { TrainingTask } from "./types.ts";
import { accepts } from "./verified-cascade.ts";

/** Worker 0 is cheap and right on the first half, 1 expensive and right on all but every tenth, 2 expensive and never right. */
function makeTraining(count = 100): TrainingTask[] {
  return Array.from({ length: count }, (_, i) => ({
    task: { id: `t${i}`, set: "s", category: "c", family: "f", prompt: `${i}`, answer: "", grader: "text" },
    scores: [i < count / 2 ? 1 : 0, i % 10 === 9 ? 0 : 1, 0],
    costsUsd: [0.01, 1, 1],
  }));
}
const usualCost = () => 1;

describe("which chain a verifier makes worth it", () => {
  test("with a verifier that never errs the cheap one comes first and the best one last", () => {
    const { chain, accuracy, cost } = chooseChain([0, 1, 2], makeTraining(), { error: 0, usualCost });
    expect(chain).toEqual([0, 1]);
    expect(accuracy).toBeCloseTo(0.95);
    expect(cost).toBeCloseTo(0.51);
  });

  test("with one that is no better than a coin the best worker is asked alone", () => {
    expect(chooseChain([0, 1, 2], makeTraining(), { error: 0.5, usualCost }).chain).toEqual([1]);
  });

  test("nobody is asked twice, and costs that are not known are the usual ones", () => {
    const training = makeTraining().map(({ costsUsd: _, ...rest }) => rest);
    const { chain, cost } = chooseChain([0, 1, 2], training, { error: 0, usualCost: (w) => [0.1, 2, 3][w]! });
    expect(new Set(chain).size).toBe(chain.length);
    expect(cost).toBeCloseTo(0.1 + 0.5 * 2);
  });

  test("what it expects is what the verdicts give", () => {
    const training = makeTraining(4000);
    const error = 0.1;
    const { chain, accuracy } = chooseChain([0, 1, 2], training, { error, usualCost, safety: -100 });
    const isRight = (task: string, worker: string) =>
      training[Number(task.slice(1))]!.scores[Number(worker)] === 1;
    let right = 0;
    for (const { task } of training) {
      const at = chain.findIndex(
        (worker, i) =>
          i === chain.length - 1 || accepts({ id: "", error, seed: 1, isRight }, task.id, `${worker}`),
      );
      if (isRight(task.id, `${chain[at]}`)) right++;
    }
    expect(right / training.length).toBeCloseTo(accuracy, 1);
  });
});

describe("a simulated verifier", () => {
  test("turns verdicts round as often as it should, and always the same ones", () => {
    const options = { id: "", error: 0.2, seed: 3, isRight: () => true };
    const verdicts = Array.from({ length: 5000 }, (_, i) => accepts(options, `t${i}`, "w"));
    expect(verdicts).toEqual(Array.from({ length: 5000 }, (_, i) => accepts(options, `t${i}`, "w")));
    expect(verdicts.filter((each) => !each).length / 5000).toBeCloseTo(0.2, 1);
    expect(accepts({ ...options, error: 0 }, "t", "w")).toBe(true);
  });
});
