import { expect, test } from "vitest";
import { TuttiError } from "../../base/errors.ts";
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
import type { Question, World } from "../../world/types.ts";
import { performAsked } from "../perform.ts";
import { compareFirst, compareLater, type TeamComparison } from "./compare-sizes.ts";
import type { StageContext } from "./stage.ts";

const language = createTinyLanguage();
const [GOOD, BAD, DOWN] = [0, 1, 2];
const step = (worker: number): WrittenStep => ({ worker, saying: say(language), access: [] });

function toQuestion(): Question {
  const members = [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    toMember("down", () => new TuttiError("overloaded", "Down", { retryable: true }), 0.5),
  ];
  return { task: toSum(7), pool: { members } };
}

const first = async (questions: Question[], sizes: number[], context: StageContext) =>
  (await performAsked(compareFirst(questions, sizes, context), context.world, context.signal))!;
const later = async (firsts: TeamComparison[], sizes: number[], context: StageContext) =>
  (await performAsked(compareLater(firsts, sizes, context), context.world, context.signal))!;

const team = [step(BAD), step(GOOD)];
/** First rounds are written by `plan`, whatever their size should be; then second ones. */
const given = (plan: GivenPlan, second: GivenPlan = [], parts: { world?: World } = {}) => {
  const policy = createGivenPolicy(language, [plan], [second]);
  const world = createSmallWorld({ isSimulated: false });
  return createStageContext(policy, { world, ...parts });
};

test("sizes are tried several times in a simulation, and once where a reply costs or is recorded", async () => {
  const tries = async (isSimulated: boolean) => {
    const comparing = given([step(GOOD)], [], { world: createSmallWorld({ isSimulated }) });
    return (await first([toQuestion()], [1, 2], comparing))[0]!.outcomes[0]!.length;
  };
  expect(await tries(true)).toBeGreaterThan(1);
  expect(await tries(false)).toBe(1);
});

test("a plan of another size earns nothing, calls are counted, and an outage counts for nothing", async () => {
  const compare = async (plan: GivenPlan) => (await first([toQuestion()], [1, 2], given(plan)))[0]!;
  expect(await compare([step(GOOD)])).toMatchObject({ rewards: [1, 0], calls: [1, 1] });
  expect(await compare(team)).toMatchObject({ rewards: [0, 1], calls: [2, 2] });
  expect((await compare([step(DOWN)])).rewards).toEqual([undefined, undefined]);
});

test("after a round: what it answered stands first, and others start from it", async () => {
  const after = async (plan: GivenPlan, second: GivenPlan) => {
    const comparing = given(plan, second);
    const firsts = await first([toQuestion()], [1], comparing);
    return later(firsts, [0, 1, 2], comparing);
  };
  const [mended] = await after([step(BAD)], team);
  expect(mended).toMatchObject({ rewards: [0.5, 0, 1], calls: [0, 2, 2] });
  expect(mended!.reading.labels).toEqual([0]);
  const [spoiled] = await after([step(GOOD)], [step(BAD)]);
  expect(spoiled).toMatchObject({ rewards: [1, 0.5, 0], calls: [0, 1, 1] });
  // Nothing follows what is no workflow, or was lost.
  expect(await after("babble", team)).toEqual([]);
  expect(await after([step(DOWN)], team)).toEqual([]);
});

test("after a round: tries that agree in the same way are followed by the same plan, others by their own", async () => {
  let asked = 0;
  // Now right, now wrong: as luck would have it.
  const members = [toMember("lucky", (request) => (asked++ % 4 === 0 ? add(request) : "Answer: 0"), 0.5)];
  const question = { task: toSum(7), pool: { members: [...members, ...toQuestion().pool.members] } };
  const world = createSmallWorld({ isSimulated: true });
  const comparing = given([step(0), step(2)], [step(1)], { world });
  const firsts = await first([question], [2], comparing);
  const laters = await later(firsts, [0, 1], comparing);
  expect(laters.map(({ reading: { labels } }) => labels)).toEqual([
    [0, 1],
    [0, 0],
  ]);
  const tries = laters.map((later) => later.tries);
  expect(tries[1]).toBe(3 * tries[0]!);
  expect(tries[0]! + tries[1]!).toBe(firsts[0]!.tries);
});
