import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluate } from "../bench/evaluate.ts";
import { createProfiler } from "../calibration/profiler.ts";
import { PLAYERS } from "../rehearsal/players.ts";
import { readProblem } from "../rehearsal/questions.ts";
import { rehearsalTaskSet } from "../rehearsal/task-set.ts";
import { playedConductor, step } from "../testing/stage.ts";
import { createHelper, handsOff } from "../worker/kinds.ts";
import type { Pool } from "../worker/types.ts";
import { renderWorkflow } from "../workflow/render.ts";
import type { Step } from "../workflow/types.ts";
import { createRehearsalWorld } from "./rehearsal.ts";
import {
  calibratePlayers,
  createMetPools,
  createUnseenPools,
  trainingStrangers,
  withLiars,
  withoutHandOffs,
} from "./rehearsal-pools.ts";
import { performTexts } from "./rollout.ts";
import { withConsensus } from "./sets.ts";
import { promptHash, splitOf } from "./split.ts";

const OPTIONS = { seed: 5, calibrationTasks: 6, validation: 60 } as const;
const fixed = createRehearsalWorld({ ...OPTIONS, pools: "fixed" });
const random = createRehearsalWorld({ ...OPTIONS, pools: "random" });
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const idsOf = ({ members }: Pool) => members.map(({ worker }) => worker.id);

async function accuracyOf(
  pool: Pool,
  worker: number,
  tasks = rehearsalTaskSet({ count: 40, seed: 3 }).tasks,
) {
  const conductor = playedConductor({ steps: [step(worker, "Solve it.")] });
  const rows = await evaluate({
    ...{ world: fixed, conductor, pool, tasks, rounds: 1, seed: 1, concurrency: 4 },
  });
  return rows.reduce((sum, { score }) => sum + score, 0) / rows.length;
}

describe("draws of the rehearsal", () => {
  test("are the same for a seed, and others for another seed of the draw or of the world", () => {
    const again = createRehearsalWorld({ ...OPTIONS, pools: "random" });
    const other = createRehearsalWorld({ ...OPTIONS, pools: "random", seed: 6 });
    const seen = (world: typeof random) =>
      numbers(40).map((number) => {
        const { task, pool } = world.sample(number);
        return JSON.stringify([task, pool]);
      });
    expect(seen(again)).toEqual(seen(random));
    expect(seen(other)).not.toEqual(seen(random));
    expect(new Set(seen(random)).size).toBe(40);
  });

  test("are training questions only, tune questions are tune questions only, and no calibration task is either's", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x7fff_ffff }), (number) => {
        expect(splitOf(fixed.sample(number).task)).toBe("train");
        expect(splitOf(random.sample(number).task)).toBe("train");
      }),
      { seed: 1, numRuns: 200 },
    );
    for (const { task } of [...fixed.validation, ...random.validation])
      expect(splitOf(task)).toBe("validation");
    for (const text of random.texts()) expect(splitOf({ prompt: text })).toBe("train");
    for (const { text } of calibratePlayers(PLAYERS, 6).calibration.tasks)
      expect(splitOf({ prompt: text })).toBe("train");
  });

  test("never ask what a bench keeps for its test", () => {
    const tested = new Set(
      rehearsalTaskSet({ count: 3000, seed: 0 })
        .tasks.filter((task) => splitOf(task) === "test")
        .map((task) => promptHash(task)),
    );
    expect(tested.size).toBeGreaterThan(500);
    const drawn = numbers(2000).map((number) => promptHash(random.sample(number).task));
    expect(drawn.filter((hash) => tested.has(hash))).toEqual([]);
  });

  test("come from every family and difficulty in about equal shares", () => {
    const counts = new Map<string, number>();
    for (const number of numbers(3000)) {
      const { task } = fixed.sample(number);
      const problem = readProblem(task.prompt)!;
      expect(problem).toMatchObject({ family: task.family, topic: task.category, answer: task.answer });
      for (const key of [problem.family, String(problem.difficulty)])
        counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    expect(counts.size).toBe(15 + 3);
    for (const [key, count] of counts) {
      const expected = key.length === 1 ? 1000 : 200;
      expect(count, key).toBeGreaterThan(expected * 0.75);
      expect(count, key).toBeLessThan(expected * 1.25);
    }
  });

  test("have about as many training questions as were wanted, for the tokenizer", () => {
    expect(fixed.texts()).toHaveLength(4000);
    expect(fixed.validation).toHaveLength(60);
    expect(new Set(fixed.validation.map(({ task }) => task.prompt)).size).toBe(60);
    expect(fixed.validation).toBe(fixed.validation);
  });
});

