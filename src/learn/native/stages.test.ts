import { describe, expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { type Choices, createChoices } from "../../conductor/native/choice.ts";
import type { WrittenStep } from "../../conductor/native/language.ts";
import { toWording } from "../../conductor/native/reading.ts";
import {
  add,
  createGivenPolicy,
  createSmallWorld,
  createStageContext,
  type GivenPlan,
  toMember,
  toSum,
} from "../../testing/learn/small-world.ts";
import { createTinyLanguage, say } from "../../testing/learn/tiny-language.ts";
import { parseWorkflow } from "../../workflow/parse.ts";
import type { World } from "../../world/types.ts";
import { grpo } from "../grpo.ts";
import { toOutcomeMetrics } from "../metrics.ts";
import { performAsked } from "../perform.ts";
import { compareSizes } from "./compare-sizes.ts";
import type { StageName } from "./schedule.ts";
import type { StageContext, TrainingStage } from "./stage.ts";
import { type LearningPolicy, toPrompt } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

const language = createTinyLanguage();
const [GOOD, BAD, DOWN] = [0, 1, 2];
const ask = (worker: number): WrittenStep[] => [{ worker, saying: say(language), access: [] }];

/** One question with the same pool always, so that plans can be given. */
function createFixedWorld(parts: Partial<World> = {}): World {
  const members = [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    toMember("down", () => new TuttiError("overloaded", "Down", { retryable: true }), 0.5),
  ];
  return createSmallWorld({ sample: (seed) => ({ task: toSum(seed % 500), pool: { members } }), ...parts });
}

interface Parts extends Partial<Pick<StageContext, "world" | "seed" | "signal">> {
  iteration?: number;
  choices?: Choices;
  /** Instead of the plans that are given. */
  write?: (prefixes: readonly { start?: number }[]) => Promise<unknown>;
}

const STAGES: Partial<Record<StageName, TrainingStage>> = {
  ...{ "warm-up": warmUp, sizes: compareSizes },
};

/** One iteration. Undefined where it was cut off. */
async function iterate(
  name: StageName,
  plans: GivenPlan[][],
  { choices = {}, write, iteration = 3, ...parts }: Parts = {},
) {
  const given = createGivenPolicy(language, ...plans);
  const model = write
    ? ({ ...given.model, generate: write } as unknown as LearningPolicy["model"])
    : given.model;
  const policy = { ...given, model, choices };
  const context = createStageContext(policy, { world: createFixedWorld(), ...parts });
  const plan = { ...context.plan, stage: name, iteration };
  const stage = STAGES[name] ?? grpo;
  const result = await performAsked(stage({ ...context, plan }), context.world, context.signal);
  return { ...result!, result, policy };
}

describe("warm-up", () => {
  test("teaches valid workflows for the pool of their question", async () => {
    const world = createSmallWorld();
    const { policy, groups } = await iterate("warm-up", [[[]]], { world });
    const [{ rows, options }] = policy.examples as [(typeof policy.examples)[number]];
    expect(groups).toEqual([]);
    expect(options.objective.kind).toBe("likelihood");
    const examples = rows.flatMap((row) => row.examples);
    expect(examples.length).toBeGreaterThan(8);
    const { reading, question } = toPrompt(policy, world.sample(1));
    for (const [i, { tokens }] of examples.entries()) {
      // A question's pool is two models and a vote, and those who read of an earlier round may accept. All have parts.
      const text = language.toText(tokens, toWording(reading, question.pool));
      const parsed = parseWorkflow(text, { workers: 3, allowEmpty: true });
      expect(parsed.ok, `example ${i}: ${text}`).toBe(true);
    }
    const weights = examples.flatMap((example) => [...(example.weights as Float32Array)]);
    expect(weights.every((weight) => weight > 0)).toBe(true);
  });

  test("is the same for the same seed and iteration, and another for others", async () => {
    const tokensOf = async (parts: { seed?: number; iteration?: number }) => {
      const { policy } = await iterate("warm-up", [[[]]], parts);
      return policy.examples[0]!.rows.map(({ examples }) => examples.map(({ tokens }) => tokens));
    };
    expect(await tokensOf({})).toEqual(await tokensOf({}));
    expect(await tokensOf({ seed: 2 })).not.toEqual(await tokensOf({}));
    expect(await tokensOf({ iteration: 4 })).not.toEqual(await tokensOf({}));
  });
});

describe("reinforcement", () => {
  test("learns from groups in which somebody did better", async () => {
    const { policy, groups } = await iterate("selection", [[ask(GOOD), ask(BAD), ask(BAD), ask(BAD)]]);
    const { rows, options } = policy.examples.find(
      ({ options: { objective } }) => objective.kind === "policy",
    )!;
    expect(options.objective).toMatchObject({ kind: "policy", clip: 0.2 });
    expect(groups.length).toBe(2);
    // An eighth of what a plan earned more than its group: the weight of its first token, who is asked.
    const weights = rows.map(({ examples }) =>
      examples.map(({ weights, advantage = 1 }) => 8 * advantage * weights[0]!),
    );
    for (const group of weights) {
      expect(group[0]).toBeCloseTo(0.375, 6);
      for (const weight of group.slice(1)) expect(weight).toBeCloseTo(-0.125, 6);
    }
  });

  test("learns nothing from flat groups, nor where all were lost to an outage", async () => {
    for (const plan of [ask(BAD), ask(GOOD), ask(DOWN), "babble" as const]) {
      const { policy, loss } = await iterate("selection", [[plan]]);
      // Nothing is computed, so no step is made.
      expect(policy.examples).toEqual([]);
      expect(loss).toBe(0);
    }
  });

  test("only the stage of rounds goes on to a second round", async () => {
    const first = [ask(GOOD), ask(BAD), ask(BAD), ask(BAD)];
    expect((await iterate("teams", [first, [ask(GOOD)]])).policy.writes).toEqual([2]);
    const { policy, groups } = await iterate("rounds", [first, [ask(GOOD), [], ask(BAD), "babble"]]);
    // Of every other question one right and one wrong first round.
    expect(policy.writes).toEqual([2, 2]);
    expect(groups.length).toBe(4);
  });
});

describe("the choice of a size", () => {
  const wrongThenRight = [...ask(BAD), ...ask(GOOD)];
  /** Alone it asks whoever is wrong. */
  const writeBySize = async (prefixes: readonly { start?: number }[]) =>
    prefixes.map(({ start }) => {
      const tokens = language.toTokens(start === language.size(1) ? ask(BAD) : wrongThenRight);
      return [{ tokens, logps: tokens.map(() => -1), entropies: tokens.map(() => 0) }];
    });
  const createBoth = () => createChoices({ first: [1, 2], later: [0, 2] }, language.vocabulary);

  test("follows what the likeliest plan of each size earns, and the model learns nothing", async () => {
    const choices = createBoth();
    const { policy } = await iterate("sizes", [[[]]], { choices, write: writeBySize });
    expect(policy.examples).toEqual([]);
    const question = createFixedWorld().sample(99);
    const [open, wrong, right] = [undefined, "Answer: 0", "Answer: 14"].map((reply) => {
      const steps = reply === undefined ? [] : [{ worker: BAD, subtask: "Answer it", access: [] }];
      const rounds = reply === undefined ? [] : [{ workflow: { steps }, replies: steps.map(() => reply) }];
      return toPrompt(policy, question, { rounds }).reading;
    });
    // A call costs less than what two are better than one by; then more.
    expect(choices.first!.choose(open!, { cost: 0.1 })).toBe(2);
    expect(choices.first!.choose(open!, { cost: 0.6 })).toBe(1);
    // Of one reply it cannot know whether it is right: what is mended on average decides.
    for (const reading of [wrong!, right!]) expect(choices.later!.choose(reading, { cost: 0 })).toBe(2);
    expect(choices.later!.choose(wrong!, { cost: 0.6 })).toBe(0);
  });

  test("what was cut off is not learned from", async () => {
    const choices = createBoth();
    const signal = AbortSignal.abort();
    const { result, policy } = await iterate("sizes", [[[]]], { choices, write: writeBySize, signal });
    expect(result).toBeUndefined();
    const { reading } = toPrompt(policy, createFixedWorld().sample(99));
    expect(choices.first!.predict(reading)).toEqual([0, 0]);
  });

  test("first rounds of a settled size are followed by second ones to choose", async () => {
    const choices = createChoices({ later: [0, 2] }, language.vocabulary);
    const { groups } = await iterate("sizes", [[[]]], { choices, write: writeBySize });
    // Every other one is followed, with the two choices of each.
    const [first, second] = [1, 2].map((sizes) => groups.filter(({ rewards }) => rewards.length === sizes));
    expect(second!.length).toBe(first!.length / 2);
  });
});

test("metrics: means over rollouts that were not lost, shares of calls, and how many were", async () => {
  const { groups } = await iterate("selection", [[ask(GOOD), ask(BAD), "babble", ask(DOWN)]]);
  const metrics = toOutcomeMetrics(groups.flatMap(({ outcomes }) => outcomes));
  expect(metrics).toMatchObject({ outages: 2, routingEntropy: 1, asked: { good: 0.5, bad: 0.5 } });
  expect(metrics.reward).toBeCloseTo(0.5, 9);
  expect(metrics.accuracy).toBeCloseTo(1 / 3, 9);
  expect(metrics.validShare).toBeCloseTo(2 / 3, 9);
  expect(metrics.accuracyIfValid).toBe(0.5);
  expect(metrics.steps).toBe(1);
  expect(metrics.calls).toBeCloseTo(2 / 3, 9);
  expect(toOutcomeMetrics([])).toMatchObject({ reward: 0, accuracy: 0, asked: undefined });
});
