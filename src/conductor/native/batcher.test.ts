import { describe, expect, it } from "vitest";
import { createRandom } from "../../base/random.ts";
import type { Prefix } from "../../nn/batch.ts";
import { ForwardModel } from "../../nn/forward/model.ts";
import type { TextModel } from "../../nn/text-model.ts";
import { createTinyCheckpoint } from "../../testing/learn/tiny-checkpoint.ts";
import { Batcher, type WriteJob } from "./batcher.ts";
import { createTokenSampler } from "./sample-token.ts";

const { card, weights, language } = createTinyCheckpoint();
const LENGTH = 12;
const OPTIONS = { length: LENGTH, start: language.start, end: language.end };

/** Texts and pools of all sizes. */
function drawPrefixes(count: number, seed: number): Prefix[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({
    tokens: Array.from({ length: random.integer(1, 60) }, () => random.integer(0, language.vocabulary - 1)),
    slots: Array.from({ length: random.integer(1, 12) }, () =>
      Float32Array.from({ length: card.shape.features }, () => random.normal()),
    ),
  }));
}

/** Greedy, or sampled; the probabilities it was given are kept. */
function toJob(prefix: Prefix, seed?: number): WriteJob & { seen: string[] } {
  const sample = createTokenSampler({ seed });
  const seen: string[] = [];
  return {
    prefix,
    seen,
    sample(probabilities, tokens) {
      seen.push(Buffer.from(probabilities.slice().buffer).toString("base64"));
      return sample(probabilities, tokens);
    },
  };
}

function open(): Batcher {
  return new Batcher(new ForwardModel(card.shape, weights), OPTIONS);
}

it("batches give the same plans and the same probabilities, to the bit, as one by one", async () => {
  const batcher = open();
  const prefixes = drawPrefixes(13, 3);
  const seedOf = (i: number) => (i % 2 === 0 ? undefined : i);
  const alone = prefixes.map((prefix, i) => toJob(prefix, seedOf(i)));
  const plans: number[][] = [];
  for (const job of alone) plans.push(await batcher.write(job));
  const together = prefixes.map((prefix, i) => toJob(prefix, seedOf(i)));
  expect(await Promise.all(together.map((job) => batcher.write(job)))).toEqual(plans);
  expect(together.map(({ seen }) => seen)).toEqual(alone.map(({ seen }) => seen));
  // Or they would say nothing about later tokens.
  expect(plans.some(({ length }) => length === LENGTH)).toBe(true);
});

describe("a batch", () => {
  it("goes on without the one that was stopped", async () => {
    const batcher = open();
    const [first, second] = drawPrefixes(2, 5);
    const controller = new AbortController();
    const plan = { prefix: { ...second!, slots: first!.slots }, sample: () => language.next };
    const [stopped, whole] = await Promise.all([
      batcher.write({
        prefix: first!,
        sample: () => language.next,
        signal: controller.signal,
        onToken: ({ length }) => length === 3 && controller.abort(),
      }),
      batcher.write(plan),
    ]);
    expect(stopped).toHaveLength(3);
    expect(whole).toHaveLength(LENGTH);
  });

  it("that fails fails for all of it, and the next one is written", async () => {
    const model = new ForwardModel(card.shape, weights);
    let failures = 1;
    const failing: TextModel = {
      negativeLogLikelihood: (prefixes) => model.negativeLogLikelihood(prefixes),
      generate: async (prefixes, options) => {
        if (failures-- > 0) throw new Error("no memory");
        return model.generate(prefixes, options);
      },
    };
    const batcher = new Batcher(failing, OPTIONS);
    const jobs = drawPrefixes(3, 6).map((prefix) => ({
      prefix: { ...prefix, slots: prefix.slots.slice(0, 1) },
      sample: () => language.end,
    }));
    const results = await Promise.allSettled(jobs.map((job) => batcher.write(job)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await batcher.write(jobs[0]!)).toEqual([language.end]);
  });
});
