import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRandom, hashSeed } from "../base/random.ts";
import { evaluate } from "../bench/evaluate.ts";
import { performRun } from "../perform/driver.ts";
import { toRun } from "../perform/run.ts";
import { playedConductor, step, toStage, toStart } from "../testing/stage.ts";
import { createFiles } from "../testing/temporary-files.ts";
import type { Pool } from "../worker/types.ts";
import { createRecordingWorld, type RecordingWorldOptions } from "./recording.ts";
import { promptHash, splitByFamily, splitOf } from "./split.ts";

const files = createFiles();
const WORKERS = ["w0", "w1", "w2", "w3", "w4", "w5"];

/** Worker w5 is the best, w0 the worst. Families of eight; every tenth question of "long" is also in "short". */
function writeRecording(name: string, sets: Record<string, number>): string {
  const tasks: object[] = [];
  const outcomes: object[] = [];
  for (const [set, count] of Object.entries(sets)) {
    for (let i = 0; i < count; i++) {
      const id = `${set}/${i}`;
      const asks = i % 10 === 0 ? "all" : set;
      const kind = ["river", "moon", "garden", "winter"][i % 4];
      const prompt = `Question ${toWord(i)} of ${asks} about the ${kind}: what comes after ${toWord(i + 7)}?`;
      const category = i % 2 === 0 ? "logic" : "sums";
      tasks.push({ id, set, category, subtask: `${set} family ${Math.floor(i / 8)}`, prompt, answer: "yes" });
      for (const [number, worker] of WORKERS.entries()) {
        const isRight = createRandom(hashSeed(id, worker)).next() < 0.2 + 0.14 * number;
        const answer = isRight ? "yes" : "no";
        outcomes.push({ task: id, worker, sample: 0, answer, score: isRight ? 1 : 0, tokens: 3 });
      }
    }
  }
  files.writeRows(`${name}/tasks.jsonl`, ...tasks);
  files.writeRows(`${name}/outcomes.jsonl`, ...outcomes);
  return `${files.folder}/${name}`;
}

/** Letters, because digits look all alike to whoever compares questions. */
function toWord(number: number): string {
  return [...String(hashSeed("word", number))].map((digit) => "abcdefghij"[Number(digit)]).join("");
}

const folder = writeRecording("two", { long: 400, short: 80 });
const recordings = [
  { folder, set: "long" },
  { folder, set: "short" },
];
const open = (parts: Partial<RecordingWorldOptions> = {}) =>
  createRecordingWorld({ recordings, seed: 3, pools: "random", validationPerSet: 20, ...parts });
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
const idsOf = ({ members }: Pool) => members.map(({ worker }) => worker.id);
const similarOf = (pool: Pool) =>
  Object.fromEntries(
    pool.members.flatMap(({ worker, profile }) => (profile ? [[worker.id, profile.similar]] : [])),
  );

describe("draws of recordings", () => {
  test("are the same for a seed, and others for another", async () => {
    const [world, again, other] = [await open(), await open(), await open({ seed: 4 })];
    const seen = (each: typeof world) => numbers(50).map((number) => JSON.stringify(each.sample(number)));
    expect(seen(again)).toEqual(seen(world));
    expect(seen(other)).not.toEqual(seen(world));
    expect(JSON.stringify(again.validation)).toBe(JSON.stringify(world.validation));
    expect(world).toMatchObject({
      kind: "recording",
      name: "long + short",
      isSimulated: false,
      isInstant: true,
    });
  });

  test("are of the train split only, and no word of a tune or test question is in them", async () => {
    const world = await open();
    fc.assert(
      fc.property(fc.nat(), (number) => {
        expect(splitOf(world.sample(number).task)).toBe("train");
      }),
      { seed: 1, numRuns: 300 },
    );
    expect(world.validation.map(({ task }) => splitOf(task))).toEqual(
      world.validation.map(() => "validation"),
    );
    expect(world.validation.length).toBeGreaterThan(20);
    const drawn = new Set(numbers(2000).map((number) => promptHash(world.sample(number).task)));
    expect(world.validation.filter(({ task }) => drawn.has(promptHash(task)))).toEqual([]);
    const trained = new Set(numbers(4000).map((number) => world.sample(number).task.prompt));
    for (const text of world.texts()) expect(trained.has(text.split("\n")[0]!)).toBe(true);
  });

  test("split by family, keep families apart, and twins of other sets too", async () => {
    const world = await open({ splitBy: "family", splitSeed: 2 });
    expect([world.splitBy, (await open({})).splitBy]).toEqual(["family", undefined]);
    const drawn = numbers(3000).map((number) => world.sample(number).task);
    for (const task of drawn) expect(splitByFamily(task, 2)).toBe("train");
    const tested = new Set<number>();
    for (const [set, count] of [
      ["long", 400],
      ["short", 80],
    ] as const) {
      for (const i of numbers(count)) {
        if (splitByFamily({ family: `${set} family ${Math.floor(i / 8)}` }, 2) !== "test") continue;
        const asks = i % 10 === 0 ? "all" : set;
        const kind = ["river", "moon", "garden", "winter"][i % 4];
        const prompt = `Question ${toWord(i)} of ${asks} about the ${kind}: what comes after ${toWord(i + 7)}?`;
        tested.add(promptHash({ prompt }));
      }
    }
    expect(drawn.filter((task) => tested.has(promptHash(task)))).toEqual([]);
    expect(world.validation.filter(({ task }) => tested.has(promptHash(task)))).toEqual([]);
  });

  test("take each set as often, however large it is", async () => {
    const world = await open();
    const short = numbers(2000).filter((number) => world.sample(number).task.set === "short").length;
    expect(short / 2000).toBeCloseTo(0.5, 1);
  });
});

