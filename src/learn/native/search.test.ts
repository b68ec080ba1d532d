import { describe, expect, test } from "vitest";
import { createRandom } from "../../base/random.ts";
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
import { parseWorkflow } from "../../workflow/parse.ts";
import type { World } from "../../world/types.ts";
import { performAsked } from "../perform.ts";
import { distil } from "./distil.ts";
import { searchPlans } from "./search.ts";
import { toPrompt } from "./stage.ts";

const language = createTinyLanguage();
const step = (worker: number, id = "answer", access: WrittenStep["access"] = []): WrittenStep => ({
  ...{ worker, saying: say(language, id), access },
});
const [BAD, WORSE, GOOD] = [0, 1, 2];

/** The good one is right only when it is told to plan, of all things. */
function toMembers() {
  return [
    toMember("bad", "Answer: 0", 0.2),
    toMember("worse", "Answer: 1", 0.1),
    toMember(
      "good",
      (request) => (request.brief?.subtask.startsWith("Plan") ? add(request) : "Answer: 2"),
      0.9,
    ),
  ];
}

async function search(
  plans: GivenPlan[],
  {
    size,
    costPerCall = 0,
    world = createSmallWorld(),
  }: { size?: number; costPerCall?: number; world?: World },
) {
  const policy = createGivenPolicy(language, plans);
  const members = toMembers();
  const prompt = toPrompt(policy, { task: toSum(7), pool: { members } }, { size });
  const context = createStageContext(policy, { world, group: plans.length, costPerCall });
  const asking = searchPlans([prompt], context, createRandom("search"));
  const found = (await performAsked(asking, world, context.signal))!;
  return { found: found[0], count: found.length, members, policy };
}

describe("a search over plans", () => {
  test("keeps what is best already", async () => {
    const { found } = await search([[step(BAD), step(GOOD, "plan", "all")]], { size: 2 });
    expect(found!.reward).toBe(1);
    expect(found!.steps[1]).toMatchObject({ worker: GOOD, saying: say(language, "plan") });
  });

  test("finds a better worker and what to tell it, from plans that have neither, as text and as steps", async () => {
    const members = [
      toMember("bad", "Answer: 0", 0.2),
      toMember("worse", "Answer: 1", 0.1),
      toMember(
        "good",
        (request) => (/^(?:Answer|Solve)/.test(request.brief?.subtask ?? "") ? add(request) : "Answer: 2"),
        0.9,
      ),
    ];
    const policy = createGivenPolicy(language, [[step(BAD), step(WORSE, "compare", "all")]]);
    const prompt = toPrompt(policy, { task: toSum(7), pool: { members } }, { size: 2 });
    const world = createSmallWorld();
    const context = createStageContext(policy, { world, group: 4 });
    const asking = searchPlans([prompt], context, createRandom("search"));
    const [found] = (await performAsked(asking, world, context.signal))!;
    expect(found!.reward).toBe(1);
    expect(found!.steps[1]!.worker).toBe(GOOD);
    const parsed = parseWorkflow(found!.text, { workers: 3 });
    if (!parsed.ok) return expect.fail(found!.text);
    expect(parsed.workflow.steps.map(({ worker }) => worker)).toEqual(
      found!.steps.map(({ worker }) => worker),
    );
    expect(parsed.workflow.steps[1]!.subtask).toMatch(/^(?:Answer|Solve)/);
  });

  test("keeps to the size that is wanted and asks nobody twice", async () => {
    for (const size of [1, 2, 3]) {
      const plan = [BAD, WORSE, GOOD].slice(0, size).map((worker) => step(worker));
      const { found } = await search([plan], { size });
      expect(found!.steps.length).toBe(size);
      expect(new Set(found!.steps.map(({ worker }) => worker)).size).toBe(size);
    }
  });

  test("takes costs off, and a plan of another size, or that is none, is not known", async () => {
    const { found } = await search([[step(BAD)]], { size: 1, costPerCall: 0.1 });
    expect(found!.reward).toBeLessThanOrEqual(0.9);
    expect(found!.reward).toBeGreaterThanOrEqual(0.4);
    expect((await search([[step(BAD)]], { size: 2 })).found).toBeUndefined();
    const none = await search(["babble"], {});
    expect(none.found).toBeUndefined();
    expect(none.members.every(({ worker }) => (worker as ScriptedWorker).requests.length === 0)).toBe(true);
  });

  test("is the same for the same seeds", async () => {
    const text = async () => (await search([[step(BAD), step(WORSE)]], { size: 2 })).found!.text;
    expect(await text()).toBe(await text());
  });

  test("compares the finalists under other luck than that which made them finalists", async () => {
    const seeds: unknown[] = [];
    const lucky = toMember(
      "lucky",
      (request) => {
        seeds.push(request.seed);
        return "Answer: 0";
      },
      0.5,
    );
    const policy = createGivenPolicy(language, [[step(0)]]);
    const prompt = toPrompt(policy, { task: toSum(7), pool: { members: [lucky] } }, { size: 1 });
    const world = createSmallWorld();
    const context = createStageContext(policy, { world, group: 1 });
    await performAsked(searchPlans([prompt], context, createRandom(1)), world, context.signal);
    expect(new Set(seeds).size).toBe(6 + 24);
  });
});

