// Learning: gradients of the whole model against finite differences for both objectives, what may not change
// them (micro-batches, padding), and that they teach: a likelihood rises, and reward alone finds the best slot.

import { afterAll, describe, expect, test } from "vitest";
import { createRandom } from "../base/random.ts";
import { openTestEngine } from "../testing/learn/engines.ts";
import { createTinyModel, END, randomPrefix, START, TINY } from "../testing/learn/tiny-model.ts";
import type { LossOptions, TrainingExample } from "./model.ts";
import { AdamW } from "./optimiser.ts";
import type { Completion } from "./text-model.ts";
import type { Weights } from "./types.ts";

const { name, engine } = await openTestEngine();
const SLOT = TINY.vocabulary;
const LIKELIHOOD: LossOptions = {
  objective: { kind: "likelihood", clip: 0 },
  ...{ start: START, group: 2, textWeight: 0.05, microBatch: 2 },
};
const POLICY: LossOptions = { ...LIKELIHOOD, objective: { kind: "policy", clip: 0.2 } };

interface Row {
  prefix: ReturnType<typeof randomPrefix>;
  examples: TrainingExample[];
}

/** Two questions with two rollouts each; text and pointers, one slot twice. */
function toRows(): Row[] {
  const random = createRandom("rows");
  const texts = [[SLOT, 4, SLOT + 2, SLOT, END], [SLOT + 1, 7, 7, END], [5, SLOT + 3, END], [END]];
  const examples = texts.map(
    (tokens, i): TrainingExample => ({
      tokens,
      weights: tokens.map(() => 0.2 + 0.1 * random.next()),
      exploration: tokens.map((_, t) => (t % 2 === 0 ? 0.05 : 0)),
      advantage: [0.5, -0.5, 0.25, -0.25][i]!,
    }),
  );
  return [
    { prefix: randomPrefix(random, { tokens: 6, slots: 3 }), examples: examples.slice(0, 2) },
    { prefix: randomPrefix(random, { tokens: 9, slots: 4 }), examples: examples.slice(2) },
  ];
}

function expectClose(a: Weights, b: Weights, within: number): void {
  expect([...a.keys()]).toEqual([...b.keys()]);
  for (const [name, { data }] of a) {
    const other = b.get(name)!.data;
    for (const [i, value] of data.entries())
      expect(Math.abs(value - other[i]!), `${name} at ${i}`).toBeLessThan(within);
  }
}

