import { describe, expect, test } from "vitest";
import type { WrittenStep } from "../../conductor/native/language.ts";
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
import type { ScriptedWorker } from "../../testing/stage.ts";
import { createConsensusWorker } from "../../worker/consensus.ts";
import type { PoolMember } from "../../worker/types.ts";
import type { World } from "../../world/types.ts";
import { type PlanGroup, rollOut, toExamples } from "../grpo.ts";
import { performAsked } from "../perform.ts";
import { creditSteps } from "./credit.ts";
import { toPrompt } from "./stage.ts";

const language = createTinyLanguage();
const [GOOD, BAD, OTHER, VOTE] = [0, 1, 2, 3];
const step = (worker: number, id = "answer", access: WrittenStep["access"] = []): WrittenStep => ({
  ...{ worker, saying: say(language, id), access },
});

function toMembers(): PoolMember[] {
  return [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    toMember("other", "Answer: 1", 0.2),
    { worker: createConsensusWorker(), price: { inputUsd: 0, outputUsd: 0 } },
  ];
}

async function credit(plans: GivenPlan[], members = toMembers(), parts: Partial<World> = {}) {
  const world = createSmallWorld(parts);
  const policy = createGivenPolicy(language, plans);
  const size = plans.find((plan) => plan !== "babble")?.length;
  const prompts = [toPrompt(policy, { task: toSum(7), pool: { members } }, { size })];
  const context = createStageContext(policy, { world, group: plans.length });
  const roll = async <Groups>(asking: Parameters<typeof performAsked<Groups>>[0]) =>
    (await performAsked(asking, world, context.signal))!;
  const before = await roll<PlanGroup[]>(rollOut(prompts, context));
  const asked = members.map(({ worker }) => (worker as ScriptedWorker).requests?.length ?? 0);
  const [group] = await roll<PlanGroup[]>(creditSteps(before, context));
  return { before: before[0]!, group: group!, context, asked };
}

describe("credit for steps", () => {
  test("goes to the step whose choice matters, and none to those that change nothing", async () => {
    // Only the last one's answer counts.
    const [right, wrong] = [
      [step(OTHER), step(GOOD)],
      [step(OTHER), step(BAD)],
    ];
    const { group, context } = await credit([right, wrong]);
    expect(group.rewards).toEqual([1, 0.5]);
    expect(group.credits).toEqual([
      [0, 0.5],
      [0, -0.5],
    ]);
    // So the first one's tokens move half as far, and the last one's are pulled apart.
    const [first] = toExamples(group, context, 1);
    const { tokens } = group.plans[0]!;
    const stepOf = language.stepsOf(tokens);
    const weightOf = (number: number) => first!.weights[stepOf.indexOf(number)]!;
    expect(weightOf(0)).toBeCloseTo(0.5 * 0.25, 9);
    expect(weightOf(1)).toBeCloseTo(0.5 * 0.25 + 0.5 * 0.5, 9);
  });

  test("goes to what a step is told where that matters", async () => {
    // It is right only when it is told to compare.
    const heeding = toMember(
      "heeding",
      (request) => (request.brief?.subtask.startsWith("Compare") ? add(request) : "Answer: 3"),
      0.5,
    );
    const members = toMembers().slice(1);
    const told = (id: string) => [step(BAD), step(GOOD, id, "all")];
    const { group } = await credit([told("compare"), told("answer")], [heeding, ...members]);
    expect(group.credits).toEqual([
      [0, 0.5],
      [0, -0.5],
    ]);
  });

  test("goes to a planner that was of use to those who saw it", async () => {
    // Who solves is right only with a reply of the good one in sight.
    const follower = toMember(
      "follower",
      (request) => (JSON.stringify(request.brief?.visible).includes("Answer: 8") ? "Answer: 8" : "Answer: 0"),
      0.5,
    );
    const [good, bad, other] = toMembers();
    const plans = [GOOD, BAD].map((planner) => [step(planner), step(OTHER, "answer", "all")]);
    const { group } = await credit(plans, [good!, bad!, follower, other!]);
    expect(group.rewards).toEqual([1, 0.5]);
    expect(group.credits![0]).toEqual([0.5, 0]);
  });

  test("leaves nobody asked twice: who is asked already changes places", async () => {
    const { group } = await credit([
      [step(GOOD), step(BAD)],
      [step(BAD), step(GOOD)],
    ]);
    // Whichever step is replaced, the other way round comes of it: asked twice it would be worth nothing.
    expect(group.credits).toEqual([
      [-0.5, -0.5],
      [0.5, 0.5],
    ]);
  });

  test("is not known where the exchange makes no workflow: that says nothing about the step", async () => {
    const voted = [step(GOOD), step(OTHER), step(VOTE, "answer", "all")];
    const plain = [step(BAD), step(OTHER), step(GOOD, "answer", "all")];
    const { group } = await credit([voted, plain]);
    // The good one would come last and the vote first, with nothing to vote on.
    expect(group.credits![0]![2]).toBeUndefined();
    expect(group.credits![0]![1]).toBe(0);
  });

  test("is not known of one step, of what is no workflow, or without another plan of that size", async () => {
    expect((await credit([[step(GOOD)], [step(BAD)]])).group.credits).toEqual([[], []]);
    const { group } = await credit([[step(BAD), step(GOOD)], "babble", "babble"]);
    expect(group.credits).toEqual([[], [], []]);
  });

  test("is compared under the luck that the plans had", async () => {
    const seeds = new Map<string, Set<unknown>>();
    const members = ["one", "two"].map((id) =>
      toMember(
        id,
        (request) => {
          seeds.set(id, (seeds.get(id) ?? new Set()).add(request.seed));
          return "Answer: 0";
        },
        0.5,
      ),
    );
    const { group, asked } = await credit(
      [
        [step(0), step(1)],
        [step(1), step(0)],
      ],
      members,
    );
    expect(group.credits).toEqual([
      [0, 0],
      [0, 0],
    ]);
    // As many seeds as tries for each place that it had, in the plans as in the comparisons.
    expect(seeds.get("one")!.size).toBe(asked[0]);
  });

  test("costs nothing where workers take time or money: there nothing is compared", async () => {
    const { before, group, asked, context } = await credit(
      [
        [step(OTHER), step(GOOD)],
        [step(OTHER), step(BAD)],
      ],
      toMembers(),
      { isSimulated: false, isInstant: false },
    );
    expect(group).toBe(before);
    expect(group.credits).toBeUndefined();
    const members = group.prompt.question.pool.members;
    expect(members.map(({ worker }) => (worker as ScriptedWorker).requests?.length ?? 0)).toEqual(asked);
    expect(toExamples(group, context, 1).length).toBe(2);
  });
});