describe("pools of recordings", () => {
  test("random: half of the time all, else three or more with one of the three strongest, always with `consensus`", async () => {
    const world = await open();
    const pools = numbers(1500).map((number) => idsOf(world.sample(number).pool));
    for (const ids of pools) {
      expect(ids).toContain("consensus");
      expect(ids.length).toBeGreaterThanOrEqual(4);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.some((id) => ["w3", "w4", "w5"].includes(id))).toBe(true);
    }
    const whole = pools.filter(({ length }) => length === 7).length / 1500;
    expect(whole).toBeGreaterThan(0.55);
    expect(whole).toBeLessThan(0.7);
    expect(new Set(pools.map(([first]) => first)).size).toBe(7);
  });

  test("fixed: everybody who was chosen, in an order that changes; tune has all in an order that does not", async () => {
    const chosen = ["w1", "w2", "w3", "w4", "w5"];
    const world = await open({ pools: "fixed", recordings: [{ folder, set: "long", workers: chosen }] });
    const orders = numbers(30).map((number) => idsOf(world.sample(number).pool));
    for (const order of orders)
      expect([...order].sort()).toEqual(["consensus", "w1", "w2", "w3", "w4", "w5"]);
    expect(new Set(orders.map(String)).size).toBeGreaterThan(15);
    for (const { pool } of world.validation) expect(pool.members).toHaveLength(6);
    expect(new Set(world.validation.map(({ pool }) => String(idsOf(pool)))).size).toBeGreaterThan(5);
  });

  test("the profile for a training question leaves out that question, whatever its outcome was", async () => {
    // The same recording, but with one training task answered the other way round by everybody.
    const world = await open({ pools: "fixed", recordings: [{ folder, set: "short" }] });
    const { task } = world.sample(0);
    const turned = `${files.folder}/turned`;
    const rows = (name: string) => readRows(`${folder}/${name}`);
    files.writeRows("turned/tasks.jsonl", ...rows("tasks.jsonl"));
    files.writeRows(
      "turned/outcomes.jsonl",
      ...rows("outcomes.jsonl").map((row) =>
        row.task === task.id ? { ...row, score: 1 - Number(row.score) } : row,
      ),
    );
    const other = await open({ pools: "fixed", recordings: [{ folder: turned, set: "short" }] });
    const pairs = numbers(600).map((number) => [world.sample(number), other.sample(number)] as const);
    const own = pairs.filter(([one]) => one.task.id === task.id);
    const neighbours = pairs.filter(([one]) => one.task.id !== task.id);
    expect(own.length).toBeGreaterThan(1);
    const near = (one: Pool, two: Pool, by: number) =>
      Object.entries(similarOf(one)).every(([id, rate]) => Math.abs(rate! - similarOf(two)[id]!) < by);
    // The overall rate still knows one task of dozens; the neighbours of the question itself do not.
    for (const [one, two] of own) expect(near(one.pool, two.pool, 0.02)).toBe(true);
    expect(neighbours.some(([one, two]) => !near(one.pool, two.pool, 0.03))).toBe(true);
  });
});

function readRows(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("practice with recordings", () => {
  test("is graded by what was recorded, and hand-offs are refused", async () => {
    const world = await open({ pools: "fixed", recordings: [{ folder, set: "long" }] });
    const [{ pool, task }] = world.validation as [(typeof world.validation)[0]];
    const best = idsOf(pool).indexOf("w5");
    const other = idsOf(pool).indexOf("w4");
    const tasks = world.validation.map((question) => question.task);
    const conductor = playedConductor({ steps: [step(best, "Answer it.")] });
    const rows = await evaluate({
      ...{ world, conductor, pool, tasks, rounds: 1, seed: 1, concurrency: 1 },
    });
    const known = rows.map(({ task: id }) => createRandom(hashSeed(id, "w5")).next() < 0.2 + 0.14 * 5);
    expect(rows.map(({ score }) => score === 1)).toEqual(known);

    const start = toStart(pool);
    const handOff = playedConductor({ steps: [step(other, "Answer it."), step(best, "Check it.", "all")] });
    const state = await performRun(
      { ...start, task: { ...start.task, id: task.id } },
      toStage(pool, handOff),
    );
    expect(toRun(state).steps[1]!.failures[0]!.error.code).toBe("handoff-not-recorded");
  });

  test("what makes no sense is refused", async () => {
    const few = [{ folder: writeRecording("few", { few: 6 }), set: "few" }];
    await expect(open({ recordings: few, splitSeed: 0 })).rejects.toThrow(
      'too few tasks in "few": none of them is left to validate',
    );
    await expect(open({ recordings: [] })).rejects.toThrow("one set or more");
    await expect(open({ recordings: [recordings[0]!, recordings[0]!] })).rejects.toThrow(
      '"long" is there twice',
    );
    await expect(open({ recordings: [{ folder, set: "long", workers: [] }] })).rejects.toThrow(
      "None of the workers",
    );
    await expect(open({ recordings: [{ folder, set: "long", workers: ["w1"] }] })).rejects.toThrow(
      'Only w1 answered every task of "long": a Conductor needs two workers or more',
    );
  });
});

test("recorded tasks that a program could have graded itself are refused, unless they are allowed", async () => {
  const inside = writeRecording("inside", { long: 80 });
  const path = `${inside}/tasks.jsonl`;
  const [first = "", ...others] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [JSON.stringify({ ...JSON.parse(first), decidedIn: "program" }), ...others].join("\n"));
  const parts = { recordings: [{ folder: inside }], validationPerSet: 5 };
  await expect(open(parts)).rejects.toThrow(/1 of 80 tasks .*--allow-inside-grades/);
  expect(await open({ ...parts, allowInsideGrades: true })).toMatchObject({ allowsInsideGrades: true });
});
