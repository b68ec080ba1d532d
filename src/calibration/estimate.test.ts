import { describe, expect, it } from "vitest";
import { createRandom } from "../base/random.ts";
import { createEstimator } from "./estimate.ts";
import { countScores, toRates } from "./rates.ts";
import { TextIndex } from "./text-index.ts";

const KINDS = ["integral of the function", "capital of the country", "output of the program"];

/** Worker k is good at kind k; worker 3 is fair at all. */
function make(count: number, seed = 1) {
  const random = createRandom(seed);
  const tasks = Array.from({ length: count }, (_, i) => {
    const kind = i % KINDS.length;
    const text = `What is the ${KINDS[kind]} number ${random.integer(1, 99)} with ${random.pick(["a", "b", "c", "d"])}?`;
    const scores = [0, 1, 2, 3].map((worker) => {
      const p = worker === 3 ? 0.6 : worker === kind ? 0.9 : 0.2;
      return random.next() < p ? 1 : 0;
    });
    return { kind, text, scores };
  });
  const scores = tasks.map((task) => task.scores);
  return {
    tasks,
    questions: toLabelled(
      tasks.map(({ text }) => text),
      scores,
    ),
  };
}

function toLabelled(texts: string[], scores: number[][], labels?: string[][]) {
  const workers = [...(scores[0] ?? [0, 0]).keys()];
  const rates = toRates(countScores(scores, workers.length, workers), workers);
  return { index: new TextIndex(texts), texts, scores, rates, workers, labels };
}

describe("the probability of a worker for a question", () => {
  it("knows who is good at what kind of question", () => {
    const { estimate } = createEstimator(make(240).questions);
    for (const { kind, text } of make(30, 2).tasks) {
      const { probabilities } = estimate(text);
      expect(probabilities[kind]).toBeGreaterThan(0.75);
      expect(probabilities[(kind + 1) % 3]).toBeLessThan(0.4);
      expect(probabilities[3]).toBeGreaterThan(0.4);
    }
  });

  it("is calibrated on questions that it has not seen", () => {
    const { estimate } = createEstimator(make(240).questions);
    const bins = new Map<number, { sum: number; right: number; count: number }>();
    for (const { text, scores } of make(300, 3).tasks)
      for (const [worker, p] of estimate(text).probabilities.entries()) {
        const bin = bins.get(Math.floor(p * 4)) ?? { sum: 0, right: 0, count: 0 };
        bins.set(Math.floor(p * 4), {
          sum: bin.sum + p,
          right: bin.right + scores[worker]!,
          count: bin.count + 1,
        });
      }
    for (const { sum, right, count } of bins.values())
      if (count > 100) expect(Math.abs(sum / count - right / count)).toBeLessThan(0.1);
  });

  it("says of a question unlike any other that it is new, and falls back on the overall rates", () => {
    const { questions } = make(240);
    const { probabilities, similarity } = createEstimator(questions).estimate("Xyzzy plugh!");
    expect(similarity).toBe(0);
    for (const worker of [0, 1, 2, 3])
      expect(Math.abs(probabilities[worker]! - questions.rates[worker]!)).toBeLessThan(0.15);
  });

  it("works with a handful of tasks, and with none", () => {
    const { tasks, questions } = make(9);
    const { probabilities } = createEstimator(questions).estimate(tasks[0]!.text);
    expect(probabilities.every((p) => p > 0 && p < 1)).toBe(true);
    const empty = { ...toLabelled([], []), rates: [0.5, 0.5] };
    expect([...createEstimator(empty).estimate("hello").probabilities]).toEqual([0.5, 0.5]);
  });

  it("does not learn the outcome of a question that is left out", () => {
    // All words are of their own, so that nothing but the task itself could tell.
    const random = createRandom(5);
    const scores = Array.from({ length: 80 }, () => [random.next() < 0.5 ? 1 : 0]);
    const word = (i: number) => `zz${i.toString(36)}q zz${i.toString(36)}r common`;
    const texts = scores.map((_, i) => word(i % 40));
    const { estimate } = createEstimator(toLabelled(texts, scores));
    let error = 0;
    for (const [i, text] of texts.entries()) {
      const twins = [i % 40, (i % 40) + 40];
      error += Math.abs(estimate(text, twins).probabilities[0]! - scores[i]![0]!);
    }
    expect(error / texts.length).toBeGreaterThan(0.4);
  });
});
