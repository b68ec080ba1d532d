// A world that only embeddings can tell apart: "Question 17?" has the same words and look as "Question 18?", because digits
// are folded, but its vector says odd or even. And a server that knows those vectors.

import type { QuestionEncoder } from "../calibration/embedding/encoder.ts";
import { toUnitVector } from "../calibration/embedding/vectors.ts";
import type { QuestionEmbeddings, SavedCalibration } from "../calibration/types.ts";
import { type ProviderServer, startProvider } from "./gateway/provider-server.ts";

const numberOf = (text: string) => Number(/\d+/.exec(text)?.[0] ?? 0);

/** Four numbers: what all have in common, odd, even, and what is the question's own. */
export function toMadeUpVector(text: string): number[] {
  const number = numberOf(text);
  return [2, number % 2, 1 - (number % 2), (number % 7) / 20];
}

export const MADE_UP_ENCODER: QuestionEncoder = {
  id: "made-up",
  encode: async (texts) => texts.map((text) => toUnitVector(toMadeUpVector(text))!),
};

/** Three digits, so that all look the same. */
export function toMadeUpQuestion(number: number): string {
  return `Question ${100 + number}?`;
}

/** "odd" is right where the number is odd and "even" where it is even, nine times of ten. */
export function toMadeUpCalibration(count: number): SavedCalibration {
  const texts = Array.from({ length: count }, (_, number) => toMadeUpQuestion(number));
  return {
    workers: ["odd", "even"],
    measuredAt: ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
    tasks: texts.map((text) => ({ text })),
    scores: texts.map((_, number) => {
      const isOdd = number % 2 === 1;
      const isSurprise = number % 20 < 2;
      return isOdd === isSurprise ? [0, 1] : [1, 0];
    }),
    source: "made up",
  };
}

export function toMadeUpEmbeddings(
  { tasks }: SavedCalibration,
  encoder = MADE_UP_ENCODER.id,
): QuestionEmbeddings {
  return { encoder, dimension: 4, vectors: tasks.map(({ text }) => toUnitVector(toMadeUpVector(text))) };
}

/** Closed after the test. `toVector` may give vectors of another length. */
export function startEmbeddingServer(
  toVector: (text: string) => number[] = toMadeUpVector,
): Promise<ProviderServer> {
  return startProvider((response, { body }) => {
    const { input } = JSON.parse(body) as { input: string[] };
    // Servers may send them in any order: `index` counts.
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: toVector(text) }));
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ object: "list", data: data.reverse(), model: "made-up" }));
  });
}