describe("pools of the rehearsal", () => {
  test("fixed: always the same eight, in an order that changes", () => {
    const orders = numbers(60).map((number) => idsOf(fixed.sample(number).pool));
    const everybody = [...PLAYERS.map(({ id }) => id), "consensus"].sort();
    for (const order of orders) expect([...order].sort()).toEqual(everybody);
    expect(new Set(orders.map(([first]) => first)).size).toBe(8);
  });

  test("random: two to eight workers, a quarter of the time of the seven alone, `consensus` mostly and anywhere", () => {
    const seven = new Set(PLAYERS.map(({ id }) => id));
    const pools = numbers(2000).map((number) => idsOf(random.sample(number).pool));
    const positions = new Set<number>();
    let [withConsensusCount, ofTheSeven, met] = [0, 0, new Set<string>()];
    for (const ids of pools) {
      const models = ids.filter((id) => id !== "consensus");
      expect(new Set(ids).size).toBe(ids.length);
      expect(models.length).toBeGreaterThanOrEqual(2);
      expect(models.length).toBeLessThanOrEqual(8);
      for (const id of models) met = met.add(id);
      if (models.every((id) => seven.has(id))) ofTheSeven++;
      if (ids.length > models.length) {
        withConsensusCount++;
        positions.add(ids.indexOf("consensus"));
      }
    }
    expect(withConsensusCount / 2000).toBeCloseTo(7 / 8, 1);
    expect(ofTheSeven / 2000).toBeGreaterThan(0.2);
    expect(ofTheSeven / 2000).toBeLessThan(0.32);
    expect(positions.size).toBe(9);
    expect(met.size).toBe(167);
  });

  test("have profiles for the question at hand, and workers that answer at once", () => {
    const { pool } = random.sample(1);
    for (const { worker, profile, price } of pool.members) {
      expect(worker.isInstant).toBe(true);
      if (worker.id === "consensus") continue;
      expect(price).toBeDefined();
      expect(profile).toMatchObject({ source: "simulated, about 6 training tasks a topic" });
      expect(profile!.similar).toBeGreaterThan(0);
      expect(profile!.delayMs).toBeGreaterThan(0);
    }
    const similar = numbers(30).map((number) => {
      const members = fixed.sample(number).pool.members;
      return members.find(({ worker }) => worker.id === "rehearsal/violin")!.profile!.similar;
    });
    expect(new Set(similar).size).toBeGreaterThan(10);
  });

  test("a question that was measured is not its own neighbour", () => {
    const world = createRehearsalWorld({ seed: 1, pools: "fixed", calibrationTasks: 60, validation: 1 });
    const { members, calibration } = calibratePlayers(PLAYERS, 60);
    const profiler = createProfiler(calibration);
    const measured = new Map(calibration.tasks.map(({ text }, number) => [text, number]));
    let differs = 0;
    let found = 0;
    for (const number of numbers(3000)) {
      const { task, pool } = world.sample(number);
      const own = measured.get(task.prompt);
      if (own === undefined) continue;
      found++;
      const byId = new Map(pool.members.map(({ worker, profile }) => [worker.id, profile?.similar]));
      const without = profiler.poolFor({ members }, task.prompt, { without: own });
      for (const { worker, profile } of without.members) expect(byId.get(worker.id)).toBe(profile!.similar);
      const including = profiler.poolFor({ members }, task.prompt);
      if (including.members.some(({ worker, profile }) => byId.get(worker.id) !== profile!.similar))
        differs++;
    }
    expect(found).toBeGreaterThan(20);
    expect(differs).toBeGreaterThan(found / 2);
  });
});

describe("liars", () => {
  test("sit in as many draws as was said, one in each, with the profile they had", async () => {
    const world = createRehearsalWorld({ ...OPTIONS, pools: "fixed", liars: 0.5 });
    const workers = new Set(
      numbers(30).flatMap((number) => fixed.sample(number).pool.members.map(({ worker }) => worker)),
    );
    // All honest workers are shared by the draws, so whoever is a worker of few draws has turned.
    const uses = new Map<unknown, number>();
    const draws = numbers(400).map((number) => world.sample(number).pool.members);
    for (const { worker } of draws.flat()) uses.set(worker, (uses.get(worker) ?? 0) + 1);
    expect(workers.size).toBe(8);
    const turned = draws.map((members) => members.filter(({ worker }) => uses.get(worker)! < 100));
    const lying = turned.filter(({ length }) => length > 0);
    expect(lying.length / 400).toBeCloseTo(0.5, 1);
    for (const each of lying) {
      expect(each).toHaveLength(1);
      expect(each[0]!.worker.id).not.toBe("consensus");
      expect(each[0]!.profile!.success).toBeGreaterThan(0.2);
    }
  });

  test("are wrong wherever they answer, and others are not touched", async () => {
    const pool = calibratePlayers(PLAYERS, 6);
    const turned = withLiars(pool, [0]);
    expect(turned.members.map(({ profile }) => profile)).toEqual(pool.members.map(({ profile }) => profile));
    expect(await accuracyOf(turned, 0)).toBe(0);
    expect(await accuracyOf(pool, 0)).toBeGreaterThan(0.5);
    expect(await accuracyOf(turned, 1)).toBe(await accuracyOf(pool, 1));
    expect(() => withLiars(pool, [9])).toThrow("No worker 9 in a pool of 7");
    expect(() => withLiars(withConsensus(pool), [7])).toThrow('"consensus" cannot lie');
  });

  test("a share that is none is refused", () => {
    expect(() => createRehearsalWorld({ ...OPTIONS, pools: "fixed", liars: 2 })).toThrow("not 2");
  });
});