describe("distillation", () => {
  const members = toMembers();
  const world = (parts: Partial<World> = {}) =>
    createSmallWorld({ sample: (seed) => ({ task: toSum(1 + (seed % 500)), pool: { members } }), ...parts });

  async function run(plans: GivenPlan[], own: World, size = 2) {
    const policy = createGivenPolicy(language, plans);
    const context = createStageContext(policy, { world: own, group: 2, questions: 3 });
    const plan = { ...context.plan, stage: "distillation" as const, sampleSize: () => size };
    const result = (await performAsked(distil({ ...context, plan }), own, context.signal))!;
    return { policy, result };
  }

  test("imitates the best plan of each question and nothing else, in full and by likelihood", async () => {
    const right = [step(BAD), step(GOOD, "plan", "all")];
    const { policy } = await run([[step(BAD), step(WORSE)], right], world());
    const [{ rows, options }] = policy.examples as [(typeof policy.examples)[number]];
    expect(options.objective.kind).toBe("likelihood");
    expect(rows.length).toBe(3);
    for (const { examples, prefix } of rows) {
      expect(examples.length).toBe(1);
      const [{ tokens, weights }] = examples as [(typeof examples)[number]];
      const steps = language.toSteps(tokens)!;
      expect(steps.length).toBe(2);
      expect(steps[1]).toMatchObject({ worker: GOOD, saying: say(language, "plan") });
      expect(prefix.start).toBe(language.size(2));
      for (const weight of Array.from(weights)) expect(weight).toBeCloseTo(1 / 3, 6);
    }
  });

  test("learns nothing where no plan could be performed", async () => {
    const { policy, result } = await run(["babble"], world());
    expect(policy.examples).toEqual([]);
    expect(result.loss).toBe(0);
  });

  test("asks nobody in a world that is not simulated: there a plan is not tried again and again", async () => {
    const before = members.map(({ worker }) => (worker as ScriptedWorker).requests.length);
    for (const parts of [{ isSimulated: false }, { isSimulated: false, isInstant: false }]) {
      const { policy, result } = await run([[step(BAD), step(GOOD)]], world(parts));
      expect(policy.examples).toEqual([]);
      expect(result).toMatchObject({ groups: [], loss: 0 });
    }
    expect(members.map(({ worker }) => (worker as ScriptedWorker).requests.length)).toEqual(before);
  });

  test("of joined worlds searches only what is simulated", async () => {
    const isEven = ({ id }: { id: string }) => Number(id.slice(4)) % 2 === 0;
    const parts = [
      { name: "simulated", isSimulated: true, holds: isEven },
      { name: "recorded", isSimulated: false, holds: (task: { id: string }) => !isEven(task) },
    ];
    const posed: string[] = [];
    const sample = (seed: number) => {
      const task = toSum(1 + (seed % 500));
      posed.push(task.id);
      return { task, pool: { members } };
    };
    const own = world({ isSimulated: true, parts, sample });
    const { policy } = await run([[step(BAD), step(GOOD)]], own);
    const simulated = posed.filter((id) => isEven({ id })).length;
    expect(posed.length).toBe(3);
    expect(simulated).toBeGreaterThan(0);
    expect(simulated).toBeLessThan(3);
    expect(policy.writes).toEqual([simulated]);
    expect(policy.examples[0]!.rows.length).toBe(simulated);
  });
});
