import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TuttiError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import type { WrittenStep } from "../conductor/native/language.ts";
import {
  add,
  createGivenPolicy,
  createSmallWorld,
  createStageContext,
  type GivenPlan,
  toMember,
  toSum,
} from "../testing/learn/small-world.ts";
import { createTinyLanguage, say } from "../testing/learn/tiny-language.ts";
import type { ScriptedWorker } from "../testing/stage.ts";
import type { Question, World } from "../world/types.ts";
import { isFlat, type PlanGroup, rollOut, rollOutAgain, toAdvantages, toExamples } from "./grpo.ts";
import type { Focus } from "./native/schedule.ts";
import type { StageContext } from "./native/stage.ts";
import { type LearningPolicy, type Prompt, toPrompt } from "./native/stage.ts";
import { performAsked } from "./perform.ts";

const language = createTinyLanguage();
const [GOOD, BAD, CHECKER, DOWN] = [0, 1, 2, 3];
const step = (worker: number, id = "answer", access: WrittenStep["access"] = []): WrittenStep => ({
  worker,
  saying: say(language, id),
  access,
});

/** The checker is right only when it is told to compare. */
function toQuestion(): Question & { checker: ScriptedWorker } {
  const members = [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    toMember(
      "checker",
      (request) => (request.brief?.subtask.startsWith("Compare") ? add(request) : "Answer: 1"),
      0.5,
    ),
    toMember("down", () => new TuttiError("overloaded", "Down", { retryable: true }), 0.5),
  ];
  return { task: toSum(7), pool: { members }, checker: members[CHECKER]!.worker as ScriptedWorker };
}

function options(policy: LearningPolicy, parts: { group: number; costPerCall?: number; world?: World }) {
  return createStageContext(policy, { world: createSmallWorld({ isSimulated: false }), ...parts });
}

async function perform(prompts: Prompt[], context: StageContext): Promise<PlanGroup[]> {
  return (await performAsked(rollOut(prompts, context), context.world, context.signal))!;
}

async function rollOutPlans(plans: GivenPlan[], parts: { costPerCall?: number; world?: World } = {}) {
  const policy = createGivenPolicy(language, plans);
  const question = toQuestion();
  const prompts = [toPrompt(policy, question)];
  const [group] = await perform(prompts, options(policy, { group: plans.length, ...parts }));
  return { policy, question, group: group! };
}

describe("advantages", () => {
  test("are rewards less their mean, not divided by the deviation; an outage has none and counts for nothing", () => {
    expect(toAdvantages([1, 0.5, 0, 0.5])).toEqual([0.5, 0, -0.5, 0]);
    expect(toAdvantages([1, undefined, 0.5])).toEqual([0.25, 0, -0.25]);
    expect(toAdvantages([undefined, undefined])).toEqual([0, 0]);
    expect(toAdvantages([])).toEqual([]);
  });

  test("of what is known they add up to 0", () => {
    const rewards = fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(rewards, { maxLength: 20 }), (list) => {
        const advantages = toAdvantages(list);
        expect(advantages.reduce((sum, advantage) => sum + advantage, 0)).toBeCloseTo(0, 9);
        for (const [i, reward] of list.entries()) if (reward === undefined) expect(advantages[i]).toBe(0);
      }),
      { numRuns: 100, seed: 3 },
    );
  });

  test("a group is flat where nobody did better, outages left out", async () => {
    const { group } = await rollOutPlans([[step(BAD)], [step(BAD)], [step(DOWN)]]);
    expect(isFlat(group.rewards)).toBe(true);
    expect(isFlat([0.5, 0.6, undefined])).toBe(false);
    expect(isFlat([undefined, undefined, undefined])).toBe(true);
  });
});