describe.skipIf(!engine)(`gradients on ${name}`, () => {
  const model = createTinyModel(engine!);
  afterAll(() => model.close());

  /** The logarithm that each token has now, moved by as much as is wanted. */
  async function withLogps(rows: readonly Row[], moves: readonly number[]): Promise<Row[]> {
    let number = 0;
    return Promise.all(
      rows.map(async ({ prefix, examples }) => ({
        prefix,
        examples: await Promise.all(
          examples.map(async (example) => {
            const move = moves[number++]!;
            const [[written]] = (await model.generate([prefix], {
              ...{ start: START, end: -1, group: 1, length: example.tokens.length },
              choose: (_, __, ___, before) => example.tokens[before.length]!,
            })) as [[Completion]];
            return { ...example, logps: written.logps.map((logp) => logp - move) };
          }),
        ),
      })),
    );
  }

  /** A few entries of every weight, moved up and down. */
  async function checkAgainstDifferences(rows: Row[], options: LossOptions): Promise<void> {
    const { gradients } = await model.computeGradients(rows, options);
    const random = createRandom("entries");
    const step = 1 / 256;
    for (const [name, { data }] of model.weights) {
      const slopes = gradients.get(name)!.data;
      // The steepest one, so that something is tested, and two at random.
      const steepest = slopes.reduce(
        (best, slope, i) => (Math.abs(slope) > Math.abs(slopes[best]!) ? i : best),
        0,
      );
      for (const entry of [
        steepest,
        random.integer(0, data.length - 1),
        random.integer(0, data.length - 1),
      ]) {
        const before = data[entry]!;
        const lossAt = async (value: number) => {
          data[entry] = value;
          return (await model.computeGradients(rows, options)).loss;
        };
        const estimate = ((await lossAt(before + step)) - (await lossAt(before - step))) / (2 * step);
        data[entry] = before;
        const slope = slopes[entry]!;
        expect(Math.abs(slope - estimate), `${name} at ${entry}: ${slope}, ${estimate}`).toBeLessThan(
          1e-3 + 0.02 * Math.abs(slope),
        );
      }
      expect(Math.abs(slopes[steepest]!), name).toBeGreaterThan(2e-3);
    }
  }

  test("of the likelihood are those of finite differences", () =>
    checkAgainstDifferences(toRows(), LIKELIHOOD));

  // The loss jumps where a clip begins to hold: the entries are moved far from there.
  test("of the policy, no clip active", async () => {
    const objective = { kind: "policy", clip: 100 } as const;
    await checkAgainstDifferences(await withLogps(toRows(), [0.5, -0.5, 0, 0.2]), { ...POLICY, objective });
  });

  // Likelier than when it was sampled is +: the first is too high, the second too low, the others are free,
  // because the clip does not hold back what goes the other way.
  const CLIPPED = [0.5, -0.5, -0.5, 0.5];
  test("of the policy, with the clip active for some", async () =>
    checkAgainstDifferences(await withLogps(toRows(), CLIPPED), POLICY));

  test("a clipped rollout teaches nothing, a free one does", async () => {
    const rows = (await withLogps(toRows(), CLIPPED)).map((row) => ({
      ...row,
      examples: row.examples.map(({ exploration: _, ...example }) => example),
    }));
    const options = { ...POLICY, textWeight: 0 };
    const normOf = async (part: Row[]) => {
      const { gradients } = await model.computeGradients(part, options);
      return Math.max(...[...gradients.values()].flatMap(({ data }) => [...data].map(Math.abs)));
    };
    expect(await normOf([rows[0]!])).toBe(0);
    expect(await normOf([rows[1]!])).toBeGreaterThan(1e-3);
  });

  test.each([LIKELIHOOD, POLICY])("in parts they add up to the same: $objective.kind", async (options) => {
    const rows = await withLogps([...toRows(), ...toRows().reverse()], [0.1, 0, 0.5, -0.1, 0, 0, 0, 0]);
    const whole = await model.computeGradients(rows, { ...options, microBatch: 4 });
    for (const microBatch of [1, 2]) {
      const parts = await model.computeGradients(rows, { ...options, microBatch });
      expect(Math.abs(parts.loss - whole.loss)).toBeLessThan(1e-5);
      expect(parts.entropy).toBeCloseTo(whole.entropy, 5);
      expectClose(parts.gradients, whole.gradients, 1e-5);
    }
  });

  test("padding changes nothing: more rollouts a question, more text, more slots, a longer length", async () => {
    const rows = toRows();
    const alone = await model.computeGradients(rows, LIKELIHOOD);
    const more = await model.computeGradients(rows, { ...LIKELIHOOD, group: 4 });
    expectClose(more.gradients, alone.gradients, 1e-5);
    // A example that weighs nothing only makes room.
    const random = createRandom("company");
    const prefix = randomPrefix(random, { tokens: 70, slots: 9 });
    const idle = {
      prefix,
      examples: [{ tokens: new Array<number>(20).fill(4), weights: new Float32Array(20) }],
    };
    const without = { ...LIKELIHOOD, textWeight: 0 };
    const company = await model.computeGradients([...rows, idle], without);
    expectClose(company.gradients, (await model.computeGradients(rows, without)).gradients, 1e-5);
  });

  test("bitwise the same on a second run, and for a twin", async () => {
    const twin = createTinyModel(engine!);
    const rows = await withLogps(toRows(), [0.1, 0, 0, 0]);
    const first = await model.computeGradients(rows, POLICY);
    expect(await model.computeGradients(rows, POLICY)).toEqual(first);
    expect(await twin.computeGradients(rows, POLICY)).toEqual(first);
    await twin.close();
  });

  test("an advantage of 0 and no exploration teach nothing", async () => {
    const rows = await withLogps(toRows(), [0, 0, 0, 0]);
    const idle = rows.map(({ prefix, examples }) => ({
      prefix,
      examples: examples.map(({ tokens, weights, logps }) => ({
        tokens,
        weights,
        logps: logps!,
        advantage: 0,
      })),
    }));
    const { gradients } = await model.computeGradients(idle, { ...POLICY, textWeight: 0 });
    for (const { data } of gradients.values()) expect(data.every((slope) => slope === 0)).toBe(true);
  });
});

