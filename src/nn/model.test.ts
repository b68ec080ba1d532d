// Writing: what may not change the probabilities of the next token (sharing, padding, the order of slots, a second
// run, the engine), and that training sees the same probabilities as writing did.

import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { openTestEngine } from "../testing/learn/engines.ts";
import {
  createTinyModel,
  END,
  randomPrefix,
  recordProbabilities,
  START,
  TINY,
} from "../testing/learn/tiny-model.ts";
import type { Prefix } from "./batch.ts";
import type { Model } from "./model.ts";
import type { Completion } from "./text-model.ts";

const { name, engine } = await openTestEngine();
const OPTIONS = { start: START, end: END };

/** Probabilities by token, without the slots that only padding added. */
type Probabilities = number[][];

function cut(probabilities: Probabilities, { slots }: Prefix): Probabilities {
  return probabilities.map((row) => row.slice(0, TINY.vocabulary + slots.length));
}

function expectClose(a: Probabilities, b: Probabilities, within: number): void {
  expect(a.length).toBe(b.length);
  for (const [step, row] of a.entries()) {
    expect(row.length).toBe(b[step]!.length);
    for (const [token, probability] of row.entries())
      expect(Math.abs(probability - b[step]![token]!), `token ${token} at ${step}`).toBeLessThan(within);
  }
}

/** Writes given tokens and returns the probabilities along the way. */
async function probabilitiesOf(
  model: Model,
  prefix: Prefix,
  tokens: readonly number[],
  { among = [], length = tokens.length }: { among?: Prefix[]; length?: number } = {},
): Promise<Probabilities> {
  const seen: Probabilities = [];
  await model.generate([...among, prefix], {
    ...OPTIONS,
    group: 1,
    length,
    choose: (probabilities, question, _, before) => {
      if (question < among.length || before.length >= tokens.length) return START;
      seen.push([...probabilities]);
      return tokens[before.length]!;
    },
  });
  return cut(seen, prefix);
}

