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
import type { World } from "../../world/types.ts";
import { performAsked } from "../perform.ts";
import { FOUND, findByExchange } from "./exchange.ts";
import { changeInOnePlace, listWorkerExchanges } from "./neighbour-plans.ts";
import { toPrompt } from "./stage.ts";

const language = createTinyLanguage();
const step = (worker: number, id = "answer", access: WrittenStep["access"] = []): WrittenStep => ({
  ...{ worker, saying: say(language, id), access },
});
const [BAD, WORSE, GOOD, LAST] = [0, 1, 2, 3];
const members = [
  toMember("bad", "Answer: 0", 0.2),
  toMember("worse", "Answer: 1", 0.1),
  toMember("good", add, 0.9),
  toMember("last", "Answer: 2", 0.3),
];
const teamOf = (steps: readonly WrittenStep[]) => steps.map(({ worker }) => worker);

async function find(
  plans: GivenPlan[],
  { size = 2, world = createSmallWorld() }: { size?: number; world?: World },
) {
  const policy = createGivenPolicy(language, plans);
  const prompt = toPrompt(policy, { task: toSum(7), pool: { members } }, { size });
  const context = createStageContext(policy, { world, group: 4 });
  const asking = findByExchange([prompt], context, createRandom("exchange"));
  const [found] = (await performAsked(asking, world, context.signal))!;
  return { found, policy };
}

describe("exchanges of workers", () => {
  const policy = createGivenPolicy(language, ["babble"]);
  const prompt = toPrompt(policy, { task: toSum(7), pool: { members } }, { size: 2 });

  test("are all who are not asked in every place, and all who change places, and nobody is asked twice", () => {
    const teams = listWorkerExchanges([step(BAD), step(WORSE)], prompt).map(teamOf);
    expect(teams.map(String).sort()).toEqual(["0,2", "0,3", "1,0", "2,1", "3,1"]);
  });

  test("keep what each step is told and sees", () => {
    const steps = [step(BAD, "plan"), step(WORSE, "answer", "all")];
    for (const changed of listWorkerExchanges(steps, prompt))
      expect(changed.map(({ saying, access }) => ({ saying, access }))).toEqual(
        steps.map(({ saying, access }) => ({ saying, access })),
      );
  });

  test("of a change in one place the other places stay as they were, but for who was there before", () => {
    const random = createRandom(3);
    const steps = [step(BAD, "plan"), step(WORSE, "answer", "all")];
    for (let i = 0; i < 200; i++) {
      const changed = changeInOnePlace(steps, prompt, policy, random);
      const same = changed.filter((each, at) => {
        const { saying, access } = steps[at]!;
        return String(each.saying) === String(saying) && String(each.access) === String(access);
      });
      expect(same.length).toBeGreaterThanOrEqual(1);
      expect(new Set(teamOf(changed)).size).toBe(2);
    }
  });
});

describe("exploration by exchange", () => {
  test("leads from a plan that is wrong to plans that are right, the likeliest one first", async () => {
    const likeliest = [step(BAD), step(WORSE, "answer", "all")];
    const { found } = await find([likeliest], {});
    expect(found![0]).toEqual(language.toTokens(likeliest));
    expect(found!.length).toBe(1 + FOUND);
    for (const tokens of found!.slice(1)) expect(teamOf(language.toSteps(tokens)!).at(-1)).toBe(GOOD);
  });

  test("finds teams in which two were exchanged", async () => {
    // The good one is right only where the last one asked before it, and nobody else did.
    const fussy = toMember(
      "fussy",
      (request) =>
        request.brief?.visible.some(({ worker }) => worker === LAST) ? add(request) : "Answer: 3",
      0.9,
    );
    const own = members.map((member, i) => (i === GOOD ? fussy : member));
    const policy = createGivenPolicy(language, [[step(BAD), step(WORSE, "answer", "all")]]);
    const prompt = toPrompt(policy, { task: toSum(7), pool: { members: own } }, { size: 2 });
    const world = createSmallWorld();
    const context = createStageContext(policy, { world, group: 4 });
    // What is changed is sampled: once in a few tries is enough.
    const ends: string[] = [];
    for (let seed = 0; seed < 5; seed++) {
      const asking = findByExchange([prompt], context, createRandom(seed));
      const [found] = (await performAsked(asking, world, context.signal))!;
      for (const tokens of found!.slice(1)) ends.push(String(teamOf(language.toSteps(tokens)!)));
    }
    expect(ends).toContain(String([LAST, GOOD]));
  });

  test("is not for questions of a recording, and not where the likeliest plan is none", async () => {
    const plan = [step(BAD), step(WORSE)];
    const recorded = await find([plan], { world: createSmallWorld({ isSimulated: false }) });
    expect(recorded.found).toBeUndefined();
    expect((await find(["babble"], {})).found).toBeUndefined();
  });

  test("is the same for the same seeds", async () => {
    const plan = [step(BAD), step(WORSE)];
    expect((await find([plan], {})).found).toEqual((await find([plan], {})).found);
  });
});
