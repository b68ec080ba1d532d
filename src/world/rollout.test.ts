import { describe, expect, test } from "vitest";
import { TuttiError } from "../base/errors.ts";
import { createDecidingConductor } from "../conductor/deciding.ts";
import { createRecordedPool, gradeRecorded } from "../recording/replay.ts";
import type { Recording } from "../recording/types.ts";
import { add, createSmallWorld, toMember, toSum } from "../testing/learn/small-world.ts";
import { scriptedWorker } from "../testing/stage.ts";
import { createConsensusWorker } from "../worker/consensus.ts";
import type { PoolMember } from "../worker/types.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Step } from "../workflow/types.ts";
import { performConductor, performTexts } from "./rollout.ts";
import type { World } from "./types.ts";

const { signal } = new AbortController();
const vote: PoolMember = { worker: createConsensusWorker() };
const [GOOD, BAD, DOWN, VOTE] = [0, 1, 2, 3];
const step = (worker: number, access: Step["access"] = [], subtask = "Answer the question"): Step => ({
  worker,
  subtask,
  access,
});

function perform(
  texts: (Step[] | string)[],
  { world = createSmallWorld(), down = new TuttiError("overloaded", "Down", { retryable: true }) } = {},
) {
  const members = [
    toMember("good", add, 0.9),
    toMember("bad", "Answer: 0", 0.2),
    toMember("down", () => down, 0.5),
    vote,
  ];
  return performTexts({
    world,
    question: { task: toSum(7), pool: { members } },
    texts: texts.map((text) => (typeof text === "string" ? text : renderWorkflow({ steps: text }))),
    seed: 1,
    signal,
  });
}

describe("rewards", () => {
  test.each([
    ["right", [[step(GOOD)]], 1],
    ["wrong", [[step(BAD)]], 0.5],
    ["no workflow at all", ["I would ask the good one."], 0],
    ["cut off", ['model_id = [0]\nsubtasks = ["Solve'], 0],
    ["a worker that is not there", [[step(9)]], 0],
    ["accepting before anybody was asked", ["model_id = []\nsubtasks = []\naccess_list = []"], 0],
    ["nobody is asked: only a vote", [[step(VOTE)]], 0],
    ["a vote over one reply", [[step(GOOD), step(VOTE, [0])]], 0],
    ["a vote over two", [[step(GOOD), step(GOOD), step(VOTE, "all")]], 1],
    ["a second round that mends", [[step(BAD)], [step(GOOD)]], 1],
    ["a second round that spoils", [[step(GOOD)], [step(BAD)]], 0.5],
    ["a second round that accepts", [[step(GOOD)], "model_id = []\nsubtasks = []\naccess_list = []"], 1],
    ["a second round that is no workflow, after a right first one", [[step(GOOD)], "babble"], 0],
  ])("%s: %#", async (_, texts, reward) => {
    const outcome = await perform(texts as (Step[] | string)[]);
    expect(outcome.reward).toBe(reward);
    expect(outcome.isValid).toBe(reward > 0);
    expect(outcome.isRight).toBe(reward === 1);
    expect(outcome.isOutage).toBe(false);
  });

  test("what was done is told: calls without tools, who was asked, rounds with their replies", async () => {
    const outcome = await perform([[step(GOOD), step(BAD), step(VOTE, "all")]]);
    expect(outcome).toMatchObject({ calls: 2, steps: 3, asked: ["good", "bad"] });
    expect(outcome.costUsd).toBeGreaterThan(0);
    expect(outcome.rounds).toMatchObject([{ replies: ["Answer: 8", "Answer: 0", expect.any(String)] }]);
    const nothing = await perform(["babble"]);
    expect(nothing).toMatchObject({ calls: 0, steps: 0, asked: [], costUsd: 0, rounds: [], score: 0 });
  });

  test("the same seed gives the same outcome", async () => {
    const texts = [[step(BAD), step(GOOD, [0])]];
    const [one, two] = [await perform(texts), await perform(texts)];
    expect({ ...two, rounds: [] }).toEqual({ ...one, rounds: [] });
  });
});

