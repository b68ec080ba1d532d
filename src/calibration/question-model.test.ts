import { describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { createEstimator } from "./estimate.ts";
import { countScores, toRates } from "./rates.ts";
import { scaleSurfaces, surfaceSimilarity } from "./surface.ts";
import { TextIndex } from "./text-index.ts";

const NOUNS = ["river", "engine", "senate", "poem", "cell", "market", "planet", "harbour"];

/** Two kinds that share no words: sums in digits, and questions in words. Worker 0 is good at sums, worker 1 at the others. */
function make(count: number, seed: number, known = true) {
  const random = createRandom(seed);
  const texts: string[] = [];
  const scores: number[][] = [];
  const kinds: string[] = [];
  for (let i = 0; i < count; i++) {
    const isSum = random.next() < 0.4;
    const digits = () => random.integer(100, 999);
    const words = () => `${random.pick(NOUNS)} ${random.pick(NOUNS)} ${random.pick(NOUNS)}`;
    texts.push(
      isSum ? `${digits()} + ${digits()} * ${digits()} =` : `Tell of the ${words()} and ${words()}.`,
    );
    kinds.push(isSum ? "sums" : "tales");
    scores.push([0, 1].map((worker) => (random.next() < ((worker === 0) === isSum ? 0.9 : 0.3) ? 1 : 0)));
  }
  const rates = toRates(countScores(scores, 2, [0, 1]), [0, 1]);
  const questions = { index: new TextIndex(texts), texts, scores, rates, workers: [0, 1] };
  return { kinds, questions: known ? { ...questions, labels: [kinds] } : questions };
}

describe("what a question looks like", () => {
  test("tells kinds apart with and without labels of the measured tasks", () => {
    for (const known of [true, false]) {
      const { estimate } = createEstimator(make(80, 1, known).questions);
      const fresh = make(40, 2);
      const right = fresh.questions.texts.filter((text, i) => {
        const [sums, tales] = estimate(text).probabilities;
        return sums! > tales! === (fresh.kinds[i] === "sums");
      });
      expect(right.length).toBeGreaterThan(36);
    }
  });

  test("is the same to itself and nearer to its like", () => {
    const { measured, scale } = scaleSurfaces(make(40, 3).questions.texts);
    const [sum, other, tale] = ["12 + 34 * 56 =", "981 + 22 * 7 =", "Tell of the river and the poem."].map(
      scale,
    );
    expect(surfaceSimilarity(measured[0]!, measured[0]!)).toBe(1);
    expect(surfaceSimilarity(sum!, other!)).toBeGreaterThan(surfaceSimilarity(sum!, tale!));
  });
});

describe("how far a probability may be off", () => {
  const errorOf = (count: number, text: string) =>
    createEstimator(make(count, 1).questions).estimate(text).errors[0]!;

  test("is less with more tasks, and more for a question unlike any other", () => {
    const usual = "123 + 456 * 789 =";
    expect(errorOf(400, usual)).toBeLessThan(errorOf(40, usual));
    expect(errorOf(400, "Ξένος κόσμος ἐστίν!")).toBeGreaterThan(errorOf(400, usual));
    expect(errorOf(400, usual)).toBeGreaterThan(0);
    expect(errorOf(8, usual)).toBeLessThanOrEqual(0.5);
  });
});

test("a question of a kind never measured gets the overall order of the workers", () => {
  const { questions } = make(200, 4);
  const { probabilities } = createEstimator(questions).estimate("Ξένος κόσμος ἐστίν, λέγε μοι!");
  const [a, b] = questions.rates;
  expect(probabilities[0]! > probabilities[1]!).toBe(a! > b!);
});
