import { describe, expect, test } from "vitest";
import { Choice } from "../../conductor/native/choice.ts";
import { PLAN_TOKENS } from "../../conductor/native/opened.ts";
import { FEATURES } from "../../conductor/native/reading.ts";
import { ForwardModel } from "../../nn/forward/model.ts";
import { createWeights } from "../../nn/transformer.ts";
import { createSmallWorld } from "../../testing/learn/small-world.ts";
import { createTinyLanguage } from "../../testing/learn/tiny-language.ts";
import { createSelfWorker } from "../../worker/self.ts";
import { measureNll } from "./learner.ts";
import { type Plan, type Policy, settleSize, toPrompt, writePlans } from "./stage.ts";

const language = createTinyLanguage();
const { vocabulary } = language;
const shape = { vocabulary, width: 8, layers: 1, heads: 1, hidden: 16, features: FEATURES };
const world = createSmallWorld();
const model = new ForwardModel(shape, createWeights(shape, 1));
const policy: Policy = { language, choices: {}, model };

const prompts = () => [1, 2].map((seed) => toPrompt(policy, world.sample(seed)));

describe("plans", () => {
  test("sampled are the same for a seed and differ within a group and between seeds", async () => {
    const write = (seed: number) => writePlans(policy, prompts(), { group: 3, seed });
    const first = await write(1);
    expect(first.map((group) => group.length)).toEqual([3, 3]);
    expect(await write(1)).toEqual(first);
    expect(await write(2)).not.toEqual(first);
    expect(new Set(first[0]!.map(({ text }) => text)).size).toBeGreaterThan(1);
    for (const { tokens } of first.flat()) expect(tokens.length).toBeLessThanOrEqual(PLAN_TOKENS);
  });

  test("a rollout has its own seed: it does not depend on how many others there are", async () => {
    const [alone] = await writePlans(policy, prompts().slice(0, 1), { group: 1, seed: 5 });
    const [among] = await writePlans(policy, prompts(), { group: 3, seed: 5 });
    expect(among![0]!.tokens).toEqual(alone![0]!.tokens);
  });

  test("greedy ones are all alike", async () => {
    const [group] = await writePlans(policy, prompts(), { group: 2 });
    expect(group![0]!.tokens).toEqual(group![1]!.tokens);
  });

  test("name workers by their number in the pool, also where `self` stands between", async () => {
    const question = world.sample(1);
    const pool = { members: [{ worker: createSelfWorker() }, ...question.pool.members] };
    const prompt = toPrompt(policy, { ...question, pool });
    expect(prompt.reading.workers).toEqual([1, 2, 3]);
    const given = {
      ...policy,
      model: {
        generate: async () => [
          [{ tokens: [vocabulary + 2, language.next, vocabulary + 7], logps: [], entropies: [] }],
        ],
      },
    } as unknown as Policy;
    const [[plan]] = (await writePlans(given, [prompt], { group: 1 })) as [[Plan]];
    // The second one points at nobody: a number outside of the pool, which the parser refuses.
    const [, first, second] = /\[(\d+), (\d+)/.exec(plan.text)!;
    expect(Number(first)).toBe(3);
    expect(Number(second)).toBeGreaterThanOrEqual(pool.members.length);
  });
});

describe("the size of a team", () => {
  const choosing = () => {
    const choices = {
      first: new Choice("first", [1, 2, 3], vocabulary),
      later: new Choice("later", [0, 1], vocabulary),
    };
    choices.first.learn(
      prompts().map(({ reading }) => ({ reading, rewards: [0, 0, 1], calls: [1, 2, 3], tries: 1 })),
    );
    return { ...policy, choices };
  };
  const rounds = [{ workflow: { steps: [{ worker: 0, subtask: "x", access: [] }] }, replies: ["1"] }];

  test("is chosen where none is given, and follows what a call costs", () => {
    const [open] = prompts();
    const settled = settleSize(choosing(), open!, 0);
    expect(settled.size).toBe(3);
    expect(settled.reading.prefix.start).toBe(language.size(3));
    expect(settleSize(choosing(), open!, 1).size).toBe(1);
    expect(settleSize(policy, open!, 0)).toBe(open);
    const given = toPrompt(policy, world.sample(1), { size: 2 });
    expect(settleSize(choosing(), given, 0)).toBe(given);
  });

  test("is 0 where what the team has answered is taken", () => {
    const later = toPrompt(policy, world.sample(1), { rounds });
    expect(settleSize(choosing(), later, 0)).toMatchObject({ size: 0, rounds });
    const { choices } = choosing();
    choices.later.learn([{ reading: later.reading, rewards: [0, 1], calls: [0, 1], tries: 1 }]);
    const settled = settleSize({ ...policy, choices }, later, 0);
    expect(settled).toMatchObject({ size: 1, rounds });
    expect(settled.reading.prefix.start).toBe(language.size(1));
  });
});

test("a prompt holds the size and the rounds that were read", () => {
  const rounds = [{ workflow: { steps: [{ worker: 0, subtask: "x", access: [] }] }, replies: ["Answer: 1"] }];
  const prompt = toPrompt(policy, world.sample(1), { size: 2, rounds });
  expect(prompt.reading.prefix.start).toBe(language.size(2));
  expect(prompt.reading.prefix.tokens.slice(-2)).toEqual(language.round([0]));
  expect(prompt).toMatchObject({ size: 2, rounds });
  expect(toPrompt(policy, world.sample(1)).size).toBeUndefined();
});

test("negative log-likelihood: a threshold that nearly all of its own questions pass, above the median", async () => {
  const { threshold, median, share } = await measureNll(policy, world.validation);
  const each = await policy.model.negativeLogLikelihood(
    world.validation.map((question) => toPrompt(policy, question).reading.prefix),
  );
  expect(each.every((nll) => nll <= threshold + 1e-6)).toBe(true);
  expect(median).toBeLessThanOrEqual(threshold);
  expect(median).toBeGreaterThan(0);
  expect(share).toBeGreaterThan(0.9);
});