describe("outages", () => {
  test("a worker that was down gives none, whoever stepped in", async () => {
    expect((await perform([[step(DOWN)]])).isOutage).toBe(true);
    expect((await perform([[step(DOWN), step(GOOD)]])).isOutage).toBe(true);
  });

  test("a worker that refuses this very task is no outage", async () => {
    const refused = new TuttiError("content-filter", "I would rather not");
    expect(await perform([[step(DOWN)]], { down: refused })).toMatchObject({
      isOutage: false,
      isValid: true,
    });
  });

  test("an answer that nobody could grade counts as one", async () => {
    const grade: World["grade"] = () => ({ score: 0, why: "the judge is down", ungraded: true });
    expect((await perform([[step(GOOD)]], { world: createSmallWorld({ grade }) })).isOutage).toBe(true);
  });
});

test("a grade that the program itself could have forged is no reward, unless that is allowed", async () => {
  const grade: World["grade"] = () => ({ score: 1, why: "passed", decidedIn: "program" });
  const rewarded = async (allowsInsideGrades?: boolean) => {
    const world = createSmallWorld({ grade, allowsInsideGrades });
    const { isOutage, reward } = await perform([[step(GOOD)]], { world });
    return isOutage ? "none" : reward;
  };
  expect([await rewarded(), await rewarded(true)]).toEqual(["none", 1]);
});

describe("in a recording", () => {
  const outcomes = [{ task: "sum/7", worker: "real", sample: 0, answer: "8", score: 1, tokens: 5 }];
  const recording: Recording = {
    folder: "made-up",
    sets: [],
    outcomesOf: (task, worker) => outcomes.filter((each) => each.task === task && each.worker === worker),
    workersOf: () => ["real"],
    tasksOf: () => [toSum(7)],
    prices: new Map(),
    hasReplies: () => true,
  };
  const pool = {
    members: [...createRecordedPool(recording, "sums").members, { worker: scriptedWorker("x", "") }],
  };
  const grade: World["grade"] = (task, run) => gradeRecorded(recording, task, run);
  const replay = (steps: Step[]) =>
    performTexts({
      ...{ world: createSmallWorld({ kind: "recording", grade }), question: { task: toSum(7), pool } },
      ...{ texts: [renderWorkflow({ steps })], seed: 1, signal },
    });

  test("what was recorded is rewarded", async () => {
    expect(await replay([step(0)])).toMatchObject({ reward: 1, isValid: true, isRight: true });
  });

  test.each([
    ["a hand-off", [step(0), step(0, [0])]],
    ["a sample that was not recorded", [step(0), step(0)]],
  ])("%s gets nothing, like a wrong format", async (_, steps) => {
    expect(await replay(steps)).toMatchObject({ reward: 0, isValid: false, isOutage: false, calls: 0 });
  });
});

describe("a Conductor that decides while it is performed", () => {
  const question = {
    task: toSum(7),
    pool: { members: [toMember("good", add, 0.9), toMember("bad", "Answer: 0", 0.2)] },
  };
  const ask = (worker: number) => ({ type: "workflow" as const, workflow: { steps: [step(worker)] } });
  const conductor = createDecidingConductor({ kind: "custom", id: "in turns" }, ({ rounds }) =>
    rounds.length < 2 ? ask(rounds.length === 0 ? GOOD! : BAD!) : { type: "accept", step: 0, round: 0 },
  );
  const own = { world: createSmallWorld(), question, conductor, seed: 1, signal };

  test("has the outcome of texts that say the same, without texts", async () => {
    const texts = [GOOD, BAD].map((worker) => renderWorkflow({ steps: [step(worker!)] }));
    const written = await performTexts({ ...own, texts });
    expect(await performConductor({ ...own, rounds: 2 })).toEqual({ ...written, texts: [] });
    expect(written).toMatchObject({ texts, isRight: false, calls: 2 });
  });

  test("may go back to an earlier reply, given a round to say so", async () => {
    const outcome = await performConductor({ ...own, rounds: 3 });
    expect(outcome).toMatchObject({ isRight: true, reward: 1, calls: 2, asked: ["good", "bad"], texts: [] });
  });

  test("that breaks at a turn gets nothing", async () => {
    const broken = createDecidingConductor({ kind: "custom", id: "broken" }, ({ rounds }) => {
      if (rounds.length > 0) throw new TypeError("broken");
      return ask(GOOD!);
    });
    const outcome = await performConductor({ ...own, conductor: broken, rounds: 2 });
    expect(outcome).toMatchObject({ isValid: false, reward: 0 });
  });
});
