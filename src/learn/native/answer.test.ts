import { describe, expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
import { createMemoryStore } from "../../store/memory.ts";
import {
  add,
  createGivenPolicy,
  createSmallWorld,
  type GivenPlan,
  toMember,
  toSum,
} from "../../testing/learn/small-world.ts";
import { createTinyLanguage, say } from "../../testing/learn/tiny-language.ts";
import type { Question } from "../../world/types.ts";
import { toValidationMetrics } from "../metrics.ts";
import { takeSamples } from "../samples.ts";
import { answerAll } from "./answer.ts";

const language = createTinyLanguage();
const { signal } = new AbortController();
const world = createSmallWorld();
const [GOOD, BAD, DOWN] = [0, 1, 2];
const members = [
  toMember("good", add, 0.9),
  toMember("bad", "Answer: 0", 0.2),
  toMember("down", () => new TuttiError("overloaded", "Down", { retryable: true }), 0.5),
];
const questions: Question[] = [1, 2].map((number) => ({ task: toSum(number), pool: { members } }));
const ask = (worker: number): GivenPlan => [{ worker, saying: say(language), access: [] }];

function answer(rounds: number, ...calls: GivenPlan[][]) {
  const policy = createGivenPolicy(language, ...calls);
  return { policy, outcomes: answerAll(questions, { policy, world, rounds, cost: 0, seed: 1, signal }) };
}

describe("answering", () => {
  test("one round: each question with its own plan", async () => {
    const { policy, outcomes } = answer(1, [ask(GOOD)]);
    expect((await outcomes).map(({ isRight, reward }) => [isRight, reward])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    expect(policy.writes).toEqual([2]);
  });

  test("later rounds correct what was wrong", async () => {
    const { policy, outcomes } = answer(3, [ask(BAD)], [ask(BAD)], [ask(GOOD)]);
    const [first] = await outcomes;
    expect(first).toMatchObject({ isRight: true, calls: 3 });
    expect(first!.texts.length).toBe(3);
    expect(policy.writes).toEqual([2, 2, 2]);
  });

  test("whoever accepts is done: nothing that would follow can change it", async () => {
    const { policy, outcomes } = answer(3, [ask(GOOD)], [[]], ["babble"]);
    expect(await outcomes).toMatchObject([
      { isValid: true, reward: 1 },
      { isValid: true, reward: 1 },
    ]);
    expect(policy.writes).toEqual([2, 2]);
  });

  test("what is no workflow ends it, with nothing", async () => {
    const { policy, outcomes } = answer(3, [ask(GOOD)], ["babble"], [ask(GOOD)]);
    expect(await outcomes).toMatchObject([
      { isValid: false, reward: 0 },
      { isValid: false, reward: 0 },
    ]);
    expect(policy.writes).toEqual([2, 2]);
  });
});

test("metrics are means over what was not lost to an outage", async () => {
  const all = [];
  for (const plan of [ask(GOOD), ask(BAD), "babble" as const, ask(DOWN)])
    all.push((await answer(1, [plan]).outcomes)[0]!);
  const metrics = toValidationMetrics(all, 0.1);
  expect(metrics).toMatchObject({ tasks: 3, validShare: 2 / 3, calls: 2 / 3, routingEntropy: 1 });
  expect(metrics.accuracy).toBeCloseTo(1 / 3, 9);
  expect(metrics.reward).toBeCloseTo((0.9 + 0.4 + 0) / 3, 9);
  expect(metrics.low).toBeLessThanOrEqual(metrics.accuracy);
  expect(metrics.high).toBeGreaterThanOrEqual(metrics.accuracy);
  expect(toValidationMetrics([all[3]!], 0.1)).toMatchObject({ tasks: 0, reward: 0 });
});

describe("samples", () => {
  const evaluated = createSmallWorld({ validation: questions });
  const options = { stage: "teams" as const, iteration: 24, seed: 1, folder: "/somewhere/made-up", signal };

  test("are of the first questions, and each is a run in the journal that can be looked at", async () => {
    const outcomes = await answer(2, [ask(BAD)], [ask(GOOD)]).outcomes;
    const journal = createMemoryStore();
    const samples = await takeSamples(outcomes, evaluated, { ...options, journal });
    expect(samples).toMatchObject([
      { task: "sum/1", iteration: 24, score: 1, calls: 2, runId: "t_made-up_24_0", answer: "Answer: 2" },
      { task: "sum/2", runId: "t_made-up_24_1" },
    ]);
    expect(samples[0]!.texts.length).toBe(2);
    const events = await journal.loadRun("t_made-up_24_0");
    expect(events.at(-1)).toMatchObject({ type: "run-end", answer: "Answer: 2" });
    // A resumed training evaluates again: the run is there once, not twice.
    await takeSamples(outcomes, evaluated, { ...options, journal });
    const again = await journal.loadRun("t_made-up_24_0");
    expect(again.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
  });

  test("without a journal, or without a workflow, there is no run", async () => {
    const outcomes = await answer(1, ["babble"]).outcomes;
    const journal = createMemoryStore();
    const [sample] = await takeSamples(outcomes, evaluated, { ...options, journal });
    expect(sample).toMatchObject({ runId: "", score: 0 });
    expect(await journal.listRuns()).toEqual([]);
    expect((await takeSamples(await answer(1, [ask(GOOD)]).outcomes, evaluated, options))[0]!.runId).toBe("");
  });
});