describe("first rounds", () => {
  test("each plan is performed and rewarded, and calls cost", async () => {
    const { group } = await rollOutPlans(
      [[step(GOOD)], [step(BAD)], "babble", [step(BAD), step(GOOD)], [step(DOWN)]],
      { costPerCall: 0.01 },
    );
    const expected = [0.99, 0.49, 0, 0.98, undefined];
    for (const [i, reward] of group.rewards.entries())
      if (expected[i] === undefined) expect(reward).toBeUndefined();
      else expect(reward).toBeCloseTo(expected[i], 9);
  });

  test("where a size is given, a team of another size gets nothing", async () => {
    const policy = createGivenPolicy(language, [[step(GOOD)], [step(BAD), step(GOOD)], [step(DOWN)]]);
    const prompts = [toPrompt(policy, toQuestion(), { size: 2 })];
    const [group] = await perform(prompts, options(policy, { group: 3 }));
    expect(group!.rewards).toEqual([0, 1, undefined]);
  });

  test("where a size is given, nobody is asked twice while others are left", async () => {
    const twice = [step(BAD), step(GOOD), step(GOOD)];
    const rewardsIn = async (size: number | undefined, workers: number) => {
      const policy = createGivenPolicy(language, [twice]);
      const { task, pool } = toQuestion();
      const question = { task, pool: { members: pool.members.slice(0, workers) } };
      const prompt = toPrompt(policy, question, { size });
      const [group] = await perform([prompt], options(policy, { group: 1 }));
      return group!.rewards;
    };
    expect(await rewardsIn(3, 4)).toEqual([0]);
    // With two workers a team of three has nobody else.
    expect(await rewardsIn(3, 2)).toEqual([1]);
    expect(await rewardsIn(undefined, 4)).toEqual([1]);
  });

  test("in a simulation each is tried several times, with the same luck for all, and the mean counts", async () => {
    const seeds = new Map<string, unknown[]>();
    const lucky = (id: string) =>
      toMember(
        id,
        (request) => {
          seeds.set(id, [...(seeds.get(id) ?? []), request.seed]);
          return seeds.get(id)!.length % 2 === 1 ? add(request) : "Answer: 0";
        },
        0.5,
      );
    const members = [lucky("one"), lucky("other")];
    const policy = createGivenPolicy(language, [[step(0)], [step(1)]]);
    const prompts = [toPrompt(policy, { task: toSum(7), pool: { members } })];
    const rolling = options(policy, { group: 2, world: createSmallWorld({ isSimulated: true }) });
    const [group] = await perform(prompts, rolling);
    expect(group!.rewards).toEqual([0.75, 0.75]);
    expect(new Set(seeds.get("one")).size).toBeGreaterThan(1);
    expect(group!.outcomes.map(({ isRight }) => isRight)).toEqual([true, true]);
  });

  test("of joined worlds only what is simulated is tried several times", async () => {
    const policy = createGivenPolicy(language, [[step(0)]]);
    const requestsIn = async (isSimulated: boolean) => {
      const member = toMember("one", add, 0.5);
      const prompts = [toPrompt(policy, { task: toSum(7), pool: { members: [member] } })];
      const parts = [{ name: "part", isSimulated, holds: () => true }];
      const world = createSmallWorld({ isSimulated: true, parts });
      await perform(prompts, options(policy, { group: 1, world }));
      return (member.worker as ScriptedWorker).requests.length;
    };
    expect(await requestsIn(false)).toBe(1);
    expect(await requestsIn(true)).toBeGreaterThan(1);
  });

  test("equal texts are performed once", async () => {
    const plan = [step(CHECKER)];
    const { question, group } = await rollOutPlans([plan, plan, plan]);
    expect(question.checker.requests.length).toBe(1);
    expect(group.outcomes.length).toBe(3);
    expect(group.rewards).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("second rounds", () => {
  /** `first` is written by the first round's group, `second` by each group that goes on. */
  async function again(first: GivenPlan[], second: GivenPlan[], costPerCall = 0) {
    const policy = createGivenPolicy(language, first, second);
    const question = toQuestion();
    const rolling = options(policy, { group: first.length, costPerCall });
    const groups = await perform([toPrompt(policy, question)], rolling);
    const before = [...groups[0]!.rewards];
    const random = { pick: () => 1 } as unknown as Random;
    const again = rollOutAgain(groups, rolling, random);
    const later = (await performAsked(again, rolling.world, rolling.signal))!;
    return { policy, question, before, groups, later };
  }

  test("one right and one wrong first round go on, and never an outage or a format error", async () => {
    const accept: GivenPlan[] = [[]];
    const all = await again(["babble", [step(BAD)], [step(GOOD)], [step(CHECKER)], [step(DOWN)]], accept);
    expect(all.later.map(({ prompt }) => prompt.rounds[0]!.workflow.steps[0]!.worker)).toEqual([GOOD, BAD]);
    expect((await again([[step(BAD)], [step(BAD)]], accept)).later.length).toBe(1);
    const none = await again(["babble", [step(DOWN)]], accept);
    expect(none.later).toEqual([]);
    expect(none.policy.writes).toEqual([1]);
  });

  test("a first round gets three quarters of its own reward and one of what came of it", async () => {
    // 0.5 first; then right, wrong, and twice not what was asked for: nothing, and no workflow.
    const first: GivenPlan[] = [[step(BAD)], "babble", "babble", "babble"];
    const { groups, later, before } = await again(first, [[step(GOOD)], [step(BAD)], [], "babble"]);
    expect(before).toEqual([0.5, 0, 0, 0]);
    expect(later[0]!.rewards).toEqual([1, 0.5, 0, 0]);
    expect(groups[0]!.rewards).toEqual([0.75 * 0.5 + 0.25 * 0.375, 0, 0, 0]);
  });

  test("what calls cost is taken off in both rounds", async () => {
    const { groups, later } = await again([[step(BAD)], "babble"], [[step(GOOD)], [step(BAD)]], 0.1);
    expect(later[0]!.rewards[0]).toBeCloseTo(1 - 0.2, 9);
    expect(later[0]!.rewards[1]).toBeCloseTo(0.5 - 0.2, 9);
    expect(groups[0]!.rewards[0]).toBeCloseTo(0.75 * 0.4 + 0.25 * 0.55, 9);
  });

  test("an outage in the second round counts for neither", async () => {
    const { groups, later } = await again([[step(BAD)], "babble"], [[step(DOWN)], [step(GOOD)]]);
    expect(later[0]!.rewards).toEqual([undefined, 1]);
    expect(groups[0]!.rewards[0]).toBe(0.75 * 0.5 + 0.25 * 1);
    const lost = await again([[step(BAD)], "babble"], [[step(DOWN)]]);
    expect(lost.groups[0]!.rewards[0]).toBe(0.5);
  });

  test("the second round is told its own subtask, not that of the first", async () => {
    const { question, later } = await again(
      [[step(CHECKER, "plan")], "babble"],
      [[step(CHECKER, "compare")]],
    );
    expect(later[0]!.rewards[0]).toBe(1);
    // The first round is performed again, from the same seed, before the second.
    expect(question.checker.requests.map(({ brief }) => brief!.subtask)).toEqual([
      ...[expect.stringMatching(/^Plan/), expect.stringMatching(/^Plan/), expect.stringMatching(/^Compare/)],
    ]);
  });

  test("its first step may see what the round before said", async () => {
    const { question } = await again([[step(BAD)], "babble"], [[step(CHECKER, "compare", "all")]]);
    const [request] = question.checker.requests;
    expect(request!.brief!.visible).toMatchObject([{ round: 0, step: 0, reply: "Answer: 0" }]);
  });
});

describe("examples", () => {
  const toContext = (policy: LearningPolicy, focus: Focus = "all") => {
    const context = createStageContext(policy);
    return { ...context, plan: { ...context.plan, focus, exploration: 0.1 } };
  };
  /** With the advantage that they weigh. */
  const weightsOf = ({ weights, advantage = 1 }: { weights: ArrayLike<number>; advantage?: number }) =>
    Array.from(weights, (weight) => weight * advantage);
  const kindsOf = (group: PlanGroup, i = 0) => language.kinds(group.plans[i]!.tokens);

  test("a rollout's tokens weigh its advantage, those that decide nothing not more; decisions are explored", async () => {
    const { policy, group } = await rollOutPlans([[step(GOOD)], [step(BAD)], "babble", [step(DOWN)]]);
    const examples = toExamples(group, toContext(policy), 0.5);
    const [good, bad, babble, down] = examples;
    const kinds = kindsOf(group);
    expect(new Set(kinds)).toEqual(new Set(["team", "instruction", "fixed"]));
    for (const [t, weight] of weightsOf(good!).entries())
      if (kinds[t] === "fixed") expect(weight).toBeLessThanOrEqual(0.25);
      else expect(weight).toBeCloseTo(0.5 * 0.5, 9);
    expect(weightsOf(good!).every((weight) => weight >= 0)).toBe(true);
    expect(weightsOf(bad!).every((weight) => weight === 0)).toBe(true);
    expect(weightsOf(babble!).every((weight) => weight <= 0)).toBe(true);
    expect(weightsOf(down!).every((weight) => weight === 0)).toBe(true);
    expect(good!.logps).toEqual(group.plans[0]!.logps);
    for (const [t, weight] of Array.from(good!.exploration!).entries())
      expect(weight).toBeCloseTo(kinds[t] === "fixed" ? 0 : 0.05, 6);
  });

  test("what is learned is what the rollouts compare: the team, the words, or all of it", async () => {
    const { policy, group } = await rollOutPlans([[step(GOOD, "plan")], [step(BAD)]]);
    const [team, words, all] = (["team", "words", "all"] as const).map(
      (focus) => toExamples(group, toContext(policy, focus), 1)[0]!,
    );
    for (const [t, kind] of kindsOf(group).entries()) {
      const isWord = kind === "instruction" || kind === "filling";
      const [learned, other] = isWord ? [words!, team!] : [team!, words!];
      expect(learned.weights[t]).toBe(all!.weights[t]);
      expect([other.weights[t], other.exploration![t]]).toEqual([0, 0]);
      expect(all!.weights[t]).toBeGreaterThan(0);
    }
  });

  test("nothing is learned from an outage, and no exploration from what is no workflow", async () => {
    const { policy, group } = await rollOutPlans([[step(GOOD)], [step(BAD)], "babble", [step(DOWN)]]);
    const examples = toExamples(group, toContext(policy), 0.5);
    expect(group.outcomes[DOWN]).toMatchObject({ isOutage: true, isValid: true });
    for (const at of [2, 3])
      expect(Array.from(examples[at]!.exploration!).every((weight) => weight === 0)).toBe(true);
    expect(weightsOf(examples[3]!).every((weight) => weight === 0)).toBe(true);
  });

  test("what was found by exchange is learned whole, as far as it earned more than the likeliest plan", async () => {
    const plans = [
      [step(GOOD)],
      [step(BAD)],
      [step(BAD, "plan")],
      [step(BAD, "compare")],
      [step(GOOD, "plan")],
    ];
    const { policy, group } = await rollOutPlans(plans);
    const examples = toExamples({ ...group, found: 3 }, toContext(policy, "team"), 1);
    const [likeliest, asBad, better] = examples.slice(2);
    // Those that were sampled are compared with each other alone.
    expect(examples.slice(0, 2).map(({ advantage }) => advantage)).toEqual([0.25, -0.25]);
    for (const none of [likeliest!, asBad!])
      expect(weightsOf(none).every((weight) => weight === 0)).toBe(true);
    expect(better!.advantage).toBe(0.5);
    // Also what it was told, where only teams are learned of what was sampled.
    for (const [t, kind] of kindsOf(group, 4).entries())
      expect(better!.weights[t]).toBe(kind === "fixed" ? 0.5 : 1);
    for (const { exploration } of examples.slice(2))
      expect(Array.from(exploration!).every((weight) => weight === 0)).toBe(true);
  });
});