describe(name, () => {
  if (!engine) return test.skip("is not there", () => {});
  const model = createTinyModel(engine);
  afterAll(() => model.close());
  const random = createRandom("prefixes");
  const prefixes = [
    randomPrefix(random, { tokens: 7, slots: 3 }),
    { ...randomPrefix(random, { tokens: 12, slots: 5 }), start: 5 },
    randomPrefix(random, { tokens: 1, slots: 1 }),
  ];
  const pointing = [TINY.vocabulary, 5, TINY.vocabulary + 2, TINY.vocabulary, 3];

  test("probabilities add up to 1, and a slot that is not there has none", async () => {
    const { choose, seen } = recordProbabilities(1);
    await model.generate(prefixes, { ...OPTIONS, group: 2, length: 3, choose });
    for (const [question, { slots }] of prefixes.entries()) {
      const [first] = seen(question, 0);
      expect(first!.reduce((sum, probability) => sum + probability, 0)).toBeCloseTo(1, 5);
      expect(first!.slice(TINY.vocabulary + slots.length).every((probability) => probability === 0)).toBe(
        true,
      );
      expect(first!.slice(0, TINY.vocabulary + slots.length).every((probability) => probability > 0)).toBe(
        true,
      );
    }
  });

  test("a rollout ends with the end token or at its length, with one logarithm a token", async () => {
    const ends = [2, 4, 9];
    const written = await model.generate(prefixes, {
      ...OPTIONS,
      group: 1,
      length: 6,
      choose: (_, question, __, tokens) => (tokens.length === ends[question] ? END : 5),
    });
    expect(written.map(([rollout]) => rollout!.tokens)).toEqual([
      [5, 5, END],
      [5, 5, 5, 5, END],
      [5, 5, 5, 5, 5, 5],
    ]);
    for (const [rollout] of written) expect(rollout!.logps.length).toBe(rollout!.tokens.length);
  });

  test("a prefix may say what its rollouts begin after", async () => {
    const [prefix] = prefixes as [Prefix];
    const own = await probabilitiesOf(model, { ...prefix, start: 7 }, [5]);
    expect(own).not.toEqual(await probabilitiesOf(model, prefix, [5]));
    expect(await probabilitiesOf(model, { ...prefix, start: START }, [5])).toEqual(
      await probabilitiesOf(model, prefix, [5]),
    );
  });

  test("an aborted writing stops between two tokens", async () => {
    const abort = new AbortController();
    const choose = () => {
      abort.abort();
      return 5;
    };
    const [[rollout]] = (await model.generate(prefixes.slice(0, 1), {
      ...{ ...OPTIONS, group: 1, length: 6, choose, signal: abort.signal },
    })) as [[Completion]];
    expect(rollout.tokens).toEqual([5]);
  });

  test("rollouts that share their prefix are what they would be one by one", async () => {
    const shared = recordProbabilities(7);
    const together = await model.generate(prefixes, {
      ...OPTIONS,
      group: 2,
      length: 8,
      choose: shared.choose,
    });
    for (const [question, prefix] of prefixes.entries()) {
      for (const [rollout, { tokens }] of together[question]!.entries())
        expectClose(
          await probabilitiesOf(model, prefix, tokens),
          cut(shared.seen(question, rollout), prefix),
          1e-5,
        );
    }
  });

  test.each([
    ["more text", { among: [randomPrefix(createRandom(1), { tokens: 70, slots: 3 })] }],
    ["more slots", { among: [randomPrefix(createRandom(2), { tokens: 5, slots: 11 })] }],
    ["more questions", { among: prefixes.slice(1) }],
    ["a longer length", { length: 20 }],
  ])("padding for %s changes nothing", async (_, padding) => {
    const alone = await probabilitiesOf(model, prefixes[0]!, pointing);
    expectClose(await probabilitiesOf(model, prefixes[0]!, pointing, padding), alone, 1e-5);
  });

  test("the order of slots permutes the pointers and nothing else", async () => {
    const prefix = prefixes[1]!;
    const order = [3, 0, 4, 1, 2];
    const permuted = { ...prefix, slots: order.map((from) => prefix.slots[from]!) };
    const tokens = pointing.map((token) =>
      token < TINY.vocabulary ? token : TINY.vocabulary + order.indexOf(token - TINY.vocabulary),
    );
    const before = await probabilitiesOf(model, prefix, pointing);
    const after = await probabilitiesOf(model, permuted, tokens);
    const expected = before.map((row) => [
      ...row.slice(0, TINY.vocabulary),
      ...order.map((from) => row[TINY.vocabulary + from]!),
    ]);
    expectClose(after, expected, 1e-5);
    expect(Math.max(...before[0]!.slice(TINY.vocabulary))).toBeGreaterThan(
      1.05 * Math.min(...before[0]!.slice(TINY.vocabulary)),
    );
  });

  test("what is read and what was chosen before both matter", async () => {
    const [first, second] = await Promise.all([
      probabilitiesOf(model, prefixes[0]!, [TINY.vocabulary, 5]),
      probabilitiesOf(model, prefixes[0]!, [TINY.vocabulary + 1, 5]),
    ]);
    expect(first[0]).toEqual(second[0]);
    expect(first[1]).not.toEqual(second[1]);
    const other = { ...prefixes[0]!, tokens: prefixes[0]!.tokens.toReversed() };
    expect(await probabilitiesOf(model, other, [5])).not.toEqual([first[0]]);
  });

  test("a second run, and a second model of the same seed, give bitwise the same", async () => {
    const generate = async (by: Model) => {
      const { choose } = recordProbabilities(3);
      return by.generate(prefixes, { ...OPTIONS, group: 2, length: 8, choose });
    };
    const twin = createTinyModel(engine);
    const other = createTinyModel(engine, 2);
    const first = await generate(model);
    expect(await generate(model)).toEqual(first);
    expect(await generate(twin)).toEqual(first);
    expect(await generate(other)).not.toEqual(first);
    await Promise.all([twin.close(), other.close()]);
  });

  test("training sees the probabilities that tokens were written with", async () => {
    const { choose } = recordProbabilities(11);
    const written = await model.generate(prefixes, { ...OPTIONS, group: 2, length: 5, choose });
    for (const [question, prefix] of prefixes.entries()) {
      const rollouts = written[question]!;
      for (const [rollout, { tokens, logps }] of rollouts.entries()) {
        for (const [at, logp] of logps.entries()) {
          // Only this token counts, so the loss is its logarithm.
          const examples = rollouts.map((each, i) => ({
            tokens: each.tokens,
            weights: each.tokens.map((_, t) => (i === rollout && t === at ? 1 : 0)),
          }));
          const { loss } = await model.computeGradients([{ prefix, examples }], {
            objective: { kind: "likelihood", clip: 0 },
            ...{ start: START, group: 2, textWeight: 0, microBatch: 1 },
          });
          expect(Math.abs(loss + logp), `token ${at} (${tokens[at]}) of ${question}`).toBeLessThan(1e-4);
        }
      }
    }
  });

  test("negative log-likelihood is the mean loss over the text, and the same in company", async () => {
    const rows = prefixes
      .slice(0, 2)
      .map((prefix) => ({ prefix, examples: [{ tokens: [END], weights: [0] }] }));
    const values = await model.negativeLogLikelihood(prefixes);
    for (const [i, row] of rows.entries()) {
      const { loss } = await model.computeGradients([row], {
        objective: { kind: "likelihood", clip: 0 },
        ...{ start: START, group: 1, textWeight: 1, microBatch: 1 },
      });
      expect(values[i]).toBeCloseTo(loss / (row.prefix.tokens.length - 1), 4);
    }
    // A single token has nothing before it that it could be likely after.
    expect(values[2]).toBeCloseTo(0, 10);
  });
});