describe.skipIf(!engine)(`learning on ${name}`, () => {
  test("thirty steps make what was written likelier", async () => {
    const model = createTinyModel(engine!);
    const optimiser = new AdamW(model.weights);
    const rows = toRows().map(({ prefix, examples }) => ({
      prefix,
      examples: examples.map(({ tokens, weights }) => ({ tokens, weights })),
    }));
    const losses: number[] = [];
    for (let step = 0; step < 31; step++) {
      const { gradients, loss } = await model.computeGradients(rows, { ...LIKELIHOOD, textWeight: 0 });
      losses.push(loss);
      optimiser.step(gradients, { learningRate: 0.02, maxNorm: 1 });
    }
    expect(losses.at(-1)).toBeLessThan(0.5 * losses[0]!);
    await model.close();
  });

  test("thirty steps of the policy lower its loss", async () => {
    const model = createTinyModel(engine!);
    const optimiser = new AdamW(model.weights);
    const rows = toRows().map(({ prefix, examples }) => ({
      prefix,
      examples: examples.map(({ tokens, weights, advantage }) => ({
        ...{ tokens, weights, advantage: advantage! },
        // Sampled when they were rarer or likelier than a clip would allow: so the whole way counts.
        logps: tokens.map(() => -2),
      })),
    }));
    const options: LossOptions = { ...POLICY, objective: { kind: "policy", clip: 100 }, textWeight: 0 };
    const losses: number[] = [];
    for (let step = 0; step < 31; step++) {
      const { gradients, loss } = await model.computeGradients(rows, options);
      losses.push(loss);
      optimiser.step(gradients, { learningRate: 0.01, maxNorm: 1 });
    }
    expect(losses.at(-1)).toBeLessThan(losses[0]! - 0.2);
    await model.close();
  });

  test("reward alone finds the slot whose first feature is highest", async () => {
    const [model, random, group] = [createTinyModel(engine!), createRandom("game"), 8];
    const optimiser = new AdamW(model.weights);
    const sample = () => randomPrefix(random, { tokens: 2, slots: 4 });
    const isRight = (prefix: ReturnType<typeof sample>, token: number) =>
      prefix.slots.every((slot) => slot[0]! <= (prefix.slots[token - SLOT]?.[0] ?? Number.NEGATIVE_INFINITY));
    const game = { start: START, end: END, length: 1 };
    const held = Array.from({ length: 64 }, sample);
    const accuracy = async () => {
      const choose = (probabilities: Float32Array) => probabilities.indexOf(Math.max(...probabilities));
      const written = await model.generate(held, { ...game, group: 1, choose });
      return held.filter((prefix, q) => isRight(prefix, written[q]![0]!.tokens[0]!)).length / held.length;
    };
    const before = await accuracy();
    let after = 0;
    for (let update = 1; update < 150 && after < 0.9; update++) {
      const prefixes = Array.from({ length: 8 }, sample);
      const choose = (probabilities: Float32Array) => {
        let rest = random.next();
        return Math.max(
          0,
          probabilities.findIndex((probability) => {
            rest -= probability;
            return rest < 0;
          }),
        );
      };
      const written = await model.generate(prefixes, { ...game, group, choose });
      const rows = prefixes.map((prefix, q) => {
        const rewards = written[q]!.map(({ tokens }) => (isRight(prefix, tokens[0]!) ? 1 : 0));
        const mean = rewards.reduce<number>((sum, reward) => sum + reward, 0) / group;
        const examples = written[q]!.map(({ tokens, logps }, i) => ({
          ...{ tokens, logps, advantage: rewards[i]! - mean },
          weights: [1 / (8 * group)],
          exploration: [0.01 / (8 * group)],
        }));
        return { prefix, examples };
      });
      const { gradients } = await model.computeGradients(rows, {
        ...POLICY,
        group,
        textWeight: 0,
        microBatch: 8,
      });
      optimiser.step(gradients, { learningRate: 0.01, maxNorm: 1 });
      if (update % 20 === 0) after = await accuracy();
    }
    expect(before).toBeLessThan(0.5);
    expect(after).toBeGreaterThanOrEqual(0.9);
    await model.close();
  });
});
