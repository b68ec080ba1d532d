import { describe, expect, it } from "vitest";
import { createRandom } from "../base/random.ts";
import { fitChoice } from "./choice.ts";

const NO_COSTS = new Float64Array(3);

/** Worker 0 is best overall; estimates see a worker's skill on a question through noise. */
function make(count: number, { skill, noise, seed = 1 }: { skill: number; noise: number; seed?: number }) {
  const random = createRandom(seed);
  const near = () => random.next() + random.next() - 1;
  const rates = [0.7, 0.66, 0.66];
  const questions = Array.from({ length: count }, (_, task) => {
    const true_ = rates.map((rate) => Math.min(0.99, Math.max(0.01, rate + skill * near())));
    return {
      task,
      scores: true_.map((p) => (random.next() < p ? 1 : 0)),
      true: true_,
      probabilities: Float64Array.from(true_, (p) => p + noise * near()),
      errors: Float64Array.from(true_, () => noise / 2.5),
    };
  });
  return { questions, rates, scores: questions.map(({ scores }) => scores) };
}

function measure(made: ReturnType<typeof make>, fitted: ReturnType<typeof make>, costs = NO_COSTS) {
  const { questions: leftOut, scores, rates } = fitted;
  const choose = fitChoice({ leftOut, scores, rates, order: [0, 1, 2], costs });
  const chosen = made.questions.map((question) => ({ question, worker: choose(question) }));
  const mean = (of: (each: (typeof chosen)[number]) => number) =>
    chosen.reduce((sum, each) => sum + of(each), 0) / chosen.length;
  return {
    gain: mean(({ question, worker }) => question.true[worker]! - question.true[0]!),
    asked: new Set(chosen.map(({ worker }) => worker)),
    cost: mean(({ worker }) => costs[worker]!),
  };
}

describe("choosing a worker by unsure estimates", () => {
  it("takes whoever is most probably right where estimates hold", () => {
    const { gain, asked } = measure(
      make(500, { skill: 0.4, noise: 0.1, seed: 2 }),
      make(300, { skill: 0.4, noise: 0.1 }),
    );
    expect(gain).toBeGreaterThan(0.1);
    expect(asked.size).toBe(3);
  });

  it("mostly stays with the best worker where estimates are noise", () => {
    const fresh = make(400, { skill: 0, noise: 0.5, seed: 99 });
    const gains = Array.from({ length: 20 }, (_, seed) =>
      Math.min(0, measure(fresh, make(40, { skill: 0, noise: 0.5, seed })).gain),
    );
    expect(gains.filter((gain) => gain === 0).length).toBeGreaterThan(15);
    expect(gains.reduce((sum, gain) => sum + gain, 0) / gains.length).toBeGreaterThan(-0.01);
  });

  it("needs as great a lead as it took on measured questions, in standard errors", () => {
    // A lead of half an error meant nothing, and one of two errors was right.
    const errors = Float64Array.of(0.1, 0.1);
    const leftOut = Array.from({ length: 100 }, (_, task) => ({
      ...{ task, errors },
      probabilities: Float64Array.of(0.5, task % 2 === 0 ? 0.57 : 0.8),
    }));
    const scores = leftOut.map(({ task }) => (task % 2 === 0 ? [1, 0] : [0, 1]));
    const choose = fitChoice({ leftOut, scores, rates: [0.5, 0.5], order: [0, 1], costs: [0, 0] });
    const lead = (by: number, error = 0.1) =>
      choose({ probabilities: Float64Array.of(0.5, 0.5 + by), errors: Float64Array.of(error, error) });
    expect([lead(0.05), lead(0.3), lead(0.3, 0.5), lead(-0.1)]).toEqual([0, 1, 0, 0]);
  });

  it("asks a cheap worker where the dear one is not worth its price", () => {
    const fitted = make(300, { skill: 0.4, noise: 0.1 });
    const costs = Float64Array.of(0.5, 0, 0);
    const { cost, asked } = measure(make(300, { skill: 0.4, noise: 0.1, seed: 3 }), fitted, costs);
    expect(cost).toBeLessThan(0.1);
    expect(asked.has(1) || asked.has(2)).toBe(true);
  });

  it("asks the best worker overall where nothing was left out", () => {
    const choose = fitChoice({
      ...{ leftOut: [], scores: [], rates: [0.4, 0.6, 0.5], order: [1, 2, 0], costs: NO_COSTS },
    });
    expect(choose({ probabilities: Float64Array.of(0.9, 0.1, 0.9), errors: NO_COSTS })).toBe(1);
  });
});