describe("models that answer alone", () => {
  const world = createRehearsalWorld({ ...OPTIONS, pools: "fixed", alone: 0.25 });

  test("are in as many training draws as was said, in no validation, and change nothing else", () => {
    const draws = numbers(600).map((number) => world.sample(number));
    const apart = draws.filter(({ pool }) => !handsOff(pool));
    expect(apart.length / 600).toBeGreaterThan(0.2);
    expect(apart.length / 600).toBeLessThan(0.3);
    expect(world.validation.every(({ pool }) => handsOff(pool))).toBe(true);
    expect(fixed.sample(3).pool.members.every(({ worker }) => !worker.refusesHandOffs)).toBe(true);
    for (const number of numbers(60)) {
      const [here, there] = [world, fixed].map((each) => each.sample(number));
      expect(here!.task).toEqual(there!.task);
      expect(idsOf(here!.pool)).toEqual(idsOf(there!.pool));
    }
    expect(() => createRehearsalWorld({ ...OPTIONS, pools: "fixed", alone: 2 })).toThrow("not 2");
  });

  test("answer as ever, and what shows them a reply is no valid plan; a vote over them is one", async () => {
    const members = [...calibratePlayers(PLAYERS, 6).members, createHelper("consensus")];
    const [together, apart] = [{ members }, withoutHandOffs({ members })];
    const { task } = world.sample(1);
    const perform = (pool: Pool, ...steps: Step[]) =>
      performTexts({
        ...{ world, question: { task, pool }, texts: [renderWorkflow({ steps })], seed: 1 },
        signal: new AbortController().signal,
      });
    const vote = [step(0, "Solve it."), step(1, "Solve it."), step(PLAYERS.length, "Compare.", [0, 1])];
    expect(await perform(apart, ...vote)).toEqual(await perform(together, ...vote));
    const handOff = [step(0, "Solve it."), step(1, "Check it.", [0])];
    expect(await perform(together, ...handOff)).toMatchObject({ isValid: true, calls: 2 });
    expect(await perform(apart, ...handOff)).toMatchObject({ isValid: false, reward: 0, isOutage: false });
    expect(withoutHandOffs({ members }).members.map(({ worker }) => worker)).toEqual(
      apart.members.map(({ worker }) => worker),
    );
  });
});

describe("unseen pools", () => {
  test("are seven strangers each that no training and no other pool has, with what they were measured on", () => {
    const pools = createUnseenPools(4, 1, 6);
    const trained = new Set(trainingStrangers(160).map(({ id }) => id));
    const ids = pools.flatMap(idsOf);
    expect(pools.map(({ members }) => members.length)).toEqual([7, 7, 7, 7]);
    expect(new Set(ids).size).toBe(28);
    expect(ids.filter((id) => trained.has(id))).toEqual([]);
    expect(JSON.stringify(createUnseenPools(4, 1, 6))).toBe(JSON.stringify(pools));
    expect(createUnseenPools(1, 2, 6)[0]!.members[0]!.worker.id).not.toBe(ids[0]);
    const [pool] = pools;
    const first = createProfiler(pool!.calibration).poolFor(pool!, "What is 3 + 4 × 5?");
    expect(first.members[0]!.profile!.similar).not.toBe(pool!.members[0]!.profile!.similar);
    for (const { text } of pool!.calibration.tasks) expect(splitOf({ prompt: text })).toBe("train");
  });

  test("have a like: seven strangers each of those that are trained with", () => {
    const drawn = new Set(numbers(2000).flatMap((number) => idsOf(random.sample(number).pool)));
    const pools = createMetPools(2, 6);
    expect(pools.map(({ members }) => members.length)).toEqual([7, 7]);
    expect(pools.flatMap(idsOf).filter((id) => !drawn.has(id))).toEqual([]);
  });

  test("their strangers can lie too", async () => {
    const [pool] = createUnseenPools(1, 3, 6);
    expect(await accuracyOf(withLiars(pool!, [2]), 2)).toBe(0);
  });
});
